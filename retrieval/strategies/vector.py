"""Cosine in the serving space."""

from __future__ import annotations

from retrieval.strategies.base import Candidate, Query


def vector(query: Query) -> list[Candidate]:
    if query.vector is None:
        return []
    found = query.store.search_vector(query.vector, query.k, query.scope)
    return [Candidate(chunk, score, cosine=score) for chunk, score in found if score >= query.min_similarity]
