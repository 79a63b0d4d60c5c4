"""Bold type for the words of an extracted answer that answer: the number, date, name or place that is asked for."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from itertools import pairwise
from math import inf

from evaluation.answer_types import AnswerType, expected_types, spans
from evaluation.blocks import SourceUnit
from question_words import question_terms
from text import search_tokens, simplified

_SHOWN: tuple[AnswerType, ...] = ("time", "duration", "number", "person", "place")  # a reason is no word to set in bold
_MOST = 6  # spans of a sentence: where more are bold, none stands out
_cells = re.compile(r"(?<!\\)\|")


def emphasised(unit: SourceUnit, question: str) -> SourceUnit:
    """The unit with its answering words in bold; code, and text with code spans or marks of its own, stays as it is.

    Of a row only the cells under the column that the question names are looked at."""
    kinds = [kind for kind in _SHOWN if kind in expected_types(question)]
    if not kinds or unit.kind == "code" or re.search(r"[`*]|\]\(", unit.text):
        return unit
    asked = " ".join(simplified(question).lower().split())
    within = _columns(unit, question) if unit.kind == "row" else [(0, len(unit.text))]
    found: list[tuple[int, int]] = []
    for kind in kinds:
        for start, end in (_trimmed(unit.text, *span) for span in spans(kind, unit.text)):
            place = bisect_right(within, (start, inf)) - 1
            inside = place >= 0 and end <= within[place][1]
            apart = all(end <= first or start >= last for first, last in found)
            if inside and apart and start < end and simplified(unit.text[start:end]).lower() not in asked:
                found.append((start, end))
                if len(found) > _MOST:
                    return unit
    text = unit.text
    for start, end in reversed(_joined(found, unit.text)):
        text = f"{text[:start]}**{text[start:end]}**{text[end:]}"
    return replace(unit, text=text) if found else unit


def _joined(found: list[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """In order, those that touch as one: “2026年” and “6月” side by side are one date, "2 h" and "40 min" one duration,
    and ** beside ** is no mark."""
    spans: list[tuple[int, int]] = []
    for start, end in sorted(found):
        if spans and text[spans[-1][1] : start] in ("", " "):
            start = spans.pop()[0]
        spans.append((start, end))
    return spans


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without punctuation at its ends, beside which Markdown may not take ** for bold."""
    bare = text[start:end].strip("$€£¥%.,;:!?'’-–_ \t")
    start += text[start:end].find(bare)
    return start, start + len(bare)


def _columns(row: SourceUnit, question: str) -> list[tuple[int, int]]:
    """Where the cells stand whose column shares most terms with the question; every cell where none shares any."""
    header = _cells.split(row.header.split("\n")[0])
    terms = set(question_terms(question))
    bars = [match.start() for match in _cells.finditer(row.text)]
    cells = list(pairwise(bars))
    shared = [len(terms & set(search_tokens(name))) for name in header[1 : len(cells) + 1]]
    if not shared or len(shared) != len(cells) or not max(shared):
        return cells
    return [cell for cell, count in zip(cells, shared, strict=True) if count == max(shared)]
