"""Pages of the web as they came: to use again, and to ask their servers for what is new.

It may be lost at any time, which costs fetching again: what a person asks about is in the library.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from pydantic import TypeAdapter

from schema import HistoryEntry
from stores.caches import Cache, CacheFile
from stores.side_database import SideConnection

PAGES = "pages.sqlite"  # in the data folder
_SCHEMA = """
    CREATE TABLE IF NOT EXISTS pages (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL, doc_set TEXT NOT NULL, name TEXT NOT NULL, url TEXT NOT NULL,
        final_url TEXT NOT NULL, media_type TEXT NOT NULL, charset TEXT NOT NULL, etag TEXT NOT NULL,
        last_modified TEXT NOT NULL, fetched_at TEXT NOT NULL, history TEXT NOT NULL, data BLOB,
        digest TEXT NOT NULL, links TEXT,
        UNIQUE (key, doc_set));
    CREATE INDEX IF NOT EXISTS pages_of_set ON pages (doc_set, name);
"""
_VERSION = 2  # of the table; a file of another one is begun anew
_MOST = 200_000  # pages that are known, with or without their data
_ENTRIES = 50  # of a page's history: refreshed for years it would have thousands
_histories = TypeAdapter(list[HistoryEntry])


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page as it was fetched last, and what became of it."""

    key: str  # its canonical address
    url: str  # that was asked for
    fetched_at: datetime  # with its time zone
    doc_set: str = ""
    name: str = ""  # of its document in that set; "": it is none
    final_url: str = ""
    media_type: str = ""
    charset: str = ""
    etag: str = ""
    last_modified: str = ""
    data: bytes | None = None  # as it came, unpacked; None: not kept, or not asked for
    history: tuple[HistoryEntry, ...] = ()
    digest: str = field(default="", compare=False)  # of the data that came last, kept or not; the store's own
    links: tuple[str, ...] | None = None  # within its site, in that data; None: nobody has looked


class PageStore(Cache, Protocol):
    """Pages by address and document set; its size counts those that are here as they came.

    Above its limit the data of those fetched longest ago is dropped; address, ETag and name stay, for a refresh. When
    it cannot be used, that is a miss. Thread-safe; its calls block.
    """

    def get(self, key: str, doc_set: str | None = None) -> CachedPage | None:
        """With its data; of the set that was fetched last where none is named."""

    def all(self, doc_set: str) -> list[CachedPage]:
        """The pages of a set by their names, without their data."""

    def put(self, *pages: CachedPage) -> None:
        """In place of what was known of them; a page that comes without data keeps the data that is there."""

    def forget(self, keys: Collection[str], doc_set: str) -> None: ...

    def clean(self) -> None:
        """Drop what is above the limits."""

    def clear(self) -> None:
        """Drop the data of all pages; address, ETag and name stay, as above the limit."""

    def close(self) -> None: ...


class PageFile(CacheFile):
    """The pages in a file, which may be lost at any time."""

    SCHEMA = _SCHEMA
    PRAGMAS = ("auto_vacuum = INCREMENTAL", "secure_delete = FAST")
    COUNT = "SELECT count(*) FROM pages WHERE data IS NOT NULL"

    def __init__(self, path: Path, limit_mb: float) -> None:
        super().__init__(path)
        self._limit = int(limit_mb * 1_000_000)
        self._added = self._limit  # bytes since the limits were seen to: at the first page anyway

    def get(self, key: str, doc_set: str | None = None) -> CachedPage | None:
        def work(database: sqlite3.Connection) -> CachedPage | None:
            row = database.execute(
                f"SELECT {COLUMNS} FROM pages WHERE key = ? AND doc_set = coalesce(?, doc_set) "
                "ORDER BY fetched_at DESC LIMIT 1",
                [key, doc_set],
            ).fetchone()
            return page_of(row) if row else None

        return self._do(work, None)

    def all(self, doc_set: str) -> list[CachedPage]:
        def work(database: sqlite3.Connection) -> list[CachedPage]:
            return [page_of(row) for row in database.execute(f"{WITHOUT_DATA} WHERE doc_set = ? {BY_NAME}", [doc_set])]

        return self._do(work, [])

    def put(self, *pages: CachedPage) -> None:
        rows = [row_of(page) for page in pages]

        def work(database: sqlite3.Connection) -> None:
            database.execute("BEGIN IMMEDIATE")
            database.executemany(PUT, rows)
            database.execute("COMMIT")
            self._added += sum(len(page.data or b"") for page in pages)
            if self._added >= self._limit / 20:  # it looks at every page: not with each that comes
                self._added = 0
                self._clean(database)

        self._do(work, None)

    def forget(self, keys: Collection[str], doc_set: str) -> None:
        def work(database: sqlite3.Connection) -> None:
            database.execute(
                "DELETE FROM pages WHERE doc_set = ? AND key IN (SELECT value FROM json_each(?))",
                [doc_set, json.dumps(list(keys))],
            )
            database.executescript(_SHRINK)

        self._do(work, None)

    def clean(self) -> None:
        """Its room goes back to the disk."""
        if self._path.exists():
            self._do(self._clean, None)

    def clear(self) -> None:
        def work(database: sqlite3.Connection) -> None:
            database.execute("UPDATE pages SET data = NULL WHERE data IS NOT NULL")
            database.executescript(_SHRINK)

        if self._path.exists():
            self._do(work, None)

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        database = super()._open()
        [version] = database.execute("PRAGMA user_version").fetchone()
        if version not in (0, _VERSION):
            database.close()
            raise sqlite3.DatabaseError(f"of another version: {version}")
        database.execute(f"PRAGMA user_version = {_VERSION}")
        return database

    def _clean(self, database: sqlite3.Connection) -> None:
        if cleaned(database, self._limit):
            database.executescript(_SHRINK)


_NAMES = tuple(field.name for field in fields(CachedPage))
COLUMNS = ", ".join(_NAMES)
WITHOUT_DATA, BY_NAME = f"SELECT {COLUMNS.replace('data', 'NULL')} FROM pages", "ORDER BY name, key"
_OF_DATA = ("data", "digest", "links")
_KEPT = "{0} = CASE WHEN excluded.data IS NULL THEN pages.{0} ELSE excluded.{0} END"
PUT = f"""INSERT INTO pages ({COLUMNS}) VALUES ({", ".join("?" * len(_NAMES))}) ON CONFLICT (key, doc_set) DO UPDATE
    SET {", ".join(f"{name} = excluded.{name}" for name in _NAMES if name not in _OF_DATA)},
    {", ".join(_KEPT.format(name) for name in _OF_DATA)}"""
# `execute` would take the first of its steps only, one page.
_SHRINK = "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);"


def cleaned(database: SideConnection, limit: int) -> int:
    """How many pages have lost their data, so that no more than so many bytes are kept, or are known no longer."""
    newest = "(PARTITION BY data IS NULL ORDER BY fetched_at DESC, id DESC)"
    summed = f"SELECT id, sum(length(data)) OVER {newest} AS bytes FROM pages"
    dropped = database.execute(
        f"""UPDATE pages SET data = NULL WHERE data IS NOT NULL
        AND id IN (SELECT id FROM ({summed}) AS summed WHERE bytes > ?)""",
        [limit],
    ).rowcount
    last = "SELECT id FROM pages ORDER BY name != '' DESC, fetched_at DESC LIMIT ? OFFSET ?"
    return dropped + database.execute(f"DELETE FROM pages WHERE id IN ({last})", [sys.maxsize, _MOST]).rowcount


def digest_of(data: bytes) -> str:
    """By which the same bytes are known again."""
    return hashlib.sha256(data).hexdigest()


def row_of(page: CachedPage) -> list[Any]:
    values = {name: getattr(page, name) for name in _NAMES}
    values["fetched_at"] = page.fetched_at.astimezone(UTC).isoformat(timespec="microseconds")  # sorts as text
    values["data"] = None if page.data is None else zlib.compress(page.data, 6)
    values["digest"] = "" if page.data is None else digest_of(page.data)
    values["links"] = None if page.links is None else json.dumps(page.links)
    values["history"] = _histories.dump_json(list(page.history[-_ENTRIES:])).decode()
    return list(values.values())


def page_of(row: Sequence[Any]) -> CachedPage:
    values = dict(zip(_NAMES, row, strict=True))
    values["fetched_at"] = datetime.fromisoformat(values["fetched_at"])
    values["data"] = None if values["data"] is None else zlib.decompress(values["data"])
    values["links"] = None if values["links"] is None else tuple(json.loads(values["links"]))
    values["history"] = tuple(_histories.validate_json(values["history"]))
    return CachedPage(**values)
