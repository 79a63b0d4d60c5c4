"""Figures of retrieval and of judgement: pure functions, no state, no I/O."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from schema import Vectors

Scores = npt.NDArray[np.float64]


def mean_similarity(question: Vectors, hits: Vectors) -> float | None:
    """Mean cosine of the hits (n, dimensions) to the question (dimensions,); None without hits.

    Rows have length 1, or 0 for a text with nothing known in it, which counts as similarity 0.
    """
    return float((np.asarray(hits) @ np.asarray(question)).mean()) if len(hits) else None


def max_similarity(question: Vectors, hits: Vectors) -> float | None:
    """Cosine of the most similar hit; None without hits."""
    return float((np.asarray(hits) @ np.asarray(question)).max()) if len(hits) else None


def diversity(hits: Vectors) -> float | None:
    """1 - mean cosine of all pairs of hits, so 0 when all say the same. No hits: None (nothing to judge). One: 0.0."""
    n = len(hits)
    if n == 0:
        return None
    if n == 1:
        return 0.0
    cosines = np.asarray(hits) @ np.asarray(hits).T
    return float(1 - (cosines.sum() - np.trace(cosines)) / (n * (n - 1)))


def recall_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of the relevant ids among the first k; 0.0 when nothing is relevant."""
    return len(set(ranked[:k]) & set(relevant)) / len(set(relevant)) if relevant else 0.0


def precision_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of the first k places that hold a relevant id (empty places count as misses)."""
    return len(set(ranked[:k]) & set(relevant)) / k if k else 0.0


def mrr_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1 / rank of the first relevant id within the first k, else 0.0. The mean over questions is the MRR."""
    return next((1 / rank for rank, found in enumerate(ranked[:k], 1) if found in relevant), 0.0)


def ndcg_at(ranked: Sequence[str], gains: Mapping[str, float], k: int) -> float:
    """Normalised discounted cumulative gain with linear gains (as trec_eval and BEIR compute it)."""
    gained = sum(gains.get(found, 0.0) / math.log2(rank + 1) for rank, found in enumerate(ranked[:k], 1))
    best = sorted(gains.values(), reverse=True)[:k]
    ideal = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(best, 1))
    return gained / ideal if ideal else 0.0


def auroc(positives: Sequence[float] | Scores, negatives: Sequence[float] | Scores) -> float:
    """P(a positive scores above a negative), ties counted half (Mann-Whitney U). NaN when a side is empty."""
    if not len(positives) or not len(negatives):
        return math.nan
    below = np.sort(np.asarray(negatives, dtype=float))
    scores = np.asarray(positives, dtype=float)
    wins = np.searchsorted(below, scores, side="left") + np.searchsorted(below, scores, side="right")
    return float(wins.sum() / 2 / (len(scores) * len(below)))
