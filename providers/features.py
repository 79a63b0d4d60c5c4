"""What offline vectors are made of: the words of a text and its character n-grams, as 64-bit keys with counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from text import fold, search_tokens

Keys = npt.NDArray[np.uint64]

_GRAMS = (3, 4)
_SPACE = 32
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, without a pattern: the golden ratio's 64 bits
_no_word = re.compile(r"[\W_]+")


class Bag(NamedTuple):
    """Distinct features, sorted by key, and how often each occurs."""

    keys: Keys
    counts: npt.NDArray[np.float32]


def words(text: str, tokens: Sequence[str] | None = None) -> Bag:
    """The search tokens, where they are not known yet."""
    tokens = search_tokens(text) if tokens is None else tokens
    return _counted(np.array([token_key(token) for token in tokens], np.uint64))


def character_grams(text: str) -> Bag:
    """All runs of 3 and 4 characters that do not cross a word's end; Chinese has none of these but punctuation.

    They find what stems miss: compounds, typing errors, names in several spellings, and Chinese phrases.
    """
    spaced = f" {_no_word.sub(' ', fold(text).lower()).strip()} "
    codes = np.frombuffer(spaced.encode("utf-32-le", "replace"), np.uint32).astype(np.uint64)
    found = []
    for size in _GRAMS:
        count = len(codes) - size + 1
        if count > 0:
            keys: Keys = np.full(count, size, np.uint64)
            inside = np.ones(count, bool)
            for place in range(size):
                column = codes[place : place + count]
                keys = keys * _FACTOR + column  # modulo 2**64
                if 0 < place < size - 1:
                    inside &= column != _SPACE
            found.append(keys[inside])
    return _counted(np.concatenate(found) if found else np.zeros(0, np.uint64))


def _counted(keys: Keys) -> Bag:
    distinct, counts = np.unique(keys, return_counts=True)
    return Bag(distinct, counts.astype(np.float32))


@lru_cache(maxsize=200_000)
def token_key(token: str) -> int:
    # Python's own hash is salted anew in every process.
    return int.from_bytes(blake2b(token.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def normalised(rows: Any) -> npt.NDArray[np.float32]:
    """Rows of length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), np.float32)


def hashed(keys: Keys, weights: npt.NDArray[Any], dimensions: int) -> npt.NDArray[np.float32]:
    """Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", 2009: each feature adds to one place,
    up or down, as its key says."""
    signed = np.where(keys >> np.uint64(63), weights, -weights)
    places = (keys & np.uint64(2**62 - 1)) % np.uint64(dimensions)
    return np.bincount(places.astype(np.intp), signed, dimensions).astype(np.float32)
