"""Pseudo-relevance feedback (RM3): hybrid, asked again with what its best passages say."""

from __future__ import annotations

from retrieval.candidates import Candidate, Query, weighted_sum
from retrieval.feedback import expansion
from retrieval.strategies.hybrid import hybrid

_PASSAGES = 10  # that the feedback is taken from
WEIGHT = 0.15  # of the feedback beside the question: with more, what was found already only finds more of its kind


def rm3(query: Query) -> list[Candidate]:
    asked = hybrid(query)
    best = {candidate.chunk_id: candidate.score for candidate in asked[:_PASSAGES]}
    passages = [(hit.indexed_text, best[chunk]) for chunk, hit in query.hits(best).items()]
    scores = expansion(passages, query.store).bm25(query.store, query.k, query.scope)
    return weighted_sum(asked, [Candidate(chunk, score) for chunk, score in scores.items()], WEIGHT)[: query.k]
