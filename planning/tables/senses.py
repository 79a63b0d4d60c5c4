"""What Chinese words mean in English, in short: by this a word of a question meets the name of a column that says the
same in other words, or in the other language."""

from __future__ import annotations

import re
from functools import lru_cache

from planning.tables.operators import tokens
from text import STOP_WORDS, detect_language
from translation.dictionary import shipped

_WEIGHT = 0.45  # of a translation that counts
_MOST = 4  # translations of a word
_TRANSLATIONS = 6
_aside = re.compile(r"\([^)]*\)|\b(?:sth|sb|one's|oneself|etc)\b\.?")
_goes_on = re.compile(r"\s(?:for|of|in|to|on|at|from|with|by|and|or)\s.*$|[,;/].*$")
_STOPS = frozenset(tokens(word) for word in STOP_WORDS) | {tokens(word) for word in ("thing", "person", "make")}


@lru_cache(maxsize=20_000)
def senses(word: str) -> frozenset[tuple[str, ...]]:
    """The stems of each short translation of a Chinese word; none for an unknown word."""
    found = set()
    for one in shipped().english(word)[:_MOST]:
        if one.weight < _WEIGHT:
            continue
        bare = _goes_on.sub("", _aside.sub(" ", one.text.removeprefix("to ")).strip().replace("-", " "))
        stems = tuple(stem for stem in tokens(bare) if (stem,) not in _STOPS)
        if 1 <= len(stems) <= 2:
            found.add(stems)
    return frozenset(found)


@lru_cache(maxsize=5_000)
def translations(text: str) -> tuple[tuple[str, ...], ...]:
    dictionary = shipped()
    if detect_language(text) == "zh":
        return tuple(tokens(one.text) for one in dictionary.english(text)[:_TRANSLATIONS])
    return tuple(tokens(one.text) for one in dictionary.chinese(" ".join(tokens(text)))[:_TRANSLATIONS])
