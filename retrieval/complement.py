"""An order in which each passage adds to those above it: a question may need more than one of them."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.candidates import Candidate, Query
from retrieval.passages import tokens_of

_LOOKED_AT = 30  # candidates that may come forward
_PLACES = 10  # that are given in this order; behind them the order stays
_WEIGHT = 0.5  # of what a passage adds, beside its score: with 1 and more, questions that one passage answers suffer


def complementary(query: Query, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates, each next one chosen by its score and by what of the question none above it says.

    The first keeps its place. Where it says all there is to say, nothing changes. Each has the score of its place.
    """
    if not candidates:
        return []
    terms, idf = {*query.terms.terms}, query.terms.idf
    total, best = sum(idf[term] for term in terms) or 1.0, candidates[0].score or 1.0
    pool = list(candidates[:_LOOKED_AT])
    texts = query.hits(one.chunk_id for one in pool)
    says = {chunk: terms.intersection(tokens_of(hit.indexed_text)) for chunk, hit in texts.items()}

    def worth(one: Candidate) -> float:
        added = left & says.get(one.chunk_id, set())
        return one.score / best + _WEIGHT * sum(idf[term] for term in added) / total

    chosen = [pool.pop(0)]
    left = terms - says.get(chosen[0].chunk_id, set())
    while left and pool and len(chosen) < _PLACES:
        chosen.append(pool.pop(max(range(len(pool)), key=lambda place: worth(pool[place]))))
        left -= says.get(chosen[-1].chunk_id, set())
    ordered = [*chosen, *pool, *candidates[_LOOKED_AT:]]
    return [one.scored(of.score) for one, of in zip(ordered, candidates, strict=True)]
