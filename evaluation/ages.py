"""How old somebody is, or has to be."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluation.answer_reading import Array
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import raised
from text import simplified

_asks = re.compile(
    r"\bhow old (?:is|are|was|were|do|does|must|should|can|may|need)\b|\b(?:what|which) age\b|(?:今年|现在|几|多少)岁"
    r"|多大(?:年纪|岁数|了|才?[能可])|年龄是?多[大少]",
    re.IGNORECASE,
)
_says = re.compile(
    r"\d\s?(?:周?岁|years? old\b|yrs?\b)|[一二三四五六七八九十]周?岁|\baged?\b|\bborn\b"
    r"|\b(?:under|over|below|above) \d\d?\b(?![.,]?\d| ?[%a-z])|\b(?:under|over)-?\d\ds\b|月大"
    r"|出生(?![证地医])|生于|生日",
    re.IGNORECASE,
)
_SAID = 10_000.0  # times as likely: what is asked about seldom stands beside it


def asks_age(question: str) -> bool:
    """Whether it is asked how old somebody is."""
    return _asks.search(simplified(question)) is not None


def with_ages(question: str, units: Sequence[SourceUnit], shares: Array) -> Array:
    """What says an age is likelier where one is asked for."""
    if not asks_age(question):
        return shares
    return raised(shares, [_says.search(simplified(unit.text)) is not None for unit in units], _SAID)
