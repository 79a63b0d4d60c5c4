"""What a text says, of a few classes: a linear model over n-grams, trained from a bank of paraphrases and frozen.

planning/training.py makes the files in planning/phrases. Every n-gram adds its weights, and the sum is divided by the
root of their number; so the parts of a clause are judged from running sums, without reading it again.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from planning.features import grams

_FOLDER = Path(__file__).with_name("phrases")
Rows = np.ndarray[Any, np.dtype[np.float32]]


class Sums(NamedTuple):
    """The summed weights of texts, one row each, and how many n-grams they have."""

    weights: Rows
    counts: Rows


class TextSplits(NamedTuple):
    """A text, and at each place where a word of it begins what stands before and behind."""

    places: list[int]
    before: Sums
    behind: Sums
    whole: Sums


class Classifier(NamedTuple):
    """`weights`: one row a bucket, one column a class."""

    labels: tuple[str, ...]
    bias: Rows
    weights: Rows

    @property
    def content(self) -> int:
        """The column of what orders nothing."""
        return self.labels.index("content")

    def read(self, text: str) -> TextSplits:
        held = [*grams(text)]
        starts = np.array([start for start, *_ in held], dtype=np.int64)
        ends = np.array([end for _, end, *_ in held], dtype=np.int64)
        rows = self.weights[[bucket for *_, bucket in held]]
        places = sorted({token for _, _, token, _ in held})
        running = np.vstack([np.zeros_like(self.bias), np.cumsum(rows, axis=0)])
        backward = np.argsort(-starts, kind="stable")
        behind = np.vstack([np.zeros_like(self.bias), np.cumsum(rows[backward], axis=0)])
        before_counts = np.searchsorted(ends, places, side="right")
        behind_counts = np.searchsorted(-starts[backward], [-place for place in places], side="right")
        return TextSplits(
            places,
            Sums(running[before_counts], before_counts.astype(np.float32)),
            Sums(behind[behind_counts], behind_counts.astype(np.float32)),
            Sums(running[-1:], np.array([len(held)], dtype=np.float32)),
        )

    def judge(self, sums: Sums) -> Rows:
        """The log of each class's probability, one row a text."""
        score = sums.weights / np.sqrt(np.maximum(sums.counts, 1))[:, None] + self.bias
        score = score - score.max(axis=1, keepdims=True)
        return np.asarray(score - np.log(np.exp(score).sum(axis=1, keepdims=True)), dtype=np.float32)


@cache
def classifier(bank: str) -> Classifier:
    with np.load(_FOLDER / f"{bank}.npz") as held:
        weights = held["weights"].astype(np.float32) * held["scale"]
        return Classifier(tuple(str(label) for label in held["labels"]), held["bias"], weights)
