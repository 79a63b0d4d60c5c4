"""What a heading says of a sentence that does not say it itself: the date or version of a change, what it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluation.answer_types import expected_types, holds
from evaluation.blocks import SourceUnit
from printed_headings import heading_words, names_release
from question_words import question_terms
from text import detect_language, search_tokens

_asks_version = re.compile(r"\b(?:version|release)s?\b|版本|哪一?版", re.IGNORECASE)


def with_headings(question: str, shown: Sequence[SourceUnit], named: frozenset[str]) -> list[SourceUnit]:
    """Each with the heading that `with_heading` gives it, or the first of those under a heading that alone says one of
    the words `named` with that: which medicine is taken twice a day. So has one under a title that runs in, where that
    says what the question does and it does not."""
    headed = [with_heading(question, unit) for unit in shown]
    last = ""
    for i, (unit, other) in enumerate(zip(shown, headed, strict=True)):
        heading = unit.headings[-1] if unit.headings else ""
        if (
            other is unit
            and unit.kind == "prose"
            and heading not in ("", last)
            and (not named.isdisjoint(told := search_tokens(heading)) or (unit.run_in and _adds(told, unit, question)))
        ):
            headed[i] = unit.headed(heading_words(heading))
        last = heading
    return headed


def _adds(told: Sequence[str], unit: SourceUnit, question: str) -> bool:
    return not {*question_terms(question)}.intersection(told).issubset(search_tokens(unit.text))


def with_heading(question: str, unit: SourceUnit) -> SourceUnit:
    """The sentence or item under the heading with the time that is asked for, where it has none itself; what stands in
    a list of changes, always under its version and the kind of change."""
    if unit.kind not in ("prose", "item"):
        return unit
    kinds = expected_types(question)
    release = next((at for at, title in enumerate(unit.headings) if names_release(title)), None)
    if release is not None:
        change = unit.headings[release:]
        return unit.headed(("，" if detect_language("".join(change)) == "zh" else ", ").join(change))
    if "time" not in kinds or holds("time", unit.text):
        return unit
    dated = next((title for title in reversed(unit.headings) if holds("time", title)), None)
    return unit.headed(dated) if dated else unit
