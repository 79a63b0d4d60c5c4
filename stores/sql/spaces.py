"""The serving space and its vectors, in SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence, Set

import numpy as np

from schema import Space, Vectors
from stores.problems import VectorsMissing
from stores.sql.migrations import COUNT_MISSING, VECTORS
from stores.sql.rows import blob, halved, ids_json, next_generation, now, require_serving, text_key, vectors_of
from stores.sql.sqlite import Change

_SPACE = "provider, model, revision, dimensions, payload, fitted_on, calibration"


# The vectors of a space on its way lie beside the serving ones until it serves. They come in slices: no writer is to
# wait while a hundred thousand are written, and the log need not hold them all. What a kill leaves of them goes at the
# next opening.


def require_vectors(connection: sqlite3.Connection, given: Set[int], partial: bool) -> None:
    """Raises VectorsMissing where a chunk is not among those that have one, unless a part is enough."""
    stored = {row[0] for row in connection.execute("SELECT id FROM chunks")}
    if not partial and (missing := stored - given):
        raise VectorsMissing(sorted(missing))


def add_coming(connection: sqlite3.Connection, rows: Iterable[tuple[int, bytes]]) -> None:
    _make_coming(connection)
    # A chunk that is gone by now has no place any more.
    connection.executemany("INSERT INTO coming SELECT id, ?2 FROM chunks WHERE id = ?1", rows)


def forget_coming(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE IF EXISTS coming")


def _make_coming(connection: sqlite3.Connection) -> None:
    connection.execute(f"CREATE TABLE IF NOT EXISTS coming ({VECTORS})")


def swap_space(connection: sqlite3.Connection, space: Space) -> Change:
    """The coming vectors are the serving ones from now on, and those are gone. A document that is embedded by another
    model has changed; that a fit of the same one is made anew whenever a small library rests is nobody's news."""
    _make_coming(connection)
    old = serving(connection)
    if old and (old.provider, old.model) != (space.provider, space.model):
        connection.execute("UPDATE documents SET updated = ?", [now()])
    for statement in ("DELETE FROM spaces", "DROP TABLE vectors", "ALTER TABLE coming RENAME TO vectors"):
        connection.execute(statement)
    connection.execute(
        f"INSERT INTO spaces (key, serving, {_SPACE}) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?)",
        [space.key, space.provider, space.model, space.revision, space.dimensions, space.payload,
         space.fitted_on, _learned_json(space)],
    )  # fmt: skip
    count_missing(connection)
    return Change(next_generation(connection))


def count_missing(connection: sqlite3.Connection) -> None:
    """Of every document, after vectors have come or gone otherwise than with it."""
    if not _complete(connection):
        connection.execute(COUNT_MISSING)
    else:
        connection.execute("UPDATE documents SET missing = 0 WHERE missing")


def add_vectors(
    connection: sqlite3.Connection, space_key: str, chunk_ids: Sequence[int], vectors: Iterable[Vectors]
) -> Change:
    """Those that have one already keep it: another index may know it."""
    require_serving(connection, space_key)
    query = f"SELECT id FROM chunks WHERE id IN (SELECT value FROM json_each(?)) AND {_WITHOUT}"
    waiting = {row[0] for row in connection.execute(query, [ids_json(chunk_ids)])}
    rows = {
        chunk_id: halved(vector) for chunk_id, vector in zip(chunk_ids, vectors, strict=True) if chunk_id in waiting
    }
    connection.executemany(
        "INSERT INTO vectors VALUES (?, ?)", ((chunk_id, blob(row)) for chunk_id, row in rows.items())
    )
    connection.execute(
        """UPDATE documents SET missing = missing - came, updated = ? FROM (
            SELECT document_id AS had, count(*) AS came FROM chunks
            WHERE id IN (SELECT value FROM json_each(?)) GROUP BY document_id) WHERE id = had""",
        [now(), ids_json(list(rows))],
    )
    embedded = np.stack(list(rows.values())) if rows else None
    return Change(next_generation(connection), embedded=list(rows), vectors=embedded)


def note_learned(connection: sqlite3.Connection, space: Space) -> None:
    require_serving(connection, space.key)
    learned = [_learned_json(space), space.fitted_on]
    connection.execute("UPDATE spaces SET calibration = ?, fitted_on = ? WHERE serving", learned)


def serving(connection: sqlite3.Connection) -> Space | None:
    row = connection.execute(f"SELECT {_SPACE} FROM spaces WHERE serving").fetchone()
    if row is None:
        return None
    provider, model, revision, dimensions, payload, fitted_on, calibration = row
    learned = json.loads(calibration) if calibration else None
    return Space(provider, model, revision, dimensions, payload, fitted_on, learned)


def vectors(connection: sqlite3.Connection, chunk_ids: Sequence[int]) -> Vectors:
    """(n, dimensions); (n, 0) where no space serves yet."""
    query = """SELECT wanted.key, vector FROM json_each(?) AS wanted
        CROSS JOIN vectors ON chunk_id = wanted.value"""  # in this order: a look by its key for each
    rows = connection.execute(query, [ids_json(chunk_ids)]).fetchall()
    found = np.zeros((len(chunk_ids), _dimensions(connection)), np.float32)
    if rows:
        places, packed = zip(*rows, strict=True)
        found[list(places)] = vectors_of(packed, found.shape[1])
    return found


def _dimensions(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT dimensions FROM spaces WHERE serving").fetchone()
    return int(row[0]) if row else 0


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
    found = {key: packed for key, packed in connection.execute(query, [json.dumps(list(keys))]) if packed}
    rows = vectors_of(list(found.values()), _dimensions(connection))
    return {keys[key]: row for key, row in zip(found, rows, strict=True)}


_WITHOUT = "NOT EXISTS (SELECT 1 FROM vectors WHERE chunk_id = chunks.id)"  # there are those of one space only


def without_vectors(connection: sqlite3.Connection) -> list[int]:
    if _complete(connection):  # the usual answer, without a look at every chunk
        return []
    return [row[0] for row in connection.execute(f"SELECT id FROM chunks WHERE {_WITHOUT} ORDER BY id")]


def _complete(connection: sqlite3.Connection) -> bool:
    counts = "SELECT (SELECT count(*) FROM vectors), (SELECT coalesce(sum(chunks), 0) FROM documents)"
    vectors, chunks = connection.execute(counts).fetchone()
    return bool(vectors == chunks)


def with_vectors(connection: sqlite3.Connection) -> list[int]:
    return [row[0] for row in connection.execute("SELECT chunk_id FROM vectors ORDER BY chunk_id")]


def _learned_json(space: Space) -> str | None:
    return None if space.calibration is None else json.dumps(space.calibration)
