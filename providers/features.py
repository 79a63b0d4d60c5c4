"""What offline vectors are made of: the words of a text and its character n-grams, as 64-bit keys with counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from text import fold, search_tokens

Keys = npt.NDArray[np.uint64]

AT_ONCE = 256  # texts: numpy takes as long for one as for ten, and memory for all
_GRAMS = (3, 4)
_SPACE = 32
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, without a pattern: the golden ratio's 64 bits
_no_word = re.compile(r"[\W_]+")


class Bags(NamedTuple):
    """Bags of features, one after the other: the distinct ones of each, sorted by key, and how often each occurs."""

    keys: Keys
    counts: npt.NDArray[np.float32]
    starts: npt.NDArray[np.intp]  # where each bag begins, and where the last one ends


def text_bags(texts: Sequence[str], terms: Sequence[str] | None = None) -> Bags:
    """Of each text, of which there is one at least, its words and then its character n-grams. `terms`: the search
    tokens of each text, joined by spaces, where they are known."""
    found: list[Keys] = []
    for start in range(0, len(texts), AT_ONCE):
        some = texts[start : start + AT_ONCE]
        for place, grams in enumerate(character_grams(some), start):
            found += _token_keys(search_tokens(texts[place]) if terms is None else terms[place].split()), grams
    return _counted(found)


def _counted(features: Sequence[Keys]) -> Bags:
    keys = np.concatenate([np.sort(some) for some in features])
    edges = np.cumsum([0, *map(len, features)])
    is_first = np.ones(len(keys) + 1, bool)
    is_first[1:-1] = keys[1:] != keys[:-1]
    is_first[edges] = True
    firsts = np.flatnonzero(is_first)
    return Bags(keys[firsts[:-1]], np.diff(firsts).astype(np.float32), np.searchsorted(firsts, edges))


def words(text: str) -> Keys:
    """Its search tokens, each once."""
    return np.unique(_token_keys(search_tokens(text)))


def _token_keys(tokens: Sequence[str]) -> Keys:
    return np.array([token_key(token) for token in tokens], np.uint64)


def character_grams(texts: Sequence[str]) -> list[Keys]:
    """Of each text all runs of 3 and 4 characters that do not cross a word's end; Chinese has none of these but
    punctuation.

    They find what stems miss: compounds, typing errors, names in several spellings, and Chinese phrases.
    """
    # Between two texts stand two spaces, which are within no run.
    spaced = [f" {_no_word.sub(' ', fold(text).lower()).strip()} " for text in texts]
    codes = np.frombuffer("".join(spaced).encode("utf-32-le", "replace"), np.uint32).astype(np.uint64)
    edges = np.cumsum([0, *map(len, spaced)])
    found = []
    for size in _GRAMS:
        count = max(len(codes) - size + 1, 0)
        keys: Keys = np.full(count, size, np.uint64)
        inside = np.ones(count, bool)
        for place in range(size):
            column = codes[place : place + count]
            keys = keys * _FACTOR + column  # modulo 2**64
            if 0 < place < size - 1:
                inside &= column != _SPACE
        found.append(np.split(keys[inside], np.searchsorted(np.flatnonzero(inside), edges[1:-1])))
    return [np.concatenate(runs) for runs in zip(*found, strict=True)]


@lru_cache(maxsize=200_000)
def token_key(token: str) -> int:
    # Python's own hash is salted anew in every process.
    return int.from_bytes(blake2b(token.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def normalised(rows: Any) -> npt.NDArray[np.float32]:
    """Rows of length 1; a row of zeros stays one."""
    return _divided(rows, np.linalg.norm(rows, axis=-1, keepdims=True))


def normalised_bags(weights: npt.NDArray[Any], starts: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
    """The weights of bags that stand one after the other, those of each bag of length 1."""
    squares = weights * weights
    lengths = np.sqrt([np.add.reduce(squares[start:end]) for start, end in pairwise(starts.tolist())])
    return _divided(weights, np.repeat(lengths, np.diff(starts)))


def _divided(rows: Any, lengths: Any) -> npt.NDArray[np.float32]:
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), np.float32)


def hashed(bags: Bags, weights: npt.NDArray[Any], dimensions: int) -> npt.NDArray[np.float32]:
    """(bags, dimensions). Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", 2009: each feature
    adds to one place, up or down, as its key says."""
    count = len(bags.starts) - 1
    signed = np.where(bags.keys >> np.uint64(63), weights, -weights)
    places = ((bags.keys & np.uint64(2**62 - 1)) % np.uint64(dimensions)).astype(np.intp)
    places += np.repeat(np.arange(count) * dimensions, np.diff(bags.starts))
    return np.bincount(places, signed, count * dimensions).astype(np.float32).reshape(count, dimensions)
