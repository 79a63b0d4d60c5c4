"""Answers that were given before: a bounded table in a file of its own, which may be lost at any time."""

from __future__ import annotations

import sqlite3
import time
import zlib
from contextlib import suppress
from pathlib import Path

from stores.caches import CacheFile

_LARGEST = 500_000  # bytes of a packed answer


class AnswerStore(CacheFile):
    """Keyed texts that belong to one generation of the library.

    Whatever is older than `days`, of another generation, or least recently used beyond `entries` is deleted for good.
    """

    SCHEMA = """
    CREATE TABLE IF NOT EXISTS answers (
        key TEXT PRIMARY KEY, generation INTEGER NOT NULL, given REAL NOT NULL, used REAL NOT NULL,
        content BLOB NOT NULL
    ) WITHOUT ROWID"""
    PRAGMAS = ("secure_delete = ON", "cache_size = -1000")
    COUNT = "SELECT count(*) FROM answers"

    def __init__(self, path: Path, entries: int, days: float) -> None:
        super().__init__(path)
        self._entries, self._age = entries, days * 86_400
        self._generation: int | None = None  # the one that was seen last

    def find(self, key: str, generation: int) -> str | None:
        def work(database: sqlite3.Connection) -> str | None:
            self._clean(database, generation, only_if_changed=True)
            oldest = time.time() - self._age
            row = database.execute(
                "UPDATE answers SET used = ? WHERE key = ? AND generation = ? AND given >= ? RETURNING content",
                (time.time(), key, generation, oldest),
            ).fetchone()
            return zlib.decompress(row[0]).decode() if row else None

        return self._do(work, None)

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

        self._do(work, None)

    def clean(self, generation: int) -> None:
        """Delete what can never be found again."""
        if self._path.exists():
            self._do(lambda database: self._clean(database, generation), None)

    def clear(self) -> None:
        """Delete all answers for good, and give their room back to the disk."""

        def work(database: sqlite3.Connection) -> None:
            database.execute("DELETE FROM answers")
            with suppress(sqlite3.OperationalError):  # another program reads: the room is given back another time
                database.executescript("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")

        if self._path.exists():
            self._do(work, None)

    def _clean(self, database: sqlite3.Connection, generation: int, only_if_changed: bool = False) -> None:
        if only_if_changed and generation == self._generation:
            return
        self._generation = generation
        database.execute(
            """DELETE FROM answers WHERE generation != :generation OR given < :oldest OR key IN
            (SELECT key FROM answers ORDER BY used DESC LIMIT -1 OFFSET :entries)""",
            {"generation": generation, "oldest": time.time() - self._age, "entries": self._entries},
        )
