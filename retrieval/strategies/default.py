"""The policy when nothing is said: calibrated hybrid. What a model or a reranker can add comes in here."""

from __future__ import annotations

from retrieval.strategies.base import Candidate, Query
from retrieval.strategies.hybrid import hybrid


def default(query: Query) -> list[Candidate]:
    return hybrid(query)
