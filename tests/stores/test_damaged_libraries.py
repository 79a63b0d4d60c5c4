"""Damaged libraries: what can be read of them is saved, the rest is told."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from store_cases import batch, found, nearest

from errors import StoreError
from schema import Place
from stores.embedded import EmbeddedStore
from stores.problems import UnreadableDatabaseError
from stores.safety import repair
from stores.safety.backup import write_backup
from stores.safety.health import check_library
from tests.stores.safety_cases import TEXTS, kinds

PAGE = 16_384


def damage(path: Path, pages: range) -> None:
    with path.open("r+b") as file:
        for page in pages:
            file.seek(page * PAGE)
            file.write(b"\xa5" * 9_000)


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
