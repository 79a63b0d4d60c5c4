"""Document sets in PostgreSQL."""

from __future__ import annotations

from schema import DocSetInfo
from stores.postgres.adapters import Connection
from stores.postgres.chunk_removal import remove_documents
from stores.postgres.rows import find, next_generation
from stores.problems import name_taken, require_text, set_taken


def doc_sets(connection: Connection) -> list[DocSetInfo]:
    query = """SELECT s.name, count(d.id), coalesce(sum(d.chunks), 0)::bigint FROM doc_sets s
        LEFT JOIN documents d ON d.docset_name = s.name GROUP BY s.id ORDER BY s.name"""
    return [info for info in map(DocSetInfo._make, connection.execute(query)) if info.name or info.documents]


def make_set(connection: Connection, name: str) -> bool:
    """False when it is there already."""
    if _is_there(connection, name):
        return False
    require_text(name)
    connection.execute("INSERT INTO doc_sets (id, name) VALUES (%s, %s)", [next_generation(connection), name])
    return True


def rename_doc_set(connection: Connection, name: str, to: str) -> bool:
    if not name or not _is_there(connection, name):
        return False
    if to == name:
        return True
    if _is_there(connection, to):
        raise set_taken(to)
    require_text(to)
    connection.execute("UPDATE doc_sets SET name = %s WHERE name = %s", [to, name])
    connection.execute("UPDATE documents SET docset_name = %s WHERE docset_name = %s", [to, name])
    for table in ("tasks", "sources"):
        connection.execute(f"UPDATE {table} SET doc_set = %s WHERE doc_set = %s", [to, name])
    next_generation(connection)
    return True


def delete_doc_set(connection: Connection, name: str) -> bool:
    if not name or not _is_there(connection, name):
        return False
    rows = connection.execute("SELECT id FROM documents WHERE docset_name = %s", [name]).fetchall()
    remove_documents(connection, [row[0] for row in rows])
    for table, column in (("tasks", "doc_set"), ("sources", "doc_set"), ("doc_sets", "name")):
        connection.execute(f"DELETE FROM {table} WHERE {column} = %s", [name])
    next_generation(connection)
    return True


def move(connection: Connection, name: str, doc_set: str, to: str) -> bool:
    old = find(connection, name, doc_set)
    if old is None:
        return False
    if to == doc_set:
        return True
    if find(connection, name, to):
        raise name_taken(name)
    make_set(connection, to)
    connection.execute("UPDATE documents SET docset_name = %s WHERE id = %s", [to, old.id])
    for statement in (  # a cut of this document, which is now there
        "DELETE FROM tasks WHERE doc_set = %(to)s AND name = %(name)s AND job = 'rechunk' AND EXISTS ("
        "SELECT 1 FROM tasks WHERE doc_set = %(of)s AND name = %(name)s AND job = 'rechunk')",
        "UPDATE tasks SET doc_set = %(to)s WHERE doc_set = %(of)s AND name = %(name)s AND job = 'rechunk'",
    ):
        connection.execute(statement, {"to": to, "of": doc_set, "name": name})
    next_generation(connection)
    return True


def _is_there(connection: Connection, name: str) -> bool:
    return connection.execute("SELECT 1 FROM doc_sets WHERE name = %s", [name]).fetchone() is not None
