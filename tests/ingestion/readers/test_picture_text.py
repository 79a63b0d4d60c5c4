"""What is written in pictures within files stands where the pictures do, with its boxes; logos are not looked at."""

from __future__ import annotations

import asyncio
import importlib.util
import io
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pytest
from PIL import Image
from pptx import Presentation
from pptx.util import Inches
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from benchmarks.format_zip import zipped
from errors import FileError
from ingestion.readers import ocr
from library import Library
from schema import Place
from tests.ingestion.readers.test_ocr import HEIGHT, TEXT, WIDTH, PrintedPage, encoded, page, read

BEFORE, AFTER = "The pump is described on the sheet that follows.", "It is to be looked after each year, without fail."
LOGO = encoded(Image.new("RGB", (200, 90), "black"))  # which the engine would take for writing


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ocr.ENGINES, "rapidocr", PrintedPage)
    monkeypatch.setattr(ocr, "_made", {})


def saved(made: Any) -> bytes:
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def word(*parts: str | bytes) -> bytes:
    made = docx.Document()
    for part in parts:
        if isinstance(part, str):
            made.add_paragraph(part)
        else:
            made.add_picture(io.BytesIO(part))
    return saved(made)


def slides() -> bytes:
    """The picture has a slide of its own, without any text."""
    made = Presentation()
    for part in (BEFORE, encoded(page()), AFTER):
        slide = made.slides.add_slide(made.slide_layouts[5 if isinstance(part, str) else 6])
        slide.shapes.add_picture(io.BytesIO(LOGO), 0, 0)
        if isinstance(part, str):
            slide.shapes.title.text = part
        else:
            slide.shapes.add_picture(io.BytesIO(part), 0, 0, Inches(4))
    return saved(made)


def book(picture: bytes = b"") -> bytes:
    chapters = [f'<html><p>{BEFORE}</p><img src="a.png"/><img src="logo.png"/></html>', f"<html><p>{AFTER}</p></html>"]
    items = "".join(f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(2))
    return zipped(
        ("mimetype", "application/epub+zip"),
        ("META-INF/container.xml", '<c><rootfile full-path="book.opf"/></c>'),
        ("book.opf", f'<p><manifest>{items}</manifest><spine><itemref idref="c0"/><itemref idref="c1"/></spine></p>'),
        *((f"c{n}.xhtml", chapter) for n, chapter in enumerate(chapters)),
        ("a.png", picture or encoded(page())),
        ("logo.png", LOGO),
    )


def open_text() -> bytes:
    names = 'xmlns:o="o" xmlns:t="t" xmlns:d="d" xmlns:x="http://www.w3.org/1999/xlink"'
    frames = "".join(f'<d:frame><d:image x:href="Pictures/{one}.png"/></d:frame>' for one in ("logo", "a"))
    body = f"<t:p>{BEFORE}</t:p><t:p>{frames}</t:p><t:p>{AFTER}</t:p>"
    return zipped(
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", f"<o:d {names}><o:body><o:text>{body}</o:text></o:body></o:d>"),
        ("Pictures/a.png", encoded(page())),
        ("Pictures/logo.png", LOGO),
    )


def printed() -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(WIDTH, HEIGHT))
    canvas.drawImage(ImageReader(io.BytesIO(LOGO)), 400, 700, 100, 45)
    canvas.drawString(72, 700, BEFORE)
    canvas.drawImage(ImageReader(page()), 72, 250, 300, 400)
    canvas.drawString(72, 200, AFTER)
    canvas.save()
    return file.getvalue()


FILES: list[tuple[str, Callable[[], bytes], str, int]] = [  # what its places are, and the number of the picture's
    ("a.docx", lambda: word(BEFORE, LOGO, encoded(page()), AFTER), "picture", 2),
    ("a.odt", open_text, "picture", 2),
    ("a.pptx", slides, "slide", 2),
    ("a.epub", book, "chapter", 1),
    ("a.pdf", printed, "page", 1),
]


@pytest.mark.parametrize(("name", "made", "kind", "number"), FILES, ids=[name for name, *_ in FILES])
def test_the_text_of_a_picture_stands_where_it_is_shown(
    engine: None, name: str, made: Callable[[], bytes], kind: str, number: int
) -> None:
    document = read(name, made())
    words = " ".join(document.text.split())
    assert words.count(" ".join(TEXT.split())) == 1
    assert words.index(BEFORE) < words.index("The price list") < words.index("one ton.") < words.index(AFTER)
    at = document.text.index("8,000")
    [line] = [place for place in document.places if place.start == at]
    assert (line.kind, line.number, line.doubts) == (kind, number, ("8,000 0.62",))
    assert document.metadata["note"]["zh"].startswith("1 张图片")
    around = [max(p for p in document.places if p.start <= document.text.index(said)) for said in (BEFORE, AFTER)]
    assert not any(place.box for place in around)
    assert around[1].kind == ("line" if kind == "picture" else kind)
    if name == "a.pptx":
        assert "## Slide 2\n\nThe price list" in document.text
    if name == "a.docx":
        assert around[1].number == document.text[: document.text.index(AFTER)].count("\n") + 1


@pytest.mark.parametrize(("name", "made"), [FILES[0][:2], FILES[2][:2], FILES[4][:2]])
async def test_a_line_in_a_picture_is_boxed(
    engine: None, make_settings: Any, name: str, made: Callable[[], bytes]
) -> None:
    async with await Library.open(make_settings()) as library:
        await library.add(name, made())
        await library.process()  # the pictures follow
        document = library.document(name)
        start, own = document.text.index("8,000"), document.text.index(AFTER)
        spans = [(start, start + 5), (own, own + len(AFTER))]
        if name == "a.pdf":
            read_box, printed_box = library.page_boxes(name, "", 1, spans).boxes
            assert read_box == pytest.approx(
                ((72 + 20) / WIDTH, (150 + 75) / HEIGHT, (72 + 100) / WIDTH, (150 + 85) / HEIGHT), abs=0.01
            )
            assert printed_box[1] == pytest.approx(1 - 210 / HEIGHT, abs=0.01)
            assert library.page_boxes(name, "", 1, [(0, own + len(AFTER))]).boxes[-1] == printed_box
        else:
            [(number, boxes)] = library.picture_boxes(name, "", spans).items()
            assert number in library.embedded_pictures(name, "", start, start + 5)
            assert boxes == [pytest.approx((40 / 600, 150 / 800, 200 / 600, 170 / 800), abs=0.01)]


async def test_the_text_of_a_file_does_not_wait_for_its_pictures(
    engine: None, make_settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it would take the place of what was read of them it does; so does a file whose original is not kept."""
    begun, go = threading.Event(), threading.Event()

    def read_when_told(one: PrintedPage, picture: Image.Image) -> Any:
        begun.set()
        assert go.wait(60)
        return in_truth(one, picture)

    in_truth = PrintedPage.read
    monkeypatch.setattr(PrintedPage, "read", read_when_told)
    async with await Library.open(make_settings()) as library:
        await library.add("a.docx", word(BEFORE, encoded(page()), AFTER), metadata={"keeper": "Li"})
        document = library.document("a.docx")
        assert document.text == f"{BEFORE}\n\n{AFTER}"
        assert "is being read" in document.metadata["note"]["en"]
        assert [one.name for one in library.outdated()] == ["a.docx"]  # should the program end now
        assert await asyncio.to_thread(begun.wait, 60)
        go.set()
        await library.process()
        document = library.document("a.docx")
        assert "8,000" in document.text
        assert (document.metadata["keeper"], document.origin.reader) == ("Li", "ocr")
        await library.add("a.docx", word(BEFORE, encoded(page()), AFTER, "And more."))
        assert "8,000" in library.document("a.docx").text
    async with await Library.open(make_settings(CITEWISE_MAX_ORIGINAL_MB="0")) as library:
        await library.add("b.docx", word(BEFORE, encoded(page()), AFTER))
        assert "8,000" in library.document("b.docx").text


def test_without_the_extra_the_text_is_as_it_was_and_a_note_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr.RapidOcrEngine, "is_here", lambda: False)
    for name, made, *_ in FILES:
        document = read(name, made())
        assert not any(place.box for place in document.places)
        assert "1 picture was not read" in document.metadata["note"]["en"]
        assert "uv sync --extra ocr" in document.metadata["note"]["zh"]
    assert read("a.docx", word(BEFORE, AFTER)).text == read("a.docx", word(BEFORE, encoded(page()), AFTER)).text
    assert "note" not in read("a.docx", word(BEFORE, LOGO)).metadata
    with pytest.raises(FileError, match="nothing but pictures") as refused:
        read("a.docx", word(encoded(page())))
    assert "uv sync --extra ocr" in refused.value.suggestions[0].en


def test_what_nobody_would_ask_for_is_not_read(engine: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read("a.docx", word(encoded(page()))).text.split() == TEXT.split()
    twice = read("a.docx", word(BEFORE, encoded(page()), encoded(page()), "# [draft]\n\nSee below.", AFTER))
    assert twice.text.count("8,000") == 1
    blank = read("a.docx", word(BEFORE, encoded(Image.new("RGB", (600, 800), "white")), AFTER))
    assert (blank.places, "note" in blank.metadata) == ((), False)
    damaged = bytearray(encoded(Image.effect_noise((600, 800), 90)))
    damaged[900:] = bytes(len(damaged) - 900)
    assert read("a.epub", book(bytes(damaged))).text == f"{BEFORE}\n\n{AFTER}"
    with ocr.ocr_session(ocr.OcrSession(engine="off")):
        assert read("a.docx", word(BEFORE, encoded(page()), AFTER)).metadata == read("b.docx", word(BEFORE)).metadata
    monkeypatch.setattr("ingestion.readers.picture_text._PATIENCE", -1.0)
    late = read("a.docx", word(BEFORE, encoded(page()), AFTER))
    assert late.text == f"{BEFORE}\n\n{AFTER}"


def test_a_searchable_scan_and_a_letterhead_are_not_read_again(engine: None) -> None:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(WIDTH, HEIGHT))
    for number in range(4):
        canvas.drawImage(ImageReader(page()), 350, 600, 150, 200)  # a letterhead
        canvas.drawString(72, 500, f"{BEFORE} {number}")
        canvas.drawImage(ImageReader(page().rotate(180)), 40, 40, 500, 440)  # with what was read from it, by others
        for line, said in enumerate(TEXT.split("\n")):
            canvas.drawString(60, 400 - 30 * line, said, mode=3)
        canvas.showPage()
    canvas.save()
    document = read("a.pdf", file.getvalue())
    assert not any(place.box for place in document.places)
    assert document.text.count("8,000") == 4


def test_blocks_are_put_between_paragraphs_only() -> None:
    from ingestion.readers.picture_text import PictureBlock, spliced

    text = "One two.\n\n```\na\n\nb\n```\n\nThree."
    block = PictureBlock(text.index("a\n"), "Seen.", [Place(0, "picture", 1, "", (1, 2, 3, 4))])
    found, places = spliced(text, [Place(0, "line", 1)], [block, block._replace(at=len(text), text="Last.")], True)
    assert found == "One two.\n\n```\na\n\nb\n```\n\nSeen.\n\nThree.\n\nLast."
    assert [(place.kind, place.number, found[place.start :].split()[0]) for place in places] == [
        ("line", 1, "One"),
        ("picture", 1, "Seen."),
        ("line", 11, "Three."),
        ("picture", 1, "Last."),
    ]


@pytest.mark.skipif(importlib.util.find_spec("rapidocr") is None, reason="the extra `ocr` is not installed")
def test_the_engine_reads_a_picture_in_a_file(tmp_path: Path) -> None:
    from benchmarks.ocr import _drawn
    from benchmarks.page_boxes import Layout, typeset

    picture = _drawn(typeset(["The reserve valve opens at forty bar.", "It is painted green."], Layout(False)), 100)
    document = read("a.docx", word(BEFORE, encoded(picture), AFTER))
    assert "reserve valve opens at forty bar" in document.text
