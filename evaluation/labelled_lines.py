"""Lines whose label says what is asked for: “Duration: 47 minutes” to "how long", “地点：操场” to 在哪里."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from evaluation.answer_sentences import Array
from evaluation.answer_types import AnswerType, expected_types, holds
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import raised
from question_words import question_terms
from text import search_tokens, simplified

_LABELS: Mapping[AnswerType, str] = {
    "duration": r"duration|(?:total )?length|time taken|(?:总|预计)?时长|历时|用时|持续时间|周期|工期|期限",
    "time": r"dates?|times?|when|date and time|(?:会议|活动|举办|开始|发布)?(?:日期|时间)",
    "place": r"places?|locations?|venues?|where|address|(?:会议|活动|举办|集合)?(?:地点|地址|场地|位置)",
}
_labelled = {kind: re.compile(rf"(?:{label})\s?[:：|]\s*\S", re.IGNORECASE) for kind, label in _LABELS.items()}
_ASKED = 20.0  # times as likely


def with_labels(question: str, units: Sequence[SourceUnit], shares: Array) -> Array:
    """Such a line is likelier where it stands under a heading that speaks of what the question is about, and says
    something of the kind; places are not always known for such."""
    kinds = expected_types(question) & _LABELS.keys()
    asked = {*question_terms(question)} if kinds else set()
    return raised(shares, [_answers(unit, kinds, asked) for unit in units], _ASKED) if asked else shares


def _answers(unit: SourceUnit, kinds: frozenset[AnswerType], asked: set[str]) -> bool:
    text = simplified(unit.text)
    told = any(_labelled[kind].match(text) and (kind == "place" or holds(kind, text)) for kind in kinds)
    return told and not asked.isdisjoint(search_tokens(unit.context))
