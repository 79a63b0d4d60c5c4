"""Chunks of about equal size, whatever the structure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

from ingestion.chunking.boundaries import Unit
from ingestion.chunking.building import build
from ingestion.chunking.packing import DocumentUnits, document_units
from ingestion.chunking.ruler import CHARACTERS, Ruler
from ingestion.chunking.units import break_position
from schema import Chunk, Document, Vectors

_filled = re.compile(r"\S")
_space = re.compile(r"\s+")


def chunk(
    document: Document, size: int, overlap: int, embed: Callable[[Sequence[str]], Vectors], ruler: Ruler = CHARACTERS
) -> list[Chunk]:
    """A chunk ends with a sentence when one ends in its last fifth, else between words. `embed` is unused.

    It may hold the end of one section and the beginning of the next; its headings are those of where it begins. A
    table or fence that fits is left whole, and makes the chunk before it shorter.
    """
    parts = document_units(document, size, ruler)
    return build(document, parts.outline, _spans(document.text, parts, size, overlap))


def _spans(text: str, parts: DocumentUnits, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    units, ruler = parts.units, parts.ruler
    starts, ends = [unit.start for unit in units], [unit.end for unit in units]
    start = end = starts[0] if starts else 0
    while starts and end < ends[-1]:
        begin = _begin(text, units, starts, max(ruler.back(end, overlap), start + 1), end)
        start = _filled.search(text, end).start()  # type: ignore[union-attr]  # there is more
        following = _end(text, parts, ends, begin, size)
        if following > end:  # else the overlap would leave no room for what follows
            start = begin
        end = following if following > end else _end(text, parts, ends, start, size)
        yield start, end


def _begin(text: str, units: Sequence[Unit], starts: Sequence[int], lowest: int, end: int) -> int:
    """Where to begin so that text from `lowest` on is repeated: with a sentence, else a word, else not before `end`."""
    first = bisect_left(starts, lowest)
    if lowest >= end or (first < len(starts) and lowest <= starts[first] < end):
        return starts[first] if lowest < end else end
    if units[first - 1].whole:
        return end
    word = _space.search(text, lowest, end)
    return word.end() if word else lowest


def _end(text: str, parts: DocumentUnits, ends: Sequence[int], start: int, size: int) -> int:
    """Where the chunk that begins at `start` ends."""
    units, limit = parts.units, max(start + 1, parts.ruler.reach(start, size))
    if limit >= ends[-1]:
        return ends[-1]
    fits = bisect_right(ends, limit)  # index of the first unit that does not fit
    near = ends[fits - 1] if fits else 0
    late = min(limit - 1, parts.ruler.reach(start, size - size // 5))
    if near >= late or units[fits].start >= limit or (units[fits].whole and near > start):
        return near
    end = break_position(text, late, limit)
    return start + len(text[start:end].rstrip())
