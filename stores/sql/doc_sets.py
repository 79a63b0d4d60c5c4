"""Document sets in SQLite. A set has an id that the term index knows it by, so that a new name changes no index."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from schema import DocSetInfo
from stores.problems import name_taken, require_text, set_taken
from stores.sql.rows import find, names_json, next_generation
from stores.sql.sqlite import Change


def doc_sets(connection: sqlite3.Connection) -> list[DocSetInfo]:
    query = """SELECT s.name, count(d.id), coalesce(sum(d.chunks), 0) FROM doc_sets s
        LEFT JOIN documents d ON d.doc_set = s.name GROUP BY s.id ORDER BY s.name"""
    return [info for info in map(DocSetInfo._make, connection.execute(query)) if info.name or info.documents]


def set_ids(connection: sqlite3.Connection, names: Sequence[str]) -> list[int]:
    query = "SELECT id FROM doc_sets WHERE name IN (SELECT value FROM json_each(?))"
    return [row[0] for row in connection.execute(query, [names_json(names)])]


def make_set(connection: sqlite3.Connection, name: str) -> int:
    """The generation of its making; 0 when it is there already. Its id comes from the clock: none is used twice."""
    if connection.execute("SELECT 1 FROM doc_sets WHERE name = ?", [name]).fetchone():
        return 0
    require_text(name)
    generation = next_generation(connection)
    connection.execute("INSERT INTO doc_sets (id, name) VALUES (?, ?)", [generation, name])
    return generation


def add_doc_set(connection: sqlite3.Connection, name: str) -> tuple[bool, Change]:
    generation = make_set(connection, name)
    return bool(generation), Change(generation)


def rename_doc_set(connection: sqlite3.Connection, name: str, to: str) -> tuple[bool, Change]:
    if not name or not set_ids(connection, [name]):
        return False, Change()
    if to == name:
        return True, Change()
    if set_ids(connection, [to]):
        raise set_taken(to)
    require_text(to)
    connection.execute("UPDATE doc_sets SET name = ? WHERE name = ?", [to, name])
    for table in ("documents", "tasks", "sources"):
        connection.execute(f"UPDATE {table} SET doc_set = ? WHERE doc_set = ?", [to, name])
    return True, Change(next_generation(connection), told=[("renamed", to, name)])


def delete_doc_set(connection: sqlite3.Connection, name: str) -> tuple[bool, Change]:
    if not name or not set_ids(connection, [name]):
        return False, Change()
    query = "SELECT id FROM chunks WHERE document_id IN (SELECT id FROM documents WHERE doc_set = ?)"
    removed = [row[0] for row in connection.execute(query, [name])]
    gone = connection.execute("SELECT 'deleted', doc_set, name FROM documents WHERE doc_set = ?", [name]).fetchall()
    for table, column in (("documents", "doc_set"), ("tasks", "doc_set"), ("sources", "doc_set"), ("doc_sets", "name")):
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", [name])
    return True, Change(next_generation(connection), removed=removed, told=gone)


def move(connection: sqlite3.Connection, name: str, doc_set: str, to: str) -> tuple[bool, Change]:
    old = find(connection, name, doc_set)
    if old is None:
        return False, Change()
    if to == doc_set:
        return True, Change()
    if find(connection, name, to):
        raise name_taken(name)
    make_set(connection, to)
    connection.execute("UPDATE documents SET doc_set = ? WHERE id = ?", [to, old.id])
    connection.execute(  # a cut of this document, which is now there
        "UPDATE OR REPLACE tasks SET doc_set = ? WHERE doc_set = ? AND name = ? AND job = 'rechunk'",
        [to, doc_set, name],
    )
    moved = [row[0] for row in connection.execute("SELECT id FROM chunks WHERE document_id = ?", [old.id])]
    return True, Change(next_generation(connection), moved=moved, told=[("moved", to, name)])
