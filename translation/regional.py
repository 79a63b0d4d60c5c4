"""Words that the mainland, Taiwan and Hong Kong have each their own for: 软件 and 軟體, 信息 and 資訊.

`regional_words.txt` is made of the phrase tables of OpenCC (Apache License 2.0) by `scripts/make_regional_words.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from text import fold

PATH = Path(__file__).parent / "regional_words.txt"
LONGEST = 8  # characters of a word
_REMEMBERED = 32  # texts: a question is searched, translated and held against its source


class RegionalWord(NamedTuple):
    """A word in a text, from one offset to another, and what other regions say for it, in simplified script."""

    start: int
    end: int
    word: str
    others: tuple[str, ...]


@lru_cache(_REMEMBERED)
def regional_words(text: str) -> tuple[RegionalWord, ...]:
    """The words of a text that other regions have others for, the longest first at each place, in its order.

    The offsets are those of the text where folding keeps its length, else nothing is found. A word that a longer one
    begins with does not count: 软体动物 are no software, while 应用软体 is.
    """
    folded, table = fold(text), _table()
    if len(folded) != len(text) or text.isascii():
        return ()
    starts = [place for place in range(len(folded) - 1) if folded[place : place + 2] in table.beginnings]
    found, end = list[RegionalWord](), 0
    reach = _reach(folded) if starts else []
    for start in starts:
        here = next((start + size for size in range(LONGEST, 1, -1) if folded[start : start + size] in table.others), 0)
        if start >= end and here >= max(reach[start], 1):
            word, end = folded[start:here], here
            found.append(RegionalWord(start, here, word, table.others[word]))
    return tuple(found)


def _reach(folded: str) -> list[int]:
    """For each character where the word ends that it is in."""
    import rjieba

    words = rjieba.cut(folded)
    return [end for word, end in zip(words, accumulate(map(len, words)), strict=True) for _ in word]


class _Table(NamedTuple):
    others: Mapping[str, tuple[str, ...]]
    beginnings: frozenset[str]  # the first two characters of each word


@cache
def _table() -> _Table:
    others: dict[str, tuple[str, ...]] = {}
    for line in PATH.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            one, other = line.split(" ")
            others[one] = (*others.get(one, ()), other)
            others[other] = (*others.get(other, ()), one)
    return _Table(others, frozenset(word[:2] for word in others))
