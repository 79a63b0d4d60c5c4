"""What a word of one language means in the other, where the name of a file is in that one: by the dictionary.

The banks of kinds and subjects go before it; what it knows beside them is every other word that names are made of.
"""

from __future__ import annotations

from functools import lru_cache

from text import STOP_WORDS, search_tokens
from translation.dictionary import shipped
from translation.names import syllables

_HAN = 8  # translations of a Latin word that are looked at
_LATIN = 4  # and of a Chinese one
_NAME = 4  # characters of a name, at most


@lru_cache(maxsize=4_000)
def in_han(word: str) -> tuple[str, ...]:
    """The likeliest Chinese words for a Latin one, or for several."""
    if len(word) < 3 or word in STOP_WORDS:
        return ()
    found = shipped().chinese(" ".join(search_tokens(word)))[:_HAN]
    return tuple(each.text for each in found)


def means_in_han(word: str, han: str) -> bool:
    """Whether Chinese words of a name are what a Latin word means; one character must stand alone, as in 2025春."""
    return any(one in han and (len(one) > 1 or one in han.split()) for one in in_han(word))


def means_in_latin(word: str, names: frozenset[str]) -> bool:
    """Whether Latin words of a name are what a Chinese word means, or how it is read: 恒达 is Hengda."""
    return any(tokens <= _stems(names) for tokens in _in_latin(word)) or (
        len(word) < _NAME + 1 and (read := "".join(syllables(word))) in names and is_name(read)
    )


def reads_as(word: str, han: str) -> bool:
    """Whether a Latin word that nobody knows is how some characters of a name are read: Wanhe, of 物业合同_万和."""
    return bool(han) and is_name(word) and word in _readings(han)


@lru_cache(maxsize=4_000)
def is_name(word: str) -> bool:
    """Whether a Latin word may be a Chinese name: it is no English word, or it only translates such names."""
    return (
        len(word) > 3
        and word.isalpha()
        and all(
            "".join(syllables(each.text)).startswith(word) for each in shipped().chinese(" ".join(search_tokens(word)))
        )
    )


@lru_cache(maxsize=4_000)
def _readings(han: str) -> frozenset[str]:
    """How two to four characters in a row of a name are read."""
    found = set[str]()
    for run in han.split():
        read = [syllables(one) for one in run]
        for start in range(len(read)):
            for size in range(2, _NAME + 1):
                if len(some := read[start : start + size]) == size and all(some):
                    found.add("".join(one[0] for one in some))
    return frozenset(found)


@lru_cache(maxsize=4_000)
def _in_latin(word: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(each.tokens) for each in shipped().english(word)[:_LATIN] if each.tokens)


@lru_cache(maxsize=4_000)
def _stems(words: frozenset[str]) -> frozenset[str]:
    return frozenset(token for word in words for token in search_tokens(word))
