"""Vectors without a model: TF-IDF of words and character n-grams, reduced to few dimensions (latent semantic analysis).

Deerwester et al., "Indexing by Latent Semantic Analysis", 1990; the axes are given by landmarks as in Williams and
Seeger, "Using the Nyström Method to Speed Up Kernel Machines", 2000. Fitting needs scikit-learn, embedding scipy.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from providers.features import Bag, character_grams, normalised, words
from schema import Space, Vectors
from text import without_function_words

MODEL = "words+grams-lsa-1"
_LANDMARKS = 4_000  # texts; time and size of a space grow with them
_MOST = 0.25  # a feature in more than this share of the texts tells little, and costs most of the time
_LEAST_AXIS = 1e-6  # of the longest one, squared lengths; shorter ones are rounding errors

Arrays = dict[str, npt.NDArray[Any]]


class TfidfEmbedder:
    """A frozen version of a fitted space: new texts are mapped into it, a refit is another space.

    An axis is a combination of landmarks, which are stored chunks: a text is compared with each of them by the TF-IDF
    of all its features, however rare, and the similarities are projected. A table of features by axes would say the
    same, but take hundreds of megabytes or lose the rare words, which questions hinge on.
    """

    def __init__(self, space: Space, arrays: Arrays) -> None:
        self._space, self._keys, self._idf, self._axes = space, arrays["keys"], arrays["idf"], arrays["axes"]
        self._landmarks = _sparse(arrays["weights"], arrays["places"], arrays["starts"], len(self._keys)).T.tocsr()

    @classmethod
    def from_space(cls, space: Space) -> TfidfEmbedder:
        with np.load(io.BytesIO(space.payload), allow_pickle=False) as arrays:
            return cls(space, dict(arrays))

    @property
    def space(self) -> Space:
        return self._space

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self._space.dimensions), np.float32)
        for start in range(0, len(texts), 256):
            bags = [_bags(text) for text in texts[start : start + 256]]
            similarities = _matrix(bags, self._keys, self._idf) @ self._landmarks
            rows[start : start + 256] = similarities @ self._axes
        return normalised(rows)

    def embed_question(self, question: str) -> Vectors:
        vector: Vectors = self.embed([without_function_words(question)])[0]
        return vector if vector.any() else self.embed([question])[0]


def fit(texts: Sequence[str], dimensions: int) -> TfidfEmbedder:
    """Learn a space of at most so many dimensions from the texts (a small library has fewer; at least one).

    Deterministic. Above 4,000 texts it learns from that many, evenly spread.
    """
    sample = np.unique(np.linspace(0, len(texts) - 1, min(len(texts), _LANDMARKS)).round().astype(int))
    bags = [_bags(texts[place]) for place in sample]
    keys, idf = _vocabulary(bags)
    landmarks = _matrix(bags, keys, idf)
    arrays: Arrays = {
        "keys": keys,
        "idf": idf,
        "weights": landmarks.data,
        "places": landmarks.indices,
        "starts": landmarks.indptr,
        "axes": _axes(landmarks, dimensions),
    }
    payload = io.BytesIO()
    np.savez(payload, allow_pickle=False, **arrays)
    revision = sha256(b"".join(arrays[name].tobytes() for name in sorted(arrays))).hexdigest()[:16]
    axes: int = arrays["axes"].shape[1]
    return TfidfEmbedder(Space("tfidf", MODEL, revision, axes, payload.getvalue(), len(texts)), arrays)


def _bags(text: str) -> tuple[Bag, Bag]:
    return words(text), character_grams(text)


def _vocabulary(bags: Sequence[tuple[Bag, Bag]]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]:
    """The features that tell something, sorted by key, and their idf."""
    if not bags:
        return np.zeros(0, np.uint64), np.zeros(0, np.float32)
    keys, frequency = np.unique(np.concatenate([bag.keys for pair in bags for bag in pair]), return_counts=True)
    telling = frequency <= max(_MOST * len(bags), 2)
    if telling.any():
        keys, frequency = keys[telling], frequency[telling]
    # BM25's idf: greater than zero even for what is in every text, so that a library of one chunk has vectors.
    idf = np.log1p((len(bags) - frequency + 0.5) / (frequency + 0.5))
    return keys, idf.astype(np.float32)


def _matrix(bags: Sequence[tuple[Bag, Bag]], keys: npt.NDArray[Any], idf: npt.NDArray[Any]) -> Any:
    """(texts, features), sparse: sublinear TF-IDF, words and n-grams each of length 1."""
    columns, values, starts = [np.zeros(0, np.intp)], [np.zeros(0, np.float32)], [0]
    for pair in bags:
        for bag in pair if len(keys) else ():
            places = np.minimum(np.searchsorted(keys, bag.keys), len(keys) - 1)
            known = keys[places] == bag.keys
            columns.append(places[known])
            values.append(normalised((1 + np.log(bag.counts[known])) * idf[places[known]]))
        starts.append(sum(map(len, columns[-2:])) + starts[-1] if len(keys) else 0)
    return _sparse(np.concatenate(values), np.concatenate(columns), np.array(starts), len(keys))


def _sparse(weights: npt.NDArray[Any], places: npt.NDArray[Any], starts: npt.NDArray[Any], features: int) -> Any:
    from scipy.sparse import csr_matrix

    return csr_matrix((weights, places, starts), shape=(len(starts) - 1, features))


def _axes(landmarks: Any, dimensions: int) -> npt.NDArray[np.float32]:
    """(landmarks, dimensions): from similarities with the landmarks to coordinates on the longest singular vectors."""
    from sklearn.utils.extmath import randomized_svd

    if not landmarks.nnz:
        return np.zeros((landmarks.shape[0], 1), np.float32)
    similarities = (landmarks @ landmarks.T).toarray()
    vectors, squared, _ = randomized_svd(similarities, min(dimensions, len(similarities)), n_iter=3, random_state=0)
    kept = squared > _LEAST_AXIS * squared[0]
    vectors, squared = vectors[:, kept], squared[kept]
    # With all axes, distances are those of TF-IDF itself. Where axes are cut off, the strong ones, which follow the
    # library's main topics, drown what tells its chunks apart, unless they are drawn in (by the root of their length).
    power = 0.75 if dimensions < len(similarities) else 0.5
    return np.asarray(vectors / (squared / squared[0]) ** power, np.float32)
