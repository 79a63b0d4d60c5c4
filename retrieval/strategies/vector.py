"""Cosine in the serving space, for passages that are at least `min_similarity` of the way to a usual match."""

from __future__ import annotations

from retrieval.candidates import Candidate, Query


def vector(query: Query) -> list[Candidate]:
    if query.vector is None:
        return []
    found = query.store.search_vector(query.vector, query.k, query.scope)
    least = query.calibration.least_cosine(query.min_similarity)
    query.below.update((chunk, {"cosine": score}) for chunk, score in found if score < least)
    return [Candidate(chunk, score, cosine=score) for chunk, score in found if score >= least]
