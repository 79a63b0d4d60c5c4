"""How likely an extracted answer is to be right: a logistic model of what is shown and of what was found.

The weights were fitted by `python -m benchmarks answers --fit` to questions in both languages whose answers are known,
together with questions that nothing answers, a part of them since the document that does was left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from evaluation.answer_reading import Array

Weights = Mapping[str, float]

WEIGHTS: Weights = {
    "always": -4.58,
    "shown": 0.38,  # log odds that a sentence shown answers, if any that was found does
    "evidence": 5.81,  # confidence of the search
    "consistent": 1.62,  # how far what is shown agrees with the question
}
_ENOUGH = 0.5  # confidence of the search from which on more of it tells right from wrong no better
_CERTAIN = 1e-3  # how far the probability of what is shown stays away from 0 and 1


def signs(shown: float, evidence: float, consistent: float = 1.0) -> Array:
    """In the order of the weights; `shown` is the probability of the sentences shown among all that were found."""
    shown = min(max(shown, _CERTAIN), 1 - _CERTAIN)
    return np.array([1.0, math.log(shown / (1 - shown)), min(evidence, _ENOUGH), consistent])


def likelihood(read: Array, weights: Weights = WEIGHTS) -> float:
    """That an answer with these signs is right."""
    return float(1 / (1 + np.exp(-read @ np.array(list(weights.values())))))
