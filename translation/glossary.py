"""Terms as people translate them: company names, products, what no dictionary has. They win over the dictionary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from schema import Alternative, GlossaryPair, TermGroup
from text import CJK, fold, search_tokens

SETS = frozenset({"glossary", "术语表", "術語表"})  # names of document sets, whatever their case
LONGEST = 200  # characters of a term

_LONGEST_LINE = 80  # characters of "term: 词"; a longer one is a sentence
_ITSELF = 0.5  # weight of an English name as it is: Chinese texts often keep it
_cjk = re.compile(f"[{CJK}]")
_part = re.compile(rf"(?P<cjk>[{CJK}]+)|(?P<other>[^{CJK}\s]+)")
_line = re.compile(r"[ \t]*(?:[-*+][ \t]+|\|)?(?P<cells>[^\n]+)")
_between = re.compile(r"(?<![ \t])[ \t]*(?:[|；\t=]|;[ \t])[ \t]*")
_colon = re.compile(r"：|: ")
_label = re.compile(r"[^：:]{1,40}(?:：|: )")
_HEADS = frozenset(  # of columns
    "中文 汉语 简体 简体中文 英文 英语 术语 词条 名称 译名 译文 原文 "
    "chinese english zh en term terms translation source target name".split()
)


class GlossaryMatch(NamedTuple):
    """A term of a glossary in a text, from one offset to another."""

    start: int
    end: int
    group: TermGroup


class Glossary:
    """Pairs of terms, looked up both ways."""

    def __init__(self, pairs: Iterable[GlossaryPair] = ()) -> None:
        self._english: dict[str, list[str]] = {}
        self._chinese: dict[tuple[str, ...], list[str]] = {}
        for pair in dict.fromkeys((pair.chinese, pair.english) for pair in pairs):
            self._english.setdefault(fold(pair[0]).casefold(), []).append(pair[1])
            self._chinese.setdefault((*search_tokens(pair[1]),), []).append(pair[0])
        self._by_first: dict[str, list[str]] = {}  # the Chinese terms, longest first
        for term in sorted(self._english, key=len, reverse=True):
            self._by_first.setdefault(term[0], []).append(term)
        self.longest = max(map(len, self._chinese), default=0)  # tokens of an English term

    def matches(self, folded: str) -> Iterator[GlossaryMatch]:
        """The Chinese terms in a folded text, the longest first at each place, in its order."""
        lower, place = folded.lower(), 0
        if len(lower) != len(folded):  # no offset would be right
            return
        while self._by_first and place < len(lower):
            terms = self._by_first.get(lower[place], ())
            found = next((term for term in terms if _stands_at(term, lower, place)), "")
            if found:
                named = [
                    Alternative(tuple(dict.fromkeys(search_tokens(one))), 1.0, one) for one in self._english[found]
                ]
                term = folded[place : place + len(found)]
                yield GlossaryMatch(place, place + len(found), TermGroup(tuple(named), term=term, given=True))
            place += len(found) or 1

    def says(self, text: str) -> bool:
        """Whether a word of an English text is part of any term, as the number of a product is."""
        return bool(self._chinese) and any(not said.isdisjoint(search_tokens(text)) for said in map(set, self._chinese))

    def chinese(self, tokens: Sequence[str]) -> TermGroup | None:
        """The group of an English term."""
        found = self._chinese.get((*tokens,))
        if not found:
            return None
        named = [Alternative(_tokens_of(one), 1.0, one) for one in found]
        itself = Alternative(tuple(dict.fromkeys(tokens)), _ITSELF)
        return TermGroup((*named, itself), float(len(tokens)), " ".join(tokens), given=True)


def pair_of(one: str, other: str, document: str = "") -> GlossaryPair | None:
    """Of two terms, in whichever order; None where they are not one Chinese and one English term."""
    chinese, english = (" ".join(term.split()) for term in sorted((one, other), key=lambda term: not _cjk.search(term)))
    if not _cjk.search(chinese) or _cjk.search(english) or max(len(chinese), len(english)) > LONGEST:
        return None
    return GlossaryPair(chinese, english, document) if search_tokens(english) else None


def read_pairs(text: str, document: str = "") -> list[GlossaryPair]:
    """The pairs of a text as it is stored: of each row of a table, and of each line "term = 词", the first Chinese and
    the first English cell. Names of columns are no pair."""
    found = dict[GlossaryPair, None]()
    for line in _line.finditer(text):
        cells = _cells(line[0].strip(), line["cells"])
        chinese = next((cell for cell in cells if _cjk.search(cell)), "")
        english = next((cell for cell in cells if cell and not _cjk.search(cell) and search_tokens(cell)), "")
        if {chinese.strip().casefold(), english.strip().casefold()} <= _HEADS:
            continue
        if pair := pair_of(chinese, english, document):
            found[pair] = None
    return [*found]


def _cells(line: str, inside: str) -> list[str]:
    """Of the row of a table "| a | b |", of one that is written with its columns "- A: a; B: b", of "a = b", "a: b"."""
    cells = _between.split(inside)
    if len(cells) > 1:
        return [_label.sub("", cell, count=1) for cell in cells] if line.startswith("-") else cells
    return _colon.split(inside, maxsplit=1) if len(line) <= _LONGEST_LINE else cells


def _stands_at(term: str, text: str, place: int) -> bool:
    """True for a term that is there and does not begin or end within a Latin word."""
    end = place + len(term)
    return text.startswith(term, place) and not (_splits(text, place) or _splits(text, end))


def _splits(text: str, place: int) -> bool:
    sides = text[max(place - 1, 0) : place + 1]
    return len(sides) == 2 and sides.isalnum() and not _cjk.search(sides)


def _tokens_of(chinese: str) -> tuple[str, ...]:
    """The search tokens that every text with the term has."""
    tokens = [
        token
        for part in _part.finditer(fold(chinese))
        for token in (characters_of(part[0]) if part.lastgroup == "cjk" else search_tokens(part[0]))
    ]
    return tuple(dict.fromkeys(tokens))


def characters_of(word: str) -> tuple[str, ...]:
    """The search tokens that every text with a Chinese word has, however it is cut: its pairs of characters."""
    if len(word) <= 2:  # as most
        return (word,)
    return tuple(dict.fromkeys([word[i : i + 2] for i in range(len(word) - 1)]))
