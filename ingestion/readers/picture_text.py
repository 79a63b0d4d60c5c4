"""What is written in the pictures within files that have text of their own: read by OCR, and put where they stand.

Logos, bullets and rules are not looked at. Without the extra `ocr` the text is as it is, and a note says how many
pictures were not read.
"""

from __future__ import annotations

import io
import logging
import time
import zipfile
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from errors import FileError
from ingestion.readers.base import INSTALL_OCR, ReaderResult, fence_ends, letters_of
from ingestion.readers.embedded_pictures import EmbeddedPicture, pictures_within, stands_at
from ingestion.readers.ocr import OCR, is_installed, is_wanted, read_picture
from ingestion.readers.pdf_layout import paragraphs_of
from ingestion.readers.pdf_lines import PdfPage
from ingestion.readers.pictures import picture_of
from schema import Message, Place
from text import language_of

_SHORT_SIDE, _AREA = 80, 50_000  # pixels: what is smaller is a logo, a bullet or a rule
_MOST = 200  # pictures of a file
_PATIENCE = 600.0  # seconds of the processor that all pictures of a file may take
_FEWEST = 4  # letters and digits of what is taken for writing
SURE = 0.6  # the mean score of a line; what is less is seen in leaves and clouds
_LONGEST = 2_000_000  # characters of a text that pictures are put into
_NUMBERED = {"pptx": "slide", "odp": "slide", "epub": "chapter", "pdf": "page"}
_log = logging.getLogger(__name__)

ReadOne = Callable[[int, int, int], PdfPage]  # (nth picture, its number among those that are read, how many are)


class PictureBlock(NamedTuple):
    """What is written in a picture, and behind which place of the text it goes."""

    at: int
    text: str
    places: list[Place]  # of its lines, by their offsets in it


def is_large(width: float, height: float) -> bool:
    """Whether a picture of so many pixels may hold text that anybody would ask for."""
    return min(width, height) >= _SHORT_SIDE and width * height >= _AREA


def with_picture_text(name: str, data: bytes, read: ReaderResult) -> ReaderResult:
    """Of an office file or a book. Raises OcrNeeded; FileError where it holds nothing but pictures, which cannot be
    read here."""
    if not is_wanted():
        return read
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            large = set(_large_parts(package))
            found = pictures_within(data) if large else []
    except Exception:  # a damaged picture is no reason to refuse the text
        _log.info("the pictures of %s cannot be found", name, exc_info=True)
        return read
    first = {one.part: nth for nth, one in reversed(list(enumerate(found)))}  # one that is shown twice is read once
    chosen = sorted(nth for part, nth in first.items() if part in large)

    def read_one(nth: int, number: int, count: int) -> PdfPage:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            picture = picture_of(package.read(found[nth].part), 1)
        return read_picture(name, picture, number, count, SURE)

    return with_pictures(name, read, found, chosen, read_one)


def with_pictures(
    name: str, read: ReaderResult, found: Sequence[EmbeddedPicture], chosen: Sequence[int], read_one: ReadOne
) -> ReaderResult:
    """The text with what is written in the chosen ones of its pictures, as far as there is time for them."""
    if not chosen or len(read.text) > _LONGEST:
        return read
    has_text = bool(read.text.strip())
    if has_text and OCR.get().later:
        return _noted(read, _next(len(chosen)))
    if not is_installed(has_text):
        if not has_text:
            raise _only_pictures(name, len(chosen))
        return _noted(read, _unread(len(chosen)))
    pages = dict(_pages(name, chosen, read_one))
    places = read.places or [Place(0, "line", 1)]
    at = stands_at(read.text, places, found)
    blocks = [
        _block(read, found[nth], nth, page, at.get(nth)) for nth, page in sorted(pages.items()) if _has_writing(page)
    ]
    if not blocks:
        return read
    text, places = spliced(read.text, places if read.text.strip() else [], blocks, read.kind == "markdown")
    return _noted(replace(read, text=text, places=places), _recognised(len(blocks), len(chosen) - len(pages)))


def _pages(name: str, chosen: Sequence[int], read_one: ReadOne) -> Iterator[tuple[int, PdfPage]]:
    """What is read of them; a damaged one holds nothing, one that takes too long is left out."""
    began = time.thread_time()
    for number, nth in enumerate(chosen[:_MOST], 1):
        if time.thread_time() - began > _PATIENCE:
            return
        try:
            yield nth, read_one(nth, number, min(len(chosen), _MOST))
        except FileError:
            continue
        except Exception:
            _log.info("picture %s of %s cannot be read", nth + 1, name, exc_info=True)
            yield nth, PdfPage(1, 1.0, [])


def _large_parts(package: zipfile.ZipFile) -> Iterator[str]:
    """Pictures by the size that they say they have; only their heads are unpacked."""
    from PIL import Image

    for part in package.namelist():
        if not part.lower().endswith((".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")):
            continue
        try:
            with package.open(part) as file, Image.open(file, formats=("PNG", "JPEG", "TIFF", "WEBP")) as picture:
                if is_large(*picture.size):
                    yield part
        except Exception:  # of Pillow, for what is damaged
            _log.info("%s is no picture", part, exc_info=True)


def _has_writing(page: PdfPage) -> bool:
    return sum(len(letters_of(line.text)) for line in page.lines) >= _FEWEST


def _block(read: ReaderResult, picture: EmbeddedPicture, nth: int, page: PdfPage, at: int | None) -> PictureBlock:
    """Where the slide or page has no text, what is read begins it."""
    text, lines = paragraphs_of(page, read.kind == "markdown")
    kind: Any = _NUMBERED.get(read.doc_type, "picture")
    number = picture.number or nth + 1
    same = next((one for one in read.places if one.kind == kind and one.number == number), None)
    number_in_file = 0 if kind == "page" else nth + 1  # boxes on a page are those of the page
    places = [
        Place(one.start, kind, number, same.part if same else "", one.box, one.doubts, number_in_file)
        for one in lines
    ]  # fmt: skip
    if at is not None:
        return PictureBlock(at, text, places)
    after = (one.start for one in read.places if one.number > number)
    head = ""
    if kind == "slide":
        head = f"## {f'第 {number} 张' if language_of(text) == 'zh' else f'Slide {number}'}\n\n"
    moved = [Place(0, kind, number), *(one._replace(start=one.start + len(head)) for one in places)]
    return PictureBlock(max(0, next(after, len(read.text)) - 2), head + text, moved[not head :])


def spliced(
    text: str, places: Sequence[Place], blocks: Sequence[PictureBlock], markdown: bool
) -> tuple[str, list[Place]]:
    """The text with each block behind the paragraph that its place lies in, and all places where they are now."""
    parts: list[str] = []
    made: list[Place] = []
    done = length = taken = 0
    breaks = _Breaks(text, markdown)
    for block in sorted(blocks, key=lambda one: breaks.after(one.at)):
        at = breaks.after(block.at)
        while taken < len(places) and places[taken].start < max(at, 1):
            made.append(places[taken]._replace(start=places[taken].start + length - done))
            taken += 1
        between = "\n\n" if at else ""
        parts += [text[done:at], between, block.text]
        length += at - done + len(between)
        made += [one._replace(start=one.start + length) for one in block.places]
        length, done = length + len(block.text), at
        if taken and at + 2 < len(text) and (taken == len(places) or places[taken].start > at + 2):
            line = "".join(parts).count("\n") + 3
            back = places[taken - 1]
            made.append(back._replace(start=length + 2, number=line if back.kind == "line" else back.number))
    made += [one._replace(start=one.start + length - done) for one in places[taken:]]
    return "".join([*parts, text[done:]]), _without_doubles(made)


def _without_doubles(places: Sequence[Place]) -> list[Place]:
    """Of two at one offset the last one counts."""
    return [one for one, after in zip(places, [*places[1:], None], strict=True) if not after or after.start > one.start]


class _Breaks:
    """Where paragraphs end, but not within a block of code."""

    def __init__(self, text: str, markdown: bool) -> None:
        self._text = text
        self._fences = fence_ends(text) if markdown else []

    def after(self, at: int) -> int:
        if not self._text.strip():
            return 0
        found = at if self._text.startswith("\n\n", at) else self._text.find("\n\n", at)
        found = len(self._text) if found < 0 else found
        nth = bisect_right(self._fences, (found,)) - 1
        if nth >= 0 and found < self._fences[nth][1]:
            return self.after(self._fences[nth][1])
        return found


def _noted(read: ReaderResult, note: Message) -> ReaderResult:
    """Behind what is said already."""
    before = read.metadata.get("note") or {"zh": "", "en": ""}
    said = {
        "zh": "；".join(filter(None, [before["zh"], note.zh])),
        "en": "; ".join(filter(None, [before["en"], note.en])),
    }
    return replace(read, metadata={**read.metadata, "note": said})


def _unread(count: int) -> Message:
    return Message(
        zh=f"{count} 张图片里的文字没有读取；需要时请运行 uv sync --extra ocr，重新启动程序后重新读取这个文件",
        en=f"the text in {count} picture{'s' * (count > 1)} was not read; to have it read, run uv sync --extra ocr, "
        "start the program again and read the file anew",
    )


def _next(count: int) -> Message:
    return Message(
        zh=f"{count} 张图片里的文字正在读取", en=f"the text in {count} picture{'s' * (count > 1)} is being read"
    )


def _recognised(count: int, left: int) -> Message:
    rest = Message(zh=f"，另有 {left} 张没来得及读", en=f"; {left} more could not be read in time")
    if not left:
        rest = Message(zh="", en="")
    return Message(
        zh=f"{count} 张图片里的文字由文字识别（OCR）读出，可能有误，重要之处请对照图片{rest.zh}",
        en=f"the text in {count} picture{'s' * (count > 1)} was read by text recognition (OCR): check it against the "
        f"picture where it matters{rest.en}",
    )


def _only_pictures(name: str, count: int) -> FileError:
    return FileError(
        Message(
            zh=f"“{name}”里只有图片（{count} 张），没有文字。",
            en=f'"{name}" holds nothing but pictures ({count}).',
        ),
        INSTALL_OCR,
    )
