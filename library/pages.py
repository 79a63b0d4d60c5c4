"""Pages of originals as pictures, and where on them passages stand."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from library.shared import LibraryParts
from schema import Document, Place

if TYPE_CHECKING:
    from ingestion.embedded_pictures import EmbeddedPicture
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
        found = self._pages.embedded(name, info.digest, lambda: self.store.original(name, doc_set) or b"")
        at = stands_at(document, found) if found and len(document.text) < _LONGEST else {}
        return [nth for nth, offset in at.items() if start <= offset <= end]

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
        if recognised := [place for place in document.places if _is_page(place, number) and place.box]:
            return PageBoxes(0, 0, list(_line_boxes(document, recognised, spans)))
        start, end = page_span(document, number)
        text = document.text[start:end]
        within = [(max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and b > start]
        return self._pages.boxes(name, data, number, text, within)


def stands_at(document: Document, pictures: Sequence[EmbeddedPicture]) -> dict[int, int]:
    """Where in the text each picture stands: behind the letters before it, on its slide or in its chapter."""
    from ingestion.page_pictures import letters_of

    numbered = {place.number: place.start for place in document.places}
    letters = [(mark, at) for at, character in enumerate(document.text) for mark in letters_of(character)]
    text = "".join(mark for mark, _ in letters)
    found: dict[int, int] = {}
    for nth, picture in enumerate(pictures):
        start = numbered.get(picture.number, 0)
        ends = (
            [match.end() for match in re.finditer(f"(?={re.escape(picture.before)})", text)] if picture.before else []
        )
        if ends:
            at = min((end + len(picture.before) for end in ends), key=lambda end: abs(end - picture.letters))
            start = letters[at - 1][1] + 1
        elif picture.number and picture.number not in numbered:
            continue
        found[nth] = start
    return found


def _line_boxes(document: Document, lines: Sequence[Place], spans: Sequence[Span]) -> Iterator[Box]:
    """Of the lines that were read from a picture, those that the passages touch."""
    starts = [place.start for place in document.places]
    for line in lines:
        after = bisect_right(starts, line.start)
        end = starts[after] if after < len(starts) else len(document.text)
        if any(start < end and line.start < stop for start, stop in spans):
            left, top, right, bottom = (side / 10_000 for side in line.box)
            yield left, top, right, bottom


def page_span(document: Document, number: int) -> Span:
    """Where the text of a page stands in its document; (0, 0) for a page without text."""
    first = next((nth for nth, place in enumerate(document.places) if _is_page(place, number)), None)
    if first is None:
        return 0, 0
    after = (place.start for place in document.places[first:] if not _is_page(place, number))
    return document.places[first].start, next(after, len(document.text))


def _is_page(place: Place, number: int) -> bool:
    return place.kind == "page" and place.number == number
