"""The crash benchmark itself: a short run holds, and it would see what it is there to see."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import crash_forest
from benchmarks.crash_look import differences
from benchmarks.crash_model import Operation, State, after, batch, perform
from benchmarks.crash_work import first_state, make
from stores.embedded import EmbeddedStore
from tests.benchmarks.benchmark_commands import measured


def test_six_kills_lose_nothing():
    report = measured("crash", "--trials", "6", "--seed", "3", "--part", "kill")
    assert report.ok, report
    assert sum(report.metrics["killed during"].values()) == 6


def test_the_forest_is_that_of_one_made_from_scratch():
    report = measured("crash", "--operations", "6", "--seed", "3", "--part", "forest")
    assert report.ok, report
    assert report.metrics["forest: acknowledged"] >= 6


@pytest.mark.parametrize("change", ["UPDATE chunks SET names = x'' WHERE position = 0", "DELETE FROM name_places"])
def test_another_forest_is_seen(tmp_path, change):
    folder, state = tmp_path / "library", first_state("test", 2)
    crash_forest.make(folder, state)
    assert crash_forest.differences(folder, [state]) == [[]]
    with sqlite3.connect(folder / "library.db") as connection:
        connection.execute(change)
    connection.close()
    assert crash_forest.differences(folder, [state]) != [[]]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> tuple[Path, State]:
    folder, state = tmp_path_factory.mktemp("made") / "library", first_state("test", 5)
    make(folder, state)
    return folder, state


@pytest.fixture
def library(made, tmp_path) -> tuple[Path, State]:
    return shutil.copytree(made[0], tmp_path / "library"), made[1]


def problems(folder: Path, state: State) -> list[str]:
    store = EmbeddedStore(folder)
    try:
        return list(differences(store, state))
    finally:
        store.close()


def test_what_is_there_is_no_problem(library):
    assert problems(*library) == []


def test_another_state_is_seen(library):
    folder, state = library
    (key, version), *_ = state.documents.items()
    for other in (
        replace(state, documents={**state.documents, key: version + 1}),
        replace(state, documents={**state.documents, ("more", ""): 1}),
        replace(state, documents={key: version}),
        replace(state, doc_sets=state.doc_sets | {"more"}),
        replace(state, waiting=frozenset({("file", "")})),
        replace(state, space="another"),
    ):
        assert problems(folder, other)


@pytest.mark.parametrize(
    "damage",
    [
        """DELETE FROM chunks WHERE id = (SELECT max(id) FROM chunks);
        UPDATE documents SET chunks = (SELECT count(*) FROM chunks WHERE document_id = documents.id)""",
        "DELETE FROM vectors WHERE chunk_id = (SELECT max(chunk_id) FROM vectors)",
        "UPDATE vectors SET vector = (SELECT vector FROM vectors LIMIT 1)",
        "UPDATE texts SET text = substr(text, 1, 20)",
        "UPDATE chunks SET terms = (SELECT terms FROM chunks WHERE position = 0 LIMIT 1)",
    ],
)
def test_halves_are_seen(library, damage):
    folder, state = library
    with sqlite3.connect(folder / "library.db") as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.executescript(damage)
    connection.close()
    shutil.rmtree(folder / "terms")
    for path in folder.glob("vectors*"):
        path.unlink()
    assert problems(folder, state)


@pytest.mark.parametrize(
    "operation",
    [
        Operation("put several", (("small-1", "", 50), ("new", "violet", 51))),
        Operation("put late", (("small-1", "red", 52),)),
        Operation("add tasks", (("file", "orange", 0),)),
        Operation("swap", to="second"),
    ],
    ids=lambda operation: operation.kind,
)
def test_an_operation_has_the_effect_that_is_foreseen(library, operation):
    folder, state = library
    store = EmbeddedStore(folder)
    assert list(differences(store, after(state, operation))) != []
    perform(store, operation, state.space)
    assert list(differences(store, after(state, operation))) == []
    store.close()


def test_documents_are_always_the_same():
    assert batch("small-1", "", 3, "first").document == batch("small-1", "", 3, "first").document
    assert batch("small-1", "", 3, "first").document.text != batch("small-1", "", 4, "first").document.text
