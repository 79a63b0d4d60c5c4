"""Of a list item of several sentences, those that answer: each item of minutes is a paragraph of its own."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from evaluation.answer_types import AnswerType, spans
from evaluation.blocks import SourceUnit, join_sentences
from text import search_tokens, sentences

_label = re.compile(r"[^.。:：]{1,40}[:：]")
GOES_ON = re.compile(  # how a sentence begins that goes on about what the one before it is about
    r"(?:it|they|this|these|he|she)\b|[它其该]|这[个种些]?|[他她]们?", re.IGNORECASE
)
_LONGEST = 2_000  # characters of one: a page without a break is no item of minutes
_BESIDE = 0.5  # of the terms that its best sentence says, another one must say so many


def shortened(unit: SourceUnit, question: str, terms: Collection[str], kinds: Collection[AnswerType]) -> SourceUnit:
    """The item with its sentences that say most of the question's terms, and with what it holds of the kinds that are
    asked for, names of the question aside, where those hold none of them."""
    if unit.kind != "item" or not terms or len(unit.text) > _LONGEST:
        return unit
    parts = [unit.text[start:end] for start, end in sentences(unit.text)]
    if len(parts) < 2:
        return unit
    said = [len({*search_tokens(part)}.intersection(terms)) for part in parts]
    kept = {i for i, count in enumerate(said) if count and count >= _BESIDE * max(said)}
    holding = [i for i, part in enumerate(parts) if _tells(part, question.lower(), kinds)]
    if not kept.intersection(holding):
        kept.update(_nearest(holding, kept))
    if len(parts) == 2 and (0 in kept or GOES_ON.match(parts[1]) or _label.match(parts[0])):
        return unit  # the second one may say more of what the first one says, or of what its label names
    return replace(unit, text=join_sentences(parts[i] for i in sorted(kept))) if kept else unit


def _tells(part: str, asked: str, kinds: Collection[AnswerType]) -> bool:
    """Whether it holds something of a kind that the question does not say itself."""
    return any(part[start:end].lower() not in asked for kind in kinds for start, end in spans(kind, part))


def _nearest(holding: Sequence[int], kept: Collection[int]) -> Sequence[int]:
    """The one behind what was kept, else all."""
    behind = [i for i in holding if i - 1 in kept]
    return behind[:1] or holding
