"""Libraries of earlier versions open, with everything that was in them."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import subprocess
import sys
import zlib
from dataclasses import asdict
from pathlib import Path

import pytest
from store_cases import DIMENSIONS, alike, batch, embed, found, nearest, space

from errors import StoreError
from schema import Chunking, DocSetInfo, Message, Origin, Place, Scope
from stores.embedded import EmbeddedStore
from stores.problems import UnusableStoreError, explaining_errors
from stores.sql.migrations import MIGRATIONS, migrate
from stores.sql.rows import text_key
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
            assert store.structured() == {}
            assert {name for name, _ in store.without_structured(9)} == set(infos)
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
    assert "rebuilt" in caplog.text
    caplog.clear()
    EmbeddedStore(first).close()
    assert caplog.records == []


@pytest.fixture
def second(first: Path) -> Path:
    """A library as the second step of the schema wrote it: with sets, files on their way, an archive's file, pages."""
    connection = sqlite3.connect(first / "library.db", isolation_level=None)
    migrate(connection, MIGRATIONS[:2])
    now = "2026-02-03T04:05:06+00:00"
    origin = {name: value for name, value in asdict(ARCHIVED).items() if name not in ("source", "title")}
    connection.execute("INSERT INTO doc_sets VALUES (1700000000009000, '空'), (1700000000009001, '归档')")
    connection.execute(
        "INSERT INTO documents VALUES (9, '档案/书.pdf', '归档', 'text', 'zh', 9, ?, 'digest', ?, 1, ?, 9, ?, 7)",
        ['{"pages": 2, "rate": NaN}', '{"strategy":"recursive","size":400}', now, json.dumps(origin)],
    )
    connection.execute("INSERT INTO texts VALUES (9, 0, '第一页 第二页')")
    connection.execute("INSERT INTO places VALUES (9, ?)", [zlib.compress(b'[[0, "page", 1], [4, "page", 2]]', 1)])
    connection.execute(
        "INSERT INTO chunks VALUES (1700000000009002, 9, 0, 0, 7, 1, 1, '[\"章\"]', ?, ?, ?)",
        [text_key("章\n第一页 第二页"), zlib.compress("第一页 第二页".encode(), 1), '[[0, "page", 1], [4, "page", 2]]'],
    )
    connection.execute("INSERT INTO vectors VALUES (1700000000009002, 1, ?)", [embed(["章 书"])[0].tobytes()])
    connection.execute("UPDATE meta SET value = 1700000000009002")
    task_row = """INSERT INTO tasks
        (job, name, doc_set, status, chunking, origin, path, size, priority, problem, updated)
        VALUES (?, ?, ?, ?, '{}', '{}', ?, 5, 1, ?, ?)"""
    connection.execute(task_row, ["add", "wait.md", "空", "pending", b"/spool/\xff", None, now])
    connection.execute(task_row, ["rechunk", "b.txt", "医院", "failed", "", '["坏", "bad"]', now])
    connection.close()
    return first


ARCHIVED = Origin("pdf", "file", "", "书.pdf", timestamp="2026-01-01T00:00:00Z", stamp="1-2")


def test_a_library_of_the_second_version_is_whole(second):
    for _ in range(2):
        store = EmbeddedStore(second)
        try:
            assert [info.name for info in store.documents()] == ["档案/书.pdf", "b.txt", "a.py", "手册.md"]
            info = store.documents()[0]
            assert (info.origin, info.tokens, info.chunking) == (ARCHIVED, 7, Chunking(strategy="recursive", size=400))
            document = store.document("档案/书.pdf", "归档")
            assert document.places == (Place(0, "page", 1), Place(4, "page", 2))
            assert document.metadata == {"pages": 2, "rate": "NaN"}
            [hit] = store.chunks("档案/书.pdf", "归档")
            assert (hit.text, hit.headings, hit.places) == ("第一页 第二页", ("章",), document.places)
            assert store.doc_sets() == [
                DocSetInfo("", 1, 2), DocSetInfo("医院", 2, 3), DocSetInfo("归档", 1, 1), DocSetInfo("空", 0, 0)
            ]  # fmt: skip
            waiting, failed = store.tasks()
            assert (waiting.job, waiting.name, waiting.doc_set) == ("add", "wait.md", "空")
            assert waiting.path == "/spool/\udcff"
            assert (failed.status, failed.problem) == ("failed", Message(zh="坏", en="bad"))
            assert waiting.metadata == failed.metadata == {}
            assert store.space() == space()
            assert found(store, "第二页") == {("档案/书.pdf", "第一页 第二页")}
            assert found(store, "探视", doc_sets=("医院",)) == {("手册.md", "探视 时间")}
            assert nearest(store, "章 书") == [("档案/书.pdf", "第一页 第二页")]
            assert nearest(store, "plain words", doc_sets=("医院",)) == [("b.txt", "plain words")]
            assert alike(store.known_vectors(["plain words"])["plain words"], embed(["plain words"])[0])
            assert store.without_vectors() == []
            assert [one.name for one in store.documents(Scope(metadata={"pages": 2}))] == ["档案/书.pdf"]
            assert store.stats()[:2] == (4, 6)
            assert store.sources() == []
        finally:
            store.close()


def test_a_damaged_vector_is_missing_afterwards(second):
    with sqlite3.connect(second / "library.db") as connection:
        connection.execute("UPDATE vectors SET vector = x'0102' WHERE chunk_id = 1700000000009002")
    connection.close()
    store = EmbeddedStore(second)
    assert store.without_vectors() == [1700000000009002]
    assert {info.name for info in store.documents() if info.missing} == {"档案/书.pdf"}
    store.add_vectors(space().key, [1700000000009002], embed(["章 书"]))
    assert nearest(store, "章 书") == [("档案/书.pdf", "第一页 第二页")]
    store.close()


def rows_of(folder: Path) -> list[list[tuple]]:
    """All that a library holds, as it lies there."""
    with sqlite3.connect(folder / "library.db") as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = [[(name,), *connection.execute(f"SELECT * FROM {name}")] for name in sorted(tables)]
        found.append(connection.execute("PRAGMA user_version").fetchall())
    connection.close()
    return found


def test_a_full_disk_leaves_the_earlier_version(second, caplog):
    before = rows_of(second)
    path = second / "library.db"
    connection = sqlite3.connect(path, isolation_level=None)
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(UnusableStoreError) as error, explaining_errors(path):
        migrate(connection)
    connection.close()
    assert "磁盘已满" in error.value.suggestions[0].zh
    assert "disk is full" in error.value.suggestions[0].en
    assert rows_of(second) == before
    test_a_library_of_the_second_version_is_whole(second)


def test_a_kill_in_the_middle_leaves_the_earlier_version(second):
    """With more vectors than the cache holds, so that a part of the new ones is on the disk by then."""
    with sqlite3.connect(second / "library.db") as connection:
        document = "SELECT id FROM documents WHERE name = 'b.txt'"
        for number in range(400):
            row = [number, number + 9, zlib.compress(b"")]
            connection.execute(f"INSERT INTO chunks SELECT ?, ({document}), ?, 0, 5, 1, 1, '[]', 'key', ?, NULL", row)
            connection.execute("INSERT INTO vectors VALUES (?, 1, zeroblob(64))", [number])
        connection.execute("UPDATE documents SET chunks = chunks + 400 WHERE name = 'b.txt'")
    connection.close()
    before = rows_of(second)
    code = """if True:
        import os, sqlite3, sys
        from stores.sql import migrations
        left, path = [300], sys.argv[1] + "/library.db"
        def halved(packed, of=migrations._halved):
            left[0] -= 1
            if not left[0]:
                assert os.path.getsize(path + "-wal") > 4096
                os._exit(9)
            return of(packed)
        migrations._halved = halved
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA cache_size = 1")
        migrations.migrate(connection)
    """
    done = subprocess.run([sys.executable, "-c", code, str(second)], cwd=os.getcwd(), capture_output=True, text=True)
    assert done.returncode == 9, done.stderr
    assert rows_of(second) == before
    store = EmbeddedStore(second)
    assert store.stats()[:2] == (4, 406)
    assert store.without_vectors() == []
    assert nearest(store, "章 书") == [("档案/书.pdf", "第一页 第二页")]
    store.close()


def test_a_library_is_told_of_its_new_form_once(second, caplog):
    caplog.set_level(logging.INFO)
    EmbeddedStore(second).close()
    assert "from format 2 to 3" in caplog.text
    caplog.clear()
    EmbeddedStore(second).close()
    assert caplog.records == []


def test_room_that_a_step_leaves_empty_is_given_back(tmp_path, caplog):
    path = tmp_path / "library.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")

    def fill(c: sqlite3.Connection) -> None:
        c.execute("CREATE TABLE much (x)")
        c.executemany("INSERT INTO much VALUES (zeroblob(4000))", [()] * 500)

    def empty(c: sqlite3.Connection) -> None:
        c.execute("DROP TABLE much")

    migrate(connection, [fill])
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    full = path.stat().st_size
    migrate(connection, [fill, empty])
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert path.stat().st_size < full / 10
    connection.close()


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
    assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)  # a new file: all or nothing
    migrate(connection)
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
