"""What is asked for by the title of a section: "What was the root cause?", “处理结果是什么？”."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.answer_types import asks_whether, expected_types
from evaluation.blocks import SourceUnit
from evaluation.steps import heading_of
from question_words import asks_how_to, question_terms


def section_asked_for(question: str, units: Sequence[SourceUnit]) -> list[int]:
    """The places of the units in the first section whose own title says what the question does, and no more. Empty
    where something in particular is asked for: a number, a time, a person, whether, how."""
    if expected_types(question) - {"reason"} or asks_whether(question) or asks_how_to(question):
        return []
    asked = {*question_terms(question)}
    titles = {heading: _terms_of(heading) for heading in dict.fromkeys(map(heading_of, units))}
    named = next((one for one in units if one.answers and titles[heading_of(one)] == asked), None)
    if named is None or len(titles) == 1:  # the title of all that was found tells nothing apart
        return []
    section = named.hit, heading_of(named)
    return [i for i, one in enumerate(units) if one.answers and (one.hit, heading_of(one)) == section]


def _terms_of(heading: str) -> set[str]:
    title = heading.rpartition(" > ")[2]
    return {term for term in question_terms(title) if not term.isdigit()} if title else set()
