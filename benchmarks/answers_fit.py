"""The weights of `evaluation.answer_ranking`, fitted to questions whose answers are known.

The loss is minus the log-likelihood that a sentence holding the answer is drawn, with a ridge around the features'
spread. What is reported are questions that the weights were not fitted to, fold by fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.report import progress
from evaluation.answer_ranking import WEIGHTS, probabilities

_FOLDS, _RIDGE = 5, 1e-3
Array = npt.NDArray[np.float64]


class Sample(NamedTuple):
    """The sentences that were found for one question."""

    values: Array  # (sentences, features)
    right: npt.NDArray[np.bool_]  # whether each holds the answer


def fitted(samples: Sequence[Sample]) -> tuple[dict[str, float], list[str]]:
    """Figures of the weights as they are and of fitted ones, and these weights themselves. A question counts where one
    of its sentences is right and another is not."""
    kept = [one for one in samples if 0 < one.right.sum() < len(one.right)]
    if len(kept) < _FOLDS:
        return {"questions": float(len(kept))}, ["too few questions to fit weights to"]
    folds = np.random.default_rng(0).permutation(len(kept)) % _FOLDS
    now = np.array(list(WEIGHTS.values()))
    held_out = np.zeros((len(kept), 2))
    for fold in progress(range(_FOLDS), "folds"):
        weights = fit([one for one, other in zip(kept, folds, strict=True) if other != fold])
        held_out[folds == fold] = [_judged(one, weights) for one, own in zip(kept, folds, strict=True) if own == fold]
    likely, first = np.mean([_judged(one, now) for one in kept], axis=0)
    figures = {
        "questions": float(len(kept)),
        "first right": float(first),
        "log-likelihood": float(likely),
        "first right, held out": float(held_out[:, 1].mean()),
        "log-likelihood, held out": float(held_out[:, 0].mean()),
    }
    return figures, [f'"{name}": {weight:.2f},' for name, weight in zip(WEIGHTS, fit(kept), strict=True)]


def fit(samples: Sequence[Sample]) -> Array:
    from scipy.optimize import minimize

    scale = np.std(np.concatenate([one.values for one in samples]), axis=0)
    scale[scale == 0] = 1.0

    def loss(weights: Array) -> tuple[float, Array]:
        total, slope = 0.0, np.zeros_like(weights)
        for values, right in samples:
            scaled = values / scale
            shares = probabilities(scaled, weights)
            inside = max(float(shares[right].sum()), 1e-12)
            total -= np.log(inside)
            slope += shares @ scaled - (shares * right / inside) @ scaled
        count = len(samples)
        return total / count + _RIDGE * float(weights @ weights), slope / count + 2 * _RIDGE * weights

    found = minimize(loss, np.zeros(len(scale)), jac=True, method="L-BFGS-B")
    return np.asarray(found.x / scale)


def _judged(sample: Sample, weights: Array) -> tuple[float, float]:
    """The log-likelihood of the answer, and whether the likeliest sentence holds it."""
    shares = probabilities(sample.values, weights)
    return float(np.log(max(shares[sample.right].sum(), 1e-12))), float(sample.right[int(shares.argmax())])
