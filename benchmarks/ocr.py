"""What text recognition reads of scanned pages, and whether it knows what it is not sure of.

Pages are typeset from our own Markdown in both languages, in one and two columns and as tables, drawn as pictures at
150 and 200 dpi, turned, skewed and spoilt, and read as any picture is. Needs the extra `ocr`.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import resource
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.page_boxes import Layout, prose, typeset
from benchmarks.report import DATA, Bar, Report, progress
from ingestion.readers import read_document
from ingestion.readers.ocr import engine
from schema import Document

_SEED = 7
_PITCH = 25  # points between the rows of the table
_blank = re.compile(r"[\s#|\\-]+")


class Scan(NamedTuple):
    """A page as a picture, and what is printed on it."""

    group: str
    picture: Any
    text: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, default=DATA / "crosslingual", help="a folder with Markdown in en/ and zh/"
    )
    parser.add_argument("--paragraphs", type=int, default=14, help="of each language that are read")
    parser.add_argument("--cells", type=int, default=90, help="of the table that is blurred until cells are misread")


def run(options: argparse.Namespace) -> Report:
    engine()
    accuracy = defaultdict[str, list[float]](list)
    # One by one: all pictures together would be counted as memory of what reads them.
    for scan in progress(_scans(options.data, options.paragraphs), "reading scans"):
        accuracy[scan.group].append(_accuracy(scan.text, _read(scan.picture).text))
    doubts = _doubts(options.cells)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    ours, direct = _seconds(options.data, options.paragraphs)
    means = {group: sum(found) / len(found) for group, found in sorted(accuracy.items())}
    clean = [mean for group, mean in means.items() if "spoilt" not in group]
    spoilt = [mean for group, mean in means.items() if "spoilt" in group]
    metrics = {f"accuracy, {group}": mean for group, mean in means.items()}
    return Report(
        {**metrics, "cells read wrong": doubts.wrong, "cells read right": doubts.right, "seconds a page": ours},
        {
            "lowest accuracy of clean pages": Bar(min(clean), 0.99),
            "lowest accuracy of spoilt pages": Bar(min(spoilt), 0.97),
            "wrong cells marked": Bar(doubts.marked_wrong / max(1, doubts.wrong), 0.75),
            "right cells marked": Bar(doubts.marked_right / max(1, doubts.right), 0.30, most=True),
            "seconds beside the library called directly": Bar(ours / direct, 1.2, most=True),
            "peak memory in GB": Bar(peak, 1.3, most=True),
        },
    )


def _scans(folder: Path, most: int) -> Iterator[Scan]:
    for language, chinese in (("en", False), ("zh", True)):
        paragraphs = prose(folder / language)[:most]
        text = "".join(paragraphs)
        for columns in (1, 2):
            page = typeset(paragraphs, Layout(chinese, columns))
            for dpi in (150, 200):
                yield Scan(f"{language}, {columns} columns", _drawn(page, dpi), text)
        page = typeset(paragraphs, Layout(chinese))
        for turn in (90, 180, 270):
            yield Scan(f"{language}, turned", _drawn(page, 150).rotate(turn, expand=True), text)
        for skew in (2, 5):
            skewed = _drawn(page, 150).rotate(skew, expand=True, fillcolor="white", resample=3)
            yield Scan(f"{language}, skewed", skewed, text)
        for dpi in (150, 200):
            yield Scan(f"{language}, spoilt", _spoilt(_drawn(page, dpi)), text)
    yield Scan("zh, written downward", *_downward(prose(folder / "zh")[:8]))


def _drawn(page: bytes, dpi: int) -> Any:
    import pypdfium2 as pdfium

    return pdfium.PdfDocument(page)[0].render(scale=dpi / 72).to_pil().convert("RGB")


def _spoilt(picture: Any) -> Any:
    """Blurred, noisy, pale, and compressed."""
    import numpy as np
    from PIL import Image, ImageFilter

    blurred = np.asarray(picture.filter(ImageFilter.GaussianBlur(0.8)), np.float32) * 0.8 + 30
    noise = np.random.default_rng(_SEED).normal(0, 12, blurred.shape)
    file = io.BytesIO()
    Image.fromarray(np.clip(blurred + noise, 0, 255).astype(np.uint8)).save(file, "JPEG", quality=50)
    return Image.open(file).convert("RGB")


def _downward(paragraphs: list[str]) -> tuple[Any, str]:
    """Columns of twenty characters, from right to left."""
    characters = [mark for mark in "".join(paragraphs) if "\u4e00" <= mark <= "\u9fff"][:240]
    placed = [
        (420 - 34 * (nth // 20), 40 + 22 * (nth % 20), mark) for nth, mark in enumerate(characters)
    ]  # fmt: skip
    return _drawn(_printed(placed, "STSong-Light", 18), 150), "".join(characters)


def _printed(placed: Sequence[tuple[float, float, str]], font: str, size: float) -> bytes:
    """Words at their places: points from the left and from the top of an A4 page."""
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfgen.canvas import Canvas

    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4)
    canvas.setFont(font, size)
    for x, y, words in placed:
        canvas.drawString(x, A4[1] - y - size, words)
    canvas.save()
    return file.getvalue()


def _read(picture: Any) -> Document:
    file = io.BytesIO()
    picture.save(file, "PNG")
    return read_document("scan.png", file.getvalue(), max_bytes=100_000_000)


def _accuracy(printed: str, read: str) -> float:
    """1 - edits / characters, without blanks and the marks of Markdown."""
    wanted, found = _blank.sub("", printed), _blank.sub("", read)
    return 1 - _edits(wanted, found) / len(wanted)


def _edits(one: str, other: str) -> int:
    """The distance of Levenshtein, row by row."""
    import numpy as np

    codes = np.array([ord(mark) for mark in other])
    row = np.arange(len(other) + 1)
    steps = np.arange(len(other) + 1)
    for nth, mark in enumerate(one, 1):
        new = np.minimum(row[1:] + 1, row[:-1] + (codes != ord(mark)))
        new = np.concatenate(([nth], new))
        row = np.minimum.accumulate(new - steps) + steps
    return int(row[-1])


class _Doubts(NamedTuple):
    wrong: int
    marked_wrong: int
    right: int
    marked_right: int


def _doubts(count: int) -> _Doubts:
    """Of numbers in a table that is blurred until a good part of them is misread; a lost cell counts for nothing."""
    from PIL import ImageFilter

    picked = random.Random(_SEED)
    cells = {
        (nth % 3, nth // 3): f"{picked.randrange(1000, 9999):,}.{picked.randrange(10, 99)}" for nth in range(count)
    }
    placed = [(60 + 170 * across, 40 + _PITCH * down, words) for (across, down), words in cells.items()]
    picture = _drawn(_printed(placed, "Helvetica", 11), 150)
    found = _Doubts(0, 0, 0, 0)
    for blur in (2.0, 2.4, 2.8):
        judged = _judged(_read(picture.filter(ImageFilter.GaussianBlur(blur))), cells)
        found = _Doubts(*(one + other for one, other in zip(found, judged, strict=True)))
    return found


def _judged(document: Document, cells: dict[tuple[int, int], str]) -> _Doubts:
    """Cells by where their boxes stand on the page."""
    counts = {(right, marked): 0 for right in (True, False) for marked in (True, False)}
    ends = [*(place.start for place in document.places[1:]), len(document.text)]
    for place, end in zip(document.places, ends, strict=True):
        left, top, _, bottom = (side / 10_000 for side in place.box)
        at = round((595 * left - 60) / 170), round((842 * (top + bottom) / 2 - 46) / _PITCH)
        if at in cells:
            read = document.text[place.start : end].strip().strip("|").strip()
            counts[read == cells[at], bool(place.doubts)] += 1
    wrong, right = counts[False, True] + counts[False, False], counts[True, True] + counts[True, False]
    return _Doubts(wrong, counts[False, True], right, counts[True, True])


def _seconds(folder: Path, most: int) -> tuple[float, float]:
    """A page by the reader, and by the library called directly with the best parameters that are known."""
    import numpy as np
    import rapidocr

    pages = [
        _drawn(typeset(prose(folder / language)[:most], Layout(language == "zh")), 150) for language in ("en", "zh")
    ]
    ours, direct = 0.0, 0.0
    alone = rapidocr.RapidOCR(
        params={
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "Global.use_cls": False,
            "Global.log_level": "critical",
            "Rec.rec_batch_num": 1,
        }
    )
    alone(np.asarray(pages[0]))
    for page in pages * 2:
        began = time.perf_counter()
        _read(page)
        ours += time.perf_counter() - began
        began = time.perf_counter()
        alone(np.asarray(page)[:, :, ::-1])
        direct += time.perf_counter() - began
    return ours / len(pages) / 2, direct / len(pages) / 2
