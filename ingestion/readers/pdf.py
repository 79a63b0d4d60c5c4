"""PDF through PDFium: paragraphs, headings by bookmarks or size, and which page each of them is on."""

from __future__ import annotations

import ctypes
import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import Any

from errors import FileError
from ingestion.readers.base import INSTALL_OCR, ReaderResult, untrusted
from ingestion.readers.ocr import OCR, is_installed, is_wanted, read_picture, recognised_note
from ingestion.readers.pdf_layout import lay_out
from ingestion.readers.pdf_lines import CELLS, PdfLine, PdfPage, PdfWord
from ingestion.readers.pdf_pictures import PagePicture, is_covered, is_drawn, pictures_on, with_page_pictures
from ingestion.readers.pdf_rules import rules_on
from ingestion.readers.pdf_words import tidy
from ingestion.readers.sniffing import protected
from schema import Message

_MOST_PAGES = 5_000
_MOST_CHARACTERS = 20_000_000
_MOST_BOOKMARKS = 10_000
_PATIENCE = 120.0  # seconds of the processor for all pages: then they are read without tables
_LONGEST_ROW = 20_000  # characters
_LEAST = 50  # characters of a page that is taken for a scan where pictures cover it
_SCAN_DPI, _MOST_PIXELS = 150, 6_000_000  # of the picture that is read: more finds no more
PDFIUM = threading.Lock()  # PDFium serves one thread at a time
_no_title = re.compile(
    r"\(?(?:anonymous|unspecified|untitled|无标题|未命名)\)?|microsoft word -.*|.*\.(?:docx?|pptx?|tex|indd|wps)", re.I
)
_label = re.compile(  # of an item or a heading
    r"[^\w\s]{1,2}|[（(]?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[一二三四五六七八九十]{1,3})[.)）、．]?|第\S{1,4}[章节条编部篇]"
)
_date = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-]\d\d)'?(\d\d)?)?")


@untrusted
def read_pdf(name: str, data: bytes) -> ReaderResult:
    """Its paragraphs as Markdown when it has headings; `places` are the pages."""
    with PDFIUM:
        document = opened(name, data)
        try:
            pages, pictures, scanned, drawn = _pages(name, document)
            contents, metadata = list(_bookmarks(document)), _metadata(document)
        finally:
            document.close()
    if drawn and (OCR.get().later or not is_wanted()):  # its text goes first
        drawn = []
    if (scanned or drawn) and is_installed(has_text=not scanned and any(page.lines for page in pages)):
        _recognise(name, data, pages, sorted([*scanned, *drawn]), metadata)
    unread = [page.number for page in pages if page.number in scanned and not page.lines]
    if (unread and 2 * len(unread) > len(pages)) or not any(page.lines for page in pages):
        raise _needs_ocr(name, len(unread), len(pages))
    if unread:
        metadata["pages_without_text"] = unread
    text, places, headed = lay_out(pages, contents)
    timestamp = metadata.get("modified") or metadata.get("created", "")
    read = ReaderResult(text, "markdown" if headed else "text", "pdf", metadata, places=places, timestamp=timestamp)
    return with_page_pictures(name, data, read, pictures)


def opened(name: str, data: bytes) -> Any:
    """PDFium is held by the caller. Raises FileError for one behind a password, and one with too many pages."""
    import pypdfium2 as pdfium
    from pypdfium2 import raw

    try:
        document = pdfium.PdfDocument(data)  # opens what only its owner's password protects
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD:
            raise protected(name) from error
        raise
    if (pages := len(document)) > _MOST_PAGES:
        document.close()
        raise _too_long(
            name, Message(zh=f"{pages} 页", en=f"{pages} pages"), Message(zh=f"{_MOST_PAGES} 页", en=f"{_MOST_PAGES}")
        )
    return document


@contextmanager
def opened_page(name: str, data: bytes, number: int) -> Iterator[Any]:
    """A page, from 1, with PDFium held meanwhile. Raises FileError as `opened` does."""
    with PDFIUM:
        document = opened(name, data)
        try:
            with closing(document[number - 1]) as page:
                yield page
        finally:
            document.close()


def _pages(name: str, document: Any) -> tuple[list[PdfPage], list[PagePicture], list[int], list[int]]:
    """Of an open PDF, with the pictures on pages that have text, and the numbers of pages that are scanned, and of
    those whose text may be drawn as outlines."""
    pages: list[PdfPage] = []
    pictures: list[PagePicture] = []
    scanned: list[int] = []
    drawn: list[int] = []
    length, spent = 0, 0.0
    for number in range(1, len(document) + 1):
        page = document[number - 1]
        began = time.thread_time()
        rules = rules_on(page) if spent < _PATIENCE else []
        lines = list(_lines(page, bool(rules)))
        if not rules and spent < _PATIENCE and any(CELLS in line.text for line in lines):
            lines = list(_lines(page, True))  # a head may have narrower gaps than its table
        spent += time.thread_time() - began
        characters = sum(len(line.text) for line in lines)
        length += characters
        if length > _MOST_CHARACTERS:  # a few kilobytes can be shown on thousands of pages
            most = f"{_MOST_CHARACTERS:,}"
            raise _too_long(
                name, Message(zh=f"{most} 多字", en=f"over {most} characters"), Message(zh=f"{most} 字", en=most)
            )
        if characters < _LEAST and is_covered(page):
            scanned.append(number)
        elif not characters and is_drawn(page):
            drawn.append(number)
        else:
            pictures += pictures_on(page, number, lines)
        pages.append(PdfPage(number, page.get_height(), lines, rules))
        page.close()
    return pages, pictures, scanned, drawn


def _lines(page: Any, parted: bool) -> Iterator[PdfLine]:
    """The lines of a page in the order of its content, which goes column by column. Their words are told apart where
    gaps are wide, or all of them (`parted`)."""
    from pypdfium2 import raw

    read = page.get_textpage()
    text = read.get_text_range()
    x, y, left, right, bottom, top = (ctypes.c_double() for _ in range(6))
    matrix = raw.FS_MATRIX()
    start = 0
    for line in text.split("\r\n"):
        length = len(line) if line.isascii() else len(line.encode("utf-16-le", "surrogatepass")) // 2
        first = raw.FPDFText_GetCharIndexFromTextIndex(read, start)
        last = raw.FPDFText_GetCharIndexFromTextIndex(read, start + length - 1)
        start += length + 2
        if first < 0 or last < 0 or not line.strip():
            continue
        raw.FPDFText_GetCharOrigin(read, last, x, y)
        end = y.value
        raw.FPDFText_GetCharOrigin(read, first, x, y)
        raw.FPDFText_GetCharBox(read, last, left, right, bottom, top)
        middle = raw.FPDFText_GetCharIndexFromTextIndex(read, start - length - 2 + _middle(line))
        raw.FPDFText_GetMatrix(read, middle, matrix)
        size = raw.FPDFText_GetFontSize(read, middle) * (matrix.c**2 + matrix.d**2) ** 0.5
        words: list[PdfWord] = []
        left_end, right_end = x.value, right.value
        wide = right_end - left_end > 1.2 * _printed_width(line, size) + size
        if length == len(line) <= _LONGEST_ROW and (parted or wide):
            words = list(_words(read, line, start - length - 2))
            line = _with_gaps(words, 1.5 * size) if wide else line
        found = PdfLine(line, left_end, right_end, y.value, end, round(size, 1), words=tuple(words))
        if found.text:
            yield found
    read.close()


def _middle(line: str) -> int:
    """Where a letter stands that tells the size: a line may begin with a raised number or end with one, and a blank
    that is not drawn has no size."""
    half = len(line) // 2
    places = (*range(half, len(line)), *range(half))
    return next((n for n in places if not line[n].isspace()), 0)


def _printed_width(text: str, size: float) -> float:
    wide = sum(mark > "\u2e80" for mark in text)
    return size * (wide + (len(text) - wide) / 2)


def _words(read: Any, line: str, start: int) -> Iterator[PdfWord]:
    """What stands between blanks, and where on the page; `start`: of the line in the text."""
    from pypdfium2 import raw

    left, right, bottom, top, x, y = (ctypes.c_double() for _ in range(6))
    for found in re.finditer(r"\S+", line):
        first = raw.FPDFText_GetCharIndexFromTextIndex(read, start + found.start())
        last = raw.FPDFText_GetCharIndexFromTextIndex(read, start + found.end() - 1)
        raw.FPDFText_GetCharBox(read, first, left, right, bottom, top)
        begin = left.value
        raw.FPDFText_GetCharOrigin(read, first, x, y)
        raw.FPDFText_GetCharBox(read, last, left, right, bottom, top)
        if text := tidy(found[0]):
            yield PdfWord(text, begin, max(begin, right.value), y.value)


def _with_gaps(words: Sequence[PdfWord], widest: float) -> str:
    """The line with its wide gaps, which part the cells of a table, made visible. But not the one after a label."""
    cells: list[str] = []
    cell, end = "", 0.0
    for word in words:
        if cell and word.left - end > widest and (cells or not _label.fullmatch(cell)):
            cells.append(cell)
            cell = ""
        cell, end = f"{cell} {word.text}".strip(), word.right
    return CELLS.join([*cells, cell])


def _recognise(name: str, data: bytes, pages: list[PdfPage], which: Sequence[int], metadata: dict[str, Any]) -> None:
    """Pages get the lines that are read from their pictures. PDFium is free while one is read."""
    for count, number in enumerate(which, 1):
        read = read_picture(name, _picture_of(name, data, number), count, len(which))
        pages[number - 1] = PdfPage(number, read.height, read.lines)
    if any(pages[number - 1].lines for number in which):
        metadata["note"] = recognised_note()


def _picture_of(name: str, data: bytes, number: int) -> Any:
    with opened_page(name, data, number) as page:
        scale = min(_SCAN_DPI / 72, (_MOST_PIXELS / max(1.0, page.get_width() * page.get_height())) ** 0.5)
        return page.render(scale=scale, rev_byteorder=True).to_pil().convert("RGB")


def _bookmarks(document: Any) -> Iterator[tuple[int, int, str]]:
    """(page from 1, level from 1, title)"""
    for count, mark in enumerate(document.get_toc(max_depth=6)):
        if count >= _MOST_BOOKMARKS:
            return
        goal = mark.get_dest()
        index = goal.get_index() if goal else None
        if index is not None:
            yield index + 1, mark.level + 1, mark.get_title()


def _metadata(document: Any) -> dict[str, Any]:
    facts = document.get_metadata_dict(skip_empty=True)
    found: dict[str, Any] = {"pages": len(document)}
    for key in ("Title", "Author", "Subject", "Keywords"):
        value = " ".join(str(facts.get(key, "")).split())
        if value and not _no_title.fullmatch(value):
            found[key.lower()] = value
    for key, date in (("created", "CreationDate"), ("modified", "ModDate")):
        if when := _moment(str(facts.get(date, ""))):
            found[key] = when
    return found


def _moment(date: str) -> str:
    """D:20240131235959+08'00' in ISO 8601, UTC; "" where it is none."""
    found = _date.match(date)
    if not found:
        return ""
    year, month, day, hour, minute, second = (
        int(part or least) for part, least in zip(found.groups()[:6], (0, 1, 1, 0, 0, 0), strict=True)
    )
    offset = f"{found[7] or '+00'}:{found[8] or '00'}"
    try:
        local = datetime.fromisoformat(f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{offset}")
        return local.astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return ""


def _too_long(name: str, actual: Message, most: Message) -> FileError:
    return FileError(
        Message(
            zh=f"“{name}”有 {actual.zh}，上限是 {most.zh}。", en=f'"{name}" has {actual.en}; {most.en} is the limit.'
        ),
        Message(zh="请拆分成几个文件后上传。", en="Split it into several files and upload those."),
    )


def _needs_ocr(name: str, scanned: int, pages: int) -> FileError:
    which = (
        Message(zh=f"{pages} 页中有 {scanned} 页", en=f"{scanned} of its {pages} pages")
        if 0 < scanned < pages
        else Message(zh="各页", en="its pages")
    )
    return FileError(
        Message(
            zh=f"“{name}”的{which.zh}没有文字，可能是扫描件。",
            en=f'"{name}": {which.en} hold no text; it seems to be scanned.',
        ),
        INSTALL_OCR,
    )
