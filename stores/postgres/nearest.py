"""Nearest vectors by cosine, in PostgreSQL: all in scope are compared, behind a fence where there is a scope."""

from __future__ import annotations

from collections.abc import Sequence

from schema import Vectors
from stores.base import RankedChunk
from stores.postgres.adapters import Connection, HalfVector
from stores.postgres.rows import serving
from stores.problems import SpaceChanged


def nearest(
    connection: Connection, vector: Vectors, k: int, document_ids: Sequence[int] | None = None
) -> list[RankedChunk]:
    """Best first. Stored vectors have length 1, or 0, so that the inner product is the cosine. Raises SpaceChanged."""
    space = serving(connection)
    if space is None:
        return []
    if vector.shape != (space[2],):
        raise SpaceChanged(space[1])
    if k < 1 or not vector.any():
        return []
    table = f"vectors_{space[0]}"
    if document_ids is None:
        query = f"""SELECT chunk_id, -(embedding <#> %(vector)s) FROM {table}
            ORDER BY (embedding <#> %(vector)s) + 0, chunk_id LIMIT %(k)s"""  # + 0: exact, whatever indexes there are
    else:  # the fence: the planner would look through an index of all for what is in scope, and find a part
        query = f"""WITH within AS MATERIALIZED (
                SELECT chunk_id, embedding FROM {table} WHERE document_id = ANY(%(documents)s))
            SELECT chunk_id, -(embedding <#> %(vector)s) FROM within
            ORDER BY embedding <#> %(vector)s, chunk_id LIMIT %(k)s"""
    values = {"vector": HalfVector(vector), "k": k, "documents": None if document_ids is None else list(document_ids)}
    return [RankedChunk(chunk_id, score) for chunk_id, score in connection.execute(query, values, binary=True)]
