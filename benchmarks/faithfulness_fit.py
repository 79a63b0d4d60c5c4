"""What each part of `evaluation.support`'s agreement should count, and what the least supported sentence of an answer,
by answers that were held out.

Both are tried on a grid and chosen by the mean AUROC over the files: of some answers for the others (folds, in which
the answers from one context stay together), and of some files for the one left out, which says more about answers of
another kind. The threshold is chosen by the same folds: it parts best what they hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.report import progress
from evaluation.metrics import auroc
from evaluation.support import THRESHOLD, WEIGHTS, WORST, Agreement, SourceText, SupportJudgement, judge, pool, weight
from text import sentences

_FOLDS, _STEPS = 5, 10  # weights are multiples of one in so many
_WORST = np.arange(6) / 10  # what the least supported sentence may count
_THRESHOLDS = np.arange(50, 96) / 100
Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Answer(NamedTuple):
    """An answer's sentences as they were judged, and how much each says."""

    faithful: bool
    context: str
    judged: Sequence[SupportJudgement]
    weights: Sequence[float]


class Mix(NamedTuple):
    """What is chosen."""

    weights: tuple[float, ...]
    worst: float


def read_answer(row: Mapping[str, Any]) -> Answer:
    """A line of a file: question, context, answer, label."""
    judged = _judged(row["answer"], row["context"], row["question"])
    return Answer(row["label"] == "faithful", "\n".join(row["context"]), *judged)


def answer_score(answer: str, context: Sequence[str], question: str = "") -> float:
    """The support of an answer from that of its sentences."""
    judged, weights = _judged(answer, context, question)
    return pool([one.support.score for one in judged], weights)


def _judged(answer: str, context: Sequence[str], question: str) -> tuple[list[SupportJudgement], list[float]]:
    """Each sentence's judgement, and how much it says."""
    sources = [SourceText(text) for text in context]
    parts = [answer[start:end] for start, end in sentences(answer)]
    return [judge(part, sources, question) for part in parts], [weight(part) for part in parts]


class _File(NamedTuple):
    answers: Sequence[Answer]
    values: Array  # (sentences, parts), what contradictions have taken away is gone
    faithful: Flags
    folds: npt.NDArray[np.intp]

    def scores(self, mix: Mix) -> Array:
        sentences, place, found = self.values @ np.array(mix.weights), 0, []
        for one in self.answers:
            found.append(pool(sentences[place : place + len(one.weights)].tolist(), one.weights, mix.worst))
            place += len(one.weights)
        return np.array(found)


def fitted(answers: Mapping[str, Sequence[Answer]]) -> tuple[dict[str, dict[str, float]], list[str]]:
    """For each file the AUROC and the share of answers that the threshold judges rightly (the mean of faithful and made
    up ones), as it is and as chosen by other folds; the AUROC as chosen by the other files; and what all files together
    would choose."""
    files = {name: _read(some) for name, some in answers.items()}
    grid = [Mix(weights, worst) for weights in _grid() for worst in _WORST.tolist()]
    tried = {name: [file.scores(mix) for mix in grid] for name, file in progress(files.items(), "scores")}
    held_out = {name: np.zeros(len(file.faithful)) for name, file in files.items()}
    right = {name: np.zeros(len(file.faithful), bool) for name, file in files.items()}
    for fold in progress(range(_FOLDS), "folds"):
        others = {name: file.folds != fold for name, file in files.items()}
        chosen = _chosen(tried, files, others)
        threshold = _threshold({name: scores[chosen] for name, scores in tried.items()}, files, others)
        for name, file in files.items():
            held_out[name][~others[name]] = found = tried[name][chosen][~others[name]]
            right[name][~others[name]] = (found >= threshold) == file.faithful[~others[name]]
    figures = {}
    for name, file in files.items():
        shipped, rest = file.scores(Mix(WEIGHTS, WORST)), {other: one for other, one in files.items() if other != name}
        figures[f"fit {name}"] = {
            "as it is": _auroc(shipped, file.faithful),
            "other folds": _auroc(held_out[name], file.faithful),
            "other files": _auroc(tried[name][_chosen(tried, rest)], file.faithful) if rest else 0.0,
            "right as it is": _balanced((shipped >= THRESHOLD) == file.faithful, file.faithful),
            "right by other folds": _balanced(right[name], file.faithful),
        }
    best = _chosen(tried, files)
    threshold = _threshold({name: scores[best] for name, scores in tried.items()}, files)
    all_files = f"all files: {Agreement(*grid[best].weights)}, worst {grid[best].worst}, threshold {threshold}"
    return figures, [all_files, f"{len(grid)} combinations were compared, with {len(_THRESHOLDS)} thresholds"]


def _read(answers: Sequence[Answer]) -> _File:
    values = [judged.left * np.array(judged.agreement) for one in answers for judged in one.judged]
    contexts = sorted({one.context for one in answers})
    fold = dict(zip(contexts, np.random.default_rng(0).permutation(len(contexts)) % _FOLDS, strict=True))
    return _File(
        answers,
        np.array(values).reshape(len(values), len(WEIGHTS)),
        np.array([one.faithful for one in answers], bool),
        np.array([fold[one.context] for one in answers], np.intp),
    )


def _grid() -> Iterator[tuple[float, ...]]:
    """All weights that sum to 1."""
    for steps in np.ndindex(*[_STEPS + 1] * (len(WEIGHTS) - 1)):
        if sum(steps) <= _STEPS:
            yield tuple(step / _STEPS for step in (*steps, _STEPS - sum(steps)))


def _chosen(
    tried: Mapping[str, Sequence[Array]], files: Mapping[str, _File], among: Mapping[str, Flags] | None = None
) -> int:
    """The place in the grid of what is best over these files, or these answers of them."""

    def mean(place: int) -> float:
        kept = {name: among[name] if among else np.ones(len(file.faithful), bool) for name, file in files.items()}
        return float(
            np.mean([_auroc(tried[name][place][kept[name]], files[name].faithful[kept[name]]) for name in kept])
        )

    return max(range(len(next(iter(tried.values())))), key=mean)


def _threshold(
    scores: Mapping[str, Array], files: Mapping[str, _File], among: Mapping[str, Flags] | None = None
) -> float:
    def right(threshold: float) -> float:
        kept = {name: among[name] if among else np.ones(len(file.faithful), bool) for name, file in files.items()}
        truth = {name: files[name].faithful[kept[name]] for name in kept}
        return float(
            np.mean([_balanced((scores[name][kept[name]] >= threshold) == truth[name], truth[name]) for name in kept])
        )

    return float(max(_THRESHOLDS.tolist(), key=right))


def _balanced(right: Flags, faithful: Flags) -> float:
    """The mean of the shares of faithful and of made up answers that are judged rightly."""
    return float(right[faithful].mean() + right[~faithful].mean()) / 2


def _auroc(scores: Array, faithful: Flags) -> float:
    return auroc(scores[faithful], scores[~faithful])
