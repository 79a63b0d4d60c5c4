"""The serving space and its vectors, in SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

import numpy as np

from schema import Space, Vectors
from stores.base import VectorsMissing
from stores.rows import blob, ids_json, next_generation, serving_id, text_key
from stores.sqlite import Change

_SPACE = "provider, model, revision, dimensions, payload, fitted_on, calibration"


def swap_space(
    connection: sqlite3.Connection, space: Space, chunk_ids: Sequence[int], vectors: Iterable[Vectors], partial: bool
) -> Change:
    """Raises VectorsMissing."""
    stored = {row[0] for row in connection.execute("SELECT id FROM chunks")}
    if (missing := stored.difference(chunk_ids)) and not partial:
        raise VectorsMissing(sorted(missing))
    connection.execute("DELETE FROM vectors")
    connection.execute("DELETE FROM spaces")
    space_id = connection.execute(
        f"INSERT INTO spaces (key, serving, {_SPACE}) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?)",
        [space.key, space.provider, space.model, space.revision, space.dimensions, space.payload,
         space.fitted_on, _learned_json(space)],
    ).lastrowid  # fmt: skip
    connection.executemany(
        "INSERT INTO vectors (chunk_id, space_id, vector) VALUES (?, ?, ?)",
        (
            (chunk_id, space_id, blob(vector))
            for chunk_id, vector in zip(chunk_ids, vectors, strict=True)
            if chunk_id in stored
        ),
    )
    return Change(next_generation(connection))


def add_vectors(
    connection: sqlite3.Connection, space_key: str, chunk_ids: Sequence[int], vectors: Iterable[Vectors]
) -> Change:
    """Those that have one already keep it: another index may know it."""
    space_id = serving_id(connection, space_key)
    query = f"SELECT id FROM chunks WHERE id IN (SELECT value FROM json_each(?)) AND {_WITHOUT}"
    waiting = {row[0] for row in connection.execute(query, [ids_json(chunk_ids)])}
    rows = {
        chunk_id: np.asarray(vector, np.float32)
        for chunk_id, vector in zip(chunk_ids, vectors, strict=True)
        if chunk_id in waiting
    }
    connection.executemany(
        "INSERT INTO vectors (chunk_id, space_id, vector) VALUES (?, ?, ?)",
        ((chunk_id, space_id, row.tobytes()) for chunk_id, row in rows.items()),
    )
    embedded = np.stack(list(rows.values())) if rows else None
    return Change(next_generation(connection), embedded=list(rows), vectors=embedded)


def note_learned(connection: sqlite3.Connection, space: Space) -> None:
    connection.execute(
        "UPDATE spaces SET calibration = ?, fitted_on = ? WHERE id = ?",
        [_learned_json(space), space.fitted_on, serving_id(connection, space.key)],
    )


def serving(connection: sqlite3.Connection) -> Space | None:
    row = connection.execute(f"SELECT {_SPACE} FROM spaces WHERE serving").fetchone()
    if row is None:
        return None
    provider, model, revision, dimensions, payload, fitted_on, calibration = row
    learned = json.loads(calibration) if calibration else None
    return Space(provider, model, revision, dimensions, payload, fitted_on, learned)


def vectors(connection: sqlite3.Connection, chunk_ids: Sequence[int]) -> Vectors:
    """(n, dimensions); (n, 0) where no space serves yet."""
    query = """SELECT wanted.key, vector FROM json_each(?) AS wanted JOIN vectors ON chunk_id = wanted.value
        JOIN spaces ON spaces.id = space_id WHERE serving"""
    row = connection.execute("SELECT dimensions FROM spaces WHERE serving").fetchone()
    found = np.zeros((len(chunk_ids), row[0] if row else 0), np.float32)
    for place, packed in connection.execute(query, [ids_json(chunk_ids)]):
        found[place] = np.frombuffer(packed, np.float32)
    return found


def document_vector(connection: sqlite3.Connection, name: str, doc_set: str) -> Vectors:
    query = """SELECT chunks.id FROM documents JOIN chunks ON document_id = documents.id
        WHERE name = ? AND doc_set = ?"""
    rows = vectors(connection, [row[0] for row in connection.execute(query, [name, doc_set])])
    total = rows.sum(axis=0, dtype=np.float64)
    return np.asarray(total / (np.linalg.norm(total) or 1.0), np.float32)


def known_vectors(connection: sqlite3.Connection, indexed_texts: Sequence[str]) -> dict[str, Vectors]:
    keys = {text_key(text): text for text in indexed_texts}
    query = """SELECT wanted.value, (SELECT vector FROM chunks JOIN vectors ON chunk_id = chunks.id
        WHERE text_key = wanted.value LIMIT 1) FROM json_each(?) AS wanted"""  # a licence stands in a thousand files
    rows = connection.execute(query, [json.dumps(list(keys))])
    return {keys[key]: np.frombuffer(packed, np.float32) for key, packed in rows if packed is not None}


_WITHOUT = "NOT EXISTS (SELECT 1 FROM vectors WHERE chunk_id = chunks.id)"  # there are those of one space only


def without_vectors(connection: sqlite3.Connection) -> list[int]:
    counts = "SELECT (SELECT count(*) FROM vectors), (SELECT coalesce(sum(chunks), 0) FROM documents)"
    vectors, chunks = connection.execute(counts).fetchone()
    if vectors == chunks:  # the usual answer, without a look at every chunk
        return []
    return [row[0] for row in connection.execute(f"SELECT id FROM chunks WHERE {_WITHOUT} ORDER BY id")]


def with_vectors(connection: sqlite3.Connection) -> list[int]:
    return [row[0] for row in connection.execute("SELECT chunk_id FROM vectors ORDER BY chunk_id")]


def _learned_json(space: Space) -> str | None:
    return None if space.calibration is None else json.dumps(space.calibration)
