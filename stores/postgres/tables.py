"""The typed tables of documents, in PostgreSQL: what they are, and their cells by column."""

from __future__ import annotations

from collections.abc import Sequence

from schema import Cell, Scope, TableInfo, TypedTable
from stores.postgres.adapters import Connection
from stores.postgres.rows import in_scope
from stores.sql.tables import SPANS, info_json, info_of, packed_cells, spans_of, unpacked


def tables(connection: Connection, scope: Scope) -> list[TableInfo]:
    where, values = in_scope(scope)
    query = f"""SELECT t.id, d.document_name, d.docset_name, t.position, t.info FROM document_tables AS t
        JOIN documents AS d ON d.id = t.document_id
        WHERE t.document_id IN (SELECT id FROM documents WHERE {where})
        ORDER BY d.docset_name, d.document_name, t.position"""
    return [info_of(row) for row in connection.execute(query, values)]


def table_cells(connection: Connection, table_id: int, columns: Sequence[int]) -> list[list[Cell]]:
    return [unpacked(packed) for packed in _packed(connection, table_id, columns)]


def table_spans(connection: Connection, table_id: int) -> list[tuple[int, int]]:
    return spans_of([unpacked(packed) for packed in _packed(connection, table_id, [SPANS])])


def _packed(connection: Connection, table_id: int, numbers: Sequence[int]) -> list[bytes]:
    query = "SELECT number, cells FROM table_cells WHERE table_id = %s AND number = ANY(%s)"
    found: dict[int, bytes] = dict(connection.execute(query, [table_id, list(numbers)]).fetchall())
    return [found[number] for number in numbers if number in found]


def write_tables(connection: Connection, document_id: int, given: Sequence[TypedTable]) -> None:
    """In place of those that the document has."""
    connection.execute("DELETE FROM document_tables WHERE document_id = %s", [document_id])
    for position, table in enumerate(given):
        statement = "INSERT INTO document_tables (document_id, position, info) VALUES (%s, %s, %s) RETURNING id"
        [(table_id,)] = connection.execute(statement, [document_id, position, info_json(table)]).fetchall()
        with connection.cursor() as cursor:
            rows = [(table_id, number, cells) for number, cells in packed_cells(table)]
            cursor.executemany("INSERT INTO table_cells VALUES (%s, %s, %s)", rows)


def has_tables(connection: Connection, document_id: int) -> bool:
    query = "SELECT 1 FROM document_tables WHERE document_id = %s LIMIT 1"
    return connection.execute(query, [document_id]).fetchone() is not None
