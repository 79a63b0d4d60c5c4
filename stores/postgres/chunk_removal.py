"""Chunks and documents go, with all that is kept of them; within a transaction of the caller's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stores.postgres.adapters import Connection
from stores.postgres.rows import serving


def remove_documents(connection: Connection, document_ids: Sequence[int]) -> None:
    ids = list(document_ids)
    rows = connection.execute("SELECT id FROM chunk_rows WHERE document_id = ANY(%s)", [ids]).fetchall()
    remove_chunks(connection, [row[0] for row in rows])
    connection.execute("DELETE FROM documents WHERE id = ANY(%s)", [ids])


def remove_chunks(connection: Connection, chunk_ids: Sequence[int]) -> None:
    """Their postings stay until they are many: the library's row tells which no longer count."""
    if not chunk_ids:
        return
    ids = list(chunk_ids)
    query = "DELETE FROM chunk_rows WHERE id = ANY(%s) RETURNING ordinal, term_count"
    rows = connection.execute(query, [ids]).fetchall()
    connection.execute("DELETE FROM name_places WHERE chunk_id = ANY(%s)", [ids])
    if space := serving(connection):
        connection.execute(f"DELETE FROM vectors_{space[0]} WHERE chunk_id = ANY(%s)", [ids])
    dead = np.array([ordinal for ordinal, _ in rows], "<u4").tobytes()
    connection.execute(
        """UPDATE library SET dead = dead || %s, dead_since = dead_since + 1, chunks = chunks - %s,
        terms = terms - %s""",
        [dead, len(rows), sum(count for _, count in rows)],
    )
