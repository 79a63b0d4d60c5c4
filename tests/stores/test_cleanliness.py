"""Nothing is kept of what is gone: no chunk without its document, no vector without its chunk, no space for nobody."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from store_cases import batch, embed, nearest, serve, space, task

from errors import StoreError
from schema import EVERYWHERE, Message
from stores.embedded import EmbeddedStore
from stores.sql import spaces


def counts(folder: Path) -> dict[str, int]:
    connection = sqlite3.connect(folder / "library.db")
    try:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}
    finally:
        connection.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "library"


def test_everything_of_a_document_goes_with_it(folder):
    store = EmbeddedStore(folder)
    serve(store)
    empty = counts(folder)
    for n in range(5):
        store.put(batch(f"{n}", [f"one{n}", "two", "three"], "s"))
    store.put(batch("0", ["one0", "else"], "s"))
    store.put(replace(batch("late", ["red", "blue"], "t"), missing=frozenset({1})))
    assert counts(folder)["vectors"] == 2 + 4 * 3 + 1
    serve(store, "two")
    assert counts(folder)["vectors"] == 2 + 4 * 3 + 2
    assert counts(folder)["spaces"] == 1
    store.add_tasks([task("x", "s")])
    store.delete_doc_set("s")
    store.delete("late", "t")
    store.delete_doc_set("t")
    left = counts(folder)
    store.close()
    assert {name: left[name] for name in empty if name != "sqlite_sequence"} == {
        name: count for name, count in empty.items() if name != "sqlite_sequence"
    }


@pytest.mark.parametrize("how", ["too few", "not stored", "failed"])
def test_nothing_is_left_of_a_space_that_did_not_come(folder, how, monkeypatch):
    store = EmbeddedStore(folder)
    serve(store)
    store.put(batch("a.md", [f"red n{n}" for n in range(1_500)]))
    ids = store.opening(EVERYWHERE, 2_000)
    rows = list(embed(["red"] * 1_500, "two"))
    if how == "too few":
        rows.pop()
    elif how == "not stored":
        ids.pop()
        rows.pop()
    else:
        monkeypatch.setattr(spaces, "swap_space", lambda *_: 1 / 0)
    with pytest.raises((ValueError, StoreError, ZeroDivisionError)):
        store.swap_space(space("two"), ids, iter(rows))
    assert "coming" not in counts(folder)
    assert store.space_key() == space().key
    assert nearest(store, "red n3") == [("a.md", "red n3")]
    store.close()


def test_what_a_kill_leaves_of_a_coming_space_goes_at_the_next_opening(folder):
    store = EmbeddedStore(folder)
    serve(store)
    store.put(batch("a.md", [f"red n{n}" for n in range(2_500)]))
    store.close()
    code = """if True:
        import os, sys
        from pathlib import Path
        from store_cases import embed, space
        from schema import EVERYWHERE
        from stores.embedded import EmbeddedStore
        store = EmbeddedStore(Path(sys.argv[1]))
        ids = store.opening(EVERYWHERE, 5_000)
        def rows():
            for number in range(len(ids)):
                if number == 2_200:
                    os._exit(9)
                yield embed(["red"], "two")[0]
        store.swap_space(space("two"), ids, rows())
    """
    path = os.pathsep.join([str(Path(__file__).parent), os.getcwd()])
    done = subprocess.run([sys.executable, "-c", code, str(folder)], env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 9
    assert counts(folder)["coming"] == 2_000
    store = EmbeddedStore(folder)
    assert "coming" not in counts(folder)
    assert store.space_key() == space().key
    assert nearest(store, "red n3") == [("a.md", "red n3")]
    serve(store, "two")
    assert nearest(store, "red n3", "two") == [("a.md", "red n3")]
    store.close()


def test_a_swap_that_could_not_even_be_tidied_up_can_be_tried_again(folder, monkeypatch):
    """As on a disk without a byte left."""
    store = EmbeddedStore(folder)
    serve(store)
    store.put(batch("a.md", ["red", "blue"]))
    ids = store.opening(EVERYWHERE, 9)

    def full(connection: sqlite3.Connection) -> None:
        raise StoreError(Message(zh="满", en="full"))

    with monkeypatch.context() as at_last:

        def swap(*_: object) -> None:
            at_last.setattr(spaces, "forget_coming", full)
            raise ZeroDivisionError

        at_last.setattr(spaces, "swap_space", swap)
        with pytest.raises(ZeroDivisionError):
            store.swap_space(space("two"), ids, embed(["red", "blue"], "two"))
    assert counts(folder)["coming"] == 2
    serve(store, "two")
    assert nearest(store, "red", "two") == [("a.md", "red")]
    store.close()
