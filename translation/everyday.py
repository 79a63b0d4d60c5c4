"""What documents say for a word that people ask by: 腹泻 for 拉肚子, "lessor" for "landlord".

`everyday_words.txt` lists them. They are of everyday life and work, in both languages; a word that has several meanings
leads to those that documents of a house, an office or a club have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import accumulate, islice
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from text import fold, search_tokens, stems

PATH = Path(__file__).parent / "everyday_words.txt"
_SURELY = 2  # of what documents say for a word, the first: the others are but related
_LONGEST = 4  # words that jieba cuts a Chinese one into
_READ = 1_000  # characters of a question: a pasted page is none
_word = re.compile(r"[A-Za-z]{2,30}")
_NONE: Mapping[str, str] = MappingProxyType({})


def said_for(term: str) -> Mapping[str, str]:
    """The search tokens that documents have for one, the likeliest first, each with its word; empty for most."""
    words = _table().get(term)
    return _tokens_of(words) if words else _NONE


class EverydayWord(NamedTuple):
    """A word in a question, from one offset to another, its search token, and those of what documents say for it."""

    start: int
    end: int
    term: str
    others: tuple[str, ...]


def everyday_words(question: str) -> tuple[EverydayWord, ...]:
    """The words of a question for which documents surely say others, in its order; Chinese ones, as 无线 for "wifi",
    only of a Chinese question. None where folding changes its length."""
    folded = fold(question) if len(question) <= _READ else ""
    if len(folded) != len(question):
        return ()
    found, end = list[EverydayWord](), 0
    for start, stop, term in sorted([*_english(folded), *_chinese(folded)]):
        if start >= end:
            others = (other for other in said_for(term) if other.isascii() or not question.isascii())
            found.append(EverydayWord(start, stop, term, tuple(islice(others, _SURELY))))
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


@lru_cache(maxsize=1_000)
def _tokens_of(words: str) -> Mapping[str, str]:
    """The search token of each word, and the word."""
    said = dict[str, str]()
    for word in words.split():
        said.setdefault(search_tokens(word)[0] if word.isascii() else word, word)
    return MappingProxyType(said)


@cache
def _table() -> Mapping[str, str]:
    """By the search token of what people ask by the words that documents say, as they stand in the file: most are
    never asked for, and a stemmer takes its time."""
    lines = PATH.read_text(encoding="utf-8").splitlines()
    pairs = [line.split(" ", 1) for line in lines if line and not line.startswith("#")]
    english = [asked for asked, _ in pairs if asked.isascii()]
    token_of = dict(zip(english, stems(english), strict=True))
    return {token_of.get(asked, asked): words for asked, words in pairs}
