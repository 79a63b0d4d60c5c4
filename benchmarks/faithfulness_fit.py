"""What each part of `evaluation.support`'s agreement should count, by answers that were held out.

Weights are tried on a grid and chosen by the mean AUROC over the files: of some answers for the others (folds), and of
some files for the one left out, which says more about answers of another kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.report import progress
from evaluation.metrics import auroc
from evaluation.support import WEIGHTS, Agreement, SourceText, SupportJudgement, judge, weight
from text import sentences

_FOLDS, _STEPS = 5, 10  # weights are multiples of one in so many
Array = npt.NDArray[np.float64]


class Answer(NamedTuple):
    """An answer's sentences as they were judged, and how much each says."""

    faithful: bool
    judged: Sequence[SupportJudgement]
    weights: Sequence[float]


def read_answer(row: Mapping[str, Any]) -> Answer:
    """A line of a file: question, context, answer, label."""
    return Answer(row["label"] == "faithful", *_judged(row["answer"], row["context"], row["question"]))


def answer_score(answer: str, context: Sequence[str], question: str = "") -> float:
    """The mean support of the answer's sentences, weighted by how much each says."""
    judged, weights = _judged(answer, context, question)
    scores = [one.support.score for one in judged]
    return sum(a * b for a, b in zip(scores, weights, strict=True)) / sum(weights) if sum(weights) else 0.0


def _judged(answer: str, context: Sequence[str], question: str) -> tuple[list[SupportJudgement], list[float]]:
    """Each sentence's judgement, and how much it says."""
    sources = [SourceText(text) for text in context]
    parts = [answer[start:end] for start, end in sentences(answer)]
    return [judge(part, sources, question) for part in parts], [weight(part) for part in parts]


class _File(NamedTuple):
    values: Array  # (sentences, parts), what contradictions have taken away is gone
    answer: npt.NDArray[np.intp]  # of each sentence
    weights: Array
    faithful: npt.NDArray[np.bool_]

    def auroc(self, weights: Sequence[float], among: npt.NDArray[np.bool_] | None = None) -> float:
        """Of these answers; all, if none are named."""
        scores, kept = self.scores(weights), np.ones(len(self.faithful), bool) if among is None else among
        return auroc(scores[kept & self.faithful].tolist(), scores[kept & ~self.faithful].tolist())

    def scores(self, weights: Sequence[float]) -> Array:
        count = len(self.faithful)
        whole = np.bincount(self.answer, self.weights * (self.values @ np.array(weights)), count)
        return np.asarray(whole / np.maximum(np.bincount(self.answer, self.weights, count), 1e-9))


def fitted(answers: Mapping[str, Sequence[Answer]]) -> tuple[dict[str, dict[str, float]], list[str]]:
    """For each file the AUROC of the weights as they are, of those chosen by other folds, and of those chosen by the
    other files; and the weights that all files together would choose."""
    files = {name: _read(some) for name, some in answers.items()}
    grid = list(_grid())
    dice = np.random.default_rng(0)
    folds = {name: dice.permutation(len(file.faithful)) % _FOLDS for name, file in files.items()}
    held_out = {name: np.zeros(len(file.faithful)) for name, file in files.items()}
    for fold in progress(range(_FOLDS), "folds"):
        chosen = _chosen(grid, files, {name: of != fold for name, of in folds.items()})
        for name, file in files.items():
            held_out[name][folds[name] == fold] = file.scores(chosen)[folds[name] == fold]
    figures = {}
    for name, file in files.items():
        others = {other: one for other, one in files.items() if other != name}
        figures[f"fit {name}"] = {
            "as it is": file.auroc(WEIGHTS),
            "other folds": auroc(held_out[name][file.faithful].tolist(), held_out[name][~file.faithful].tolist()),
            "other files": file.auroc(_chosen(grid, others)) if others else 0.0,
        }
    best = Agreement(*_chosen(grid, files))
    return figures, [f"weights of all files: {best}", f"{len(grid)} combinations of weights were compared"]


def _read(answers: Sequence[Answer]) -> _File:
    rows = [
        (place, judged, weight) for place, one in enumerate(answers) for judged, weight in zip(*one[1:], strict=True)
    ]
    return _File(
        np.array([judged.left * np.array(judged.agreement) for _, judged, _ in rows]).reshape(len(rows), len(WEIGHTS)),
        np.array([place for place, _, _ in rows], np.intp),
        np.array([weight for _, _, weight in rows]),
        np.array([one.faithful for one in answers], bool),
    )


def _grid() -> Iterator[tuple[float, ...]]:
    """All weights that sum to 1."""
    for steps in np.ndindex(*[_STEPS + 1] * (len(WEIGHTS) - 1)):
        if sum(steps) <= _STEPS:
            yield tuple(step / _STEPS for step in (*steps, _STEPS - sum(steps)))


def _chosen(
    grid: Sequence[tuple[float, ...]],
    files: Mapping[str, _File],
    among: Mapping[str, npt.NDArray[np.bool_]] | None = None,
) -> tuple[float, ...]:
    def mean(weights: tuple[float, ...]) -> float:
        return float(np.mean([file.auroc(weights, among[name] if among else None) for name, file in files.items()]))

    return max(grid, key=mean)
