"""What is nearest in meaning to a question that the library does not answer in its words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evaluation.blocks import SourceUnit, units, without_markup
from providers.features import token_key
from providers.word_vectors import Keys, alignment
from schema import Hit, Message
from text import detect_language, search_tokens, without_function_words

MOST = 3
_LEAST = 0.35  # of what a question means: 7 in 10 questions in other words have it, 1 in 8 on something else
_LONGEST = 160  # characters of a sentence
_UNITS = 200  # that are compared

CLOSEST = Message(
    zh="知识库里没有直接回答这个问题的内容。按意思看，最接近的是下面几处，不一定相关：",
    en="Nothing in the library answers this question in its words. Closest in meaning, though perhaps not about it:",
)


def closest_sentences(question: str, hits: Sequence[Hit]) -> str:
    """A list of at most three sections that say much of what the question means in other words: the heading, and the
    first sentence under it with the marker of its hit. Tables and code have no sentences."""
    found = [unit for number, hit in enumerate(hits, 1) for unit in units(number, hit) if _may_stand_alone(unit)]
    sections = list({(unit.hit, unit.context): unit for unit in reversed(found[:_UNITS])}.values())
    said = alignment(_keys(without_function_words(question)), [_keys(f"{one.context}\n{one.text}") for one in sections])
    nearest = [place for place in np.argsort(-said, kind="stable")[:MOST] if said[place] >= _LEAST]
    return "\n".join(f"- {_told(sections[place])}" for place in nearest)


def _keys(text: str) -> Keys:
    return np.array([token_key(token) for token in dict.fromkeys(search_tokens(text))], np.uint64)


def _may_stand_alone(unit: SourceUnit) -> bool:
    return unit.answers and unit.kind in ("prose", "item") and len(unit.text) <= _LONGEST


def _told(unit: SourceUnit) -> str:
    heading = without_markup(unit.context.rpartition(" > ")[2]).strip()
    says = unit.rendered(first=True).removeprefix(f"{unit.bullet} ") if unit.kind == "item" else unit.rendered(True)
    colon = "：" if detect_language(heading) == "zh" else ": "  # no sentence ends here: all of it is one claim
    return f"**{heading.rstrip(' ?？.。!！:：')}**{colon}{says}" if heading else says
