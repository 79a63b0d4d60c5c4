"""Personalised PageRank over passages and the names in them: what is near to what was found, by way of names.

After HippoRAG (Gutiérrez et al., NeurIPS 2024), over the part of the library that one question touches, so that it
costs the same however large the library is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from entities import ChunkNames
from retrieval.candidates import Candidate, NameStep
from retrieval.name_graph import NameGraph

_STEPS = 12
_STAY = 0.5  # of the walk goes on from where it began, at each step
_HOME = 5.0  # what a home weighs beside a passage that only says the name
_STARTS = 20  # candidates that the walk begins at
_FROM_QUESTION = 0.3  # of it begins at the names that the question says
_WEIGHT = 0.5  # of the walk beside the score
_KEPT = 100  # passages that go on, where there are not more candidates


def ranked_by_names(graph: NameGraph, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates and the homes of names in them, by score and walk; unchanged where no name has a home."""
    if not graph.homes or not candidates:
        return list(candidates)
    walked = _walk(graph, candidates)
    best, nearest = max(one.score for one in candidates) or 1.0, max(walked.values()) or 1.0
    found, ways = {one.chunk_id: one for one in candidates}, _ways(graph, candidates)
    weights = {
        chunk: (found[chunk].score / best if chunk in found else 0.0) + _WEIGHT * near / nearest
        for chunk, near in walked.items()
    }
    in_order = sorted(weights, key=lambda chunk: (-weights[chunk], chunk))[: max(_KEPT, len(candidates))]
    return [
        (found.get(chunk) or Candidate(chunk, 0.0, way=ways.get(chunk)))._replace(
            score=best * weights[chunk] / weights[in_order[0]], names=walked[chunk] / nearest
        )
        for chunk in in_order
    ]


def _walk(graph: NameGraph, candidates: Sequence[Candidate]) -> dict[int, float]:
    """How often a walk is at each passage."""
    names = {name: place for place, name in enumerate(graph.homes)}
    in_order = [*(one.chunk_id for one in candidates), *(chunk for homes in graph.homes.values() for chunk in homes)]
    chunks = {chunk: place for place, chunk in enumerate(dict.fromkeys(in_order))}
    links = np.zeros((len(chunks), len(names)))
    for chunk, name, weight in _links(graph):
        links[chunks[chunk], names[name]] = weight
    to_chunks, to_names = links / _or_one(links.sum(axis=0)), links / _or_one(links.sum(axis=1, keepdims=True))
    from_chunks, from_names = np.zeros(len(chunks)), np.zeros(len(names))
    from_chunks[: len(candidates)] = [max(0.0, one.score) for one in candidates]
    from_chunks[_STARTS:] = 0
    from_names[[place for name, place in names.items() if name in graph.asked]] = 1
    from_chunks *= (1 - _FROM_QUESTION) / (from_chunks.sum() or 1)
    from_names *= _FROM_QUESTION / (from_names.sum() or 1)
    at_chunks, at_names = from_chunks, from_names
    for _ in range(_STEPS):
        at_chunks, at_names = (
            (1 - _STAY) * from_chunks + _STAY * (to_chunks @ at_names),
            (1 - _STAY) * from_names + _STAY * (at_chunks @ to_names),
        )
    return dict(zip(chunks, at_chunks.tolist(), strict=True))


def _ways(graph: NameGraph, candidates: Sequence[Candidate]) -> dict[int, NameStep]:
    """To each home of a name, from the best candidate that says it; none to those that only the question does."""
    ways: dict[int, NameStep] = {}
    for one in candidates:
        for name in graph.by_chunk.get(one.chunk_id, ChunkNames()).says:
            for chunk in graph.homes.get(name, ()):
                ways.setdefault(chunk, NameStep(one.chunk_id, name))
    return ways


def _links(graph: NameGraph) -> Iterator[tuple[int, str, float]]:
    for name, homes in graph.homes.items():
        yield from ((chunk, name, _HOME) for chunk in homes)
    for chunk, names in graph.by_chunk.items():
        yield from ((chunk, name, 1.0) for name in names.says if name in graph.homes)


def _or_one(sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.where(sums > 0, sums, 1.0)
