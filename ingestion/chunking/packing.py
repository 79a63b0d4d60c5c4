"""From units to spans: the parts of a document that fit a size, cut at its strongest boundaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ingestion.chunking.boundaries import HEADING, Unit
from ingestion.chunking.outline import Outline, Path, common, outline
from ingestion.chunking.ruler import CHARACTERS, Ruler
from ingestion.chunking.source import source_lines, source_outline
from ingestion.chunking.structure import blocks
from ingestion.chunking.units import units, units_within_size
from schema import Document

Range = tuple[int, int]  # of units, the last one not included


class DocumentUnits(NamedTuple):
    """A document taken apart for one chunk size."""

    units: Sequence[Unit]
    outline: Outline
    ruler: Ruler = CHARACTERS

    def length(self, first: int, last: int) -> int:
        """From the first unit to the one before `last`."""
        return self.ruler.length(self.units[first].start, self.units[last - 1].end)

    def shared(self, first: int, last: int) -> Path:
        """The heading path that the units share."""
        return self.outline.shared(self.units[first].start, self.units[last - 1].end)

    def sections(self) -> list[Range]:
        """The units between one heading and the next; a heading without text of its own stays with what follows."""
        edges = [n for n, unit in enumerate(self.units) if n and unit.strength >= HEADING]
        return list(zip([0, *edges], [*edges, len(self.units)], strict=True)) if self.units else []


def document_units(document: Document, size: int, ruler: Ruler = CHARACTERS) -> DocumentUnits:
    """The document's units, none longer than `size`, and its outline."""
    if document.kind == "code":
        lines = source_lines(document.text, language=str(document.metadata.get("programming_language", "")))
        return DocumentUnits(
            list(units_within_size(document.text, lines, size, ruler)), source_outline(document), ruler
        )
    found = blocks(document)
    return DocumentUnits(units(document.text, found, size, ruler), outline(document, found), ruler)


def split(parts: DocumentUnits, first: int, last: int, size: int, overlap: int) -> Iterator[Range]:
    """Ranges that fit `size`, cut at the strongest boundaries first; neighbours that fit together stay together.

    Sections stay together only under a common heading. Inside a section a range leaves room for the overlap.
    """
    if first >= last:
        return
    strongest = max((unit.strength for unit in parts.units[first + 1 : last]), default=0.0)
    apart = strongest >= HEADING
    if parts.length(first, last) <= size and not (apart and not parts.shared(first, last)):
        yield first, last
        return
    limit = size if apart else size - overlap
    cuts = [n for n in range(first + 1, last) if parts.units[n].strength == strongest]
    start, path = first, parts.shared(first, cuts[0]) if apart else ()
    for end, following in zip(cuts, [*cuts[1:], last], strict=True):
        if apart:
            path = common([path, parts.shared(end, following)])
        if parts.length(start, following) > limit or (apart and not path):
            yield from split(parts, start, end, size, overlap)
            start, path = end, parts.shared(end, following) if apart else ()
    yield from split(parts, start, last, size, overlap)


def merge_ranges(parts: DocumentUnits, ranges: Iterable[Range], room: int) -> Iterator[Range]:
    """The ranges, those of one section joined where they fit `room`: what was left of a paragraph that is too long
    stands with what follows it, since a scrap of text is found by chance and says little."""
    start, end = -1, -1
    for first, last in ranges:
        if start >= 0 and parts.units[first].strength < HEADING and parts.length(start, last) <= room:
            end = last
            continue
        if start >= 0:
            yield start, end
        start, end = first, last
    if start >= 0:
        yield start, end


def merge_small(parts: DocumentUnits, ranges: Sequence[Range], size: int) -> Iterator[Range]:
    """The sections, those shorter than a quarter of the size joined with their neighbours under the same parent."""
    small = size // 4
    if not ranges:
        return
    start, end = ranges[0]
    path = parts.shared(start, end)
    for first, last in ranges[1:]:
        own = parts.shared(first, last)
        both = common([path, own])
        tiny = min(parts.length(start, end), parts.length(first, last)) < small
        siblings = bool(both) and len(both) >= max(len(path), len(own)) - 1
        if tiny and siblings and parts.length(start, last) <= size:
            end, path = last, both
        else:
            yield start, end
            start, end, path = first, last, own
    yield start, end


def spans(parts: DocumentUnits, ranges: Iterable[Range], size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Offsets of the ranges, each begun earlier by whole units of its own section up to `overlap`."""
    before = -1  # where the range before began: the next one begins later
    for first, last in ranges:
        back = first
        while (
            back - 1 > before
            and parts.units[back].strength < HEADING
            and parts.length(back - 1, first) <= overlap
            and parts.length(back - 1, last) <= size
        ):
            back -= 1
        yield parts.units[back].start, parts.units[last - 1].end
        before = back
