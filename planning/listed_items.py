"""Lists within a question: its items, and what is asked of each of them."""

from __future__ import annotations

import re

from planning.clauses import lead_length
from planning.folding import folded

_and_zh = (
    r"、|以及|(?<![总饱温缓柔调祥暖随附])和(?!平|谐|解|睦|服|尚|田|声|约|弦)|(?<![参给赠授])与(?!会|否|众)|跟(?!踪|随|进)"
    r"|(?<![以涉普危波触顾])及(?!格|时|其|早)|还有"
)
_and_en = r"(?<![a-z])(?:and|vs\.?|versus|or|as well as)(?![a-z])"
_separator_zh = re.compile(rf"\s*(?:{_and_zh}|{_and_en})\s*")
_separator_en = re.compile(rf"\s*(?:,\s*{_and_en}|,|{_and_en})\s*")


def items_of(listed: str, separator: re.Pattern[str] = _separator_en) -> list[str]:
    items, start = [], 0
    for found in separator.finditer(folded(listed)):
        items.append(listed[start : found.start()])
        start = found.end()
    return [item.strip() for item in [*items, listed[start:]] if item.strip()]


def listed_zh(text: str) -> tuple[str, list[str], str]:
    """What stands before a list at the end of a text, its items, and what is asked of each: "", [A, B], "的年假"."""
    plain = folded(text)
    comma = plain.rfind(",") + 1
    start = comma + lead_length(plain[comma:])
    lead, items = text[:start], items_of(text[start:], _separator_zh)
    if len(items) > 1:
        last, of, what = items[-1].partition("的")
        if of and what and not any("的" in item for item in items[:-1]):
            return lead, [*items[:-1], last], of + what
        owner, of, first = items[0].rpartition("的")
        if of and first and not any("的" in item for item in items[1:]):  # 公司的年假和病假
            return lead + owner + of, [first, *items[1:]], ""
    return lead, items, ""
