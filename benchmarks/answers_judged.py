"""Whether an answer is right, and whether its confidence says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from evaluation.markers import without_markers

Array = npt.NDArray[np.float64]
_BINS = 10


def plain(text: str) -> str:
    """An answer as it is read: without its markers, and without the marks of bold type."""
    return without_markers(text).replace("**", "")


def holds(text: str, golds: Iterable[str]) -> bool:
    said = "".join(plain(text).lower().split())
    return any("".join(gold.lower().split()) in said for gold in golds)


def reliability(confidence: Array, right: npt.NDArray[np.bool_]) -> Iterator[str]:
    """Of the answers shown with each tenth of confidence, how many are right."""
    for number, inside in _bins(confidence):
        share, said = right[inside].mean(), confidence[inside].mean()
        tenth = f"{10 * number:2} to {10 * number + 10:3} %"
        yield f"{tenth}: {inside.sum():4} answers, {share:.0%} right ({said:.0%} said)"


def calibration_error(confidence: Array, right: npt.NDArray[np.bool_]) -> float:
    """How far the confidence is from the share that is right, on average (ECE of ten bins; Naeini et al. 2015)."""
    gaps = (abs(right[i].mean() - confidence[i].mean()) * i.sum() for _, i in _bins(confidence))
    return float(sum(gaps) / max(len(confidence), 1))


def _bins(confidence: Array) -> Iterator[tuple[int, npt.NDArray[np.bool_]]]:
    places = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    yield from ((number, places == number) for number in np.unique(places).tolist())
