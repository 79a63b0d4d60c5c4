"""Vectors without a model and without fitting: signed feature hashing. Needs numpy alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from providers.features import AT_ONCE, hashed, normalised, text_bags
from question_words import without_function_words
from schema import Space, Vectors

MODEL = "words+grams-1"


class HashingEmbedder:
    """The same vectors in every process, for every library: nothing is learned, so nothing goes out of date."""

    def __init__(self, dimensions: int, calibration: dict[str, Any] | None = None) -> None:
        self._space = Space("hashing", MODEL, "1", dimensions, calibration=calibration)

    @property
    def space(self) -> Space:
        return self._space

    def embed(self, texts: Sequence[str], terms: Sequence[str] | None = None) -> Vectors:
        """`terms`: the search tokens of each text, joined by spaces, where they are known."""
        rows = np.zeros((len(texts), self._space.dimensions), np.float32)
        for start in range(0, len(texts), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            bags = text_bags(texts[some], terms[some] if terms else None)
            # Sublinear: the second "the" says less than the first.
            each = normalised(hashed(bags, 1 + np.log(bags.counts), self._space.dimensions))
            rows[some] = each[::2] + each[1::2]
        return normalised(rows)

    def embed_question(self, question: str) -> Vectors:
        vector: Vectors = self.embed([without_function_words(question)])[0]
        return vector if vector.any() else self.embed([question])[0]

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        rows = [self.embed_question(question) for question in questions]
        return np.array(rows, np.float32).reshape(len(questions), self._space.dimensions)
