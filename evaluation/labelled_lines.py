"""Lines whose label says what is asked for: “Duration: 47 minutes” to "how long", “地点：操场” to 在哪里."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from evaluation.answer_reading import Array
from evaluation.answer_types import AnswerType, expected_types, holds
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import raised
from question_words import asks_how_to, question_terms
from text import HAN, search_tokens, simplified

_LABELS: Mapping[AnswerType, str] = {
    "duration": r"duration|(?:total )?length|time taken|(?:总|预计)?时长|历时|用时|持续时间|周期|工期|期限",
    "time": rf"dates?|times?|when|date and time|([{HAN}]{{0,4}}?)(?:日期|时间)",
    "place": rf"places?|locations?|venues?|where|address|([{HAN}]{{0,4}}?)(?:地点|地址|场地|位置)",
}
_labelled = {kind: re.compile(rf"(?:{label})\s?[:：|]\s*\S", re.IGNORECASE) for kind, label in _LABELS.items()}
_within_sentence = re.compile(r"(?:地点|地址|位置)(?:[是为在]|设在|位于)")
_OF_ANY = frozenset("会议 活动 举办 开始 发布 集合".split())
ANY_LABEL = re.compile(r"\W{0,4}([^：:；;，,。.?？!！(（\n]{2,30})(?:\*\*)?\s?(?:：|:(?=[\s*]))\W*(?=\w)")
_SUBJECT, _ASKED = 10.0, 20.0  # times as likely


def with_labels(question: str, units: Sequence[SourceUnit], shares: Array) -> Array:
    """Such a line is likelier where it stands under a heading that speaks of what the question is about, and says
    something of the kind; places are not always known for such. So is one whose label is what the question is about."""
    asked, kinds = {*question_terms(question)}, expected_types(question)
    shares = shares if asks_how_to(question) else raised(shares, _of_subjects(units, asked, kinds), _SUBJECT)
    if not (labelled := kinds & _LABELS.keys()):
        return shares
    said = simplified(question)
    return raised(shares, [_answers(unit, labelled, asked, said) for unit in units], _ASKED)


def _of_subjects(units: Sequence[SourceUnit], asked: set[str], kinds: frozenset[AnswerType]) -> list[bool]:
    """Of each unit, whether its label alone is what the question is about: “Parking: there are 14 spaces”."""
    labels = [ANY_LABEL.match(unit.text) if unit.kind in ("prose", "item") else None for unit in units]
    often = Counter(label[1] for label in labels if label)  # who speaks in an interview is no subject
    return [label is not None and often[label[1]] == 1 and _is_subject(label, asked, kinds) for label in labels]


def _is_subject(label: re.Match[str], asked: set[str], kinds: frozenset[AnswerType]) -> bool:
    """Whether a label is what the question is about, and what follows is of a kind that it asks for."""
    tokens = {*search_tokens(label[1])}
    told = label.string[label.end() :]
    return bool(tokens) and tokens <= asked and (not kinds or any(holds(kind, told) for kind in kinds))


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
