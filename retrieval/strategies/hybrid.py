"""Keyword and vector, fused by calibrated scores."""

from __future__ import annotations

from retrieval.fusion import fuse
from retrieval.passages import vectors_beside
from retrieval.strategies.base import Candidate, Query
from retrieval.strategies.keyword import keyword
from retrieval.strategies.vector import vector


def hybrid(query: Query) -> list[Candidate]:
    found = {candidate.chunk_id: candidate for candidate in keyword(query)}
    if query.vector is None:
        return list(found.values())
    near = {candidate.chunk_id: candidate for candidate in vector(query)}
    rest = [chunk for chunk in found if chunk not in near]
    vectors = vectors_beside(query.vector, query.store, rest)
    cosine = dict(zip(rest, (vectors @ query.vector).tolist(), strict=True))
    cosine |= {chunk: candidate.score for chunk, candidate in near.items()}
    scores = {chunk: candidate.score for chunk, candidate in found.items()}
    fused = fuse(scores, cosine, query.calibration, query.coverage(list(found)), query.terms.words)
    words = {chunk: (candidate.bm25, candidate.keyword) for chunk, candidate in found.items()}
    candidates = [
        Candidate(chunk, score, *words.get(chunk, (None, None)), cosine=cosine[chunk]) for chunk, score in fused.items()
    ]
    return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.chunk_id))[: query.k]
