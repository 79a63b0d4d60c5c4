"""What documents say for a word that people ask by: 腹泻 for 拉肚子, "lessor" for "landlord".

`everyday_words.txt` lists them. They are of everyday life and work, in both languages; a word that has several meanings
leads to those that documents of a house, an office or a club have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from text import fold, search_tokens

PATH = Path(__file__).parent / "everyday_words.txt"
_SURELY = 2  # of what documents say for a word, the first: the others are but related
_LONGEST = 4  # words that jieba cuts a Chinese one into
_READ = 1_000  # characters of a question: a pasted page is none
_word = re.compile(r"[A-Za-z]{2,30}")
_NONE: Mapping[str, str] = MappingProxyType({})


def said_for(term: str) -> Mapping[str, str]:
    """The search tokens that documents have for one, the likeliest first, each with its word; empty for most."""
    return _table().get(term, _NONE)


class EverydayWord(NamedTuple):
    """A word in a question, from one offset to another, its search token, and those of what documents say for it."""

    start: int
    end: int
    term: str
    others: tuple[str, ...]


def everyday_words(question: str) -> tuple[EverydayWord, ...]:
    """The words of a question for which documents surely say others, in its order. None where folding changes its
    length."""
    folded = fold(question) if len(question) <= _READ else ""
    if len(folded) != len(question):
        return ()
    found, end = list[EverydayWord](), 0
    for start, stop, term in sorted([*_english(folded), *_chinese(folded)]):
        if start >= end:
            found.append(EverydayWord(start, stop, term, tuple(said_for(term))[:_SURELY]))
            end = stop
    return tuple(found)


def _english(question: str) -> Iterator[tuple[int, int, str]]:
    for match in _word.finditer(question):
        tokens = search_tokens(match[0])
        if len(tokens) == 1 and said_for(tokens[0]):
            yield *match.span(), tokens[0]


def _chinese(question: str) -> Iterator[tuple[int, int, str]]:
    """From where one word begins to where one ends, the longest at each place: 房东 is no part of 出租房东西."""
    import rjieba

    starts = [] if question.isascii() else [0, *accumulate(map(len, rjieba.cut(question)))]
    for at, start in enumerate(starts):
        words = ((start, end, question[start:end]) for end in reversed(starts[at + 1 : at + 1 + _LONGEST]))
        yield from [one for one in words if not one[2].isascii() and said_for(one[2])][:1]


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    said: dict[str, dict[str, str]] = {}
    for line in PATH.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            asked, *others = line.split()
            known = said.setdefault(_token(asked), {})
            known |= {token: word for word in others if (token := _token(word)) not in known}
    return said


def _token(word: str) -> str:
    """The one search token that a word is."""
    return search_tokens(word)[0] if word.isascii() else word
