"""Vectors without a model and without fitting: signed feature hashing. Needs numpy alone.

Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", ICML 2009.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from providers.features import Bag, character_grams, normalised, words
from schema import Space, Vectors
from text import without_function_words

MODEL = "words+chars-1"


class HashingEmbedder:
    """Each feature adds to one place of the vector, up or down; what its key says, is the same in every process."""

    def __init__(self, dimensions: int) -> None:
        self._space = Space("hashing", MODEL, "1", dimensions)

    @property
    def space(self) -> Space:
        return self._space

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = [self._of(words(text)) + self._of(character_grams(text)) for text in texts]
        return normalised(np.array(rows).reshape(len(texts), self._space.dimensions))

    def embed_question(self, question: str) -> Vectors:
        vector: Vectors = self.embed([without_function_words(question)])[0]
        return vector if vector.any() else self.embed([question])[0]

    def _of(self, bag: Bag) -> Vectors:
        signs = np.where(bag.keys >> np.uint64(63), 1.0, -1.0)
        places = (bag.keys & np.uint64(2**62 - 1)) % np.uint64(self._space.dimensions)
        weights = signs * np.sqrt(bag.counts)  # the second "the" says less than the first
        return normalised(np.bincount(places.astype(np.intp), weights, self._space.dimensions))
