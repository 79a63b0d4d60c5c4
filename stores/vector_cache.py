"""Vectors by space and text, on disk: what was embedded once is not embedded again, also after a kill.

Only for spaces whose vectors cost time or money. It holds the vectors of a coming space until it serves; losing it
loses no more than their price.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from schema import Space, Vectors
from stores.caches import CacheSize, file_bytes
from stores.side_file import open_database
from stores.sql.rows import blob, text_key

log = logging.getLogger(__name__)

_ROW = 100  # bytes of a row beside its vector
_SCHEMA = """
    CREATE TABLE IF NOT EXISTS spaces (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, provider TEXT NOT NULL, model TEXT NOT NULL,
        revision TEXT NOT NULL, dimensions INTEGER NOT NULL, payload BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS vectors (
        id INTEGER PRIMARY KEY, space_id INTEGER NOT NULL REFERENCES spaces ON DELETE CASCADE,
        text_key TEXT NOT NULL, vector BLOB NOT NULL, UNIQUE (space_id, text_key));
"""


class VectorCache:
    """One connection, any number of threads. The file comes with its first vector; a damaged one is begun anew, and
    where none can be written, vectors are kept in memory."""

    def __init__(self, path: Path | None, limit_mb: float) -> None:
        """Without a path in memory."""
        self._path, self._limit = path, int(limit_mb * 1_000_000)
        self._lock = threading.Lock()
        self._opened: sqlite3.Connection | None = None
        self._closed = False

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._closed:
            raise sqlite3.ProgrammingError("closed")
        if self._opened is None:
            try:
                self._opened = _open(self._path)
            except (sqlite3.DatabaseError, OSError) as error:
                log.warning("the cache of vectors is begun anew: %s", error)
                self._opened = self._begun_anew()
        return self._opened

    def _begun_anew(self) -> sqlite3.Connection:
        try:
            for ending in ("", "-wal", "-shm"):
                if self._path:
                    self._path.with_name(self._path.name + ending).unlink(missing_ok=True)
            return _open(self._path)
        except (sqlite3.DatabaseError, OSError) as error:
            log.warning("vectors cannot be cached on disk: %s", error)
            return _open(None)

    @property
    def _empty(self) -> bool:
        return self._opened is None and not (self._path and self._path.exists())

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._opened is not None:
                self._opened.close()

    def spaces(self) -> list[Space]:
        """Those that have vectors here."""
        with self._lock, suppress(sqlite3.DatabaseError):
            if self._empty:
                return []
            rows = self._connection.execute("SELECT provider, model, revision, dimensions, payload FROM spaces")
            return [Space(*row) for row in rows]
        return []

    def get(self, space: Space, texts: Sequence[str]) -> dict[str, Vectors]:
        """The vectors that are here, by text."""
        keys = {text_key(text): text for text in texts}
        query = """SELECT text_key, vector FROM json_each(?) AS wanted JOIN vectors ON text_key = wanted.value
            WHERE space_id = (SELECT id FROM spaces WHERE key = ?)"""
        with self._lock, suppress(sqlite3.DatabaseError):
            if self._empty:
                return {}
            rows = self._connection.execute(query, [json.dumps(list(keys)), space.key]).fetchall()
            # One that is not as long as it should be is damaged: it is computed again.
            forms = {2 * space.dimensions: np.float16, 4 * space.dimensions: np.float32}  # these were written earlier
            return {
                keys[key]: np.frombuffer(vector, forms[len(vector)]).astype(np.float32)
                for key, vector in rows
                if isinstance(vector, bytes) and len(vector) in forms
            }
        return {}

    def put(self, space: Space, vectors: Mapping[str, Vectors]) -> None:
        """On disk when it returns. A full disk is no reason to stop: then they are only not kept."""
        insert = """INSERT OR IGNORE INTO spaces (key, provider, model, revision, dimensions, payload)
            VALUES (?, ?, ?, ?, ?, ?)"""
        row = [space.key, space.provider, space.model, space.revision, space.dimensions, space.payload]
        try:
            with self._lock:
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    self._connection.execute(insert, row)
                    [space_id] = self._connection.execute("SELECT id FROM spaces WHERE key = ?", row[:1]).fetchone()
                    self._connection.executemany(
                        "INSERT OR REPLACE INTO vectors (space_id, text_key, vector) VALUES (?, ?, ?)",
                        ((space_id, text_key(text), blob(vector)) for text, vector in vectors.items()),
                    )
                    self._connection.execute("COMMIT")
                except BaseException:
                    self._connection.execute("ROLLBACK")
                    raise
        except sqlite3.Error as error:
            log.warning("vectors could not be cached: %s", error)

    def size(self) -> CacheSize:
        """Vectors of all spaces, and bytes on disk."""
        with self._lock, suppress(sqlite3.DatabaseError):
            if not self._empty:
                [count] = self._connection.execute("SELECT count(*) FROM vectors").fetchone()
                return CacheSize(count, file_bytes(self._path) if self._path else 0)
        return CacheSize(0, 0)

    def clear(self) -> None:
        """Drop the vectors of all spaces; a space on its way is embedded anew."""
        self.clean(keep=())

    def clean(self, keep: Collection[str], unlimited: str | None = None) -> None:
        """Drop the spaces that are not to be kept (by key), then the oldest vectors above the limit.

        Those of `unlimited`, a space on its way, count for nothing: they are needed until it serves.
        """
        with self._lock, suppress(sqlite3.Error):
            if self._empty:
                return
            marks = ", ".join("?" * len(keep))
            self._connection.execute(f"DELETE FROM spaces WHERE key NOT IN ({marks})", list(keep))
            self._connection.execute(
                """DELETE FROM vectors WHERE id IN (SELECT id FROM (
                    SELECT vectors.id, sum(length(vector) + ?) OVER (PARTITION BY space_id ORDER BY vectors.id DESC)
                    AS bytes FROM vectors JOIN spaces ON spaces.id = space_id WHERE key IS NOT ?) WHERE bytes > ?)""",
                [_ROW, unlimited, self._limit],
            )
            # `execute` would take the first of its steps only, one page.
            self._connection.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);")


def _open(path: Path | None) -> sqlite3.Connection:
    if path:
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
    return open_database(path, _SCHEMA, "auto_vacuum = INCREMENTAL", "foreign_keys = ON")
