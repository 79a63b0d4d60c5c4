"""Keeping a library safe: backup, restore, rebuild and check, beside a program that uses it and for damaged files."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from store_cases import batch, found, nearest, serve, task

from errors import StoreError
from schema import GlossaryPair, Message, Place, Source
from stores.embedded import EmbeddedStore
from stores.problems import UnreadableDatabaseError
from stores.safety import backup, repair, requests
from stores.safety.backup import NOTED, last_backup, write_backup
from stores.safety.health import check_library

TEXTS = [f"common number{n}" for n in range(5)]
PAGE = 16_384
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A closed library of twenty documents, a waiting file and a source."""
    store = EmbeddedStore(tmp_path / "library")
    serve(store)
    (tmp_path / "library" / "incoming").mkdir()
    path = tmp_path / "library" / "incoming" / ("0" * 32)
    path.write_bytes(b"waiting")
    store.put_all([batch(f"{n}.md", [*TEXTS, f"only{n} word"], "set") for n in range(20)])
    store.add_tasks([task("late.md", path=str(path), size=7)])
    store.put_source(source("site"))
    store.change_glossary([GlossaryPair("北极星", "Polaris")])
    store.close()
    return tmp_path / "library"


class Holder:
    """Another process that has the library open."""

    def __init__(self, folder: Path) -> None:
        code = """if True:
            import sys
            from pathlib import Path
            from stores.embedded import EmbeddedStore
            store = EmbeddedStore(Path(sys.argv[1]))
            print("open", flush=True)
            for line in sys.stdin:
                print(len(store.search_terms([line.strip()], 100)), store.stats().documents, flush=True)
            store.close()
        """
        command = [sys.executable, "-c", code, str(folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert self._line() == "open"

    def _line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def search(self, term: str) -> tuple[int, int]:
        """How many chunks it finds, and has documents."""
        assert self.process.stdin
        print(term, file=self.process.stdin, flush=True)
        chunks, documents = map(int, self._line().split())
        return chunks, documents

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        assert self.process.wait(60) == 0


@pytest.fixture
def holder(folder: Path) -> Iterator[Holder]:
    """Of `folder`."""
    holder = Holder(folder)
    yield holder
    holder.close()


def state(store: EmbeddedStore) -> object:
    """All that a backup has to bring back, but for numbers."""
    documents = {(one.doc_set, one.name): store.document(one.name, one.doc_set) for one in store.documents()}
    chunks = {key: [hit.text for hit in store.chunks(key[1], key[0])] for key in documents}
    tasks = [(one.name, one.doc_set, one.job) for one in store.tasks()]
    return documents, chunks, store.doc_sets(), tasks, store.sources(), store.glossary()


def source(name: str) -> Source:
    return Source(0, "set", "website", f"https://{name}.example/", pages=3, problem=Message(zh="坏", en="bad"))


def kinds(folder: Path) -> set[str]:
    return {one.kind for one in check_library(folder)}


def damage(path: Path, pages: range) -> None:
    with path.open("r+b") as file:
        for page in pages:
            file.seek(page * PAGE)
            file.write(b"\xa5" * 9_000)


# --- backup and restore ------------------------------------------------------------------------------------------

CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from("abc"), st.lists(st.sampled_from(TEXTS), max_size=3)),
        st.tuples(st.just("delete"), st.sampled_from("abc"), st.just([])),
        st.tuples(st.just("wait"), st.sampled_from("abc"), st.just([])),
        st.tuples(st.just("set"), st.sampled_from("abc"), st.just([])),
        st.tuples(st.just("pair"), st.sampled_from("abc"), st.just([])),
        st.tuples(st.just("source"), st.sampled_from("abc"), st.just([])),
    ),
    max_size=6,
)


@settings(max_examples=8, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(before=CHANGES, after=CHANGES)
def test_a_restored_library_is_as_it_was(tmp_path_factory, before, after):
    path = tmp_path_factory.mktemp("any")
    store = EmbeddedStore(path / "library")
    try:
        serve(store)
        _change(store, before)
        was = state(store)
        store.backup(path / "backup.zip")
        _change(store, after)
        generation, tasks = store.generation(), {one.id for one in store.tasks()}
        store.restore(path / "backup.zip")
        assert state(store) == was
        assert store.generation() > generation
        assert tasks.isdisjoint(one.id for one in store.tasks())  # what is made for the old ones is refused
        assert len(found(store, "common")) == len({(d.name, h) for d in store.documents() for h in _texts(store, d)})
        assert store.without_vectors() == []
    finally:
        store.close()
    assert kinds(path / "library") == {"ok"}


def _texts(store, document):
    return [hit.text for hit in store.chunks(document.name, document.doc_set)]


def _change(store, changes):
    for what, name, texts in changes:
        if what == "put":
            store.put(batch(name, texts))
        elif what == "delete":
            store.delete(name)
        elif what == "wait":
            store.add_tasks([task(name)])
        elif what == "pair":
            store.change_glossary([GlossaryPair("词", name)])
        elif what == "source":
            store.put_source(source(name))
        else:
            store.add_doc_set(name)


def test_files_that_wait_are_in_it(folder, tmp_path):
    made = write_backup(folder, tmp_path / "b.zip")
    assert (made.documents, made.waiting) == (20, 1)
    shutil.rmtree(folder)
    repair.restore_library(folder, tmp_path / "b.zip")
    assert (folder / "incoming" / ("0" * 32)).read_bytes() == b"waiting"
    assert kinds(folder) == {"ok"}


def test_records_are_a_log_that_a_restore_leaves_alone(folder, tmp_path):
    (folder / "webis_documents").mkdir()
    records = [folder / "webis_documents" / "webis_docs_a_20250101_120000.json", folder / "agent_answer_20250101.json"]
    for record in records:
        record.write_text("before")
    made = write_backup(folder, tmp_path / "b.zip")
    assert not any("webis" in part or "agent" in part for part in made.parts)
    for record in records:
        record.write_text("later")
    repair.restore_library(folder, tmp_path / "b.zip")
    assert [record.read_text() for record in records] == ["later", "later"]
    assert kinds(folder) == {"ok"}


def test_it_never_overwrites_unless_told(folder, tmp_path):
    (tmp_path / "b.zip").write_bytes(b"mine")
    with pytest.raises(StoreError) as refused:
        write_backup(folder, tmp_path / "b.zip")
    assert "--force" in refused.value.in_full.en
    assert "--force" in refused.value.in_full.zh
    assert (tmp_path / "b.zip").read_bytes() == b"mine"
    assert last_backup(folder) is None
    made = write_backup(folder, tmp_path / "b.zip", force=True)
    assert zipfile.is_zipfile(tmp_path / "b.zip")
    assert last_backup(folder) == datetime.fromisoformat(made.made)
    (folder / NOTED).write_text("yesterday")
    assert last_backup(folder) is None


@pytest.mark.parametrize("how", ["cut", "flip", "no zip", "not there"])
def test_what_is_not_whole_changes_nothing(folder, tmp_path, how):
    path = tmp_path / "b.zip"
    write_backup(folder, path)
    content = path.read_bytes()
    middle = len(content) // 2
    if how == "cut":
        path.write_bytes(content[:middle])
    elif how == "flip":
        path.write_bytes(content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :])
    elif how == "no zip":
        path.write_bytes(b"no zip")
    else:
        path.unlink()
    before = (folder / "library.db").read_bytes()
    with pytest.raises(StoreError) as refused:
        repair.restore_library(folder, path)
    assert str(path) in refused.value.message.zh
    assert (folder / "library.db").read_bytes()[100:] == before[100:]  # but for the counter of its changes
    assert kinds(folder) <= {"ok", "healed"}


@pytest.mark.skipif(os.name != "posix", reason="limits")
def test_on_a_full_disk_there_is_no_half_file(folder, tmp_path):
    code = """if True:
        import resource, sys
        from pathlib import Path
        from errors import StoreError
        from stores.safety.backup import write_backup
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        try:
            write_backup(Path(sys.argv[1]), Path(sys.argv[2]))
        except StoreError as error:
            print(error)
    """
    command = [sys.executable, "-c", code, str(folder), str(tmp_path / "b.zip")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert f"{tmp_path / 'b.zip'} cannot be written" in done.stdout, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["library"]


@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_READ])
def test_the_library_is_not_blamed_for_the_disk_that_a_backup_goes_to(folder, tmp_path, monkeypatch, code):
    class Failing:
        def backup(self, target):
            error = sqlite3.OperationalError("it failed")
            error.sqlite_errorcode = code
            raise error

        def close(self):
            pass

    monkeypatch.setattr(backup, "open_read_only", lambda path: Failing())
    with pytest.raises(StoreError) as failed:
        write_backup(folder, tmp_path / "b.zip")
    blamed = folder / "library.db" if code == sqlite3.SQLITE_IOERR_READ else tmp_path / "b.zip"
    assert str(blamed) in failed.value.message.en
    assert str(blamed) in failed.value.message.zh
    assert sorted(path.name for path in tmp_path.iterdir()) == ["library"]


# --- beside a program that uses it -------------------------------------------------------------------------------


def test_a_new_library_in_use_is_whole(tmp_path):
    store = EmbeddedStore(tmp_path / "library")
    try:
        assert kinds(tmp_path / "library") == {"ok"}
        serve(store)
        assert kinds(tmp_path / "library") == {"ok"}
        store.put(batch("a.md", TEXTS))
        assert kinds(tmp_path / "library") == {"ok"}
    finally:
        store.close()


def test_a_library_in_use_is_backed_up_restored_and_rebuilt(folder, holder, tmp_path):
    write_backup(folder, tmp_path / "b.zip")
    assert kinds(folder) == {"ok"}
    empty = EmbeddedStore(tmp_path / "other")
    empty.backup(tmp_path / "empty.zip")
    empty.close()
    [kept, said] = repair.restore_library(folder, tmp_path / "empty.zip")
    assert "0 documents" in said.en
    assert holder.search("common") == (0, 0)
    repair.restore_library(folder, tmp_path / "b.zip", keep=False)
    assert holder.search("only7") == (1, 20)
    assert len(repair.rebuild_library(folder)) == 1
    assert holder.search("only7") == (1, 20)
    [replaced] = folder.glob("replaced-*.zip")
    assert str(replaced) in kept.zh
    assert kinds(folder) == {"ok"}


def test_the_holder_tells_its_errors(folder, holder, tmp_path):
    (tmp_path / "b.zip").write_bytes(b"no zip")
    with pytest.raises(StoreError) as refused:
        repair.restore_library(folder, tmp_path / "b.zip")
    assert "not a whole backup" in refused.value.message.en
    assert "不是完整的 Citewise 备份" in refused.value.message.zh
    assert holder.search("only7") == (1, 20)


def test_a_second_program_is_told_who_holds_it(folder, holder):
    with pytest.raises(StoreError) as refused:
        EmbeddedStore(folder)
    assert f"pid {holder.process.pid}" in refused.value.message.en
    assert f"pid {holder.process.pid}" in refused.value.message.zh
    assert "check" in refused.value.in_full.en


def test_who_asks_does_it_when_the_holder_dies(folder, monkeypatch):
    store = EmbeddedStore(folder)
    assert store._attendant
    store._attendant.close()  # it will never answer
    monkeypatch.setattr(requests, "_ALIVE", 0.0)
    asked = threading.Thread(target=repair.rebuild_library, args=[folder])
    asked.start()
    while not list((folder / "requests").glob("*.json")):
        assert asked.is_alive()
    store.close()
    asked.join(60)
    assert not asked.is_alive()
    assert list((folder / "requests").iterdir()) == []
    assert kinds(folder) == {"ok"}


def test_a_request_of_before_is_not_met(folder):
    (folder / "requests").mkdir()
    (folder / "requests" / "old.json").write_text('{"job": "rebuild"}')
    store = EmbeddedStore(folder)
    store.close()
    assert list((folder / "requests").iterdir()) == []


# --- damage ------------------------------------------------------------------------------------------------------


def test_what_can_be_read_of_a_damaged_database_is_saved(folder):
    with closing(sqlite3.connect(folder / "library.db")) as connection:
        connection.execute("UPDATE texts SET text = 'other' WHERE document_id = 3")
        connection.execute("UPDATE chunks SET position = 77 WHERE document_id = 5 AND position = 0")
        connection.execute("DELETE FROM chunks WHERE document_id = 6 AND position = 2")
        connection.execute("UPDATE vectors SET vector = x'00' WHERE chunk_id = (SELECT min(id) FROM chunks)")
        connection.commit()
    assert "damage" in kinds(folder)
    told = repair.rebuild_library(folder)
    assert all(f"set/{n}.md" in told[0].en and f"set/{n}.md" in told[0].zh for n in (2, 4, 5))
    assert "3 documents" in told[0].en
    store = EmbeddedStore(folder)
    try:
        assert len(store.documents()) == 17
        assert [one.address for one in store.sources("set")] == ["https://site.example/"]
        assert [one.english for one in store.glossary()] == ["Polaris"]
        assert len(store.without_vectors()) == 1
        assert len(found(store, "only7")) == 1
        assert nearest(store, "only7 word") == [("7.md", "only7 word")]
    finally:
        store.close()
    assert kinds(folder) == {"ok"}
    assert list(folder.glob("damaged-*/library.db"))


@pytest.mark.parametrize("name", ["sqlite_autoindex_texts_1", "chunks_of_document", "chunks_of_text", "places"])
def test_a_damaged_index_costs_no_document(folder, name):
    with closing(sqlite3.connect(folder / "library.db")) as connection:
        [page] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [name]).fetchone()
    damage(folder / "library.db", range(page - 1, page))
    assert "damage" in kinds(folder)
    repair.rebuild_library(folder)
    assert kinds(folder) == {"ok"}
    store = EmbeddedStore(folder)
    try:
        assert len(store.documents()) == 20
        assert store.without_vectors() == []
    finally:
        store.close()


def test_a_document_whose_places_are_gone_is_not_whole(folder):
    store = EmbeddedStore(folder)
    one = batch("paged.md", TEXTS)
    store.put(replace(one, document=replace(one.document, places=(Place(0, "page", 1),))))
    store.close()
    assert kinds(folder) == {"ok"}
    with closing(sqlite3.connect(folder / "library.db", isolation_level=None)) as connection:
        connection.execute("DELETE FROM places")
    assert "damage" in kinds(folder)
    assert "paged.md" in repair.rebuild_library(folder)[0].en
    assert kinds(folder) == {"ok"}


def test_what_cannot_be_read_at_all_is_restored(folder, tmp_path):
    write_backup(folder, tmp_path / "b.zip")
    damage(folder / "library.db", range(1))
    assert kinds(folder) == {"damage"}
    with pytest.raises(UnreadableDatabaseError):
        repair.rebuild_library(folder)
    with pytest.raises(StoreError):
        write_backup(folder, tmp_path / "c.zip")  # it would be trusted
    repair.restore_library(folder, tmp_path / "b.zip")
    assert kinds(folder) == {"ok"}


@pytest.mark.parametrize("part", ["terms", "vectors.faiss"])
def test_damaged_indexes_are_found_and_rebuilt(folder, part):
    path = folder / part
    victim = max(path.iterdir(), key=lambda one: one.stat().st_size) if path.is_dir() else path
    victim.write_bytes(victim.read_bytes()[:-20])
    [finding] = [one for one in check_library(folder) if one.kind == "damage"]
    assert finding.part == part
    assert finding.remedy
    assert "rebuild" in finding.remedy.zh
    repair.rebuild_library(folder)
    assert kinds(folder) == {"ok"}


def test_files_that_wait_and_are_gone_are_told(folder):
    (folder / "incoming" / ("0" * 32)).unlink()
    [finding] = [one for one in check_library(folder) if one.kind == "loss"]
    assert "late.md" in finding.message.en
    assert "late.md" in finding.message.zh


def test_there_has_to_be_a_library(tmp_path):
    for work in (check_library, repair.rebuild_library, lambda folder: write_backup(folder, tmp_path / "b.zip")):
        with pytest.raises(StoreError):
            work(tmp_path / "nowhere")
    assert list(tmp_path.iterdir()) == []
