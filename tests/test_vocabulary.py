"""The vocabulary of docs/glossary.md: one word per idea; a class is named by a noun, a module by a noun or a verb."""

from __future__ import annotations

import ast
import functools
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
OTHERS = {"tests", "benchmarks", "scripts", "mutants"}

# The events and results of the public face: programs match and import them by these names.
PUBLIC = {"Added", "Answered", "Evaluated", "Failed", "Gathered", "Replied", "Traced", "Unsaved"}
FORMS = {"Translated"}  # what a model fills in: the name is sent with the request, and recorded answers hold it
IRREGULAR = {
    "Begun", "Bound", "Cut", "Done", "Found", "Given", "Gone", "Had", "Heard", "Held", "Kept", "Known", "Left", "Lost",
    "Made", "Meant", "Put", "Read", "Said", "Seen", "Sent", "Set", "Shown", "Taken", "Told", "Won", "Written",
}  # fmt: skip
NOUNS = {"Feed", "Seed", "Speed", "Need", "Bed"}  # that end like participles
RIDDLES = {
    "again", "asking", "awaiting", "came", "considering", "doubles", "drawn", "fetched", "found", "given", "going",
    "gone", "heard", "held", "judging", "keeper", "leisure", "look", "mending", "opened", "parts", "patience",
    "renewal", "said", "seen", "set_to", "shelf", "showing", "state_of", "stored", "throwaway", "told", "unfit",
    "whoever", "wishes", "words", "workshop",
}  # fmt: skip


def product() -> Iterator[Path]:
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).parts
        if parts[0] not in OTHERS and not any(part.startswith(".") for part in parts):
            yield path


@functools.cache
def classes() -> dict[str, list[str]]:
    """Where a class of each name is defined."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in product():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    return places


def is_participle(name: str) -> bool:
    """A name of one word, or of one behind an underscore, that is a past tense or a participle."""
    word = name.lstrip("_")
    if not re.fullmatch("[A-Z][a-z]+", word) or word in NOUNS:
        return False
    return word in IRREGULAR or word.removeprefix("Un").capitalize() in IRREGULAR or word.endswith("ed")


def test_participles_are_told_from_nouns() -> None:
    assert all(map(is_participle, ["Found", "_Said", "Unknown", "Stored", "Compared", "Unread"]))
    assert not any(map(is_participle, ["Feed", "Reader", "StoredFile", "Evidence", "EmbeddedStore", "TermIndex"]))


def test_a_class_name_stands_once() -> None:
    assert {name: places for name, places in classes().items() if len(places) > 1} == {}


def test_no_participle_is_a_class_name() -> None:
    named = classes()
    assert {name: places for name, places in named.items() if is_participle(name) and name not in PUBLIC | FORMS} == {}
    assert named.keys() >= PUBLIC | FORMS, "an exception that is needed no more"


def test_no_module_is_a_riddle() -> None:
    assert [str(path.relative_to(ROOT)) for path in product() if path.stem in RIDDLES] == []


def test_the_glossary_names_what_is_there() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]+/|[\w/]+\.py)`", glossary))
    assert named, "it says where each idea lives"
    assert [place for place in sorted(named) if not (ROOT / place).exists()] == []
