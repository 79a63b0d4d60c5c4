"""Passages behind a name: a hit says a name that the question does not, and another passage is about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retrieval.candidates import Candidate, NameStep, Query
from retrieval.name_graph import NameGraph

HITS = 3  # that lead on; what they lead to stands behind them
_BRIDGED = 2  # passages
_OF_ITSELF = 0.15  # what a home counts, beside the share of the question that it says
_SCORE = 0.5  # of the hit's, that a passage behind it has


def bridged(query: Query, graph: NameGraph, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates, and behind the first of them the best homes of names that these say and the question does not."""
    first = list(candidates[:HITS])
    texts = query.hits({home for home, _ in _ways(graph, first)})
    worth: dict[int, tuple[float, Candidate]] = {}
    known = {one.chunk_id: one for one in candidates}
    for home, (hit, name) in _ways(graph, first):
        if home not in texts:
            continue
        share = query.terms.share(texts[home].indexed_text)
        score = min(_SCORE * hit.score, first[-1].score)
        way = NameStep(hit.chunk_id, name)
        one = known.get(home, Candidate(home, 0.0))._replace(score=score, way=way)
        worth[home] = max(worth.get(home, (0.0, one)), ((_OF_ITSELF + share) * hit.score, one), key=lambda two: two[0])
    chosen = sorted(worth.items(), key=lambda item: (-item[1][0], item[0]))[:_BRIDGED]
    behind = sorted((one for _, (_, one) in chosen), key=lambda one: -one.score)
    taken = {one.chunk_id for one in behind}
    least = min((one.score for one in behind), default=float("inf"))
    rest = [one for one in candidates[HITS:] if one.chunk_id not in taken]
    return [*first, *behind, *(one.scored(min(one.score, least)) for one in rest)]


def _ways(graph: NameGraph, first: Sequence[Candidate]) -> Iterator[tuple[int, tuple[Candidate, str]]]:
    """From each of the first passages, over each name in it, to what is about it and does not stand among them."""
    above = {one.chunk_id for one in first}
    for hit in first:
        names = graph.by_chunk.get(hit.chunk_id)
        for name in (*names.says, *names.about) if names else ():
            if name not in graph.asked:
                yield from ((home, (hit, name)) for home in graph.homes.get(name, ()) if home not in above)
