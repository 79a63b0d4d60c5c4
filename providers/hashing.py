"""Vectors without a model and without fitting: signed feature hashing. Needs numpy alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from providers.features import Bag, character_grams, hashed, normalised, words
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
        bags = [words(text, terms[place].split() if terms else None) for place, text in enumerate(texts)]
        rows = [self._of(bag) + self._of(character_grams(text)) for bag, text in zip(bags, texts, strict=True)]
        return normalised(np.array(rows).reshape(len(texts), self._space.dimensions))

    def embed_question(self, question: str) -> Vectors:
        vector: Vectors = self.embed([without_function_words(question)])[0]
        return vector if vector.any() else self.embed([question])[0]

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        rows = [self.embed_question(question) for question in questions]
        return np.array(rows, np.float32).reshape(len(questions), self._space.dimensions)

    def _of(self, bag: Bag) -> Vectors:
        # Sublinear: the second "the" says less than the first.
        return normalised(hashed(bag.keys, 1 + np.log(bag.counts), self._space.dimensions))
