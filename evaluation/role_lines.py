"""Lines that say who wrote a text or whom to ask: “prepared by Jane Roe” to "who wrote it", “联系人：李雷” to 找谁."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluation.answer_reading import Array
from evaluation.answer_types import expected_types, holds
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import raised
from question_words import question_terms
from schema import Hit
from text import search_tokens, simplified

_asks_author = re.compile(
    r"\bwho (?:wrote|authored|prepared|compiled|drafted|drew up|put together)\b|\bauthors?\b|\bwritten by\b"
    r"|谁(?:来|负责)?(?:写|编|撰|起草|拟|整理|执笔)|作者|[编撰]写人|起草人",
    re.IGNORECASE,
)
_names_author = re.compile(
    r"\b(?i:(?:written|authored|prepared|compiled|drafted|drawn up|put together) by\b|authors?\s?[:：])"
    r"|\A\W*[Bb]y [A-Z]|(?:作者|编者|[编撰]写|编制|编辑|撰稿|起草|拟稿|整理|执笔)人?\s?[:：]",
)
_names_contact = re.compile(
    r"\b(?:contact|questions|enquiries|inquiries|help ?desk|ask|call|write to|talk to|speak to)\b"
    r"|联系人|联系(?:电话|方式)|咨询|请(?:找|联系|询问|咨询)|答疑|客服",
    re.IGNORECASE,
)
_ASKED = 100.0  # times as likely


def with_roles(question: str, units: Sequence[SourceUnit], hits: Sequence[Hit], shares: Array) -> Array:
    """Such a line is likelier in a document whose name, or title, is a word of the question, or where it stands under
    one."""
    author, contact = _asks_author.search(question) is not None, "contact" in expected_types(question)
    if not author and not contact:
        return shares
    asked = frozenset(question_terms(_asks_author.sub(" ", question)))

    def names(unit: SourceUnit) -> bool:
        text = simplified(unit.text)
        told = author and _names_author.search(text) and holds("person", text)
        told = told or (contact and _names_contact.search(text) and holds("contact", text))
        about = f"{' '.join(unit.headings)} {unit.context} {hits[unit.hit - 1].document}"
        return bool(told) and not asked.isdisjoint(search_tokens(simplified(about)))

    return raised(shares, [names(unit) for unit in units], _ASKED)
