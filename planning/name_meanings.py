"""What a word of one language means in the other, where the name of a file is in that one: by the dictionary.

The banks of kinds and subjects go before it; what it knows beside them is every other word that names are made of.
"""

from __future__ import annotations

from functools import lru_cache

from text import STOP_WORDS, search_tokens
from translation.dictionary import shipped

_HAN = 8  # translations of a Latin word that are looked at
_LATIN = 4  # and of a Chinese one


@lru_cache(maxsize=4_000)
def in_han(word: str) -> tuple[str, ...]:
    """The likeliest Chinese words of two characters or more for a Latin one."""
    if len(word) < 3 or word in STOP_WORDS:
        return ()
    found = shipped().chinese(" ".join(search_tokens(word)))[:_HAN]
    return tuple(each.text for each in found if len(each.text) > 1)


def means_in_latin(word: str, names: frozenset[str]) -> bool:
    """Whether Latin words of a name are what a Chinese word means."""
    return any(tokens <= _stems(names) for tokens in _in_latin(word))


@lru_cache(maxsize=4_000)
def _in_latin(word: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(each.tokens) for each in shipped().english(word)[:_LATIN] if each.tokens)


@lru_cache(maxsize=4_000)
def _stems(words: frozenset[str]) -> frozenset[str]:
    return frozenset(token for word in words for token in search_tokens(word))
