"""Pages of originals as pictures, and where on them passages stand."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from library.shared import LibraryParts
from schema import Document, Place

if TYPE_CHECKING:
    from ingestion.page_pictures import Box, PageBoxes

_LONGEST = 2_000_000  # characters of a document whose pictures are looked for
Span = tuple[int, int]  # offsets in a document's text


class LibraryPages(LibraryParts):
    """Blocking."""

    def page_picture(self, name: str, doc_set: str, number: int) -> bytes | None:
        """A page of a PDF as a PNG; None where the original is not kept. Raises CitewiseError."""
        info = self.store.original_info(name, doc_set)
        if info is None:
            return None

        return self._pages.picture(name, info.digest, number, lambda: self.store.original(name, doc_set) or b"")

    def embedded_pictures(self, name: str, doc_set: str, start: int, end: int) -> list[int]:
        """Which pictures of the original stand beside document[start:end], by their number from 0. Raises
        CitewiseError."""
        info, document = self.store.original_info(name, doc_set), self.store.document(name, doc_set)
        if info is None or document is None:
            return []
        from ingestion.readers.embedded_pictures import stands_at

        found = self._pages.embedded(name, info.digest, lambda: self.store.original(name, doc_set) or b"")
        at = stands_at(document.text, document.places, found) if found and len(document.text) < _LONGEST else {}
        read = {place.picture - 1 for place in document.places if place.picture and place.start <= end}
        read = {nth for nth in read if _end_of_picture(document, nth + 1) >= start}
        return [nth for nth, offset in at.items() if start <= offset <= end or nth in read]

    def picture_boxes(self, name: str, doc_set: str, spans: Sequence[Span]) -> dict[int, list[Box]]:
        """Where on pictures of the original passages stand that were read from them, by their number from 0."""
        document = self.store.document(name, doc_set)
        if document is None:
            return {}
        boxes: dict[int, list[Box]] = {}
        for line in document.places:
            if line.picture and (found := list(_line_boxes(document, [line], spans))):
                boxes.setdefault(line.picture - 1, []).extend(found)
        return dict(sorted(boxes.items()))

    def embedded_picture(self, name: str, doc_set: str, number: int) -> bytes | None:
        """One of them as a PNG; None where there is none of that number. Raises CitewiseError."""
        if (info := self.store.original_info(name, doc_set)) is None:
            return None

        def data() -> bytes:
            return self.store.original(name, doc_set) or b""

        found = self._pages.embedded(name, info.digest, data)
        if not 0 <= number < len(found):
            return None
        return self._pages.embedded_picture(name, info.digest, found[number].part, data)

    def page_boxes(self, name: str, doc_set: str, number: int, spans: Sequence[Span]) -> PageBoxes | None:
        """Where on a page passages stand, given by their offsets in the document's text; None where there is no such
        document, or its original is not kept. Raises CitewiseError."""
        from ingestion.page_pictures import PageBoxes

        document, data = self.store.document(name, doc_set), self.store.original(name, doc_set)
        if document is None or data is None:
            return None
        lines = [place for place in document.places if _is_page(place, number)]
        recognised = [place for place in lines if place.box]
        boxes = list(_line_boxes(document, recognised, spans))
        if document.origin.doc_type == "image" or (recognised == lines and lines):
            return PageBoxes(0, 0, boxes)
        start, end = page_span(document, number)
        text = document.text[start:end]
        spans = _outside(spans, [(line.start, _end_of(document, line)) for line in recognised])
        within = [(max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and b > start]
        printed = self._pages.boxes(name, data, number, text, within)
        return printed._replace(boxes=[*boxes, *printed.boxes])


def _line_boxes(document: Document, lines: Sequence[Place], spans: Sequence[Span]) -> Iterator[Box]:
    """Of the lines that were read from a picture, those that the passages touch."""
    for line in lines:
        end = _end_of(document, line)
        if any(start < end and line.start < stop for start, stop in spans):
            left, top, right, bottom = (side / 10_000 for side in line.box)
            yield left, top, right, bottom


def _end_of(document: Document, place: Place) -> int:
    """Where the next place begins."""
    after = bisect_right(document.places, place.start, key=lambda one: one.start)
    return document.places[after].start if after < len(document.places) else len(document.text)


def _end_of_picture(document: Document, number: int) -> int:
    return max(_end_of(document, place) for place in document.places if place.picture == number)


def _outside(spans: Sequence[Span], lines: Sequence[Span]) -> list[Span]:
    """What of the spans lies in none of the lines, which are sorted."""
    found: list[Span] = []
    for start, end in spans:
        for first, last in lines:
            if first < end and start < last:
                found.append((start, first))
                start = max(start, last)
        found.append((start, end))
    return [(start, end) for start, end in found if start < end]


def page_span(document: Document, number: int) -> Span:
    """Where the text of a page stands in its document; (0, 0) for a page without text."""
    first = next((nth for nth, place in enumerate(document.places) if _is_page(place, number)), None)
    if first is None:
        return 0, 0
    after = (place.start for place in document.places[first:] if not _is_page(place, number))
    return document.places[first].start, next(after, len(document.text))


def _is_page(place: Place, number: int) -> bool:
    return place.kind == "page" and place.number == number
