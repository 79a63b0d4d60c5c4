"""Keyword and vector, fused by calibrated scores; a question that describes a subject is asked twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from retrieval.calibration import described
from retrieval.candidates import Candidate, Query
from retrieval.feedback import towards
from retrieval.fusion import fuse
from retrieval.neighbours import with_neighbours
from retrieval.other_words import beside, other_words
from retrieval.passages import vectors_beside
from retrieval.strategies.keyword import keyword
from retrieval.strategies.vector import vector
from schema import Vectors

_FIRST = 10  # passages that a described subject is moved towards
Scores = Mapping[int, float]  # by chunk


def hybrid(query: Query) -> list[Candidate]:
    found = {candidate.chunk_id: candidate for candidate in keyword(query)}
    if query.vector is None:
        return list(found.values())
    near = {candidate.chunk_id: candidate for candidate in vector(query)}
    others = other_words(query, [*near, *query.below])
    rest = [chunk for chunk in {**found, **others} if chunk not in near]
    vectors = vectors_beside(query.vector, query.store, rest)
    cosine = dict(zip(rest, (vectors @ query.vector).tolist(), strict=True))
    cosine |= {chunk: candidate.score for chunk, candidate in near.items()}
    scores = {chunk: candidate.score for chunk, candidate in found.items()}
    coverage, count = query.coverage(list(found)), query.terms.words

    def fused(cosines: Scores) -> Scores:
        return fuse(scores, cosines, query.calibration, coverage, count)

    ranked = _of_subject(query, query.vector, fused(cosine), fused) if described(count) else fused(cosine)
    ranked = beside(ranked, others) if others else ranked
    words = {chunk: (candidate.bm25, candidate.keyword) for chunk, candidate in found.items()}
    candidates = [
        Candidate(chunk, score, *words.get(chunk, (None, None)), cosine=cosine[chunk], expanded=others.get(chunk))
        for chunk, score in ranked.items()
    ]
    return sorted(candidates, key=lambda candidate: (-candidate.score, candidate.chunk_id))[: query.k]


def _of_subject(query: Query, vector: Vectors, scores: Scores, fused: Callable[[Scores], Scores]) -> Scores:
    """The best passages once more, by what the first of them have in common, and those around them. Their raw cosines
    stay those to the question itself: how sure an answer is goes by them."""
    share = described(query.terms.words)
    before = with_neighbours(scores, query.hits, share)
    chunks = sorted(before, key=lambda chunk: (-before[chunk], chunk))[: query.k]
    vectors, first = vectors_beside(vector, query.store, chunks), [before[chunk] for chunk in chunks[:_FIRST]]
    moved = towards(vector, vectors[:_FIRST], first, share)
    after = fused(dict(zip(chunks, (vectors @ moved).tolist(), strict=True)))
    return with_neighbours({chunk: after[chunk] for chunk in chunks}, query.hits, share)
