"""Words of one family, "depart" and "Departure", "windiest" and "Wind": so a verb meets the column it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from planning.tables.operators import tokens

_SUFFIXES = sorted(
    """ations ation itions ition ances ance ences ence ments ment ings ing ers er ors or ees ee ures ure als al ions ion
    iest est ied ies ed es s e y""".split(),
    key=lambda suffix: -len(suffix),
)
_superlative = re.compile(r"[a-z]{2,}est$")
_double = re.compile(r"([bdglmnprt])\1$")
_PAIRS = """
resolv resolut|consum consumpt|produc product|receiv receipt|decid decis|deliv deliver|sell sale|weigh weight
high height|long length|wid width|deep depth|die death|born birth|grow growth|choos choice|lose loss|buy bought
analys analyz|describ descript|subscrib subscript|propos proposal|expir expiry|register registr|rain rainfall
compet competit|divid divis|permit permiss|refer referral
"""
_OTHER_ROOTS = {word: pair.split()[0] for pair in re.split(r"[|\n]", _PAIRS) for word in pair.split()}  # by no suffix
_LEAST = 4  # letters of a root that says enough
_word = re.compile(r"[a-z]+")


@lru_cache(maxsize=20_000)
def root(word: str) -> str:
    """What the words of a family begin with; "" of one that is too short to say."""
    bare = (word.removesuffix(suffix) for suffix in _SUFFIXES if word.endswith(suffix))
    found = _double.sub(r"\1", next((one for one in bare if len(one) >= _LEAST), word))
    found = re.sub(r"[eiy]$", "", found)
    found = _OTHER_ROOTS.get(found, found)
    return found if len(found) >= _LEAST - 1 and len(word) >= _LEAST else ""


def families(titles: Iterable[str]) -> dict[str, list[int]]:
    """The columns by the roots of the words of their names."""
    found: dict[str, list[int]] = {}
    for at, title in enumerate(titles):
        for one in {root(word) for word in _word.findall(title.lower())} - {""}:
            found.setdefault(one, []).append(at)
    return found


def is_superlative(word: str) -> bool:
    return _superlative.match(word) is not None


def says_of(word: str, title: str) -> bool:
    """Whether a word stands in a name, in any form: "attended" in "Lessons attended"."""
    return tokens(word)[0] in tokens(title) if tokens(word) else False
