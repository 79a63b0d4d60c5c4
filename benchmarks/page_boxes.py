"""Whether the box on the picture of a page covers what is cited there.

Ten PDFs with one and two columns, tables, pages turned by 90, 180 and 270 degrees, cut pages and Chinese, read as any
file is. Of passages of each that stand on one page, the boxes must cover every character that PDFium finds there.
"""

from __future__ import annotations

import argparse
import io
import random
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.report import DATA, Bar, Report
from ingestion.page_pictures import Box, page_boxes
from ingestion.readers import read_document
from schema import Document

_CITATIONS = 20  # of each file
_SEED = 5
_INK = 0.002  # of the page: how far a character's ink may stick out


class Layout(NamedTuple):
    chinese: bool
    columns: int = 1
    turned: int = 0
    cut: bool = False
    table: bool = False
    size: int = 11


LAYOUTS = {
    "en, one column": Layout(False),
    "en, two columns": Layout(False, columns=2),
    "en, turned by 90": Layout(False, turned=90),
    "en, turned by 180, cut": Layout(False, turned=180, cut=True),
    "en, table": Layout(False, table=True),
    "zh, one column": Layout(True),
    "zh, two columns": Layout(True, columns=2),
    "zh, turned by 270": Layout(True, turned=270),
    "zh, cut": Layout(True, cut=True),
    "zh, table, small": Layout(True, table=True, size=8),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, default=DATA / "crosslingual", help="a folder with Markdown in en/ and zh/"
    )


def run(options: argparse.Namespace) -> Report:
    picked, metrics = random.Random(_SEED), {}
    covered: list[bool] = []
    boxed = cited = 0
    for name, layout in LAYOUTS.items():
        text = prose(options.data / ("zh" if layout.chinese else "en"))
        data = typeset(text, layout)
        document = read_document("a.pdf", data, max_bytes=50_000_000)
        found = [_look(data, document, *passage) for passage in _passages(document, picked)]
        metrics[name] = f"{sum(one.covered for one in found)} of {len(found)}"
        covered += [one.covered for one in found]
        boxed, cited = boxed + sum(one.boxed for one in found), cited + sum(one.cited for one in found)
    return Report(
        {**metrics, "citations": len(covered)},
        {
            "citations whose box covers them": Bar(sum(covered) / len(covered), 0.98),
            "boxed characters that are not cited": Bar((boxed - cited) / boxed, 0.05, most=True),
        },
    )


def prose(folder: Path) -> list[str]:
    lines = [line for path in sorted(folder.rglob("*.md")) for line in path.read_text(encoding="utf-8").splitlines()]
    return [line.lstrip("#").partition("{#")[0].strip() for line in lines if line.strip() and line[0] not in "|`"]


def typeset(paragraphs: list[str], layout: Layout) -> bytes:
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfgen.canvas import Canvas

    font = "STSong-Light" if layout.chinese else "Times-Roman"
    if layout.chinese:
        pdfmetrics.registerFont(UnicodeCIDFont(font))
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4 if layout.turned % 180 == 0 else A4[::-1])  # it turns the paper of such pages
    width = (A4[0] - 100) / layout.columns - 20
    rows = [row for text in paragraphs for row in [*_wrapped(text, width, font, layout), ""]]
    if layout.table:
        cells = [text[: 12 if layout.chinese else 24] for text in paragraphs if len(text) < 200]
        rows = [*rows[:20], *("\t".join(cells[n : n + 3]) for n in range(0, len(cells), 3)), *rows[20:]]
    pitch = layout.size * 1.4
    per_column = int((A4[1] - 140) / pitch)
    for nth, first in enumerate(range(0, len(rows), per_column)):
        column = nth % layout.columns
        if nth and not column:
            canvas.showPage()
        if not column:
            canvas.setPageRotation(layout.turned)
            if layout.cut:
                canvas.setCropBox((30, 40, A4[0] - 20, A4[1] - 30))
        for down, row in enumerate(rows[first : first + per_column]):
            canvas.setFont(font, layout.size)
            for cell, words in enumerate(row.split("\t")):
                canvas.drawString(50 + column * (width + 20) + 170 * cell, A4[1] - 70 - down * pitch, words)
    canvas.save()
    return file.getvalue()


def _wrapped(text: str, width: float, font: str, layout: Layout) -> list[str]:
    from reportlab.pdfbase.pdfmetrics import stringWidth

    rows, row = [], ""
    for word in text if layout.chinese else text.split(" "):
        longer = row + word if layout.chinese else f"{row} {word}".strip()
        if row and stringWidth(longer, font, layout.size) > width:
            rows.append(row)
            row = word
        else:
            row = longer
    return [*rows, row]


def _passages(document: Document, picked: random.Random) -> Iterator[tuple[int, int, int]]:
    """(page, start, end) in the document's text, of 10 to 200 characters on one page."""
    starts = [place.start for place in document.places]
    count = 0
    while count < _CITATIONS:
        start = picked.randrange(len(document.text) - 10)
        end = min(len(document.text), start + picked.randrange(10, 200))
        nth = bisect_right(starts, start) - 1
        if nth < 0 or end > [*starts[1:], len(document.text)][nth] or not document.text[start:end].strip():
            continue
        count += 1
        yield document.places[nth].number, start, end


class _Look(NamedTuple):
    covered: bool  # each character of the passage is within a box
    boxed: int  # characters with their middle in a box
    cited: int  # of them those of the passage


def _look(data: bytes, document: Document, number: int, start: int, end: int) -> _Look:
    places = [place for place in document.places if place.number == number]
    first = places[0].start
    after = [place.start for place in document.places if place.start > first]
    text = document.text[first : after[0] if after else len(document.text)]
    boxes = page_boxes(data, number, text, [(start - first, end - first)]).boxes
    printed, own = _inked(data, number, text, start - first, end - first)
    covered = bool(own) and all(any(_within(printed[n], box) for box in boxes) for n in own)
    inside = {n for n, one in enumerate(printed) if any(_within(_middle(one), box) for box in boxes)}
    return _Look(covered, len(inside), len(inside & own))


def _middle(one: Box) -> Box:
    x, y = (one[0] + one[2]) / 2, (one[1] + one[3]) / 2
    return x, y, x, y


def _within(one: Box, box: Box) -> bool:
    return box[0] <= one[0] + _INK and box[1] <= one[1] + _INK and box[2] >= one[2] - _INK and box[3] >= one[3] - _INK


def _inked(data: bytes, number: int, text: str, start: int, end: int) -> tuple[list[Box], set[int]]:
    """The boxes of all characters as pypdfium2 gives them, and which are the passage's: difflib aligns the page's
    characters without blanks with the text that was read of it, which is not how the product looks for a passage."""
    import pypdfium2 as pdfium

    document = pdfium.PdfDocument(data)
    page = document[number - 1]
    read = page.get_textpage()
    printed = [(read.get_text_range(n, 1), n) for n in range(read.count_chars())]
    printed = [(mark, n) for mark, n in printed if mark.strip()]
    places = _aligned([mark for mark, _ in printed], text, start, end)
    shown = _Shown(page.get_cropbox(), page.get_rotation())
    boxes = [shown.box(read.get_charbox(place)) for _, place in printed]
    read.close()
    page.close()
    document.close()
    return boxes, set(places)


def _aligned(printed: list[str], text: str, start: int, end: int) -> list[int]:
    from difflib import SequenceMatcher

    marks = [(mark, start <= n < end) for n, mark in enumerate(text) if mark.strip()]
    matcher = SequenceMatcher(None, [mark for mark, _ in marks], printed, autojunk=False)
    return [block.b + n for block in matcher.get_matching_blocks() for n in range(block.size) if marks[block.a + n][1]]


class _Shown(NamedTuple):
    """How a page is shown: PDFium is asked for its cut and its turn alone, the rest is arithmetic."""

    cut: Box
    turn: int

    def box(self, points: Box) -> Box:
        """Of a box in the page's own points."""
        (a, b), (c, d) = (self._corner(points[0], points[3]), self._corner(points[2], points[1]))
        return min(a, c), min(b, d), max(a, c), max(b, d)

    def _corner(self, x: float, y: float) -> tuple[float, float]:
        left, bottom, right, top = self.cut
        a, b = (x - left) / (right - left), (top - y) / (top - bottom)
        return {0: (a, b), 90: (1 - b, a), 180: (1 - a, 1 - b), 270: (b, 1 - a)}[self.turn]
