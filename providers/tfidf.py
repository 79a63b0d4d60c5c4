"""Vectors without a model: TF-IDF of words and character n-grams, brought down to few dimensions in two ways, beside
what is known of the words' meanings.

The first part of a vector is latent semantic analysis (Deerwester et al., "Indexing by Latent Semantic Analysis",
1990), its axes given by landmarks as in Williams and Seeger, "Using the Nyström Method to Speed Up Kernel Machines"
(2000). The second part is feature hashing, which also knows the words that came after fitting: alone, the first part
falls from .97 to .64 nDCG@10 when half of a library (CMRC) is newer than its space. The third part is the mean of word
vectors that ship with the product (`providers.word_vectors`), weighted by the library's own IDF: it finds what is said
in other words. All need scipy.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from providers import word_vectors
from providers.calibration import learn, prepare, tried_every
from providers.features import AT_ONCE, Bags, hashed, normalised, normalised_bags, text_bags
from question_words import without_function_words
from schema import Space, Vectors

MODEL = "words+grams-lsa+hash+meanings-3"
EARLIER_MODELS = {  # serve, without meanings, until they are fitted again; numbers of a vector that were for meanings
    "words+grams-lsa+hash-1": 0,
    "words+grams-lsa+hash+meanings-2": word_vectors.DIMENSIONS,  # with another table of word vectors
}
_LANDMARKS = 4_000  # texts; time and size of a space grow with them
_MOST = 0.25  # a feature in more than this share of the texts says little about topics, and costs most of the time
_FOLDED = 64  # landmarks that have a feature, above which a row of all axes costs less than its similarities
_OFTEN = 0.04  # share of the texts that have a feature, above which it is multiplied densely
_SPARE, _ITERATIONS = 10, 7  # of the search for the longest axes: columns beyond those that are kept, and products
_MEANINGS = 0.8  # length of the third part beside the others, of length 1: with more of it names are found less well
_UNSAID = 3.0  # as many times more where a question has no word of the library
_LEAST_AXIS = 1e-6  # of the longest one, squared lengths; shorter ones are rounding errors

Arrays = dict[str, npt.NDArray[Any]]
Floats = npt.NDArray[np.float32]


class TfidfEmbedder:
    """A frozen version of a fitted space: new texts are mapped into it, a refit is another space.

    An axis of the first half is a combination of landmarks, which are stored chunks: a text is compared with each of
    them by the TF-IDF of all its features, however rare, and the similarities are projected. A table of features by
    axes would say the same, but take hundreds of megabytes or lose the rare words, which questions hinge on.
    """

    def __init__(self, space: Space, arrays: Arrays) -> None:
        self._space, self._keys, self._axes = space, arrays["keys"], arrays["axes"]
        self._meaning_dimensions = EARLIER_MODELS.get(space.model, word_vectors.DIMENSIONS)
        self._idf = _idf(arrays["frequencies"], len(arrays["starts"]) - 1)
        self._unknown = float(_idf(np.zeros(1), len(arrays["starts"]) - 1)[0])
        self._topical = self._idf * _telling(arrays["frequencies"], len(arrays["starts"]) - 1)
        landmarks = _sparse(arrays["weights"], arrays["places"], arrays["starts"], len(self._keys))
        self._often = np.flatnonzero(np.bincount(landmarks.indices, minlength=len(self._keys)) > _FOLDED)
        self._folded = landmarks[:, self._often].T @ self._axes
        self._landmarks = _without(landmarks, self._often).T.tocsr()
        # a turn wants the vector of its question twice: to search, and to judge what was found
        self._asked = lru_cache(maxsize=64)(self._embed_question)

    @classmethod
    def from_space(cls, space: Space) -> TfidfEmbedder:
        with np.load(io.BytesIO(space.payload), allow_pickle=False) as arrays:
            return cls(space, dict(arrays))

    @property
    def space(self) -> Space:
        return self._space

    def learn(self, space: Space) -> None:
        """The space with what was learned about it."""
        self._space = space

    def embed(self, texts: Sequence[str], terms: Sequence[str] | None = None) -> Vectors:
        """`terms`: the search tokens of each text, joined by spaces, where they are known."""
        return self._embed(texts, terms)

    def _embed(self, texts: Sequence[str], terms: Sequence[str] | None = None, asked: bool = False) -> Vectors:
        rows = np.zeros((len(texts), self._space.dimensions), np.float32)
        for start in range(0, len(texts), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            found = _placed(text_bags(texts[some], terms[some] if terms is not None else None), self._keys)
            weights = self._weights(found)
            parts = [normalised(self._topics(_matrix(found, self._topical))), self._details(found, weights)]
            if self._space.model not in EARLIER_MODELS:
                parts.append(self._meanings(found, weights, asked))
            together = np.hstack(parts)
            rows[some, : together.shape[1]] = together
        return normalised(rows)

    def _topics(self, weights: Any) -> Floats:
        """(texts, axes): similarities with the landmarks, projected; common features are projected already."""
        similar = (weights @ self._landmarks).toarray()
        return np.asarray(weights[:, self._often] @ self._folded + similar @ self._axes, np.float32)

    def embed_question(self, question: str) -> Vectors:
        return self._asked(question)

    def _embed_question(self, question: str) -> Vectors:
        vector: Vectors = self.embed_questions([question])[0]
        return vector

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        rows = self._embed([without_function_words(question) for question in questions], asked=True)
        empty = np.flatnonzero(~rows.any(axis=1))
        rows[empty] = self._embed([questions[int(place)] for place in empty], asked=True)
        return rows

    def _details(self, found: PlacedFeatures, weights: Floats) -> Floats:
        size = self._space.dimensions - self._axes.shape[1] - self._meaning_dimensions
        each = hashed(found.bags, normalised_bags(weights, found.bags.starts), size)
        return normalised(each[::2] + each[1::2])

    def _weights(self, found: PlacedFeatures) -> Floats:
        """What each feature counts, also one that the space does not know."""
        idf = np.where(found.known, self._idf[found.places], self._unknown)
        return np.asarray((1 + np.log(found.bags.counts)) * idf, np.float32)

    def _meanings(self, found: PlacedFeatures, weights: Floats, asked: bool) -> Floats:
        """(texts, DIMENSIONS), zeros where a text has no word with a vector. What the library never says it can say in
        other words alone: the more of a question's weight that is, the longer its vector."""
        words = [slice(start, end) for start, end in pairwise(found.bags.starts.tolist())][::2]
        rows = normalised(word_vectors.sums([(found.bags.keys[some], weights[some]) for some in words]))
        unsaid = [
            float(weights[some][~found.known[some]].sum() / max(weights[some].sum(), 1e-9)) if asked else 0.0
            for some in words
        ]
        return np.asarray(rows * (_MEANINGS * (1 + _UNSAID * np.array(unsaid)))[:, None], np.float32)


def fit(texts: Sequence[str], dimensions: int, terms: Sequence[str] | None = None) -> TfidfEmbedder:
    """Learn a space of at most so many dimensions from the texts, and those of the meanings; a small library has fewer.

    Deterministic. Above 4,000 texts it learns from that many, evenly spread. `terms`: the search tokens of each text,
    joined by spaces, where they are known.
    """
    places = _landmarks(len(texts))
    known = [terms[place] for place in places] if terms is not None else None
    bags = text_bags([texts[place] for place in places] or [""], known or None)
    count = len(bags.starts) // 2
    keys, frequencies = np.unique(bags.keys, return_counts=True)
    if not len(keys):
        keys, frequencies = np.zeros(1, np.uint64), np.ones(1, np.intp)  # a library without a single word
    telling = _idf(frequencies, count) * _telling(frequencies, count)
    landmarks = _matrix(_placed(bags, keys), telling)
    arrays: Arrays = {
        "keys": keys,
        "frequencies": frequencies.astype(np.int32),
        "weights": landmarks.data,
        "places": landmarks.indices,
        "starts": landmarks.indptr,
        "axes": _axes(landmarks, dimensions // 2),
    }
    payload = io.BytesIO()
    np.savez(payload, allow_pickle=False, **arrays)
    revision = sha256(b"".join(arrays[name].tobytes() for name in sorted(arrays))).hexdigest()[:16]
    size = arrays["axes"].shape[1] + dimensions - dimensions // 2 + word_vectors.DIMENSIONS
    space = Space("tfidf", MODEL, revision, size, payload.getvalue(), len(texts))
    fitted = TfidfEmbedder(space, arrays)
    trial = prepare(texts, terms)
    learned = learn(trial, fitted.embed(trial.texts, trial.terms), fitted.embed_questions(trial.questions))
    fitted.learn(replace(space, calibration=learned))
    return fitted


class TextSample(Sequence[str]):
    """Some of many texts, at their places: `fit` looks at no others than those of `looked_at`."""

    def __init__(self, count: int, texts: dict[int, str]) -> None:
        self._count, self._texts = count, texts

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self._texts[one] for one in range(*place.indices(self._count))]
        return self._texts[int(place)]


def looked_at(count: int) -> list[int]:
    """The places of the texts, of so many, that `fit` learns from and tries the space with."""
    return sorted({*_landmarks(count), *range(count)[:: tried_every(count)]})


def _landmarks(count: int) -> list[int]:
    spread = np.linspace(0, count - 1, min(count, _LANDMARKS)).round().astype(int)
    return [int(place) for place in np.unique(spread)]


def _idf(frequencies: npt.NDArray[Any], texts: int) -> Floats:
    """BM25's: greater than zero even for what is in every text, so that a library of one chunk has vectors."""
    return np.log1p((texts - frequencies + 0.5) / (frequencies + 0.5)).astype(np.float32)


def _telling(frequencies: npt.NDArray[Any], texts: int) -> npt.NDArray[np.bool_]:
    telling: npt.NDArray[np.bool_] = frequencies <= max(_MOST * texts, 2)
    return telling if telling.any() else ~telling


class PlacedFeatures(NamedTuple):
    """Features, of each text its words and its n-grams; their places among the known ones, and whether they are
    there."""

    bags: Bags
    places: npt.NDArray[np.intp]
    known: npt.NDArray[np.bool_]


def _placed(bags: Bags, keys: npt.NDArray[np.uint64]) -> PlacedFeatures:
    distinct, which = np.unique(bags.keys, return_inverse=True)  # sorted, they are found in a quarter of the time
    places = np.minimum(np.searchsorted(keys, distinct), len(keys) - 1)
    return PlacedFeatures(bags, places[which], (keys[places] == distinct)[which])


def _matrix(found: PlacedFeatures, idf: Floats) -> Any:
    """(texts, features), sparse: sublinear TF-IDF, words and n-grams each of length 1."""
    weighted = found.known & (idf[found.places] > 0)
    places = found.places[weighted]
    starts = np.concatenate([[0], np.cumsum(weighted)])[found.bags.starts]
    values = normalised_bags((1 + np.log(found.bags.counts[weighted])) * idf[places], starts)
    return _sparse(values, places, starts[::2], len(idf))


def _sparse(weights: Floats, places: npt.NDArray[Any], starts: npt.NDArray[Any], features: int) -> Any:
    from scipy.sparse import csr_matrix

    return csr_matrix((weights, places, starts), shape=(len(starts) - 1, features))


def _without(landmarks: Any, features: npt.NDArray[np.intp]) -> Any:
    """The landmarks without the values of these features, whose columns stay."""
    kept = np.ones(landmarks.shape[1], np.float32)
    kept[features] = 0
    found = landmarks.copy()
    found.data = found.data * kept[found.indices]
    found.eliminate_zeros()
    return found


def _axes(landmarks: Any, dimensions: int) -> Floats:
    """(landmarks, dimensions): from similarities with the landmarks to coordinates on the longest singular vectors."""
    if not landmarks.nnz:
        return np.zeros((landmarks.shape[0], 1), np.float32)
    similarities = _similarities(landmarks)
    vectors, squared = _singular_vectors(similarities, min(dimensions, len(similarities)))
    kept = squared > _LEAST_AXIS * squared[0]
    vectors, squared = vectors[:, kept], squared[kept]
    # With all axes, distances are those of TF-IDF itself. Where axes are cut off, the strong ones, which follow the
    # library's main topics, drown what tells its chunks apart, unless they are drawn in (by the root of their length).
    power = 0.75 if dimensions < len(similarities) else 0.5
    return np.asarray(vectors / (squared / squared[0]) ** power, np.float32)


def _similarities(landmarks: Any) -> Floats:
    """(landmarks, landmarks): the product with itself. Features of many texts make most of the work, which a dense
    product does faster than a sparse one."""
    often = np.bincount(landmarks.indices, minlength=landmarks.shape[1]) > _OFTEN * landmarks.shape[0]
    columns = landmarks.tocsc()
    common, rare = columns[:, often].toarray(), columns[:, ~often].tocsr()
    return np.asarray(common @ common.T + (rare @ rare.T).toarray(), np.float32)


def _singular_vectors(matrix: Floats, count: int) -> tuple[Floats, Floats]:
    """The first left singular vectors of a symmetric matrix, in columns, and their values: by subspace iteration from
    a random start (Halko et al., "Finding Structure with Randomness", 2011)."""
    from scipy.linalg import lu

    start = np.random.RandomState(0).normal(size=(len(matrix), min(count + _SPARE, len(matrix))))
    found = start.astype(np.float32)
    for _ in range(_ITERATIONS - 1):
        # Between two products LU keeps the columns apart as well, in a seventh of the time.
        found, _ = lu(matrix @ found, permute_l=True, overwrite_a=True, check_finite=False)
    found, _ = np.linalg.qr(matrix @ found)
    vectors, values, _ = np.linalg.svd(found.T @ matrix, full_matrices=False)
    return (found @ vectors)[:, :count], values[:count]
