"""Every regular expression of the product reads any text in time that grows with its length."""

from __future__ import annotations

import re

from benchmarks.redos_expressions import Expression, expressions, growth, modules
from tests.each_row import each_row

AREAS = {
    "text and evaluation": ["text", "evaluation"],
    "readers": ["ingestion"],
    "web": ["web"],
    "page and doors": ["ui", "doors", "answering", "nodes", "graph"],
    "stores and providers": ["library", "retrieval", "stores", "providers", "schema", "settings", "config_file"],
}  # planning reads a bounded part of a message: tests/planning/test_long_messages.py


@each_row("area", AREAS)
def test_every_expression_is_linear(area: str) -> None:
    found = expressions(list(modules(AREAS[area])))
    assert len(found) > 10
    assert [grown for one in found if (grown := growth(one, most=60))] == []


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
    assert found["evaluation.blocks._row"].method == "match"
    assert found["evaluation.markers._special"].method == "search"
    assert found["ingestion.chunking.definitions._generic"].method == "match"  # stands in a table of patterns
    assert any(place.startswith("evaluation.blocks:") for place in found)
