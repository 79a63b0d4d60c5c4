"""The nouns as rows of PostgreSQL: what of it differs from SQLite."""

from __future__ import annotations

import json
import time
from typing import Any

from schema import DocumentInfo, Scope
from stores.postgres.adapters import Connection, json_value
from stores.problems import SpaceChanged
from stores.sql.rows import OF_ORIGIN, OF_STRUCTURED, UNTOLD_FIELDS, document_info, strict_json

UPDATED = """to_char(embedding_updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')"""
INFO = f"""id, document_name, docset_name, kind, language, size, chunks, chunking, digest, {UPDATED}, origin, tokens,
    missing"""


def find(connection: Connection, name: str, doc_set: str) -> DocumentInfo | None:
    query = f"SELECT {INFO} FROM documents WHERE document_name = %s AND docset_name = %s"
    row = connection.execute(query, [name, doc_set]).fetchone()
    return document_info(row) if row else None


def next_generation(connection: Connection, ids: int = 0) -> int:
    """Advance the clock past `ids` ids; the first of them. It never goes back: see `stores.sql.sqlite.Database`."""
    query = "UPDATE library SET generation = greatest(generation + 1, %s) + %s RETURNING generation"
    return number(connection, query, [time.time_ns() // 1000, ids]) - ids


def number(connection: Connection, query: str, values: list[Any]) -> int:
    """What a query for one number gives; 0 for none."""
    row = connection.execute(query, values).fetchone()
    return int(row[0]) if row and row[0] is not None else 0


def serving(connection: Connection) -> tuple[int, str, int] | None:
    """Id, key and dimensions of the serving space."""
    row = connection.execute("SELECT id, key, dimensions FROM spaces WHERE serving").fetchone()
    return row and (int(row[0]), str(row[1]), int(row[2]))


def require_serving(connection: Connection, space_key: str) -> int:
    """Its id. Raises SpaceChanged when another space serves by now."""
    known = serving(connection)
    if known is None or known[1] != space_key:
        raise SpaceChanged(known and known[1])
    return known[0]


def in_scope(scope: Scope) -> tuple[str, list[Any]]:
    """A condition on documents and its values. Whatever a person has written, names as well, is a value of it."""
    conditions: list[str] = ["true"]
    values: list[Any] = []
    for column, wanted in (
        ("document_name", scope.documents), ("docset_name", scope.doc_sets), ("kind", scope.kinds),
    ):  # fmt: skip
        if wanted:
            conditions.append(f"{column} = ANY(%s)")
            values.append([name for name in wanted if _is_text(name)])
    if scope.without:
        conditions.append("NOT document_name = ANY(%s)")
        values.append([name for name in scope.without if _is_text(name)])
    pairs_by_name: dict[str, list[Any]] = {}
    for name, value in scope.metadata:
        pairs_by_name.setdefault(name, []).append(value)
    own = {name: some for name, some in pairs_by_name.items() if name not in _ELSEWHERE}
    if len(own) > _MANY:
        pairs_by_name = {name: some for name, some in pairs_by_name.items() if name in _ELSEWHERE}
        all_text = all(map(_is_text, own))
        conditions.append(_TELLS_ALL if all_text else "false")
        values += [json_value(strict_json(own, ascii_only=True))] if all_text else []
    for name, wanted_values in pairs_by_name.items():
        condition, of_it = _tells(name, wanted_values)
        conditions.append(condition)
        values += of_it
    return " AND ".join(conditions), values


_MANY = 8  # names; a condition of its own for each, which an index helps with, is soon more work than it saves
_TELLS_ALL = """NOT EXISTS (SELECT 1 FROM jsonb_each(%s::jsonb) AS wanted WHERE NOT EXISTS (
    SELECT 1 FROM jsonb_array_elements(wanted.value) AS one WHERE (metadata -> wanted.key) @> one))"""


def _tells(name: str, wanted: list[Any]) -> tuple[str, list[Any]]:
    """One of the wanted values is what a document tells by this name, or in the list that it tells."""
    elsewhere = _ELSEWHERE.get(name)
    either: list[str] = []
    values: list[Any] = []
    for value in wanted:
        if not (_is_text(name) and _is_text(str(value))):
            continue  # no document holds it
        if elsewhere:  # its own metadata come first
            either.append(f"CASE WHEN metadata ? %s THEN metadata -> %s ELSE {elsewhere} END @> %s::jsonb")
            values += [name, name, json_value(strict_json(value))]
        else:
            either.append("metadata @> %s::jsonb OR metadata @> %s::jsonb")
            values += [json_value(strict_json({name: value})), json_value(strict_json({name: [value]}))]
        if name == "language" and isinstance(value, str):  # a page may call its own "zh-CN", and is found by "zh"
            either.append("coalesce(origin ->> 'code_language', language) = %s")
            values.append(value)
    return f"({' OR '.join(either) or 'false'})", values


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


_UNSAID = {
    "file_path": "to_jsonb(CASE WHEN origin ->> 'source_type' IS NULL THEN document_name ELSE '' END)",
    "timestamp": f"to_jsonb({UPDATED})",
}
_ELSEWHERE = {  # where a document's own metadata are silent: as `Hit.metadata` has it
    name: f"coalesce(origin -> '{name}', {_UNSAID.get(name) or repr(json.dumps(UNTOLD_FIELDS[name])) + '::jsonb'})"
    for name in OF_ORIGIN
} | {name: f"(structured -> '{name}')" for name in OF_STRUCTURED}
