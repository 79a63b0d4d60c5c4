"""What the lab keeps: the same in a file beside the library and in PostgreSQL, in backups, and each user's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stores.embedded import EmbeddedStore
from stores.lab import LAB, LabStore
from tests.stores.postgres_server import database_url, empty


@pytest.fixture(params=["file", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LabStore]:
    if request.param == "file":
        opened = LabStore.in_file(tmp_path / LAB)
    else:
        from stores.postgres.side_tables import SideTables

        empty(database_url())
        opened = LabStore(SideTables(database_url()))
    yield opened
    opened.close()


def test_sets_runs_results_and_choices(store: LabStore) -> None:
    assert (store.sets(""), store.runs(""), store.chosen(), store.get_set("", "a")) == ([], [], None, None)
    store.put_set("anna", "手册", '{"question": "年假？"}\n')
    store.put_set("anna", "手册", "new\n")
    store.put_set("", "手册", "other\n")
    assert [(one.name, one.content) for one in store.sets("anna")] == [("手册", "new\n")]
    for name in ("first", "second"):
        store.begin_run("anna", name, "{}")
        store.put_result("anna", name, "c1", "one")
        store.put_result("anna", name, "c1", "again")
        store.put_result("anna", name, "c2", "two")
    store.note_run("anna", "first", "done")
    assert [(run.name, run.state) for run in store.runs("anna")] == [("second", "running"), ("first", "done")]
    assert store.results("anna", "first") == ["again", "two"]
    assert store.runs("") == store.results("", "first") == []
    store.begin_run("anna", "first", "{}")
    assert store.results("anna", "first") == []
    store.delete_run("anna", "second")
    assert (store.results("anna", "second"), store.get_run("anna", "second")) == ([], None)
    assert (store.delete_set("anna", "手册"), store.delete_set("anna", "手册")) == (True, False)
    assert not store.undo_choice()
    store.choose("one")
    store.choose("two")
    assert (store.chosen(), store.undo_choice(), store.chosen()) == ("two", True, "one")


def test_nothing_is_made_until_there_is_something_and_backups_hold_it(tmp_path: Path) -> None:
    library = EmbeddedStore(tmp_path / "library")
    store = LabStore.in_file(tmp_path / "library" / LAB)
    assert (store.sets(""), store.undo_choice()) == ([], False)
    assert not (tmp_path / "library" / LAB).exists()
    store.put_set("", "a", "before")
    library.backup(tmp_path / "b.zip")
    store.put_set("", "a", "after")
    library.restore(tmp_path / "b.zip")
    assert [one.content for one in store.sets("")] == ["before"]
    store.close()
    library.close()
