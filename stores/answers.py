"""Answers that were given before: a bounded table in a file of its own, which may be lost at any time."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from stores.caches import CacheSize, file_bytes
from stores.folder import make_private

log = logging.getLogger(__name__)
T = TypeVar("T")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, generation INTEGER NOT NULL, given REAL NOT NULL, used REAL NOT NULL, content BLOB NOT NULL
) WITHOUT ROWID"""
_LARGEST = 500_000  # bytes of a packed answer


class AnswerStore:
    """Keyed texts that belong to one generation of the library. Thread-safe; a file that fails is only a miss.

    Whatever is older than `days`, of another generation, or least recently used beyond `entries` is deleted for good.
    """

    def __init__(self, path: Path, entries: int, days: float) -> None:
        self._path, self._entries, self._age = path, entries, days * 86_400
        self._lock = threading.Lock()
        self._generation: int | None = None  # the one that was seen last
        self._connection: sqlite3.Connection | None = None

    def find(self, key: str, generation: int) -> str | None:
        def work(database: sqlite3.Connection) -> str | None:
            self._clean(database, generation, only_if_changed=True)
            oldest = time.time() - self._age
            row = database.execute(
                "UPDATE answers SET used = ? WHERE key = ? AND generation = ? AND given >= ? RETURNING content",
                (time.time(), key, generation, oldest),
            ).fetchone()
            return zlib.decompress(row[0]).decode() if row else None

        return self._do(work)

    def put(self, key: str, generation: int, content: str) -> None:
        packed = zlib.compress(content.encode(), 1)
        if len(packed) > _LARGEST:
            return

        def work(database: sqlite3.Connection) -> None:
            now = time.time()
            database.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", (key, generation, now, now, packed)
            )
            self._clean(database, generation)

        self._do(work)

    def clean(self, generation: int) -> None:
        """Delete what can never be found again."""
        if self._path.exists():
            self._do(lambda database: self._clean(database, generation))

    def size(self) -> CacheSize:
        if not self._path.exists():
            return CacheSize(0, 0)
        count = self._do(lambda database: int(database.execute("SELECT count(*) FROM answers").fetchone()[0]))
        return CacheSize(count or 0, file_bytes(self._path))

    def clear(self) -> None:
        """Delete all answers for good, and give their room back to the disk."""

        def work(database: sqlite3.Connection) -> None:
            database.execute("DELETE FROM answers")
            with suppress(sqlite3.OperationalError):  # another program reads: the room is given back another time
                database.executescript("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")

        if self._path.exists():
            self._do(work)

    def close(self) -> None:
        with self._lock, suppress(sqlite3.Error):
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def _clean(self, database: sqlite3.Connection, generation: int, only_if_changed: bool = False) -> None:
        if only_if_changed and generation == self._generation:
            return
        self._generation = generation
        database.execute(
            """DELETE FROM answers WHERE generation != :generation OR given < :oldest OR key IN
            (SELECT key FROM answers ORDER BY used DESC LIMIT -1 OFFSET :entries)""",
            {"generation": generation, "oldest": time.time() - self._age, "entries": self._entries},
        )

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        with self._lock:
            try:
                self._connection = self._connection or _opened(self._path)
                return work(self._connection)
            except (sqlite3.Error, zlib.error, UnicodeDecodeError, TypeError) as error:
                log.warning("remembered answers are lost: %s", error)
                with suppress(sqlite3.Error):
                    if self._connection is not None:
                        self._connection.close()
                self._connection = None
                if not isinstance(error, sqlite3.OperationalError):  # it is not for the moment
                    _removed(self._path)
                return None


def _opened(path: Path) -> sqlite3.Connection:
    make_private(path)
    database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    try:
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON", "cache_size = -1000"):
            database.execute(f"PRAGMA {pragma}")
        database.execute(_SCHEMA)
    except BaseException:
        database.close()
        raise
    return database


def _removed(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        with suppress(OSError):
            path.with_name(path.name + suffix).unlink()
