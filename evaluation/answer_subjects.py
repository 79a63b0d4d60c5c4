"""Sentences that say of the subject itself what is asked: “质保期为二十四个月” to 质保期多长."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluation.answer_reading import Array
from evaluation.answer_types import expected_types, holds
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import raised
from question_words import without_function_words
from text import HAN, simplified

_SAID = 4.0  # times as likely
_stretch = re.compile(rf"[{HAN}]{{2,12}}")
_IS = r"(?:一共|总共|通常|一般|大约|大概|暂)?(?:[是为：:]|定于|不[超低少][过于])"


def with_subjects(question: str, units: Sequence[SourceUnit], shares: Array) -> Array:
    """Such a sentence is likelier where it has all words of the question, one of them right before 是, 为 or a colon,
    and behind that something of the kind that is asked for. Chinese alone: an English sentence that begins so is told
    by the feature “defines”."""
    kinds = expected_types(question)
    asked = _stretch.findall(without_function_words(question)) if kinds else []
    if not asked:
        return shares
    said = re.compile(rf"(?:{'|'.join(map(re.escape, asked))}){_IS}")

    def says(unit: SourceUnit) -> bool:
        text = simplified(unit.text)
        found = said.search(text) if all(stretch in text for stretch in asked) else None
        return found is not None and any(holds(kind, text[found.end() :]) for kind in kinds)

    return raised(shares, [says(unit) for unit in units], _SAID)
