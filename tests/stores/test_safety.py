"""Backup and restore: a library comes back as it was, or nothing is changed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from datetime import datetime

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from store_cases import batch, found, serve, task

from errors import StoreError
from schema import GlossaryPair
from stores.embedded import EmbeddedStore
from stores.safety import backup, repair
from stores.safety.backup import NOTED, last_backup, write_backup
from tests.stores.safety_cases import ROOT, TEXTS, kinds, source


def state(store: EmbeddedStore) -> object:
    """All that a backup has to bring back, but for numbers."""
    documents = {(one.doc_set, one.name): store.document(one.name, one.doc_set) for one in store.documents()}
    chunks = {key: [hit.text for hit in store.chunks(key[1], key[0])] for key in documents}
    tasks = [(one.name, one.doc_set, one.job) for one in store.tasks()]
    return documents, chunks, store.doc_sets(), tasks, store.sources(), store.glossary()


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
