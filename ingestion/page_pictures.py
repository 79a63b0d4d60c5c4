"""Pages of a PDF as pictures, and where on them passages stand. For a worker process: strangers wrote what is read."""

from __future__ import annotations

import ctypes
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from errors import FileError
from ingestion.readers.base import letters_of
from ingestion.readers.pdf import PDFIUM
from ingestion.readers.pictures import is_picture, picture_of, png_of
from schema import Message

_DPI, _MOST_PIXELS = 150, 4_000_000
_SHARED = 0.5  # of the height of a character: how much of it another one has that stands in its line
_GAP = 1.5  # heights: how far apart they stand at most
_FINE = 100  # parts of a point

Box = tuple[float, float, float, float]  # left, top, right, bottom: shares of the page's width and height


class PageBoxes(NamedTuple):
    """How large a page is, in points as it is shown, and where passages stand on it."""

    width: float
    height: float
    boxes: list[Box]


def page_picture(data: bytes, number: int) -> bytes:
    """A page, from 1, as a PNG. Raises FileError where there is no such page."""
    if is_picture(data):
        return png_of(picture_of(data, number))
    with PDFIUM:
        document, page = _opened(data, number)
        try:
            width, height = page.get_size()
            scale = min(_DPI / 72, (_MOST_PIXELS / max(1.0, width * height)) ** 0.5)
            picture = page.render(scale=scale, rev_byteorder=True).to_pil().convert("RGB")
        finally:
            page.close()
            document.close()
    return png_of(picture)


def page_boxes(data: bytes, number: int, text: str, spans: Sequence[tuple[int, int]]) -> PageBoxes:
    """Where `text[start:end]` stands on a page, `text` being what was read of it. What is not found has no box."""
    with PDFIUM:
        document, page = _opened(data, number)
        try:
            width, height = page.get_size()
            letters = _Letters(page)
            found = [box for span in spans for box in letters.boxes(text, *span)]
            letters.close()
            boxes = [(left / width, top / height, right / width, bottom / height) for left, top, right, bottom in found]
        finally:
            page.close()
            document.close()
    return PageBoxes(width, height, boxes)


def _opened(data: bytes, number: int) -> tuple[Any, Any]:
    """Raises FileError."""
    import pypdfium2 as pdfium

    try:
        document = pdfium.PdfDocument(data)
        if 0 < number <= len(document):
            return document, document[number - 1]
        document.close()
    except pdfium.PdfiumError as error:
        raise _no_page(number) from error
    raise _no_page(number)


def _no_page(number: int) -> FileError:
    return FileError(
        Message(zh=f"第 {number} 页无法显示。", en=f"Page {number} cannot be shown."),
        Message(zh="请下载原件后查看。", en="Download the file and look there."),
    )


class _Letters:
    """The letters and digits of a page by their place among PDFium's characters: what a reader changes of a text are
    blanks, hyphens and marks."""

    def __init__(self, page: Any) -> None:
        from pypdfium2 import raw

        self._page, self._read, self._raw = page, page.get_textpage(), raw
        self._count = self._read.count_chars()
        self._characters = [chr(raw.FPDFText_GetUnicode(self._read, n) or 32) for n in range(self._count)]
        marks: list[str] = []
        self._places: list[int] = []  # of each letter
        for place, character in enumerate(_joined_pairs(self._characters)):
            for mark in letters_of(character):
                marks.append(mark)
                self._places.append(place)
        self._text = "".join(marks)

    def close(self) -> None:
        self._read.close()

    def boxes(self, text: str, start: int, end: int) -> list[Box]:
        before, wanted = len(letters_of(text[:start])), letters_of(text[start:end])
        found = self._found(wanted, before)
        if found is None:  # something stands in between, or was put elsewhere: line by line, cell by cell
            return [box for span in _halves(text, start, end) for box in self.boxes(text, *span)]
        first, last = self._places[found], self._places[found + len(wanted) - 1]
        return _lines([box for n in range(*self._with_marks(first, last, text[start:end])) if (box := self._box(n))])

    def _found(self, wanted: str, before: int) -> int | None:
        """Where the letters begin; of several places the one that is nearest to where they are expected."""
        found: list[int] = []
        at = self._text.find(wanted) if wanted else -1
        while at >= 0:
            found.append(at)
            at = self._text.find(wanted, at + 1)
        if not found:
            return None
        nth = bisect_left(found, before)
        return min(found[max(0, nth - 1) : nth + 1], key=lambda place: abs(place - before))

    def _with_marks(self, first: int, last: int, passage: str) -> tuple[int, int]:
        """The quotation mark before the first letter and the full stop behind the last belong to the passage."""
        bare = passage.strip()
        leading = next((n for n, mark in enumerate(bare) if letters_of(mark)), 0)
        trailing = next((n for n, mark in enumerate(reversed(bare)) if letters_of(mark)), 0)
        while leading and first and self._is_mark(first - 1):
            first, leading = first - 1, leading - 1
        while trailing and last + 1 < self._count and self._is_mark(last + 1):
            last, trailing = last + 1, trailing - 1
        return first, last + 1

    def _is_mark(self, place: int) -> bool:
        character = self._characters[place]
        return not character.isspace() and not letters_of(character) and character.isprintable()

    def _box(self, place: int) -> Box | None:
        """Of a character as it is shown: its font's height, and all of its ink."""
        raw = self._raw
        loose = raw.FS_RECTF()
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        if not raw.FPDFText_GetCharBox(self._read, place, left, right, bottom, top) or left.value == right.value:
            return None
        corners = [(left.value, bottom.value), (right.value, top.value)]
        if raw.FPDFText_GetLooseCharBox(self._read, place, loose):
            corners += [(loose.left, loose.bottom), (loose.right, loose.top)]
        points = [self._shown(*corner) for corner in corners]
        xs, ys = [point[0] for point in points], [point[1] for point in points]
        return min(xs), min(ys), max(xs), max(ys)

    def _shown(self, x: float, y: float) -> tuple[float, float]:
        """In points from the upper left. PDFium knows how the page is turned and cut."""
        across, down = ctypes.c_int(), ctypes.c_int()
        width, height = (round(side * _FINE) for side in self._page.get_size())
        self._raw.FPDF_PageToDevice(self._page, 0, 0, width, height, 0, x, y, across, down)
        return across.value / _FINE, down.value / _FINE


def _halves(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The lines of a passage, or of one line the first and the last cells; nothing of what cannot be parted."""
    lines = [(found.start(), found.end()) for found in re.finditer(r"[^\n]+", text[start:end]) if letters_of(found[0])]
    if len(lines) < 2:
        cells = [(found.start(), found.end()) for found in re.finditer(r"(?:[^|\\]|\\.)+", text[start:end])]
        cells = [(a, b) for a, b in cells if letters_of(text[start + a : start + b])]
        half = len(cells) // 2
        lines = [(cells[0][0], cells[half - 1][1]), (cells[half][0], cells[-1][1])] if half else []
    return [(start + a, start + b) for a, b in lines]


def _joined_pairs(characters: list[str]) -> Iterator[str]:
    """PDFium counts UTF-16 units on some systems: of a pair the first one becomes the character, the second nothing."""
    for place, character in enumerate(characters):
        if "\ud800" <= character < "\udc00" and place + 1 < len(characters):
            yield (character + characters[place + 1]).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        else:
            yield "" if "\udc00" <= character <= "\udfff" else character


def _lines(boxes: Sequence[Box]) -> list[Box]:
    """One box for what stands side by side, or one below the other where a line is written downward or turned."""
    lines: list[Box] = []
    before, along = None, -1  # the character before, and the axis of its line: 0 across, 1 down
    for box in boxes:
        axes = [axis for axis in (0, 1) if before and along in (-1, axis) and _beside(before, box, axis)]
        if axes:
            last, along = lines[-1], axes[0]
            lines[-1] = min(last[0], box[0]), min(last[1], box[1]), max(last[2], box[2]), max(last[3], box[3])
        else:
            lines.append(box)
            along = -1
        before = box
    return lines


def _beside(one: Box, other: Box, along: int) -> bool:
    """Whether two characters follow each other along an axis, at one height of the other axis."""
    across = 1 - along
    shared = min(one[across + 2], other[across + 2]) - max(one[across], other[across])
    thick = min(one[across + 2] - one[across], other[across + 2] - other[across])
    gap = max(one[along], other[along]) - min(one[along + 2], other[along + 2])
    return shared > _SHARED * thick and gap < _GAP * thick
