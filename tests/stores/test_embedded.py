"""The embedded store's own promises: what is derived heals, one process at a time, errors say what to do."""

from __future__ import annotations

import logging
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from store_cases import batch, embed, found, nearest, serve, space, task

from errors import StoreError
from stores.embedded import EmbeddedStore
from stores.problems import UnusableStoreError

TEXTS = [f"common number{n}" for n in range(5)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A closed library of one document."""
    store = EmbeddedStore(tmp_path / "library")
    serve(store)
    store.put(batch("a.md", TEXTS))
    store.close()
    return tmp_path / "library"


def check(folder: Path, texts: list[str] = TEXTS, salt: str = "one") -> None:
    """Open, and find every text by its own term and by its vector."""
    store = EmbeddedStore(folder)
    try:
        assert found(store, "common") == {("a.md", text) for text in texts}
        for text in texts:
            assert found(store, text.split()[-1]) == {("a.md", text)}
            assert nearest(store, text, salt) == [("a.md", text)]
        assert len(nearest(store, "common", salt, k=99)) == len(texts)
    finally:
        store.close()


def test_opening_again_needs_no_repair(folder, caplog):
    store = EmbeddedStore(folder)
    store.put(batch("a.md", [*TEXTS[:3], "common other"]))
    store.put(batch("b.md", ["text"]))
    store.delete("b.md")
    store.put(batch("a.md", TEXTS))
    store.put_all([batch("c.md", ["text"], "new set"), batch("d.md", ["text"], "another")])
    store.move("c.md", "new set", "third")
    for name in ("new set", "another", "third"):
        store.delete_doc_set(name)
    store.add_tasks([task("e.md", "fourth")])
    assert store._terms.index.generation == store.generation()  # nothing is to be compared at the next opening
    serve(store)
    store.add_doc_set("fifth")
    assert store._terms.index.generation == store.generation()
    store.close()
    caplog.set_level(logging.INFO)
    check(folder)
    assert caplog.records == []


def test_vectors_that_came_late_are_found_after_a_kill(tmp_path):
    folder = tmp_path / "library"
    store = EmbeddedStore(folder)
    serve(store)
    store.put(replace(batch("a.md", TEXTS), missing=frozenset(range(5))))
    store.close()  # the index on disk has them without vectors
    code = """if True:
        import os, sys
        from pathlib import Path
        from store_cases import embed, space
        from stores.embedded import EmbeddedStore
        store = EmbeddedStore(Path(sys.argv[1]))
        ids = store.without_vectors()
        texts = dict(store.indexed_texts())
        store.add_vectors(space().key, ids, embed([texts[i] for i in ids]))
        os._exit(9)
    """
    path = os.pathsep.join([str(Path(__file__).parent), os.getcwd()])
    done = subprocess.run([sys.executable, "-c", code, str(folder)], env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 9
    check(folder)


@pytest.mark.parametrize("lost", ["terms", "terms/meta.json", "terms/generation", "vectors.faiss", "lock"])
def test_lost_derived_files_are_made_again(folder, lost):
    path = folder / lost
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    check(folder)
    check(folder)


def derived_files(folder: Path) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("library.db")]
    return sorted(path for path in files if path.stat().st_size)


@pytest.mark.parametrize("how", ["cut", "flip", "noise", "empty", "remove"])
def test_every_damaged_derived_file_is_healed(folder, how, caplog, tmp_path):
    chance = random.Random(how)
    for number, original in enumerate(derived_files(folder)):
        copy = tmp_path / f"copy{number}"
        shutil.copytree(folder, copy)
        path = copy / original.relative_to(folder)
        content = bytearray(path.read_bytes())
        if how == "cut":
            path.write_bytes(content[: len(content) // 2])
        elif how == "flip":
            content[chance.randrange(len(content))] ^= 0x10
            path.write_bytes(content)
        elif how == "noise":
            path.write_bytes(chance.randbytes(len(content)))
        elif how == "empty":
            path.write_bytes(b"")
        else:
            path.unlink()
        check(copy)
    assert caplog.records  # said in the log


def test_derived_indexes_of_an_earlier_state_catch_up(folder, tmp_path):
    """As after a crash between SQLite's commit and the others': the old files beside the new truth."""
    old = tmp_path / "old"
    shutil.copytree(folder, old)
    store = EmbeddedStore(folder)
    texts = [*TEXTS[1:], "common new"]
    store.put(batch("a.md", texts))
    store.close()
    for name in ("terms", "vectors.faiss"):
        target = folder / name
        shutil.rmtree(target) if target.is_dir() else target.unlink()
        shutil.copytree(old / name, target) if (old / name).is_dir() else shutil.copy(old / name, target)
    check(folder, texts)


def test_derived_indexes_ahead_of_the_truth_fall_back(folder, tmp_path):
    """As after a damaged WAL that took commits back, also when the library has gone on since."""
    old = tmp_path / "old.db"
    shutil.copy(folder / "library.db", old)
    store = EmbeddedStore(folder)
    store.put(batch("a.md", ["common lost"]))
    store.put(batch("b.md", ["common lost"]))
    store.close()
    shutil.copy(old, folder / "library.db")
    check(folder)
    shutil.copy(old, folder / "library.db")
    store = EmbeddedStore(folder)
    store.put(batch("b.md", ["later"]))
    assert found(store, "common") == {("a.md", text) for text in TEXTS}
    assert found(store, "later") == {("b.md", "later")}
    store.close()


def test_the_vector_index_of_another_space_is_not_used(folder, tmp_path):
    shutil.copy(folder / "vectors.faiss", tmp_path)
    store = EmbeddedStore(folder)
    serve(store, "two")
    store.close()
    shutil.copy(tmp_path / "vectors.faiss", folder)
    check(folder, salt="two")


def test_a_failing_term_index_is_built_anew_within_the_change(folder):
    store = EmbeddedStore(folder)
    store._terms.index._writer.wait_merging_threads()  # the writer is gone: its next use fails
    store.put(batch("b.md", ["fresh"]))
    assert found(store, "fresh") == {("b.md", "fresh")}
    assert len(found(store, "common")) == 5
    store.close()


def test_a_failed_transaction_leaves_nothing(folder):
    store = EmbeddedStore(folder)
    pages = store._database.writer.execute("PRAGMA page_count").fetchone()[0]
    store._database.writer.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(UnusableStoreError) as error:
        store.put(batch("big.md", ["word " * 2000 for _ in range(50)]))
    assert "磁盘已满" in error.value.suggestions[0].zh
    assert "disk is full" in error.value.suggestions[0].en
    assert [d.name for d in store.documents()] == ["a.md"]
    store._database.writer.execute("PRAGMA max_page_count = 1000000")
    assert store.put(batch("big.md", ["small"])).outcome == "added"
    store.close()


def test_one_program_at_a_time(folder):
    store = EmbeddedStore(folder)
    with pytest.raises(StoreError, match="in use by another program") as error:
        EmbeddedStore(folder)
    assert "另一个程序" in error.value.message.zh
    code = (
        "import sys; from pathlib import Path; from errors import StoreError\n"
        "from stores.embedded import EmbeddedStore\n"
        "try: EmbeddedStore(Path(sys.argv[1]))\n"
        "except StoreError as error: print(error)"
    )
    child = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, cwd=os.getcwd())
    assert "in use by another program" in child.stdout, child.stderr
    store.close()
    check(folder)


def test_folders_that_cannot_be_used_say_so(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError) as error:
        EmbeddedStore(tmp_path / "file" / "library")
    assert error.value.suggestions
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "library.db").write_bytes(b"this is not a database" * 100)
    for _ in range(2):  # the lock was released
        with pytest.raises(StoreError) as error:
            EmbeddedStore(broken)
        assert "backup" in error.value.suggestions[0].en
    blocked = tmp_path / "blocked"
    (blocked / "library.db").mkdir(parents=True)
    with pytest.raises(StoreError):
        EmbeddedStore(blocked)


def test_a_throw_away_store_leaves_nothing_behind():
    store = EmbeddedStore()
    folder = store._folder
    assert folder.exists()
    store.close()
    assert not folder.exists()


def test_nothing_is_pickled(folder):
    for path in folder.rglob("*"):
        assert not path.is_file() or path.read_bytes()[:1] != b"\x80"


# --- a kill between the truth and what is derived ------------------------------------------------------------------


CHANGES: dict[str, Callable[[EmbeddedStore], object]] = {
    "put_all": lambda store: store.put_all([batch("a.md", ["common new"], "s"), batch("c.md", ["common new"], "s")]),
    "move": lambda store: store.move("a.md", "", "s"),
    "move back": lambda store: store.move("b.md", "s", ""),
    "rename": lambda store: store.rename_doc_set("s", "t"),
    "delete": lambda store: store.delete("a.md"),
    "delete set": lambda store: store.delete_doc_set("s"),
    "swap": lambda store: serve(store, "two"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_whose_indexes_did_not_follow_is_made_up_for(folder, change, monkeypatch):
    """Killed when SQLite has committed and tantivy has not: as if it had not been killed."""
    store, killed = EmbeddedStore(folder), folder.with_name("killed")
    store.put(batch("b.md", ["common beta"], "s"))
    store.move("b.md", "s", "")
    store.move("b.md", "", "s")
    follow = store._terms.follow

    def die(change):
        shutil.copytree(folder, killed)  # what a kill at this moment leaves behind
        follow(change)

    monkeypatch.setattr(store._terms, "follow", die)
    CHANGES[change](store)
    store.close()
    assert state(killed) == state(folder)
    assert state(killed) == state(folder)


def state(folder: Path) -> list[object]:
    store = EmbeddedStore(folder)
    try:
        salt = "two" if store.space_key() == space("two").key else "one"
        sets = [info.name for info in store.doc_sets()]
        return [
            [(info.name, info.doc_set, info.chunks) for info in store.documents()],
            sets,
            [found(store, "common", doc_sets=(name,)) for name in ["", "s", "t", *sets]],
            [sorted(nearest(store, "common", salt, k=99, doc_sets=(name,))) for name in ["", "s", "t", *sets]],
            sorted(nearest(store, "common", salt, k=99)),
            store.tasks(),
        ]
    finally:
        store.close()


def test_a_term_index_from_before_a_move_is_not_believed(folder, tmp_path):
    """The same chunks, the same number of them, another set."""
    shutil.copytree(folder / "terms", tmp_path / "terms")
    store = EmbeddedStore(folder)
    store.move("a.md", "", "s")
    store.close()
    shutil.rmtree(folder / "terms")
    shutil.copytree(tmp_path / "terms", folder / "terms")
    for _ in range(2):
        store = EmbeddedStore(folder)
        assert found(store, "common", doc_sets=("",)) == set()
        assert len(found(store, "common", doc_sets=("s",))) == 5
        store.close()


def test_a_move_that_a_damaged_log_took_back_is_taken_back(folder, tmp_path):
    shutil.copy(folder / "library.db", tmp_path)
    store = EmbeddedStore(folder)
    store.move("a.md", "", "s")
    store.close()
    shutil.copy(tmp_path / "library.db", folder)
    store = EmbeddedStore(folder)
    assert len(found(store, "common", doc_sets=("",))) == 5
    assert found(store, "common", doc_sets=("s",)) == set()
    store.close()


# --- the vector index --------------------------------------------------------------------------------------------


def test_vectors_are_saved_now_and_then_without_closing(tmp_path):
    store = EmbeddedStore(tmp_path / "library")
    serve(store)
    path = tmp_path / "library" / "vectors.faiss"
    before = path.stat().st_size if path.exists() else 0
    store.put(batch("a.md", [f"n{n % 50}" for n in range(10_001)]))
    assert path.stat().st_size > before + 10_001 * 16 * 2
    store.close()


def test_the_space_survives(folder):
    store = EmbeddedStore(folder)
    assert store.space() == space()
    [first] = store.search_vector(embed([TEXTS[0]])[0], 1)
    assert np.isclose(first.score, 1, atol=1e-3)
    assert store.stats().bytes > 0
    store.close()
