"""The path of seed 001: a passage by two views, its own vector and that of the pair of neighbours that it is one of.

Three times as many passages as are wanted are looked for by vectors, those stay that are near the question by both
views, all where none is, and the best of them are taken. Both thresholds are one setting, `min_similarity`: .6 of the
way from the cosine of unrelated texts to that of a usual match is what the seed's own call passes, and what its profile
sets. It throws right passages away more often than wrong ones (docs/abstract.md), so nothing takes this path by itself.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from profiles import PROFILES
from retrieval.candidates import Candidate, Query
from retrieval.passages import vectors_beside
from schema import Vectors
from stores.pairs import pair_key, pair_of

log = logging.getLogger(__name__)

THRESHOLD: float = PROFILES["001"]["min_similarity"]
_TIMES = 3  # as many are looked at as are wanted
_ALIKE = 0.9  # cosine of two passages of which the second adds nothing


@dataclass(frozen=True, slots=True)
class TwoViews:
    chunk_id: int
    embedding: Vectors
    summary_embedding: Vectors


def cosine(one: Vectors, other: Vectors) -> npt.NDArray[np.float64]:
    """Of a vector and another one, or each row of a matrix, of whatever length they are; 0 for zeros. Raises ValueError
    for vectors of different dimensions."""
    first, second = np.asarray(one, np.float64), np.asarray(other, np.float64)
    if first.ndim != 1 or second.ndim not in (1, 2) or first.shape[-1] != second.shape[-1]:
        raise ValueError(f"vectors of {first.shape} and {second.shape} cannot be compared")
    lengths = np.linalg.norm(first) * np.linalg.norm(second, axis=-1)
    return np.clip((second @ first) / np.where(lengths > 0, lengths, 1.0), -1.0, 1.0)


def filter_contexts_by_dual_threshold(
    results: Sequence[TwoViews],
    query_embedding: Vectors,
    threshold_chunk: float = THRESHOLD,
    threshold_summary: float = THRESHOLD,
) -> list[TwoViews]:
    """Those of which both views are at least so near; none where none is: what then is left to the caller."""
    kept = []
    for one in results:
        chunk, summary = (float(cosine(query_embedding, view)) for view in (one.embedding, one.summary_embedding))
        near = chunk >= threshold_chunk and summary >= threshold_summary
        log.debug("chunk %d: %.4f, its pair %.4f, %s", one.chunk_id, chunk, summary, "kept" if near else "dropped")
        kept += [one] if near else []
    return kept


def rank_contexts(query_embedding: Vectors, contexts: Vectors, rank_k: int) -> list[int]:
    """The places of at most so many contexts (n, dimensions), the nearest first, without those that are nearly the same
    as a nearer one."""
    chosen: list[int] = []
    for place in np.argsort(-cosine(query_embedding, contexts), kind="stable").tolist() if len(contexts) else []:
        if len(chosen) < rank_k and not (chosen and cosine(contexts[place], contexts[chosen]).max() > _ALIKE):
            chosen.append(place)
    return chosen


def nearest(query: Query, k: int) -> list[Candidate]:
    """The k nearest passages, however far they are."""
    if query.vector is None:
        return []
    found = query.store.search_vector(query.vector, k, query.scope)
    return [Candidate(chunk, score, cosine=score) for chunk, score in found]


def by_two_views(query: Query, k: int) -> list[Candidate]:
    """The k nearest passages that are near by both views; the k nearest where none is."""
    found = nearest(query, _TIMES * k)
    if query.vector is None or not found:
        return []
    results = _with_pairs(query, query.vector, [one.chunk_id for one in found])
    pairs = {one.chunk_id: float(cosine(query.vector, one.summary_embedding)) for one in results}
    least = query.calibration.least_cosine(query.min_similarity)
    kept = {one.chunk_id for one in filter_contexts_by_dual_threshold(results, query.vector, least, least)}
    if not kept:
        log.debug("none is near by both views: the %d nearest are taken", k)
    found = [one._replace(pair=pairs.get(one.chunk_id)) for one in found]
    query.below.update((one.chunk_id, one.raw()) for one in found if kept and one.chunk_id not in kept)
    return [one for one in found if not kept or one.chunk_id in kept][:k]


def _with_pairs(query: Query, vector: Vectors, chunk_ids: Sequence[int]) -> list[TwoViews]:
    """What a pair is about: its abstract where a model has written one, else the mean of both passages."""
    found = {chunk: pair_of(chunk, hits) for chunk, hits in query.store.around(chunk_ids, 1).items()}
    members = list(dict.fromkeys(hit.chunk_id for pair in found.values() for hit in pair))
    vectors = dict(zip(members, vectors_beside(vector, query.store, members), strict=True))
    keys = {chunk: pair_key(pair) for chunk, pair in found.items()}
    written = query.store.abstracts([*keys.values()])
    texts = {key: one.text for key, one in written.items()}
    embedded = query.embedder.embed([*texts.values()]) if query.embedder and texts else ()
    abstracts = dict(zip(texts, embedded, strict=True))
    means = {chunk: np.mean([vectors[hit.chunk_id] for hit in pair], axis=0) for chunk, pair in found.items()}
    return [
        TwoViews(chunk, vectors[chunk], abstracts.get(keys[chunk], means[chunk]))
        for chunk in chunk_ids
        if chunk in found
    ]
