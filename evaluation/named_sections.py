"""What only headings name: “布洛芬一天吃几次？” is about the section “布洛芬缓释胶囊”, and no other says the word."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluation.answer_reading import Array
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import raised
from evaluation.titled_sections import without_number
from question_words import question_terms
from text import search_tokens

_NAMED = 100.0  # times as likely
_word = re.compile(r"[a-z][a-z'’-]*")
_rest = re.compile(
    r"\W*(?:others?|rest|general|misc\w*|notes?|其[他它]|另外|杂项|备注|附则)(?:事项|说明|问题|情况)?\W*", re.IGNORECASE
)


def named_in_headings(question: str, units: Sequence[SourceUnit], terms: Sequence[frozenset[str]]) -> frozenset[str]:
    """The words of the question that headings say, and no sentence; `terms` are those of each unit. The title of a
    whole document, where it has others, tells nothing."""
    titles = "\n".join(dict.fromkeys(title for unit in units for title in unit.headings[1:] if not _names_rest(title)))
    asked = {term for term in question_terms(question) if len(term) > 1}
    titled = asked.intersection(search_tokens(titles)) - _other_words(question, titles)
    return frozenset(term for term in asked & titled if not any(term in said for said in terms))


def stands_under(unit: SourceUnit, named: frozenset[str]) -> bool:
    """Whether a heading says one of these words."""
    return bool(named) and not named.isdisjoint(search_tokens(" ".join(unit.headings[1:])))


def with_named_sections(units: Sequence[SourceUnit], named: frozenset[str], shares: Array) -> Array:
    """Sentences under headings that say these words are likelier."""
    return raised(shares, [stands_under(unit, named) for unit in units], _NAMED) if named else shares


def _names_rest(title: str) -> bool:
    """Whether what stands under a title is only the rest: “五、其他”."""
    return _rest.fullmatch(without_number(title)) is not None


def _other_words(question: str, titles: str) -> set[str]:
    """The stems that both share in different words alone: what is “supported” is not the section “Support”."""
    asked, titled = (_word.findall(text.lower()) for text in (question, titles))
    same = {term for word in {*asked} & _in_both_numbers(titled) for term in search_tokens(word)}
    return {*search_tokens(" ".join(asked))} - same


def _in_both_numbers(words: Sequence[str]) -> set[str]:
    return {*words, *(f"{word}s" for word in words), *(word.removesuffix("s") for word in words)}
