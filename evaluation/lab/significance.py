"""Whether a difference between two runs over the same questions is more than chance.

Paired, always: the sign-flip test for p, a bootstrap for the interval, Holm's correction where several are compared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

ROUNDS = 10_000
Figures = Sequence[float] | npt.NDArray[np.float64]
_AT_A_TIME = 2_000_000  # random numbers in memory
_POWER = 2.8  # standard errors of a difference that a test at .05 tells four times in five


class PairedDifference(NamedTuple):
    """The mean of `after - before`, how likely chance alone gives as much, and where it lies in 95 of 100 cases."""

    mean: float
    p: float
    low: float
    high: float
    detectable: float  # the smallest difference that so many questions tell
    questions: int


def paired(after: Figures, before: Figures, rounds: int = ROUNDS, seed: int = 0) -> PairedDifference:
    """One figure of each question, in the same order. The same for the same seed."""
    difference = np.asarray(after, dtype=float) - np.asarray(before, dtype=float)
    n = len(difference)
    if n == 0:
        return PairedDifference(0.0, 1.0, 0.0, 0.0, math.inf, 0)
    chance = np.random.default_rng(seed)
    flipped, resampled = [], []
    for size in _portions(rounds, n):
        signs = chance.integers(0, 2, (size, n), dtype=np.int8).astype(np.float32) * 2 - 1
        flipped.append(signs @ difference.astype(np.float32))
        resampled.append(difference[chance.integers(0, n, (size, n))].mean(1))
    sums = np.concatenate(flipped)
    p = (1 + int((np.abs(sums) >= abs(difference.sum()) - 1e-5).sum())) / (rounds + 1)
    low, high = np.quantile(np.concatenate(resampled), [0.025, 0.975])
    return PairedDifference(float(difference.mean()), p, float(low), float(high), detectable(difference), n)


def detectable(difference: Figures) -> float:
    """The smallest mean difference that so many questions, which differ so much, tell with power .8."""
    n = len(difference)
    return _POWER * float(np.std(difference, ddof=1)) / math.sqrt(n) if n > 1 else math.inf


def holm(p_values: Sequence[float]) -> list[float]:
    """Each p as it counts among several that were tried, in the order given."""
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    corrected, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = highest
    return corrected


def lower_bound(difference: Figures, sure: float = 0.95) -> float:
    """What the mean difference passes with so much certainty, one-sided, by Student's distribution."""
    from scipy.special import stdtrit

    values = np.asarray(difference, dtype=float)
    if len(values) < 2:
        return -math.inf
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    return float(values.mean() - stdtrit(len(values) - 1, sure) * error)


def _portions(rounds: int, n: int) -> list[int]:
    size = max(1, min(rounds, _AT_A_TIME // n))
    return [size] * (rounds // size) + ([rounds % size] if rounds % size else [])
