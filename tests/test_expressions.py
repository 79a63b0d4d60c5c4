"""Every regular expression of the product reads any text in time that grows with its length."""

from __future__ import annotations

import re

from benchmarks.redos import ROOMS
from benchmarks.redos_expressions import Expression, expressions, growth, modules
from tests.each_row import each_row
from tests.test_imports import FILES, ROOT, imported

AREAS = {
    "text and evaluation": ["text", "question_words", "evaluation"],
    "languages, names and tables": ["translation", "entities", "tables", "printed_headings"],
    "readers": ["ingestion"],
    "web": ["web"],
    "page and doors": ["ui", "doors", "answering", "nodes", "graph"],
    "stores and providers": ["library", "retrieval", "stores", "providers", "schema", "settings", "config_file"],
}  # planning reads a bounded part of a message: tests/planning/test_long_messages.py


@each_row("area", AREAS)
def test_every_expression_is_linear(area: str) -> None:
    found = expressions(list(modules(AREAS[area])))
    assert len(found) > 10
    assert [grown for one in found if (grown := growth(one, most=12))] == []


def test_all_rooms_with_expressions_are_read() -> None:
    read = {room for rooms in AREAS.values() for room in rooms}
    top = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in FILES if "re" in imported(path)}
    # What is given to the last two comes from whoever starts the program.
    assert read == {*ROOMS}
    assert top - read == {"planning", "benchmarks", "app", "setting_types"}


@each_row(
    ("pattern", "method"),
    [
        (r"<!--.*?-->", "sub"),
        (r"(\*\*)(?=\S)(.+?)(?<=\S)\1", "sub"),
        (r"(?:a|aa)+$", "match"),
    ],
)
def test_one_that_is_not_is_found(pattern: str, method: str) -> None:
    one = Expression("", re.compile(pattern, re.MULTILINE), method)
    found = growth(one)
    assert found is not None
    assert found.times > 8


def test_expressions_are_found_where_they_are_compiled_and_where_they_are_used() -> None:
    found = {one.place: one for one in expressions(list(modules(["evaluation", "ingestion.chunking"])))}
    assert found["evaluation.blocks._rule_row"].method == "match"
    assert found["evaluation.markers._special"].method == "search"
    assert found["ingestion.chunking.definitions._generic"].method == "match"  # stands in a table of patterns
    assert any(place.startswith("evaluation.blocks:") for place in found)
