"""What is written in a picture: an engine's lines, in reading order, upright, with their boxes and what is doubtful.

The engine (extra `ocr`) is loaded when the first picture comes, with the models that it brings: it downloads nothing.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from errors import CitewiseError, FileError
from ingestion.readers.base import OcrNeeded
from ingestion.readers.ocr_engine import OcrEngine, OcrLine, RapidOcrEngine
from ingestion.readers.ocr_layout import areas, is_written_downward, reading_order
from ingestion.readers.pdf_lines import PdfLine, PdfPage, PdfWord
from schema import Message

if TYPE_CHECKING:
    from PIL.Image import Image

    from ingestion.readers.vision import VisionModel

_log = logging.getLogger(__name__)

_UPRIGHT = 0.85  # median score of a page's lines: lower where it stands on its head or lies on its side
_ALIKE = 1.3  # heights of lines in one size of print: a box reaches as far as its letters do
_SURE = 0.9  # the score of the least sure character of a word that is not marked
_word = re.compile(r"[A-Za-z0-9][A-Za-z0-9.,:/%+-]*(?<![.,:])|[\u3400-\u9fff]")  # of Chinese, each character
_two_stops = re.compile(r"\d\.\d{3}\.\d")  # a comma that was read as a full stop
_PATIENCE = 60.0  # seconds of the processor that a page may take
_POINTS = 1000.0  # the height that a page is given


ENGINES: dict[str, type[OcrEngine]] = {"rapidocr": RapidOcrEngine}
_made: dict[str, OcrEngine] = {}
_making = threading.Lock()


@dataclass(frozen=True, slots=True)
class OcrSession:
    """How pictures are read within a file, and who is told how far it is."""

    deferred: bool = False  # raise OcrNeeded instead
    later: bool = False  # pictures beside text are not read yet
    engine: str = "rapidocr"  # of ENGINES, or "model"; "off": pictures are not read
    model: VisionModel | None = None  # asked first; where it fails, the engine that is here reads
    progress: Callable[[float], None] = lambda share: None


_DEFAULT = OcrSession()
OCR: ContextVar[OcrSession] = ContextVar("OCR", default=_DEFAULT)


@contextmanager
def ocr_session(session: OcrSession) -> Iterator[None]:
    """What is read within it is read in this way."""
    token = OCR.set(session)
    try:
        yield
    finally:
        OCR.reset(token)


def is_wanted() -> bool:
    return OCR.get().engine != "off"


def can_read(engine: str) -> bool:
    """Whether an engine is here; "off" is none, and a model is asked at its address."""
    return engine == "model" or (engine in ENGINES and ENGINES[engine].is_here())


def is_installed(has_text: bool = False) -> bool:
    """Whether pictures are to be read, and can be. Raises OcrNeeded where not here; `has_text`: the file has more."""
    if not can_read(OCR.get().engine):
        return False
    if OCR.get().deferred:
        raise OcrNeeded(has_text)
    if OCR.get().model:
        return True
    try:
        engine()
    except CitewiseError:
        return False
    return True


def engine() -> OcrEngine:
    """The one of the session, made once for all files. Raises CitewiseError where it is not installed."""
    name = "rapidocr" if OCR.get().model else OCR.get().engine
    with _making:
        if name not in _made:
            _made[name] = ENGINES[name]()
        return _made[name]


def read_picture(name: str, picture: Image, number: int, pages: int, least: float = 0.0) -> PdfPage:
    """A page, from 1, of so many, without lines whose mean score is less. Raises FileError for one that takes too
    long, CitewiseError without an engine."""
    model = OCR.get().model
    if model and (found := _by_model(name, model, picture, number)):
        OCR.get().progress(number / pages)
        return found
    used, began = engine(), time.thread_time()
    page = _upright(used, picture)
    page = page._replace(lines=[one for one in page.lines if _mean(one) >= least])
    if time.thread_time() - began > _PATIENCE:
        raise _too_slow(name, number)
    OCR.get().progress(number / pages)
    return PdfPage(number, _POINTS, list(_lines(page)))


def _by_model(name: str, model: VisionModel, picture: Image, number: int) -> PdfPage | None:
    """None where it does not answer and the engine reads the page. Raises FileError where there is none."""
    from ingestion.readers.vision import unread
    from providers.failures import ProviderError

    instead = can_read("rapidocr")
    if model.rests and instead:
        return None
    try:
        return model.read_page(picture, number)
    except ProviderError as error:
        if not instead:
            raise unread(name, number, error) from error
        _log.warning("the vision model has not read page %s of %s: %s", number, name, error)
        return None


class _Page(NamedTuple):
    """Lines in a picture that was turned by so many quarters, counter-clockwise, so that they stand upright."""

    lines: list[OcrLine]
    turns: int
    width: int  # of the picture as it was
    height: int


def _upright(used: OcrEngine, picture: Image) -> _Page:
    """The page is read again where it seems to stand on its head, or to lie on its side."""
    read = _Page(used.read(picture), 0, *picture.size)
    if len(read.lines) < 2:
        return read
    downward = is_written_downward([line.quad for line in read.lines])
    sideways = downward and (_score(read) < _UPRIGHT or _is_latin(read))  # what is written downward is Chinese
    if not sideways and _score(read) >= _UPRIGHT:
        return read
    turned = [
        _Page(used.read(picture.rotate(90 * turns, expand=True)), turns, *picture.size)
        for turns in ((1, 3) if sideways else (2,))
    ]
    best = max(turned, key=_score)
    return best if _score(best) > _score(read) or (sideways and _score(best) >= _UPRIGHT) else read


def _score(page: _Page) -> float:
    """The median of its lines' mean scores."""
    return median([_mean(one) for one in page.lines]) if page.lines else 0.0


def _mean(line: OcrLine) -> float:
    return sum(line.scores) / len(line.scores) if line.scores else 0.0


def _is_latin(page: _Page) -> bool:
    text = "".join(one.text for one in page.lines)
    return sum(mark.isascii() and mark.isalpha() for mark in text) > len(text) / 2


def _lines(page: _Page) -> Iterator[PdfLine]:
    """In the order of reading, placed as on a page of `_POINTS`; boxes are those on the picture as it was."""
    if not page.lines:
        return
    sideways = page.turns % 2
    width, height = (page.height, page.width) if sideways else (page.width, page.height)
    found = areas([line.quad for line in page.lines], width)
    scale = _POINTS / height
    usual = median(area.height for area in found)
    for nth in reading_order(found):
        line, area = page.lines[nth], found[nth]
        size = usual if 1 / _ALIKE < area.height / usual < _ALIKE else area.height
        base = _POINTS - (area.bottom - area.height / 5) * scale
        quad = [_turned_back(corner, page) for corner in line.quad]
        straight = not page.turns and abs(area.left - min(x for x, _ in line.quad)) < 1
        words = tuple(PdfWord(text, a * scale, b * scale, base) for text, a, b in line.words if straight)
        yield PdfLine(
            line.text, area.left * scale, area.right * scale, base, base, round(size * scale, 1),
            box=_box(quad, page.width, page.height), doubts=doubtful_words(line),
            words=words,
        )  # fmt: skip


def _turned_back(corner: tuple[float, float], page: _Page) -> tuple[float, float]:
    (x, y), width, height = corner, page.width, page.height
    return [(x, y), (width - y, x), (width - x, height - y), (y, height - x)][page.turns]


def _box(quad: Sequence[tuple[float, float]], width: int, height: int) -> tuple[int, ...]:
    xs, ys = [x / width for x, _ in quad], [y / height for _, y in quad]
    return tuple(round(10_000 * min(1.0, max(0.0, side))) for side in (min(xs), min(ys), max(xs), max(ys)))


def doubtful_words(line: OcrLine) -> tuple[str, ...]:
    """Words with a character that was not read for sure, and numbers that no one writes."""
    found: list[tuple[str, float, int]] = []  # word, score, where it ends
    for word in _word.finditer(line.text):
        least = min(line.scores[word.start() : word.end()], default=1.0)
        if least >= _SURE and not _two_stops.search(word[0]):
            continue
        if found and found[-1][2] == word.start() and not word[0].isascii():  # a word of several characters
            before, score, _ = found.pop()
            found.append((before + word[0], min(score, least), word.end()))
        else:
            found.append((word[0], least, word.end()))
    return tuple(f"{word} {score:.2f}" for word, score, _ in found)


def recognised_note() -> dict[str, str]:
    """What is told of a document that was read from pictures, as JSON."""
    return {
        "zh": "由文字识别（OCR）从图片读出，可能有误，重要之处请对照原页",
        "en": "read from pictures by text recognition (OCR): check the page where it matters",
    }


def _too_slow(name: str, number: int) -> FileError:
    return FileError(
        Message(
            zh=f"“{name}”的第 {number} 页识别超过 {_PATIENCE:.0f} 秒，没有读取。",
            en=f'Page {number} of "{name}" took more than {_PATIENCE:.0f} seconds to recognise; it was not read.',
        ),
        Message(zh="请降低扫描分辨率，或拆分后再上传。", en="Scan it at a lower resolution, or split it."),
    )
