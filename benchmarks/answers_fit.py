"""The weights of `evaluation.answer_ranking` and `evaluation.answer_confidence`, fitted to answered questions.

Of the ranking the loss is minus the log-likelihood that a sentence holding the answer is drawn, for each language by
itself; of the confidence minus that of whether the answer shown is right. A ridge is around the features' spread. What
is reported are documents that the weights were not fitted to, fold by fold; the confidence is fitted to the answers
that such weights have chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.answers_judged import calibration_error, holds, plain, reliability
from benchmarks.report import progress
from evaluation.answer_confidence import WEIGHTS, likelihood, signs
from evaluation.answer_ranking import FEATURES, Weights
from evaluation.answer_units import AnswerUnits
from evaluation.citations import CheckedSources, check_answer
from evaluation.extractive import MOST_SENTENCES, choose
from evaluation.metrics import auroc
from schema import Language
from text import language_of

_FOLDS, _RIDGE = 5, 1e-3
_FEW = 3  # sentences of an answer that may not hold
_LANGUAGES: tuple[Language, ...] = ("en", "zh")
Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Sample:
    """One question, and the sentences that were found for it."""

    folder: str
    kind: str  # "answerable", or why nothing answers it
    document: str  # questions of one are in one fold
    golds: Sequence[str]
    sentences: AnswerUnits
    evidence: float  # confidence of the search
    doubted: bool  # by the search alone

    @cached_property
    def right(self) -> Flags:
        """Of each sentence, whether it holds the answer."""
        return np.array([unit.answers and holds(unit.text, self.golds) for unit in self.sentences.units], dtype=bool)

    @property
    def language(self) -> Language:
        return language_of(self.sentences.question, "en")


class _FittedAnswer(NamedTuple):
    """The answer of weights that its document had no part in."""

    text: str
    first: str  # statement
    signs: Array | None  # None: nothing is shown
    right: bool


def fitted(samples: Sequence[Sample]) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Figures of each folder where weights were fitted to other documents, and the weights fitted to all."""
    if len({one.document for one in samples if one.golds}) < _FOLDS:
        return {}, ["too few documents to fit weights to"]
    documents = sorted({one.document for one in samples})
    fold = dict(zip(documents, np.random.default_rng(0).permutation(len(documents)) % _FOLDS, strict=True))
    folds = np.array([fold[one.document] for one in samples])
    shown = list[_FittedAnswer | None]([None] * len(samples))
    for number in progress(range(_FOLDS), "folds"):
        ranking = _rankings([one for one, of in zip(samples, folds, strict=True) if of != number])
        for i in np.flatnonzero(folds == number).tolist():
            shown[i] = _shown(samples[i], ranking[samples[i].language])
    answers = [one for one in shown if one]
    confidence = np.zeros(len(samples))
    for number in range(_FOLDS):
        sure = _sure([one for one, of in zip(answers, folds, strict=True) if of != number])
        for i in np.flatnonzero(folds == number).tolist():
            if (read := answers[i].signs) is not None:
                confidence[i] = likelihood(read, sure)
    figures, notes = dict[str, dict[str, float]](), list[str]()
    for folder in dict.fromkeys(one.folder for one in samples):
        inside = np.array([one.folder == folder for one in samples])
        figures[f"{folder} held out"] = _figures(samples, answers, confidence, inside)
        right = np.array([one.right for one in answers])
        notes += [f"{folder} held out: {line}" for line in reliability(confidence[inside], right[inside])]
    rankings = _rankings(samples)
    for name in FEATURES:
        notes.append(f'"{name}": ({", ".join(f"{rankings[language][name]:.2f}" for language in _LANGUAGES)}),')
    return figures, [*notes, *(f'"{name}": {weight:.2f},' for name, weight in _sure(answers).items())]


def _figures(
    samples: Sequence[Sample], answers: Sequence[_FittedAnswer], confidence: Array, inside: Flags
) -> dict[str, float]:
    kinds = np.array([one.kind for one in samples])
    asked = inside & (kinds == "answerable")
    right = np.array([one.right for one in answers])
    known = [(one, shown) for one, shown, is_asked in zip(samples, answers, asked, strict=True) if is_asked]
    figures = {
        "held": float(right[asked].mean()),
        "characters": float(np.mean([len(plain(shown.text)) for _, shown in known])),
        "first alone": float(np.mean([holds(shown.first, one.golds) for one, shown in known])),
        "right auroc": auroc(confidence[asked & right], confidence[asked & ~right]),
        "calibration error": calibration_error(confidence[inside], right[inside]),
    }
    for name, kind in {"unanswerable": "near", "missing": "missing"}.items():
        if (others := inside & (kinds == kind)).any():
            figures[f"{name} auroc"] = auroc(confidence[asked], confidence[others])
    return figures


def _shown(sample: Sample, weights: Weights) -> _FittedAnswer:
    found, most = sample.sentences, _FEW if sample.doubted else MOST_SENTENCES
    answer = choose(found, sample.language, most, weights=weights)
    statements = check_answer(answer.text, CheckedSources(found.hits, found.question))
    read = None if answer.probability is None else signs(answer.probability, sample.evidence, answer.consistent)
    return _FittedAnswer(answer.text, statements[0].text if statements else "", read, holds(answer.text, sample.golds))


# --- fitting -----------------------------------------------------------------------------------------------------


def _rankings(samples: Sequence[Sample]) -> dict[Language, Weights]:
    """A question counts where one of its sentences is right and another is not."""
    kept = [one for one in samples if 0 < one.right.sum() < len(one.right)]
    found = dict[Language, Weights]()
    for language in _LANGUAGES:
        spoken = [one for one in kept if one.language == language] or kept
        weights = fit_ranking([(one.sentences.features.values, one.right) for one in spoken])
        found[language] = dict(zip(FEATURES, weights.tolist(), strict=True))
    return found


def _sure(answers: Sequence[_FittedAnswer]) -> Weights:
    """The weights of the confidence, fitted to all answers that show something."""
    known = [(one.signs, one.right) for one in answers if one.signs is not None]
    weights = fit_logistic(np.array([read for read, _ in known]), np.array([right for _, right in known]))
    return dict(zip(WEIGHTS, weights.tolist(), strict=True))


def fit_ranking(questions: Sequence[tuple[Array, Flags]]) -> Array:
    """Of each question: (sentences, features), and which sentences are right."""
    from scipy.optimize import minimize

    sentences = np.concatenate([values for values, _ in questions])
    right = np.concatenate([right for _, right in questions])
    counts = np.array([len(values) for values, _ in questions])
    starts = np.cumsum(counts) - counts
    scale = _scale(sentences)
    sentences = sentences / scale

    def loss(weights: Array) -> tuple[float, Array]:
        scores = sentences @ weights
        powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), counts))
        shares = powers / np.repeat(np.add.reduceat(powers, starts), counts)
        inside = np.maximum(np.add.reduceat(shares * right, starts), 1e-12)
        slope = sentences.T @ (shares - shares * right / np.repeat(inside, counts)) / len(counts)
        likely = -float(np.log(inside).mean())
        return likely + _RIDGE * float(weights @ weights), slope + 2 * _RIDGE * weights

    found = minimize(loss, np.zeros(len(scale)), jac=True, method="L-BFGS-B")
    return np.asarray(found.x / scale)


def fit_logistic(values: Array, right: Flags) -> Array:
    """Of a logistic regression: (answers, signs), and which answers are right."""
    from scipy.optimize import minimize

    scale = _scale(values)
    scaled, signed = values / scale, np.where(right, 1.0, -1.0)

    def loss(weights: Array) -> tuple[float, Array]:
        margins = signed * (scaled @ weights)
        slope = -(signed / (1 + np.exp(margins))) @ scaled / len(signed)
        likely = float(np.logaddexp(0, -margins).mean())
        return likely + _RIDGE * float(weights @ weights), slope + 2 * _RIDGE * weights

    found = minimize(loss, np.zeros(len(scale)), jac=True, method="L-BFGS-B")
    return np.asarray(found.x / scale)


def _scale(values: Array) -> Array:
    scale = np.std(values, axis=0)
    scale[scale == 0] = 1.0
    return np.asarray(scale)
