"""Pictures of pages: lines in reading order however the page lies, their boxes, what is doubtful; and a real engine."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from answering.table_answers import least_sure, misread_notice
from errors import FileError
from ingestion.readers import ocr, read_document
from ingestion.readers.ocr import OcrEngine, OcrLine
from ingestion.readers.ocr_engine import RapidOcrEngine
from library import Library
from schema import Document, Message, Place, Support, TableQuery

WIDTH, HEIGHT = 600, 800
LINES = [  # text, left, top, right: two columns below a title
    ("The price list", 40, 40, 300),
    ("The red pump costs", 40, 120, 280),
    ("8,000 euros.", 40, 150, 200),
    ("It weighs nine kilos,", 40, 180, 280),
    ("without its hose.", 40, 210, 250),
    ("Water tanks cost", 330, 120, 560),
    ("300 euros each.", 330, 150, 520),
    ("They hold one ton.", 330, 180, 550),
]


class PrintedPage(OcrEngine):
    """Reads a page of which it knows the lines: a black corner tells which way the page lies, as letters would."""

    def read(self, picture: Image.Image) -> list[OcrLine]:
        width, height = picture.size
        corners = [(2, 2), (2, height - 3), (width - 3, height - 3), (width - 3, 2)]
        turned = next((n for n, corner in enumerate(corners) if max(picture.getpixel(corner)) < 99), None)
        if turned is None:
            return []
        scale = min(picture.size) / WIDTH
        return [_printed(text, turned, *(scale * side for side in (*at, at[1] + 20))) for text, *at in reversed(LINES)]


def _printed(text: str, turned: int, left: float, top: float, right: float, bottom: float) -> OcrLine:
    """Where the page lies in another way, the box lies so, too, and little is sure."""
    quad = [(left, top), (right, top), (right, bottom), (left, bottom)]
    if turned % 2:
        quad = [(y, x) for x, y in quad]
    return OcrLine(text, tuple(quad), [0.62 if mark == "8" else 0.6 if turned else 0.99 for mark in text])


def page() -> Image.Image:
    picture = Image.new("RGB", (WIDTH, HEIGHT), "white")
    picture.paste("black", (0, 0, 6, 6))
    return picture


def encoded(picture: Image.Image, kind: str = "PNG", **how: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, kind, **how)
    return file.getvalue()


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ocr.ENGINES, "rapidocr", PrintedPage)
    monkeypatch.setattr(ocr, "_made", {})


def read(name: str, data: bytes) -> Document:
    return read_document(name, data, max_bytes=50_000_000)


TEXT = """The price list

The red pump costs 8,000 euros. It weighs nine kilos, without its hose.

Water tanks cost 300 euros each. They hold one ton."""


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_a_page_is_read_by_columns_however_it_lies(engine: None, turns: int) -> None:
    document = read("scan.webp", encoded(page().rotate(90 * turns, expand=True), "WEBP", lossless=True))
    assert " ".join(document.text.split()) == " ".join(TEXT.split())
    assert document.origin.doc_type == "image"
    at = document.text.index("8,000")
    [place] = [place for place in document.places if place.start == at]
    assert place.doubts == ("8,000 0.62",)
    left, top, right, bottom = 400 / 6, 1500 / 8, 2000 / 6, 1700 / 8
    upright = [round(10 * side) for side in (left, top, right, bottom)]
    back = {
        0: upright,
        1: [upright[1], 10_000 - upright[2], upright[3], 10_000 - upright[0]],
        2: [10_000 - upright[2], 10_000 - upright[3], 10_000 - upright[0], 10_000 - upright[1]],
        3: [10_000 - upright[3], upright[0], 10_000 - upright[1], upright[2]],
    }[turns]
    assert list(place.box) == pytest.approx(back, abs=60)


def scanned_pdf() -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(WIDTH, HEIGHT))
    canvas.drawString(72, 700, "A cover that is printed, with more than fifty characters on it in all.")
    canvas.showPage()
    canvas.drawImage(ImageReader(page()), 0, 0, WIDTH, HEIGHT)
    canvas.save()
    return file.getvalue()


async def test_a_scan_is_asked_and_its_line_boxed(engine: None, make_settings: Any) -> None:
    async with await Library.open(make_settings()) as library:
        await library.add("scan.pdf", scanned_pdf())
        document = library.document("scan.pdf")
        assert {place.number for place in document.places} == {1, 2}
        start = document.text.index("8,000")
        found = library.page_boxes("scan.pdf", "", 2, [(start, start + 5)])
        assert found.boxes == [pytest.approx((40 / 600, 150 / 800, 200 / 600, 170 / 800), abs=0.01)]
        [hit, *_] = (await library.search("what does the red pump cost?")).hits
        assert any(place.doubts for place in hit.places)
    async with await Library.open(make_settings(CITEWISE_OCR="off")) as library:
        with pytest.raises(FileError, match="is a picture") as refused:
            await library.add("scan.png", encoded(page()))
        assert "uv sync --extra ocr" in refused.value.suggestions[0].zh


class PrintedRows(OcrEngine):
    """Reads a table of which one price is not sure."""

    def read(self, picture: Image.Image) -> list[OcrLine]:
        rows = [("Item", "Price", "Stock"), ("Pen", "8,000", "12"), ("Ink", "90", "40"), ("Pad", "70", "3")]
        cells = [(cell, 40 + 150 * x, 40 + 40 * y) for y, row in enumerate(rows) for x, cell in enumerate(row)]
        return [
            OcrLine(
                cell, ((x, y), (x + 60, y), (x + 60, y + 20), (x, y + 20)),
                [0.62 if cell == "8,000" else 0.99] * len(cell),
            )
            for cell, x, y in cells
        ]  # fmt: skip


async def test_a_table_in_a_scan_counts_and_says_what_may_be_misread(
    monkeypatch: pytest.MonkeyPatch, make_settings: Any
) -> None:
    monkeypatch.setitem(ocr.ENGINES, "rapidocr", PrintedRows)
    monkeypatch.setattr(ocr, "_made", {})
    async with await Library.open(make_settings(CITEWISE_INGEST_WORKERS="0")) as library:
        await library.add("prices.png", encoded(Image.new("RGB", (WIDTH, HEIGHT), "white")))
        for sql, value, doubts in (
            ('SELECT SUM("Price") FROM "prices.png"', 8160, ["8,000 0.62"]),
            ('SELECT SUM("Price") FROM "prices.png" WHERE "Stock" > 30', 90, []),
            ('SELECT SUM("Stock") FROM "prices.png"', 55, []),
        ):
            result = await library.run_table_query(TableQuery(document="prices.png", sql=sql))
            assert result.rows == ((value,),)
            assert await library.misread_cells(result) == doubts
    told = misread_notice(["8,000 0.62", "7 0.80"])
    assert told is not None
    assert told.en.startswith(
        "2 words in the rows used may be misread (“8,000” was read with a confidence of only 0.62)"
    )
    assert least_sure(["8,000 0.62"]) == 0.62


def test_a_page_whose_letters_are_outlines_is_read_as_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ocr.ENGINES, "rapidocr", PrintedRows)
    monkeypatch.setattr(ocr, "_made", {})
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(WIDTH, HEIGHT))
    canvas.drawString(72, 700, "A cover that is printed.")
    canvas.showPage()
    for nth in range(300):
        canvas.circle(50 + nth % 20 * 20, 100 + nth // 20 * 20, 4)
    canvas.showPage()
    canvas.line(50, 50, 500, 50)  # a page that holds nothing
    canvas.save()
    document = read("outlines.pdf", file.getvalue())
    assert document.tables is not None
    assert [table.cells[1] for table in document.tables] == [[8000, 90, 70]]
    assert {place.number for place in document.places} == {1, 2}
    with ocr.ocr_session(ocr.OcrSession(later=True)):
        assert read("outlines.pdf", file.getvalue()).text == "A cover that is printed."


def test_frames_are_pages_and_what_is_no_picture_is_refused(engine: None, monkeypatch: pytest.MonkeyPatch) -> None:
    document = read("fax.tiff", encoded(page(), "TIFF", save_all=True, append_images=[page(), page()]))
    assert [place.number for place in document.places if place.box == document.places[0].box] == [1, 2, 3]
    for data in (encoded(page())[:300], b"\x89PNG\r\n\x1a\n" + bytes(50), encoded(page(), "JPEG")[:200]):
        with pytest.raises(FileError, match="damaged"):
            read("a.png", data)
    with pytest.raises(FileError, match="No text was recognised"):
        read("blank.png", encoded(Image.new("RGB", (50, 50), "white")))
    monkeypatch.setattr("ingestion.readers.pictures._MOST_PIXELS", 1_000)
    with pytest.raises(FileError, match="too large"):
        read("a.png", encoded(page()))


def test_a_word_that_may_be_misread_speaks_against_its_claim() -> None:
    from evaluation.misreadings import with_misreadings

    place = Place(0, "page", 2, "", (1, 2, 3, 4), ("8,000 0.62", "pump 0.70", "三十 0.80", "的 0.70"))
    good = Support(0.9, True)
    doubted = with_misreadings(good, "The pump costs 8,000 euros.", [place])
    assert (doubted.score, doubted.supported) == (0.62, False)
    assert doubted.reasons == (
        Message(
            zh="“8,000”是从图片中识别的，把握只有 0.62，请对照原页",
            en='"8,000" was read from a picture, with a confidence of only 0.62: check the page',
        ),
    )
    assert not with_misreadings(good, "保修期为三十个月。", [place]).supported
    for claim in ("The pump costs 18,000 euros.", "红色的泵。"):
        assert with_misreadings(good, claim, [place]) == good


def test_boxes_in_a_small_picture_that_is_enlarged_are_those_of_the_picture() -> None:
    seen: list[tuple[int, ...]] = []

    def find(pixels: Any) -> SimpleNamespace:
        seen.append(pixels.shape)
        height, width, _ = pixels.shape
        corners = [[0, 0], [width / 2, 0], [width / 2, height / 2], [0, height / 2]]
        return SimpleNamespace(boxes=[corners], txts=["Total"], scores=[0.9])

    made = object.__new__(RapidOcrEngine)
    made._engine = find
    made._scores = []
    for size, handed in (((500, 200), (640, 1600, 3)), ((900, 900), (900, 900, 3)), ((100, 100), (736, 736, 3))):
        [line] = made.read(Image.new("RGB", size))
        assert seen[-1] == handed
        assert line.quad[2] == pytest.approx((size[0] / 2, size[1] / 2))


@pytest.mark.skipif(importlib.util.find_spec("rapidocr") is None, reason="the extra `ocr` is not installed")
def test_the_engine_reads_both_languages_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("it must not connect"))
    picture = Image.new("RGB", (900, 200), "white")
    font = next(
        (path for path in Path("/usr/share/fonts").rglob("*.tt[cf]") if "wqy" in path.name or "CJK" in path.name), None
    )
    if font is None:
        pytest.skip("no Chinese font")
    ImageDraw.Draw(picture).text(
        (40, 40), "水泵须休息九十秒。\nThe pump rests 90 seconds.", "black", ImageFont.truetype(str(font), 36)
    )
    text = read("scan.png", encoded(picture)).text
    assert "水泵须休息九十秒" in text
    assert "pump rests 90 seconds" in text
