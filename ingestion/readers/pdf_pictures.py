"""Pictures on the pages of a PDF that have text of their own: which may hold more text, and that text."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ingestion.readers.base import ReaderResult, letters_of
from ingestion.readers.embedded_pictures import EmbeddedPicture
from ingestion.readers.ocr import is_wanted, read_picture
from ingestion.readers.pdf_lines import PdfLine, PdfPage
from ingestion.readers.picture_text import SURE, is_large, with_pictures

_COVERED = 0.5  # of the page
_LETTER, _DRAWN = 20, 1_000  # points of an outlined letter, and of a page that may be full of them
_LEAST_SHARE = 0.03  # of the page
_MOST_WRITTEN = 20  # characters of the page over a picture: more are its text, or it lies behind the text
_RUNNING = 3  # pages that show a picture at one place: a letterhead
_MOST_OBJECTS = 3_000  # of a page that are looked at
_LEAST_SCALE, _MOST_SCALE, _MOST_PIXELS = 150 / 72, 300 / 72, 6_000_000
_BEFORE = 40  # letters that tell where a picture stands


class PagePicture(NamedTuple):
    """Where on a page a picture is, in points from the lower left, and the letters of the line above it."""

    page: int
    left: float
    bottom: float
    right: float
    top: float
    pixels: tuple[int, int]  # width, height
    before: str = ""


def pictures_on(page: Any, number: int, lines: Sequence[PdfLine]) -> list[PagePicture]:
    """Those that are large, and that the text of the page does not lie over. PDFium is held by the caller."""
    from pypdfium2 import raw

    area = page_area(page)
    sides = [ctypes.c_float() for _ in range(4)]
    across, down = ctypes.c_uint(), ctypes.c_uint()
    found = []
    for nth in range(min(raw.FPDFPage_CountObjects(page), _MOST_OBJECTS)):
        one = raw.FPDFPage_GetObject(page, nth)
        if raw.FPDFPageObj_GetType(one) != raw.FPDF_PAGEOBJ_IMAGE:
            continue
        if not raw.FPDFPageObj_GetBounds(one, *sides) or not raw.FPDFImageObj_GetImagePixelSize(one, across, down):
            continue
        left, bottom, right, top = (side.value for side in sides)
        share = (right - left) * (top - bottom) / max(1.0, area)
        if share < _LEAST_SHARE or not is_large(across.value, down.value):
            continue
        picture = PagePicture(number, left, bottom, right, top, (across.value, down.value))
        if sum(len(line.text) for line in lines if _lies_over(line, picture)) <= _MOST_WRITTEN:
            found.append(picture._replace(before=_above(picture, lines)))
    return found


def is_covered(page: Any) -> bool:
    """Whether pictures lie over half of it; those of a scan may come in strips."""
    from pypdfium2 import raw

    covered = 0.0
    for one in page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=3):
        left, bottom, right, top = one.get_bounds()
        covered += max(0.0, right - left) * max(0.0, top - bottom)
    return bool(covered > _COVERED * page_area(page))


def is_drawn(page: Any) -> bool:
    """Whether a page without text may be full of it: letters as outlines, or in a font that says not what they mean."""
    from pypdfium2 import raw

    points = 0
    for one in page.get_objects(filter=(raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_TEXT), max_depth=3):
        text = one.type == raw.FPDF_PAGEOBJ_TEXT
        points += _LETTER if text else max(0, raw.FPDFPath_CountSegments(one.raw))
        if points > _DRAWN:
            return True
    return False


def page_area(page: Any) -> float:
    """In square points."""
    left, bottom, right, top = page.get_mediabox()
    return float((right - left) * (top - bottom))


def _lies_over(line: PdfLine, picture: PagePicture) -> bool:
    middle = (line.left + line.right) / 2
    return picture.left < middle < picture.right and picture.bottom < line.top + line.size / 4 < picture.top


def _above(picture: PagePicture, lines: Sequence[PdfLine]) -> str:
    """The line that stands nearest above it."""
    above = [
        line
        for line in lines
        if line.top >= picture.top - line.size / 4 and line.left < picture.right and line.right > picture.left
    ]
    return letters_of(min(above, key=lambda line: line.top).text)[-_BEFORE:] if above else ""


def with_page_pictures(name: str, data: bytes, read: ReaderResult, pictures: Sequence[PagePicture]) -> ReaderResult:
    """What is read of them stands behind the paragraph above each. Raises OcrNeeded."""
    if not is_wanted() or not pictures:
        return read
    shown = Counter(_place_on_page(one) for one in pictures)
    chosen = [nth for nth, one in enumerate(pictures) if shown[_place_on_page(one)] < _RUNNING]
    found = [EmbeddedPicture("", one.page, one.before) for one in pictures]

    def read_one(nth: int, number: int, count: int) -> PdfPage:
        picture, box = _drawn(name, data, pictures[nth])
        page = read_picture(name, picture, number, count, SURE)
        return replace(
            page, lines=[replace(line, box=_on_page(line.box, box) if line.box else ()) for line in page.lines]
        )

    return with_pictures(name, read, found, chosen, read_one)


def _place_on_page(one: PagePicture) -> tuple[int, ...]:
    return tuple(round(side / 5) for side in one[1:5]) + one.pixels


def _drawn(name: str, data: bytes, one: PagePicture) -> tuple[Any, tuple[float, ...]]:
    """The picture as the page shows it, and where that is: shares of the page. PDFium knows how the page is turned."""
    from pypdfium2 import raw

    from ingestion.readers.pdf import opened_page

    with opened_page(name, data, one.page) as page:
        width, height = page.get_size()
        x, y = ctypes.c_int(), ctypes.c_int()
        corners = []
        for corner in ((one.left, one.bottom), (one.right, one.top)):
            raw.FPDF_PageToDevice(page, 0, 0, round(width * 100), round(height * 100), 0, *corner, x, y)
            corners.append((min(max(0.0, x.value / 100), width), min(max(0.0, y.value / 100), height)))
        (left, right), (top, bottom) = (sorted(sides) for sides in zip(*corners, strict=True))
        area = max(1.0, (right - left) * (bottom - top))
        scale = min(max(_LEAST_SCALE, (one.pixels[0] * one.pixels[1] / area) ** 0.5), _MOST_SCALE)
        scale = min(scale, (_MOST_PIXELS / area) ** 0.5)
        cut = (left, height - bottom, width - right, top)
        picture = page.render(scale=scale, crop=cut, rev_byteorder=True).to_pil().convert("RGB")
    return picture, (left / width, top / height, right / width, bottom / height)


def _on_page(box: Sequence[int], picture: Sequence[float]) -> tuple[int, ...]:
    """From ten thousandths of the picture to those of the page; a model knows no boxes."""
    if not box:
        return ()
    left, top, right, bottom = picture
    across, down = right - left, bottom - top
    return (
        round(10_000 * left + box[0] * across),
        round(10_000 * top + box[1] * down),
        round(10_000 * left + box[2] * across),
        round(10_000 * top + box[3] * down),
    )
