"""Sentences that are little more than what is asked for: “Friday, 15 January, 19:30, in the hall” under a heading."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.answer_reading import Array
from evaluation.answer_types import AnswerType, expected_of_titles, spans
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import raised
from evaluation.steps import heading_of
from question_words import question_terms
from text import search_tokens

_KINDS: frozenset[AnswerType] = frozenset({"time", "duration", "place", "person", "contact"})
_BEGINS = 3  # characters before what is asked for, at most
_LEAST = 0.3  # of its characters
_SECTION = 2  # headings over what stands in a section of a document
_SAID = 30.0  # times as likely


def with_bare_facts(question: str, units: Sequence[SourceUnit], shares: Array) -> Array:
    """Such a sentence is likelier where its heading says a word of the question: it names nothing itself, so that its
    heading does; where that says all of the question, it may go on. The title of a whole document tells too little."""
    kinds = expected_of_titles(question) & _KINDS
    asked = {term for term in question_terms(question) if len(term) > 1} if kinds else set()
    if not asked:
        return shares

    def begins(unit: SourceUnit) -> bool:
        titled = asked.intersection(search_tokens(heading_of(unit)))
        whole = len(titled) > 1 and titled == asked
        if unit.kind != "prose" or not titled or (len(unit.headings) < _SECTION and not whole):
            return False
        found = [span for kind in kinds for span in spans(kind, unit.text)]
        told = sum(end - start for start, end in found)
        first = min((start for start, _ in found), default=_BEGINS + 1)
        return first <= _BEGINS and (whole or told >= _LEAST * len(unit.text))

    return raised(shares, [begins(unit) for unit in units], _SAID)
