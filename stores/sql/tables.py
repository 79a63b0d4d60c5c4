"""The typed tables of documents, within a transaction of the caller's: what they are, and their cells by column."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from schema import Cell, Scope, TableColumn, TableInfo, TypedTable
from stores.sql.rows import in_scope

SPANS = -1  # the number under which it is kept where the rows stand; columns count from 0


def tables(connection: sqlite3.Connection, scope: Scope) -> list[TableInfo]:
    where, values = in_scope(scope)
    query = f"""SELECT t.id, d.name, d.doc_set, t.position, t.info FROM document_tables AS t
        JOIN documents AS d ON d.id = t.document_id
        WHERE t.document_id IN (SELECT id FROM documents WHERE {where}) ORDER BY d.doc_set, d.name, t.position"""
    return [info_of(row) for row in connection.execute(query, values)]


def table_cells(connection: sqlite3.Connection, table_id: int, columns: Sequence[int]) -> list[list[Cell]]:
    return [unpacked(packed) for packed in _packed(connection, table_id, columns)]


def table_spans(connection: sqlite3.Connection, table_id: int) -> list[tuple[int, int]]:
    return spans_of([unpacked(packed) for packed in _packed(connection, table_id, [SPANS])])


def _packed(connection: sqlite3.Connection, table_id: int, numbers: Sequence[int]) -> list[bytes]:
    query = f"SELECT number, cells FROM table_cells WHERE table_id = ? AND number IN ({', '.join('?' * len(numbers))})"
    found = dict(connection.execute(query, [table_id, *numbers]).fetchall())
    return [found[number] for number in numbers if number in found]


def write_tables(connection: sqlite3.Connection, document_id: int, given: Sequence[TypedTable]) -> None:
    """In place of those that the document has."""
    connection.execute("DELETE FROM document_tables WHERE document_id = ?", [document_id])
    for position, table in enumerate(given):
        statement = "INSERT INTO document_tables (document_id, position, info) VALUES (?, ?, ?)"
        table_id = connection.execute(statement, [document_id, position, info_json(table)]).lastrowid
        rows = [(table_id, document_id, number, cells) for number, cells in packed_cells(table)]
        connection.executemany("INSERT INTO table_cells VALUES (?, ?, ?, ?)", rows)


def has_tables(connection: sqlite3.Connection, document_id: int) -> bool:
    query = "SELECT 1 FROM document_tables WHERE document_id = ? LIMIT 1"
    return connection.execute(query, [document_id]).fetchone() is not None


# --- how they are written, in every store --------------------------------------------------------------------------


def info_json(table: TypedTable) -> str:
    columns = [[*one] for one in table.columns]
    return json.dumps([table.title, columns, len(table.spans), table.left_out])


def info_of(row: Sequence[Any]) -> TableInfo:
    """Of id, document, set, position and what `info_json` has written."""
    title, columns, rows, left_out = json.loads(row[4])
    typed = tuple(
        TableColumn(name, kind, unit, tuple(values), *counts) for name, kind, unit, values, *counts in columns
    )
    return TableInfo(row[0], row[1], row[2], row[3], title, typed, rows, left_out)


def packed_cells(table: TypedTable) -> Iterator[tuple[int, bytes]]:
    """By number; a row stands behind the one before it, so that small differences are written."""
    steps, before = [], 0
    for start, end in table.spans:
        steps += [start - before, end - start]
        before = start
    for number, cells in ((SPANS, steps), *enumerate(table.cells)):
        written = json.dumps(cells, ensure_ascii=False, separators=(",", ":"))
        yield number, zlib.compress(written.encode("utf-8", "replace"), 1)


def unpacked(packed: bytes) -> list[Cell]:
    cells: list[Cell] = json.loads(zlib.decompress(packed))
    return cells


def spans_of(found: Sequence[Sequence[Any]]) -> list[tuple[int, int]]:
    spans, at = [], 0
    for steps in found:
        for step, length in zip(steps[::2], steps[1::2], strict=True):
            at += step
            spans.append((at, at + length))
    return spans
