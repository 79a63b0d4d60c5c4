"""Sentences with an address of the web, where one is asked for: “what is the URL of the sandbox”, 沙箱环境的地址."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluation.answer_reading import Array
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import raised
from question_words import question_terms
from text import search_tokens, simplified

_asks_link = re.compile(
    r"\b(?:urls?|links?|web ?(?:address|site|page)|endpoints?|address)\b|网址|链接|网站|域名|地址", re.IGNORECASE
)
_link = re.compile(r"https?://\S|\bwww\.\w")
_SAID = 10.0  # times as likely


def with_links(question: str, units: Sequence[SourceUnit], shares: Array) -> Array:
    """Such a sentence is likelier where it, or what it stands under, says a word of the question."""
    said = simplified(question)
    if not _asks_link.search(said):
        return shares
    asked = {*question_terms(_asks_link.sub(" ", said))}

    def answers(unit: SourceUnit) -> bool:
        return bool(_link.search(unit.text)) and not asked.isdisjoint(search_tokens(f"{unit.context} {unit.text}"))

    return raised(shares, [answers(unit) for unit in units], _SAID)
