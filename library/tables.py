"""The typed tables of a library, and queries over their rows."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

from library.shared import LibraryParts
from schema import EVERYWHERE, Citation, Hit, Scope, TableInfo, TableQuery, TableResult
from settings import Settings
from stores.base import Store

_MOST = 200  # tables that one question is held against
_OPEN = 8  # columns of many values that are kept in memory


class LibraryTables(LibraryParts):
    """What there is to be computed with."""

    def __init__(self, settings: Settings, store: Store) -> None:
        super().__init__(settings, store)
        self._tables: tuple[int, list[TableInfo]] = (-1, [])  # of which generation
        self._open_columns: OrderedDict[tuple[int, int], frozenset[str]] = OrderedDict()  # values, by table and column

    async def tables(self, scope: Scope = EVERYWHERE) -> list[TableInfo]:
        """The tables of the documents in scope; of very many the first."""
        if scope:
            return (await asyncio.to_thread(self.store.tables, scope))[:_MOST]
        generation = self.generation()
        if self._tables[0] != generation:
            self._tables = generation, (await asyncio.to_thread(self.store.tables))[:_MOST]
        return self._tables[1]

    async def with_values_of(self, question: str, tables: Sequence[TableInfo]) -> list[TableInfo]:
        """The tables, of which columns with very many values list those that the question says."""
        return await asyncio.to_thread(lambda: [self._with_values_of(question.lower(), one) for one in tables])

    def _with_values_of(self, question: str, table: TableInfo) -> TableInfo:
        columns = [*table.columns]
        for at, column in enumerate(columns):
            if column.kind == "text" and column.distinct and not column.values:
                found = [value for value in self._values(table.id, at) if len(value) > 1 and value.lower() in question]
                columns[at] = column._replace(values=tuple(sorted(found)))
        return table._replace(columns=tuple(columns))

    def _values(self, table_id: int, column: int) -> frozenset[str]:
        key = table_id, column
        if key not in self._open_columns:
            cells = self.store.table_cells(table_id, [column])
            self._open_columns[key] = frozenset(str(cell) for cell in (cells[0] if cells else ()) if cell is not None)
            while len(self._open_columns) > _OPEN:
                self._open_columns.popitem(last=False)
        return self._open_columns[key]

    async def run_table_query(self, query: TableQuery) -> TableResult:
        """Over all rows. Raises CitewiseError."""
        from retrieval.table_queries import run_table_query

        return await asyncio.to_thread(run_table_query, self.store, query)

    async def rows_of(self, result: TableResult) -> tuple[Hit, list[Citation]] | None:
        """The passages in which the rows stand that a result used; None where the document is gone."""
        from retrieval.table_rows import cited_rows

        return await asyncio.to_thread(cited_rows, self.store, result)

    async def misread_cells(self, result: TableResult) -> list[str]:
        """Words of the rows that a result used which may be misread, each with how sure the reading is."""
        from retrieval.table_rows import misread_cells

        return await asyncio.to_thread(misread_cells, self.store, result)
