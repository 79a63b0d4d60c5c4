"""Vectors of English and Chinese words, trained elsewhere and shipped: words that mean much the same are near each
other, although they share no letter, and a Chinese word is near its English translation.

`word_vectors.npz` is made by `scripts/make_word_vectors.py` (origins and licences: `WORD_VECTORS.md`). A word is known
by the 64-bit key of its search token (`providers.features`); its numbers have four bits each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

PATH = Path(__file__).with_name("word_vectors.npz")
DIMENSIONS = 128
_LEVELS = 7  # above and below zero
_SQUARES = [((byte >> 4) - _LEVELS) ** 2 + ((byte & 15) - _LEVELS) ** 2 for byte in range(256)]  # of two numbers
_NEAR = 0.25  # cosine; .2 to .4 find much the same

Keys = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.intp]


class WordVectors:
    """The table in memory, some 5 MB, read once in a process."""

    def __init__(self, keys: Keys, packed: npt.NDArray[np.uint8], scales: Floats) -> None:
        """`keys` (words,) sorted; `packed` (words, DIMENSIONS / 2), two numbers a byte; `scales` (words,)."""
        self._keys, self._packed, self._scales = keys, packed, scales

    def rows(self, keys: Keys) -> tuple[npt.NDArray[np.bool_], Floats]:
        """Which of the keys are known, and (known, DIMENSIONS) their vectors; the longer a vector, the more its word
        says."""
        places = self.places(keys)
        return places >= 0, self.at(places[places >= 0])

    def places(self, keys: Keys) -> Places:
        """The row of each key; -1 for an unknown one."""
        places = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[places] == keys, places, -1)

    def at(self, places: Places) -> Floats:
        """(places, DIMENSIONS), the vectors of these rows."""
        return unpacked(self._packed[places]) * self._scales[places, None]

    def length(self, key: int) -> float | None:
        """Of one vector, in a tenth of the time that arrays of one row take; None for an unknown word."""
        place = int(self._keys.searchsorted(np.uint64(key)))
        if place == len(self._keys) or int(self._keys[place]) != key:
            return None
        return float(self._scales[place]) * math.sqrt(sum(map(_SQUARES.__getitem__, self._packed[place].tobytes())))

    def __len__(self) -> int:
        return len(self._keys)


@cache
def shipped() -> WordVectors:
    with np.load(PATH, allow_pickle=False) as arrays:
        return WordVectors(arrays["keys"], arrays["packed"], arrays["scales"].astype(np.float32))


def packed(vectors: Floats) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float16]]:
    """(words, DIMENSIONS) as half-bytes, and what to multiply each row with."""
    scales = np.maximum(np.abs(vectors).max(axis=1), 1e-6) / _LEVELS
    levels = (np.round(vectors / scales[:, None]) + _LEVELS).astype(np.uint8)
    return levels[:, 0::2] << 4 | levels[:, 1::2], scales.astype(np.float16)


def unpacked(rows: npt.NDArray[np.uint8]) -> Floats:
    """What `packed` has packed, before it is multiplied."""
    numbers = np.empty((len(rows), 2 * rows.shape[1]), np.float32)
    numbers[:, 0::2], numbers[:, 1::2] = rows >> 4, rows & 15
    return numbers - _LEVELS


def sums(texts: Sequence[tuple[Keys, Any]]) -> Floats:
    """(texts, DIMENSIONS): of each text, given as the keys of its words and their weights, the weighted sum. At least
    one text."""
    distinct, which = np.unique(np.concatenate([keys for keys, _ in texts]), return_inverse=True)
    known, rows = shipped().rows(distinct)
    row_of = np.cumsum(known) - 1
    found, start = np.zeros((len(texts), DIMENSIONS), np.float32), 0
    for place, (keys, weights) in enumerate(texts):
        own = which[start : start + len(keys)]
        said = known[own]
        found[place] = np.asarray(weights, np.float32)[said] @ rows[row_of[own[said]]]
        start += len(keys)
    return found


def cosines(some: Places, others: Places) -> Floats:
    """(some, others): of each word with each, by their rows."""
    return _directions(shipped().at(some)) @ _directions(shipped().at(others)).T


def _directions(rows: Floats) -> Floats:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), np.float32)


def alignment(question: Keys, texts: Sequence[Keys]) -> Floats:
    """(texts,), in [0, 1]: how much of what the question means each text says, in whatever words. Each word of the
    question counts as the nearest one of the text does, by its cosine, if that is near at all (Kenter and de Rijke,
    "Short Text Similarity with Word Embeddings", 2015); the more a word tells, the more."""
    _, asked = shipped().rows(question)
    lengths = np.linalg.norm(asked, axis=1)
    found = np.zeros(len(texts), np.float32)
    for place, keys in enumerate(texts):
        _, rows = shipped().rows(keys)
        if len(asked) and len(rows):
            nearest = (_directions(asked) @ _directions(rows).T).max(axis=1)
            found[place] = lengths @ np.where(nearest > _NEAR, nearest, 0) / lengths.sum()
    return np.clip(found, 0, 1)
