"""Chunking of source code at class and function boundaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ingestion.chunking.boundaries import DEFINITION
from ingestion.chunking.building import build
from ingestion.chunking.packing import DocumentUnits, Range, document_units, spans, split
from ingestion.chunking.ruler import CHARACTERS, Ruler
from schema import Chunk, Document, Vectors


def chunk(
    document: Document, size: int, overlap: int, embed: Callable[[Sequence[str]], Vectors], ruler: Ruler = CHARACTERS
) -> list[Chunk]:
    """Classes, then functions, then blocks between blank lines, then lines. `embed` is unused.

    The headings of a chunk are the definitions it stands in. A document that is not code is cut as by "recursive",
    and a fence in it that is too large for a chunk as code.
    """
    parts = document_units(document, size, ruler)
    ranges: Iterable[Range] = split(parts, 0, len(parts.units), size, overlap)
    if document.kind == "code":
        ranges = _rejoined(parts, ranges, size - overlap)
    return build(document, parts.outline, spans(parts, ranges, size, overlap))


def _rejoined(parts: DocumentUnits, ranges: Iterable[Range], room: int) -> Iterator[Range]:
    """What was left of a long function, the last line of it maybe, stands with what is before it in the same one."""
    start = end = 0
    for first, last in ranges:
        near = first and parts.units[first].strength < DEFINITION and parts.length(start, last) <= room
        if near and parts.shared(start, end) == parts.shared(first, last):
            end = last
            continue
        if first:
            yield start, end
        start, end = first, last
    if end:
        yield start, end
