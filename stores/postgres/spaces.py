"""The serving space and its vectors, in PostgreSQL. Those of space n are in the table vectors_n."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence, Set

import numpy as np

from schema import Message, Space, Vectors
from stores.postgres.adapters import Connection, HalfVector
from stores.postgres.migrations import chunks_view, newcomers_index
from stores.postgres.outbox import outbox_triggers
from stores.postgres.rows import next_generation, number, require_serving, serving
from stores.problems import UnusableStoreError, VectorsMissing
from stores.sql.rows import now, text_key

_SPACE = "provider, model, revision, dimensions, payload, fitted_on, calibration"
_MOST_DIMENSIONS, _IN_A_PAGE = 16_000, 2_000  # of pgvector's halves; of those whose row surely fits into a page


def require_vectors(connection: Connection, given: Set[int], partial: bool) -> None:
    """Raises VectorsMissing where a chunk is not among those that have one, unless a part is enough."""
    if not partial:
        stored = {row[0] for row in connection.execute("SELECT id FROM chunk_rows", binary=True)}
        if missing := stored - given:
            raise VectorsMissing(sorted(missing))


def forget_coming(connection: Connection) -> None:
    """What does not serve: of a swap that came to nothing, or the space before."""
    for (space_id,) in connection.execute("SELECT id FROM spaces WHERE NOT serving").fetchall():
        connection.execute(f"DROP TABLE IF EXISTS vectors_{space_id}")
        connection.execute("DELETE FROM spaces WHERE id = %s", [space_id])


def add_coming(connection: Connection, space: Space) -> int:
    """A space that does not serve yet, with an empty table; its id."""
    if space.dimensions > _MOST_DIMENSIONS:
        raise UnusableStoreError(
            Message(
                zh=f"pgvector 的向量最多 {_MOST_DIMENSIONS} 维，而这个模型有 {space.dimensions} 维。",
                en=f"A vector in pgvector has at most {_MOST_DIMENSIONS} dimensions; this model has "
                f"{space.dimensions}.",
            ),
            Message(zh="请用 EMBEDDING_DIMENSIONS 设置更少的维数。", en="Set fewer with EMBEDDING_DIMENSIONS."),
        )
    space_id = number(
        connection,
        f"INSERT INTO spaces (key, serving, {_SPACE}) VALUES (%s, false, %s, %s, %s, %s, %s, %s, %s) RETURNING id",
        [space.key, space.provider, space.model, space.revision, space.dimensions, space.payload, space.fitted_on,
         _learned_json(space)],
    )  # fmt: skip
    storage = "STORAGE PLAIN" if space.dimensions <= _IN_A_PAGE else ""
    connection.execute(
        f"""CREATE TABLE vectors_{space_id} (chunk_id bigint PRIMARY KEY, document_id bigint NOT NULL,
        embedding halfvec({space.dimensions}) {storage} NOT NULL, indexed boolean NOT NULL)"""
    )
    connection.execute(newcomers_index(space_id))
    for statement in outbox_triggers(space_id):
        connection.execute(statement)
    connection.execute(f"CREATE INDEX vectors_{space_id}_of_document ON vectors_{space_id} (document_id)")
    return space_id


def copy_vectors(connection: Connection, space_id: int, rows: Iterable[tuple[int, Vectors]]) -> None:
    """Of these chunks, without those that are gone by now."""
    known = dict(rows)
    of = connection.execute("SELECT id, document_id FROM chunk_rows WHERE id = ANY(%s)", [list(known)]).fetchall()
    write_vectors(connection, space_id, [(chunk_id, document_id, known[chunk_id]) for chunk_id, document_id in of])


def write_vectors(connection: Connection, space_id: int, rows: Iterable[tuple[int, int, Vectors]]) -> None:
    """Chunk, document and vector."""
    statement = f"COPY vectors_{space_id} (chunk_id, document_id, embedding, indexed) FROM STDIN (FORMAT BINARY)"
    made = number(connection, "SELECT count(*) FROM spaces WHERE id = %s AND index_kind IN ('hnsw', 'ivf')", [space_id])
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(["int8", "int8", "halfvec", "bool"])
        for chunk_id, document_id, vector in rows:
            copy.write_row((chunk_id, document_id, HalfVector(vector), not made))


def serve(connection: Connection, space_id: int, space: Space) -> None:
    """The coming vectors are the serving ones from now on. A document that is embedded by another model has changed;
    that a fit of the same one is made anew whenever a small library rests is nobody's news."""
    old = serving_space(connection)
    if old and (old.provider, old.model) != (space.provider, space.model):
        connection.execute("UPDATE documents SET embedding_updated_at = %s", [now()])
    table = f"vectors_{space_id}"
    gone = f"DELETE FROM {table} WHERE NOT EXISTS (SELECT 1 FROM chunk_rows WHERE id = chunk_id)"
    connection.execute(gone)
    connection.execute("UPDATE spaces SET serving = false WHERE serving")
    connection.execute("UPDATE spaces SET serving = true WHERE id = %s", [space_id])
    connection.execute(
        f"""UPDATE documents SET missing = counted.missing FROM (
            SELECT d.id, d.chunks - count(v.chunk_id) AS missing FROM documents AS d
            LEFT JOIN {table} AS v ON v.document_id = d.id GROUP BY d.id) AS counted
        WHERE counted.id = documents.id AND documents.missing != counted.missing"""
    )
    connection.execute(chunks_view(space_id))
    next_generation(connection)


def add_vectors(
    connection: Connection, space_key: str, chunk_ids: Sequence[int], vectors: Sequence[Vectors] | Vectors
) -> None:
    """Those that have one already keep it."""
    space_id = require_serving(connection, space_key)
    query = f"""SELECT id FROM chunk_rows WHERE id = ANY(%s)
        AND NOT EXISTS (SELECT 1 FROM vectors_{space_id} WHERE chunk_id = id)"""
    waiting = {row[0] for row in connection.execute(query, [[int(one) for one in chunk_ids]]).fetchall()}
    rows = {chunk_id: row for chunk_id, row in zip(chunk_ids, vectors, strict=True) if chunk_id in waiting}
    copy_vectors(connection, space_id, rows.items())
    connection.execute(
        """UPDATE documents SET missing = missing - came, embedding_updated_at = %s FROM (
            SELECT document_id AS had, count(*) AS came FROM chunk_rows WHERE id = ANY(%s) GROUP BY document_id) AS c
        WHERE id = had""",
        [now(), list(rows)],
    )
    next_generation(connection)


def note_learned(connection: Connection, space: Space) -> None:
    learned = [_learned_json(space), space.fitted_on, require_serving(connection, space.key)]
    connection.execute("UPDATE spaces SET calibration = %s, fitted_on = %s WHERE id = %s", learned)


def serving_space(connection: Connection) -> Space | None:
    row = connection.execute(f"SELECT {_SPACE} FROM spaces WHERE serving", binary=True).fetchone()
    if row is None:
        return None
    provider, model, revision, dimensions, payload, fitted_on, calibration = row
    learned = json.loads(calibration) if calibration else None
    return Space(provider, model, revision, dimensions, bytes(payload), fitted_on, learned)


def vectors(connection: Connection, chunk_ids: Sequence[int]) -> Vectors:
    """(n, dimensions); (n, 0) where no space serves yet."""
    space = serving(connection)
    if space is None:
        return np.zeros((len(chunk_ids), 0), np.float32)
    query = f"SELECT chunk_id, embedding FROM vectors_{space[0]} WHERE chunk_id = ANY(%s)"
    known: dict[int, Vectors] = dict(
        connection.execute(query, [[int(one) for one in chunk_ids]], binary=True).fetchall()
    )
    found = np.zeros((len(chunk_ids), space[2]), np.float32)
    for place, chunk_id in enumerate(chunk_ids):
        if (row := known.get(chunk_id)) is not None:
            found[place] = row
    return found


def document_vector(connection: Connection, name: str, doc_set: str) -> Vectors:
    query = """SELECT c.id FROM documents JOIN chunk_rows AS c ON document_id = documents.id
        WHERE document_name = %s AND docset_name = %s"""
    rows = vectors(connection, [row[0] for row in connection.execute(query, [name, doc_set])])
    total = rows.sum(axis=0, dtype=np.float64)
    return np.asarray(total / (np.linalg.norm(total) or 1.0), np.float32)


def known_vectors(connection: Connection, indexed_texts: Sequence[str]) -> dict[str, Vectors]:
    space, keys = serving(connection), {text_key(text): text for text in indexed_texts}
    if space is None or not keys:
        return {}
    query = f"""SELECT wanted.key, found.embedding FROM unnest(%s::text[]) AS wanted (key) CROSS JOIN LATERAL (
        SELECT embedding FROM chunk_rows JOIN vectors_{space[0]} ON chunk_id = id
        WHERE text_key = wanted.key LIMIT 1) AS found"""  # a licence stands in a thousand files
    return {keys[key]: row for key, row in connection.execute(query, [list(keys)], binary=True)}


def without_vectors(connection: Connection) -> list[int]:
    space = serving(connection)
    has = f"AND NOT EXISTS (SELECT 1 FROM vectors_{space[0]} WHERE chunk_id = c.id)" if space else ""
    query = f"""SELECT c.id FROM chunk_rows AS c JOIN documents ON documents.id = document_id
        WHERE missing > 0 {has} ORDER BY c.id"""
    return [row[0] for row in connection.execute(query)]


def _learned_json(space: Space) -> str | None:
    return None if space.calibration is None else json.dumps(space.calibration)
