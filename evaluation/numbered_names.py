"""Names with a number: “Windows 8.1”, “week 9”, “科目三”, “E07”. What says another number is about another one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evaluation.answer_reading import Array
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import raised
from text import HAN, STOP_WORDS, simplified

_ORDERED = (
    "weeks? days? sections? chapters? parts? steps? lessons? units? levels? rooms? questions? articles? clauses?"
    " phases? stages? modules? grades? class gates? terminals? platforms? lines? version release item figure table"
).replace(" ", "|")
_latin = re.compile(  # “Windows 8.1”, “week 9”; “March 2015” and “Super Bowl 50” stand in sentences about anything
    rf"\b([A-Za-z][A-Za-z-]{{1,30}})[ -]?(\d{{1,4}}(?:\.\d{{1,4}}){{1,3}})(?![\d.]*[\d%A-Za-z])"
    rf"|\b({_ORDERED})[ -](\d{{1,3}})(?![\d.,:]*[\d%A-Za-z])",
    re.IGNORECASE,
)
_DIGITS = "一二三四五六七八九十"
_MEASURES = "个位名种次天日月年周岁分秒点人条张块元本台辆件套项间层楼倍成里米号"
_han = re.compile(rf"([{HAN}]{{2}})([{_DIGITS}])(?![{_DIGITS}百千万{_MEASURES}])")
_code = re.compile(  # also right between Chinese characters: “请问K7多久除垢”
    r"(?<![\w.-])(?=[\w-]{2,12}(?![\w-]))(?:[A-Z]{1,4}-?\d{1,5}|[a-z]\d{1,5})(?![\w-])", re.ASCII
)
_SAID = 100.0  # times as likely


def with_numbered_names(question: str, units: Sequence[SourceUnit], shares: Array) -> Array:
    """What says such a name of the question is likelier, itself or in a heading that it stands under."""
    for name in _numbered_names(simplified(question)):
        said = [any(name.search(simplified(text)) for text in (unit.text, *unit.headings)) for unit in units]
        shares = raised(shares, said, _SAID)
    return shares


def _numbered_names(question: str) -> Iterator[re.Pattern[str]]:
    for match in _latin.finditer(question):
        noun, number = match[1] or match[3], match[2] or match[4]
        if noun.lower() not in STOP_WORDS:
            yield re.compile(rf"\b{re.escape(noun)}[ -]?{re.escape(number)}(?![\d.]*\d)", re.IGNORECASE)
    for match in _code.finditer(question):
        yield re.compile(rf"(?<![\w-]){re.escape(match[0])}(?![\w-])", re.ASCII)
    for match in _han.finditer(question):
        yield re.compile(rf"{match[1]}{match[2]}(?![{_DIGITS}])")
