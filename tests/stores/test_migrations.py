"""Libraries of earlier versions open, with everything that was in them."""

from __future__ import annotations

import json
import logging
import sqlite3
import zlib
from pathlib import Path

import pytest
from store_cases import DIMENSIONS, batch, embed, found, nearest, space

from errors import StoreError
from schema import Chunking, DocSetInfo, Origin, Scope
from stores.embedded import EmbeddedStore
from stores.migrations import MIGRATIONS, migrate
from stores.rows import text_key
from text import count_tokens

DOCUMENTS = [  # name, set, kind, metadata, text; a line is a chunk
    ("手册.md", "医院", "markdown", {"title": "手册", "encoding": "utf-8"}, "年假 十五天\n探视 时间"),
    ("a.py", "", "code", {"programming_language": "python"}, "import os\nprint here"),
    ("b.txt", "医院", "text", {}, "plain words"),
]


@pytest.fixture
def first(tmp_path: Path) -> Path:
    """A library as the first step of the schema wrote it, with its term index."""
    folder = tmp_path / "library"
    folder.mkdir()
    connection = sqlite3.connect(folder / "library.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    migrate(connection, MIGRATIONS[:1])
    one, now = space(), "2026-01-02T03:04:05+00:00"
    connection.execute(
        "INSERT INTO spaces VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, 1)",
        [one.key, one.provider, one.model, one.revision, one.dimensions, one.payload, '{"zh": [0.5]}', one.fitted_on],
    )
    chunk_id = 1_700_000_000_000_000
    for number, (name, doc_set, kind, metadata, text) in enumerate(DOCUMENTS, 1):
        lines = text.split("\n")
        connection.execute(
            "INSERT INTO documents VALUES (?, ?, ?, ?, 'zh', 9, ?, 'digest', ?, ?, ?, ?)",
            [number, name, doc_set, kind, json.dumps(metadata), '{"strategy":"fixed"}', len(lines), now, number],
        )
        connection.execute("INSERT INTO texts VALUES (?, 0, ?)", [number, text])
        for position, line in enumerate(lines):
            chunk_id, start = chunk_id + 1, text.index(line)
            connection.execute(
                "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, '[]', ?, ?)",
                [chunk_id, number, position, start, start + len(line), position + 1, position + 1,
                 text_key(line), zlib.compress(line.encode(), 1)],
            )  # fmt: skip
            connection.execute("INSERT INTO vectors VALUES (?, 1, ?)", [chunk_id, embed([line])[0].tobytes()])
    connection.execute("UPDATE meta SET value = ?", [chunk_id])
    connection.close()
    write_terms(folder / "terms")
    (folder / "vectors.faiss").write_bytes(b'{"generation": 1, "space": "x", "crc": 2}\nIxMp...')
    return folder


def write_terms(folder: Path) -> None:
    """An index whose chunks knew their set by its name."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("chunk", indexed=True, fast=True)
    builder.add_unsigned_field("document", indexed=True)
    builder.add_text_field("doc_set", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("terms", tokenizer_name="terms", index_option="freq")
    folder.mkdir()
    writer = tantivy.Index(builder.build(), path=str(folder)).writer(15_000_000, 1)
    writer.commit()
    writer.wait_merging_threads()


def test_a_library_of_the_first_version_is_whole(first):
    for _ in range(2):
        store = EmbeddedStore(first)
        try:
            infos = {info.name: info for info in store.documents()}
            assert [info.name for info in store.documents()] == ["b.txt", "a.py", "手册.md"]
            assert infos["手册.md"].origin == Origin("markdown")
            assert infos["a.py"].origin == Origin("code", code_language="python")
            assert infos["b.txt"].origin == Origin("text")
            assert infos["b.txt"].chunking == Chunking(strategy="fixed")
            for name, doc_set, kind, metadata, text in DOCUMENTS:
                document = store.document(name, doc_set)
                assert (document.text, document.kind, document.metadata) == (text, kind, metadata)
                assert document.places == ()
                assert infos[name].tokens == count_tokens(text)
                assert [hit.text for hit in store.chunks(name, doc_set)] == text.split("\n")
                assert {hit.places for hit in store.chunks(name, doc_set)} == {()}
            assert store.doc_sets() == [DocSetInfo("", 1, 2), DocSetInfo("医院", 2, 3)]
            assert store.tasks() == []
            assert store.space() == space()
            assert found(store, "探视", doc_sets=("医院",)) == {("手册.md", "探视 时间")}
            assert found(store, "import", doc_sets=("医院",)) == set()
            assert nearest(store, "plain words", k=1) == [("b.txt", "plain words")]
            assert store.vectors(store.opening(Scope(), 9)).shape == (5, DIMENSIONS)
        finally:
            store.close()


def test_it_goes_on_as_a_library_of_this_version(first):
    store = EmbeddedStore(first)
    ids = store.opening(Scope(documents=("a.py",)), 9)
    assert store.move("a.py", "", "代码")
    assert store.put(batch("c.md", ["fresh", "again"], "医院")).outcome == "added"
    assert store.put(batch("a.py", ["import os", "other"], "代码")).outcome == "replaced"
    assert store.opening(Scope(documents=("a.py",)), 9)[0] == ids[0]  # the same text keeps its chunk
    assert found(store, "fresh", doc_sets=("医院",)) == {("c.md", "fresh")}
    assert store.delete_doc_set("医院")
    assert [info.name for info in store.documents()] == ["a.py"]
    store.close()


def test_the_old_indexes_are_replaced_with_a_word(first, caplog):
    caplog.set_level(logging.INFO)
    EmbeddedStore(first).close()
    assert "built anew" in caplog.text
    caplog.clear()
    EmbeddedStore(first).close()
    assert caplog.records == []


# --- the steps ---------------------------------------------------------------------------------------------------


def test_migrations_run_once_each_and_in_order():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    steps = [lambda c, n=n: c.execute(f"CREATE TABLE t{n} (x)") and None for n in range(3)]
    migrate(connection, steps[:1])
    migrate(connection, steps)
    migrate(connection, steps)
    assert connection.execute("PRAGMA user_version").fetchone() == (3,)


def test_a_failing_migration_changes_nothing():
    connection = sqlite3.connect(":memory:", isolation_level=None)

    def broken(c: sqlite3.Connection) -> None:
        c.execute("CREATE TABLE half (x)")
        c.execute("nonsense")

    with pytest.raises(sqlite3.OperationalError):
        migrate(connection, [*MIGRATIONS, broken])
    assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone() == (0,)


def test_a_library_of_a_newer_version_is_left_alone(first):
    with sqlite3.connect(first / "library.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="newer version"):
        EmbeddedStore(first)
