"""A part of a document as reader.js draws it: Markdown as a tree of nodes, anything else as numbered lines.

Documents may be books: only what stands around a passage is read, and more of it in steps.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from answering.places import place_in_words
from ingestion.readers.base import fence_ends
from schema import Document, Language, Place
from ui.nodes import Node, Span, marked_text, nodes_of

AROUND, STEP = 3000, 6000  # characters on each side of a passage, and of each step further
_fence = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
Section = dict[str, Any]  # "head", and "blocks" or "lines"


def start_before(document: Document, at: int, size: int) -> int:
    """Where to begin so that about so many characters stand before a place: at a page, a paragraph, a line."""
    low, high = max(0, at - 2 * size), max(0, at - size)
    if not high:
        return 0
    pages = [place.start for place in _between(document.places, low, high + 1) if place.kind != "row"]
    blank = document.text.rfind("\n\n", low, high)
    line = document.text.rfind("\n", low, high)
    found = pages[-1] if pages else blank + 2 if blank >= 0 else line + 1 if line >= 0 else high
    fence = _open_fence(document, found)
    return fence if fence is not None and fence > at - 4 * size else found


def end_after(document: Document, at: int, size: int) -> int:
    """Where to end so that about so many characters stand behind a place."""
    length = len(document.text)
    low, high = min(length, at + size), min(length, at + 2 * size)
    if low == length:
        return length
    pages = [place.start for place in _between(document.places, low, high) if place.kind != "row"]
    blank = document.text.find("\n\n", low, high)
    line = document.text.find("\n", low, high)
    found = pages[0] if pages else blank + 2 if blank >= 0 else line + 1 if line >= 0 else low
    if _open_fence(document, found) is None:
        return found
    closing = _fence.search(document.text, found, min(length, at + 4 * size))
    return document.text.find("\n", closing.end()) + 1 or length if closing else found


def sections(document: Document, start: int, end: int, spans: Sequence[Span], language: Language) -> list[Section]:
    """What stands from `start` to `end`, by pages, slides and sheets where the document has them."""
    before = _before(document.places, start)
    within = [place for place in _between(document.places, start, end) if place.kind != "row"]
    heads = [*(() if within and within[0].start == start else before), *within]
    if not heads:
        return [_section("", document, start, end, spans)]
    heads = heads[:1] + [one for last, one in pairwise(heads) if last[1:4] != one[1:4]]  # lines of one page
    bounds = [start, *(place.start for place in heads[1:]), end]
    return [
        _section(_head(place, language), document, first, last, spans)
        for place, first, last in zip(heads, bounds, bounds[1:], strict=False)
        if first < last
    ]


def _head(place: Place, language: Language) -> str:
    return "" if place.kind == "line" else place_in_words([place], (0, 0)).to(language)


def _section(head: str, document: Document, start: int, end: int, spans: Sequence[Span]) -> Section:
    body = document.metadata.get("body_start", 0)
    rows = any(place.kind == "row" for place in document.places[:1])
    if document.kind != "markdown" or rows or _open_fence(document, start) is not None:
        return {"head": head, "lines": list(_lines(document, start, end, spans))}
    blocks: list[Any] = []
    if start < body:  # what stands above the text is no Markdown
        blocks = [{"line": 1, "node": ["pre", {}, *marked_text(document.text, start, min(body, end), spans)]}]
        start = min(body, end)
    line = document.text.count("\n", 0, start) + 1 if _has_lines(document) else 0
    return {"head": head, "blocks": blocks + nodes_of(document.text, start, end, spans, line)}


def _lines(document: Document, start: int, end: int, spans: Sequence[Span]) -> Iterator[dict[str, Any]]:
    """Each with its number: that of its row in a sheet, none on a page."""
    at, number = start, document.text.count("\n", 0, start) + 1
    starts = [place.start for place in document.places]
    while at < end:
        stop = document.text.find("\n", at, end)
        stop = end if stop < 0 else stop
        label = str(number) if _has_lines(document) else ""
        if starts and document.places[0].kind == "row":
            nth = bisect_left(starts, at)
            label = str(document.places[nth].number) if nth < len(starts) and starts[nth] < max(stop, at + 1) else ""
        parts: list[Node] = marked_text(document.text, at, stop, spans)
        yield {"number": label, "parts": parts}
        at, number = stop + 1, number + 1


def _has_lines(document: Document) -> bool:
    """Whether what is not in a picture stands at its lines, and nowhere else."""
    return not document.places or document.places[0].kind == "line"


def _open_fence(document: Document, at: int) -> int | None:
    """Where the block of code begins that a place lies in."""
    if document.kind != "markdown":
        return None
    fences = _fences(document.text)
    nth = bisect_left(fences, (at,)) - 1
    return fences[nth][0] if nth >= 0 and at < fences[nth][1] else None


@lru_cache(maxsize=1)  # of the book that is scrolled through
def _fences(text: str) -> list[tuple[int, int]]:
    return fence_ends(text)


def _between(places: Sequence[Place], start: int, end: int) -> Sequence[Place]:
    return places[bisect_left(places, start, key=_start) : bisect_left(places, end, key=_start)]


def _before(places: Sequence[Place], at: int) -> Sequence[Place]:
    """The page that a place is on."""
    nth = bisect_right(places, at, key=_start)
    return [place for place in places[max(0, nth - 1) : nth] if place.kind != "row"]


def _start(place: Place) -> int:
    return place.start
