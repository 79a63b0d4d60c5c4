"""Lines whose label says what is asked for: “Duration: 47 minutes” to "how long", “地点：操场” to 在哪里."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from evaluation.answer_reading import Array
from evaluation.answer_types import AnswerType, expected_types, holds
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import raised
from question_words import question_terms
from text import HAN, search_tokens, simplified

_LABELS: Mapping[AnswerType, str] = {
    "duration": r"duration|(?:total )?length|time taken|(?:总|预计)?时长|历时|用时|持续时间|周期|工期|期限",
    "time": rf"dates?|times?|when|date and time|([{HAN}]{{0,4}}?)(?:日期|时间)",
    "place": rf"places?|locations?|venues?|where|address|([{HAN}]{{0,4}}?)(?:地点|地址|场地|位置)",
}
_labelled = {kind: re.compile(rf"(?:{label})\s?[:：|]\s*\S", re.IGNORECASE) for kind, label in _LABELS.items()}
_within_sentence = re.compile(r"(?:地点|地址|位置)(?:[是为在]|设在|位于)")
_OF_ANY = frozenset("会议 活动 举办 开始 发布 集合".split())
_ASKED = 20.0  # times as likely


def with_labels(question: str, units: Sequence[SourceUnit], shares: Array) -> Array:
    """Such a line is likelier where it stands under a heading that speaks of what the question is about, and says
    something of the kind; places are not always known for such."""
    kinds = expected_types(question) & _LABELS.keys()
    asked = {*question_terms(question)} if kinds else set()
    if not asked:
        return shares
    said = simplified(question)
    return raised(shares, [_answers(unit, kinds, asked, said) for unit in units], _ASKED)


def _answers(unit: SourceUnit, kinds: frozenset[AnswerType], asked: set[str], question: str) -> bool:
    text = simplified(unit.text)
    if any(_has_label(kind, text, question) for kind in kinds):
        return not asked.isdisjoint(search_tokens(unit.context))
    told = "place" in kinds and _within_sentence.search(text) is not None
    return told and not asked.isdisjoint(search_tokens(f"{text} {unit.context}"))


def _has_label(kind: AnswerType, text: str, question: str) -> bool:
    """A label of Chinese may say of what it is, as “签订地点” does: then the question says something of that."""
    match = _labelled[kind].match(text)
    if not match or not (kind == "place" or holds(kind, text)):
        return False
    of = match[1] if match.re.groups else ""
    return not of or of in _OF_ANY or any(character in question for character in of)
