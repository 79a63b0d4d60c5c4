"""Questions that a source asks itself, as a list of frequent ones does, and what answers them there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from evaluation.answer_reading import Array
from evaluation.blocks import SourceUnit
from evaluation.unmarked_questions import asks
from question_words import question_terms
from text import search_tokens

_LONGEST = 320  # characters of an answer that is shown whole: a longer one is a section


def with_source_questions(units: Sequence[SourceUnit], shares: Array) -> Array:
    """A question of the source, as “问：多久到账？”, speaks for what stands behind it, and so do several in a row."""
    moved, asked = shares.copy(), 0.0
    for i, (one, behind) in enumerate(pairwise(units)):
        question = one.hit == behind.hit and not one.answers and asks(one.text)
        asked = asked + shares[i] if question else 0.0
        if question:
            moved[i] = 0.0
            moved[i + 1] += asked if behind.answers else 0.0
    return moved


def answer_around(question: str, units: Sequence[SourceUnit], place: int) -> list[int]:
    """The places of all sentences that answer the question of the source which one of them stands under, if they are
    few and it has a word of the question; just that one where it stands under none."""
    if {*question_terms(question)}.isdisjoint(search_tokens(units[place].context.rpartition("\n")[2])):
        return [place]
    here = [i for i, unit in enumerate(units) if unit.answers and _is_answered_with(unit, units[place])]
    return here if sum(len(units[i].text) for i in here) <= _LONGEST else [place]


def _is_answered_with(unit: SourceUnit, other: SourceUnit) -> bool:
    asked = asks(other.context.rpartition("\n")[2]) and unit.kind == other.kind == "prose"
    return unit is other or (asked and unit.hit == other.hit and unit.context == other.context)
