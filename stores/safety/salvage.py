"""What can be read of a damaged database, into a new one: row by row, document by document."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np

from schema import Message
from stores.problems import DamagedFileError, UnreadableDatabaseError, count_phrase
from stores.safety.integrity import verify_document
from stores.sql import spaces
from stores.sql.migrations import MIGRATIONS, migrate
from stores.sql.names import find_all_names
from stores.sql.rows import next_generation
from stores.sql.sqlite import open_read_only

log = logging.getLogger(__name__)

_OWN_WAY = {"documents", "vectors", "meta", "name_places"}


def salvage(source: Path, target: Path) -> list[Message]:
    """A sound database at `target`, of the present version; what had to be left out is told. A chunk whose vector
    cannot be read has none, and is embedded again. Raises Unreadable when there is nothing to be read."""
    try:
        with closing(open_read_only(source)) as old, closing(sqlite3.connect(target, isolation_level=None)) as new:
            version = old.execute("PRAGMA user_version").fetchone()[0]
            new.execute("PRAGMA page_size = 16384")
            migrate(new, MIGRATIONS[:version])
            _copy_tables(old, new)
            names = _names(old)
            known = sorted(set(names) | set(_keys(old, "documents", "id")))
            rows = _Rows(old)
            left_out = [one for one in known if not _copied(rows, new, one)]
            migrate(new)
            new.execute("PRAGMA foreign_keys = ON")  # until here the rows came in any order
            left_out += [one for one in known if one not in left_out and not _is_whole(new, one)]
            _drop_lone(new)
            _drop_broken_vectors(new)
            spaces.count_missing(new)
            find_all_names(new)
            new.execute("VACUUM")
    except sqlite3.DatabaseError as error:
        raise UnreadableDatabaseError(source, error) from error
    return [_left_out_message([names.get(one, f"#{one}") for one in sorted(left_out)])] if left_out else []


def _copy_tables(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Everything that is of no document."""
    with suppress(sqlite3.DatabaseError):
        new.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", old.execute("SELECT * FROM meta").fetchall())
    for table in _tables(new):
        if table not in _OWN_WAY and "document_id" not in _columns(new, table):
            for key in _keys(old, table, "rowid"):
                with suppress(sqlite3.DatabaseError):
                    _insert(new, table, old.execute(f"SELECT * FROM {table} WHERE rowid = ?", [key]))


class _Rows:
    """Rows of documents: by the index of their table, or where that is damaged, by the table itself."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._found: dict[str, dict[int, set[int]]] = {}  # by table and document, once they were looked for

    def of(self, table: str, document_id: int) -> list[tuple[Any, ...]]:
        """Those that can be reached. Raises sqlite3.DatabaseError where one of these cannot be read."""
        try:
            query = f"SELECT * FROM {table} WHERE document_id = ?"
            return self.connection.execute(query, [document_id]).fetchall()
        except sqlite3.DatabaseError:
            if table not in self._found:
                self._found[table] = self._looked_for(table)
            query = f"SELECT * FROM {table} WHERE rowid = ?"
            keys = sorted(self._found[table].get(document_id, ()))
            return [row for key in keys for row in self.connection.execute(query, [key])]

    def _looked_for(self, table: str) -> dict[int, set[int]]:
        found: dict[int, set[int]] = {}
        for way in ("ASC", "DESC"):
            query = f"SELECT rowid, document_id FROM {table} NOT INDEXED ORDER BY rowid {way}"
            for key, document_id in _readable(self.connection, query):
                found.setdefault(document_id, set()).add(key)
        return found


def _copied(rows: _Rows, new: sqlite3.Connection, document_id: int) -> bool:
    """Whether a document's rows could be read, but for its vectors; `_is_whole` tells whether that is all it had."""
    old = rows.connection
    new.execute("BEGIN")
    try:
        _insert(new, "documents", old.execute("SELECT * FROM documents WHERE id = ?", [document_id]))
        for table in _tables(new):
            if "document_id" in _columns(new, table):
                _insert(new, table, rows.of(table, document_id))
        for (chunk_id,) in new.execute("SELECT id FROM chunks WHERE document_id = ?", [document_id]).fetchall():
            with suppress(sqlite3.DatabaseError):
                _insert(new, "vectors", old.execute("SELECT * FROM vectors WHERE chunk_id = ?", [chunk_id]))
    except sqlite3.DatabaseError as error:
        log.warning("document %d cannot be read: %s", document_id, error)
        new.execute("ROLLBACK")
        return False
    new.execute("COMMIT")
    return True


def _is_whole(new: sqlite3.Connection, document_id: int) -> bool:
    """Whether a document that was brought over is whole; else it goes again, with all that is of it."""
    try:
        verify_document(new, document_id)
    except DamagedFileError as error:
        log.warning("document %d is not whole: %s", document_id, error)
        new.execute("DELETE FROM documents WHERE id = ?", [document_id])
        return False
    return True


def _drop_lone(new: sqlite3.Connection) -> None:
    """What belongs to something that is not there; and sets that could not be read are made anew."""
    new.execute("INSERT OR IGNORE INTO doc_sets VALUES (0, '')")
    for table in ("documents", "tasks", "sources"):
        query = f"SELECT DISTINCT doc_set FROM {table} WHERE doc_set NOT IN (SELECT name FROM doc_sets)"
        for (name,) in new.execute(query).fetchall():
            new.execute("INSERT INTO doc_sets (id, name) VALUES (?, ?)", [next_generation(new), name])
    for table, rowid, *_ in new.execute("PRAGMA foreign_key_check").fetchall():
        if rowid is not None:
            new.execute(f"DELETE FROM {table} WHERE rowid = ?", [rowid])


def _drop_broken_vectors(new: sqlite3.Connection) -> None:
    """They are made again; so are all of them where the space that they belong to is gone."""
    new.execute("INSERT OR IGNORE INTO meta VALUES ('generation', 0)")
    highest = new.execute("SELECT coalesce(max(id), 0) FROM chunks").fetchone()[0]
    new.execute("UPDATE meta SET value = max(value, ?) WHERE key = 'generation'", [highest])
    ids = spaces.with_vectors(new)
    if spaces.serving(new) is None:
        new.execute("DELETE FROM vectors")
        return
    for chunk_id in ids:
        try:
            sound = bool(np.isfinite(spaces.vectors(new, [chunk_id])).all())
        except ValueError:
            sound = False
        if not sound:
            new.execute("DELETE FROM vectors WHERE chunk_id = ?", [chunk_id])


# --- a file that breaks off somewhere ----------------------------------------------------------------------------


def _keys(connection: sqlite3.Connection, table: str, key: str) -> list[int]:
    """Those that can be reached: from the front up to where the table is damaged, and from the back."""
    found: set[int] = set()
    for way in ("ASC", "DESC"):
        found.update(key for (key,) in _readable(connection, f"SELECT {key} FROM {table} ORDER BY {key} {way}"))
    return sorted(found)


def _names(connection: sqlite3.Connection) -> dict[int, str]:
    """Of the documents, by id, from the index that knows them as well."""
    query = """SELECT id, doc_set, name FROM documents INDEXED BY sqlite_autoindex_documents_1
        ORDER BY doc_set {0}, name {0}"""
    rows = [row for way in ("ASC", "DESC") for row in _readable(connection, query.format(way))]
    return {key: f"{doc_set}/{name}" if doc_set else name for key, doc_set, name in rows}


def _readable(connection: sqlite3.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    with suppress(sqlite3.DatabaseError):
        yield from connection.execute(query)


def _tables(connection: sqlite3.Connection) -> list[str]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    return [name for (name,) in connection.execute(query)]


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def _insert(new: sqlite3.Connection, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    read = list(rows)
    if read:
        new.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(read[0]))})", read)


def _left_out_message(left_out: list[str]) -> Message:
    return Message(
        zh=f"{len(left_out)} 个文件有读不出的部分，没有救回，请重新上传：{'、'.join(left_out)}。",
        en=f"Left out, for what cannot be read: {count_phrase(len(left_out), 'document')}; upload again: "
        f"{', '.join(left_out)}.",
    )
