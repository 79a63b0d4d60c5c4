"""The schema of the embedded store, as numbered steps: step n brings `user_version` n - 1 to n, in one transaction.
A new file takes them all in one."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Sequence

import numpy as np

from errors import StoreError
from schema import Message
from stores.sql.names import find_all_names
from text import count_tokens

log = logging.getLogger(__name__)

Migration = Callable[[sqlite3.Connection], None]
_MUCH = 0.2  # of the file


def _first(connection: sqlite3.Connection) -> None:
    for statement in (
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
        "INSERT INTO meta VALUES ('generation', 0)",
        """CREATE TABLE documents (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, doc_set TEXT NOT NULL, kind TEXT NOT NULL,
            language TEXT NOT NULL, size INTEGER NOT NULL, metadata TEXT NOT NULL, digest TEXT NOT NULL,
            chunking TEXT NOT NULL, chunks INTEGER NOT NULL, updated TEXT NOT NULL, generation INTEGER NOT NULL,
            UNIQUE (doc_set, name))""",
        # A document's text in blocks of equal length, so that a passage of a large one is read without the rest.
        """CREATE TABLE texts (
            document_id INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE, block INTEGER NOT NULL,
            text TEXT NOT NULL, PRIMARY KEY (document_id, block))""",
        # The text of a chunk is document[start:end]. `terms` is zlib over the terms joined by spaces.
        """CREATE TABLE chunks (
            id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
            position INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL, start_line INTEGER NOT NULL,
            end_line INTEGER NOT NULL, headings TEXT NOT NULL, text_key TEXT NOT NULL, terms BLOB NOT NULL)""",
        "CREATE INDEX chunks_of_document ON chunks (document_id, position)",
        "CREATE INDEX chunks_of_text ON chunks (text_key)",
        """CREATE TABLE spaces (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, provider TEXT NOT NULL, model TEXT NOT NULL,
            revision TEXT NOT NULL, dimensions INTEGER NOT NULL, payload BLOB NOT NULL, calibration TEXT,
            fitted_on INTEGER NOT NULL, serving INTEGER NOT NULL)""",
        "CREATE UNIQUE INDEX one_space_serves ON spaces (serving) WHERE serving",
        """CREATE TABLE vectors (
            chunk_id INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
            space_id INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
            vector BLOB NOT NULL, PRIMARY KEY (chunk_id, space_id))""",
    ):
        connection.execute(statement)


def _sets_tasks_and_origins(connection: sqlite3.Connection) -> None:
    """What a document was, sets that may be empty, files on their way."""
    for statement in (
        "ALTER TABLE documents ADD COLUMN origin TEXT NOT NULL DEFAULT '{}'",
        "ALTER TABLE documents ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE chunks ADD COLUMN places TEXT",  # JSON; only those that the chunk touches
        # All places of a document, for when its text is cut again: zlib over JSON.
        """CREATE TABLE places (
            document_id INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE, places BLOB NOT NULL)""",
        "CREATE TABLE doc_sets (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
        "INSERT INTO doc_sets VALUES (0, '')",
        "INSERT INTO doc_sets (name) SELECT DISTINCT doc_set FROM documents WHERE doc_set != '' ORDER BY doc_set",
        # AUTOINCREMENT: the id of a task that is gone never comes to mean another.
        """CREATE TABLE tasks (
            id INTEGER PRIMARY KEY AUTOINCREMENT, job TEXT NOT NULL, name TEXT NOT NULL, doc_set TEXT NOT NULL,
            status TEXT NOT NULL, chunking TEXT NOT NULL, origin TEXT NOT NULL, path TEXT NOT NULL,
            size INTEGER NOT NULL, priority INTEGER NOT NULL, problem TEXT, updated TEXT NOT NULL,
            UNIQUE (doc_set, name, job))""",
    ):
        connection.execute(statement)
    for document_id, kind, metadata in connection.execute("SELECT id, kind, metadata FROM documents").fetchall():
        blocks = connection.execute("SELECT text FROM texts WHERE document_id = ? ORDER BY block", [document_id])
        code_language = json.loads(metadata).get("programming_language", "") if kind == "code" else ""
        connection.execute(
            "UPDATE documents SET origin = ?, tokens = ? WHERE id = ?",
            [
                json.dumps({"doc_type": kind, **({"code_language": code_language} if code_language else {})}),
                count_tokens("".join(block for (block,) in blocks)),
                document_id,
            ],
        )


# A vector as halves of floats, of the one space that serves, under the id of its chunk: read with one look by a key. A
# cosine of two is right to 0.0005, which changes the order of no two chunks that differ.
VECTORS = "chunk_id INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE, vector BLOB NOT NULL"


def _vectors_as_halves(connection: sqlite3.Connection) -> None:
    """One row after the other, so that a large library needs no more memory than a small one."""
    connection.create_function("halved", 1, _halved, deterministic=True)
    for statement in (
        f"CREATE TABLE halves ({VECTORS})",
        # What is not as long as it should be is made again, as if it were missing.
        """INSERT INTO halves SELECT chunk_id, halved(vector) FROM vectors JOIN spaces ON spaces.id = space_id
            WHERE serving AND length(vector) = 4 * dimensions ORDER BY chunk_id""",
        "DROP TABLE vectors",
        "ALTER TABLE halves RENAME TO vectors",
        "DELETE FROM spaces WHERE NOT serving",
    ):
        connection.execute(statement)
    # Python writes NaN, which SQLite does not read: what is said about a document can be asked for from now on.
    query = "SELECT id, metadata FROM documents WHERE NOT json_valid(metadata)"
    for document_id, metadata in connection.execute(query).fetchall():
        known = json.dumps(json.loads(metadata, parse_constant=str), ensure_ascii=False)
        connection.execute("UPDATE documents SET metadata = ? WHERE id = ?", [known, document_id])


def _halved(packed: bytes) -> bytes:
    return np.frombuffer(packed, np.float32).astype(np.float16).tobytes()


def _sources(connection: sqlite3.Connection) -> None:
    """Websites and repositories that sets have documents from."""
    connection.execute("""CREATE TABLE sources (
        id INTEGER PRIMARY KEY, doc_set TEXT NOT NULL, kind TEXT NOT NULL, address TEXT NOT NULL, prefix TEXT NOT NULL,
        patterns TEXT NOT NULL, ref TEXT NOT NULL, chunking TEXT NOT NULL, refreshed_at TEXT NOT NULL,
        commit_id TEXT NOT NULL, pages INTEGER NOT NULL, problem TEXT, UNIQUE (doc_set, address))""")


# How many chunks of a document have no vector: every list of documents tells it, and to count them would take a look at
# every vector there is.
COUNT_MISSING = """UPDATE documents SET missing = (SELECT count(*) FROM chunks WHERE document_id = documents.id
    AND NOT EXISTS (SELECT 1 FROM vectors WHERE chunk_id = chunks.id))"""


def _missing_vectors(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE documents ADD COLUMN missing INTEGER NOT NULL DEFAULT 0")
    connection.execute(COUNT_MISSING)


def _structured(connection: sqlite3.Connection) -> None:
    """What documents are about, as JSON; {} as long as nobody has said it."""
    connection.execute("ALTER TABLE documents ADD COLUMN structured TEXT NOT NULL DEFAULT '{}'")


def _metadata_of_tasks(connection: sqlite3.Connection) -> None:
    """What a file on its way was added with, as JSON."""
    connection.execute("ALTER TABLE tasks ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}'")


def _metadata_of_sources(connection: sqlite3.Connection) -> None:
    """What all documents of a source say, as JSON."""
    connection.execute("ALTER TABLE sources ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}'")


def _names(connection: sqlite3.Connection) -> None:
    """The names that each chunk is about and says (zlib over lines), and by a hash of the name where it stands."""
    for statement in (
        "ALTER TABLE chunks ADD COLUMN names BLOB NOT NULL DEFAULT x''",
        """CREATE TABLE name_places (
            key INTEGER NOT NULL, home INTEGER NOT NULL, chunk_id INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
            PRIMARY KEY (key, home, chunk_id)) WITHOUT ROWID""",
        "CREATE INDEX names_of_chunk ON name_places (chunk_id)",
    ):
        connection.execute(statement)
    find_all_names(connection)


def _glossary(connection: sqlite3.Connection) -> None:
    """Pairs of terms that people gave."""
    query = "CREATE TABLE glossary (chinese TEXT NOT NULL, english TEXT NOT NULL, UNIQUE (chinese, english))"
    connection.execute(query)


def _abstracts(connection: sqlite3.Connection) -> None:
    """What a model has written about pairs of chunks, by a digest of their texts; relations as JSON."""
    connection.execute(
        "CREATE TABLE abstracts (key TEXT PRIMARY KEY, text TEXT NOT NULL, relations TEXT NOT NULL) WITHOUT ROWID"
    )


def _asked_names(connection: sqlite3.Connection) -> None:
    """How often a question had a name, by its key in name_places."""
    connection.execute("CREATE TABLE asked_names (key INTEGER PRIMARY KEY, count INTEGER NOT NULL)")


def _originals(connection: sqlite3.Connection) -> None:
    """The files that documents were read from: their bytes by content, in blocks, gone with the last that has them."""
    for statement in (
        """CREATE TABLE originals (
            digest TEXT NOT NULL, block INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE (digest, block))""",
        """CREATE TABLE document_originals (
            document_id INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE, digest TEXT NOT NULL,
            size INTEGER NOT NULL)""",
        "CREATE INDEX documents_of_original ON document_originals (digest)",
        """CREATE TRIGGER original_without_document AFTER DELETE ON document_originals
            WHEN NOT EXISTS (SELECT 1 FROM document_originals WHERE digest = old.digest)
            BEGIN DELETE FROM originals WHERE digest = old.digest; END""",
    ):
        connection.execute(statement)


def _tables(connection: sqlite3.Connection) -> None:
    """Tables of documents as they are computed with: what each is as JSON, its cells by column, packed by zlib."""
    connection.execute(
        """CREATE TABLE document_tables (
            id INTEGER PRIMARY KEY AUTOINCREMENT, document_id INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
            position INTEGER NOT NULL, info TEXT NOT NULL)"""
    )
    connection.execute("CREATE INDEX tables_of_document ON document_tables (document_id)")
    connection.execute(
        """CREATE TABLE table_cells (
            table_id INTEGER NOT NULL REFERENCES document_tables ON DELETE CASCADE, document_id INTEGER NOT NULL,
            number INTEGER NOT NULL, cells BLOB NOT NULL, UNIQUE (table_id, number))"""
    )


MIGRATIONS: Sequence[Migration] = (
    _first,
    _sets_tasks_and_origins,
    _vectors_as_halves,
    _sources,
    _missing_vectors,
    _structured,
    _metadata_of_tasks,
    _metadata_of_sources,
    _names,
    _glossary,
    _abstracts,
    _asked_names,
    _originals,
    _tables,
)


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the schema up to date. Raises StoreError for a library that a newer program wrote."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(migrations):
        raise StoreError(
            Message(
                zh=f"这个知识库由更新版本的程序写成（格式 {version}，本程序支持到 {len(migrations)}）。",
                en=f"This library was written by a newer version (format {version}; this one knows up to "
                f"{len(migrations)}).",
            ),
            Message(zh="请更新程序，或换一个数据文件夹。", en="Update the program, or use another data folder."),
        )
    steps = [*enumerate(migrations[version:], version + 1)]
    # A new file takes all steps at once: it waits for the disk once instead of twenty times.
    for group in [[step] for step in steps] if version else [steps]:
        if version:
            log.info("the library is brought from format %d to %d", group[0][0] - 1, group[0][0])
        _take(connection, group)
    if 0 < version < len(migrations):
        _shrink(connection)


def _take(connection: sqlite3.Connection, steps: Sequence[tuple[int, Migration]]) -> None:
    """Steps with their numbers, in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number, step in steps:
            step(connection)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has ended it already
            connection.execute("ROLLBACK")
        raise


def _shrink(connection: sqlite3.Connection) -> None:
    """Give back what a step has left empty, if it is much."""
    empty, pages = (connection.execute(f"PRAGMA {count}").fetchone()[0] for count in ("freelist_count", "page_count"))
    if empty < pages * _MUCH:
        return
    try:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.OperationalError as error:  # it needs as much room again for a moment
        log.warning("the file of the library keeps its size until it is filled again: %s", error)
