"""Pages of the web in PostgreSQL: what one instance has fetched, another refreshes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from stores.caches import CacheSize
from stores.pages import BY_NAME, COLUMNS, PUT, WITHOUT_DATA, CachedPage, cleaned, page_of, row_of
from stores.postgres.side_tables import SideTables
from stores.side_database import SideConnection


class PageTable:
    """When the server does not answer, nothing is known of a page, and it is fetched."""

    def __init__(self, tables: SideTables, limit_mb: float) -> None:
        self._tables, self._limit = tables, int(limit_mb * 1_000_000)
        self._added = self._limit  # bytes since the limits were seen to: at the first page anyway

    def get(self, key: str, doc_set: str | None = None) -> CachedPage | None:
        query = f"SELECT {COLUMNS} FROM pages WHERE key = ? AND doc_set = coalesce(?, doc_set)"
        nothing: Any = None
        newest = f"{query} ORDER BY fetched_at DESC LIMIT 1"
        row = self._tables.read(lambda database: database.execute(newest, [key, doc_set]).fetchone(), nothing)
        return None if row is None else page_of(row)

    def all(self, doc_set: str) -> list[CachedPage]:
        query, none = f"{WITHOUT_DATA} WHERE doc_set = ? {BY_NAME}", list[Any]()
        rows = self._tables.read(lambda database: database.execute(query, [doc_set]).fetchall(), none)
        return [page_of(row) for row in rows]

    def put(self, *pages: CachedPage) -> None:
        rows = sorted(map(row_of, pages), key=lambda row: row[0])  # two who store the same ones wait in one order

        def work(database: SideConnection) -> None:
            for row in rows:
                database.execute(PUT, row)
            self._added += sum(len(page.data or b"") for page in pages)
            if self._added >= self._limit / 20:  # it looks at every page: not with each that comes
                self._added = 0
                cleaned(database, self._limit)

        self._tables.read(work, None)

    def forget(self, keys: Collection[str], doc_set: str) -> None:
        query = "DELETE FROM pages WHERE doc_set = ? AND key = ANY(?::text[])"
        self._tables.read(lambda database: database.execute(query, [doc_set, list(keys)]).rowcount, 0)

    def clean(self) -> None:
        self._tables.read(lambda database: cleaned(database, self._limit), 0)

    def size(self) -> CacheSize:
        query = "SELECT count(*), coalesce(sum(length(data)), 0) FROM pages WHERE data IS NOT NULL"
        count, size = self._tables.read(lambda database: database.execute(query).fetchone(), (0, 0))
        return CacheSize(int(count), int(size))

    def clear(self) -> None:
        query = "UPDATE pages SET data = NULL WHERE data IS NOT NULL"
        self._tables.read(lambda database: database.execute(query).rowcount, 0)

    def close(self) -> None:
        self._tables.close()
