"""Nearest vectors by cosine, in PostgreSQL: exactly in a scope of some size, through an index where there are many."""

from __future__ import annotations

from typing import Any

import numpy as np

from schema import Vectors
from stores.postgres.adapters import Connection, HalfVector
from stores.postgres.rows import serving
from stores.postgres.scopes import PostgresScope
from stores.postgres.vector_index import DEEPEST, MANY, SpaceIndex, index_of, look_through
from stores.problems import SpaceChanged
from stores.search_contract import RankedChunk


def nearest(connection: Connection, vector: Vectors, k: int, within: PostgresScope | None = None) -> list[RankedChunk]:
    """Best first. Stored vectors have length 1, or 0, so that the inner product is the cosine. Raises SpaceChanged."""
    index = index_of(connection)
    if index is None:
        return []
    if vector.shape != (index.dimensions,):
        known = serving(connection)
        raise SpaceChanged(known and known[1])
    if k < 1 or not vector.any():
        return []
    few = within is not None and len(within.chunks) <= MANY
    if index.effort and not few and (found := _through_index(connection, index, vector, k, within)):
        return found
    return _exact(connection, index, vector, k, within)


def _through_index(
    connection: Connection, index: SpaceIndex, vector: Vectors, k: int, within: PostgresScope | None
) -> list[RankedChunk]:
    """Nothing where it may have missed some: of the nearest everywhere too few are in scope."""
    wanted = k
    if within is not None:
        row: Any = connection.execute("SELECT chunks FROM library").fetchone()
        wanted = int(2 * k * row[0] / len(within.chunks)) + 1
    if 2 * wanted > DEEPEST:
        return []
    found = look_through(connection, index, vector, wanted)
    if within is not None:
        held = np.isin([chunk_id for chunk_id, _ in found], within.chunks)
        found = [one for one, is_held in zip(found, held, strict=True) if is_held]
    best = sorted(found, key=lambda one: (-one[1], one[0]))[:k]
    return [RankedChunk(*one) for one in best] if len(best) == k else []


def _exact(
    connection: Connection, index: SpaceIndex, vector: Vectors, k: int, within: PostgresScope | None
) -> list[RankedChunk]:
    if within is None:
        query = f"""SELECT chunk_id, -(embedding <#> %(vector)s) FROM {index.table}
            ORDER BY (embedding <#> %(vector)s) + 0, chunk_id LIMIT %(k)s"""  # + 0: no index is taken for it
    else:  # the fence: the planner would look through an index of all for what is in scope, and find a part
        query = f"""WITH within AS MATERIALIZED (
                SELECT chunk_id, embedding FROM {index.table} WHERE document_id = ANY(%(documents)s))
            SELECT chunk_id, -(embedding <#> %(vector)s) FROM within
            ORDER BY embedding <#> %(vector)s, chunk_id LIMIT %(k)s"""
    values = {"vector": HalfVector(vector), "k": k, "documents": None if within is None else within.documents}
    return [RankedChunk(chunk_id, score) for chunk_id, score in connection.execute(query, values, binary=True)]
