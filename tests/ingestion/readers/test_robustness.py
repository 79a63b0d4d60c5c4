"""Damaged files of every packed kind: a document or a FileError, never anything else."""

import io
import zipfile
from functools import cache
from typing import Any

import docx
import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pptx import Presentation
from reportlab.pdfgen.canvas import Canvas

from benchmarks.format_files import Section, of_sections
from benchmarks.format_sheets import xls
from errors import FileError
from ingestion.readers import read_document


def saved(made: Any) -> bytes:
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


@cache
def valid(kind: str) -> bytes:
    made: Any
    if kind in ("doc", "ppt", "rtf", "eml"):
        sections = [Section("Title 题目", ("words", "词")), Section("Two", ("more words",))]
        return next(file.data for file in of_sections(sections, 2) if file.name.endswith(kind))
    if kind == "xls":
        return xls({"Sheet": [["a", "b"], ["x", 1.5]]})
    if kind == "pdf":
        file = io.BytesIO()
        made = Canvas(file, pageCompression=0)
        for page in range(3):
            made.bookmarkPage(str(page))
            made.addOutlineEntry(f"Part {page}", str(page))
            made.drawString(72, 700, f"Part {page}")
            made.drawString(72, 650, "Some words of the text that follows the heading.")
            made.showPage()
        made.save()
        return file.getvalue()
    if kind == "docx":
        made = docx.Document()
        made.add_heading("Title", 1)
        made.add_paragraph("words", style="List Number")
        made.add_table(2, 2).cell(0, 0).text = "cell"
    elif kind == "pptx":
        made = Presentation()
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text = slide.placeholders[1].text = "words"
        slide.notes_slide.notes_text_frame.text = "notes"
    else:
        made = openpyxl.Workbook()
        made.active.append(["a", "b"])
        made.active.append(["x", 1.5])
        made.active.merge_cells("A3:A4")
    return saved(made)


def attempt(kind: str, data: bytes) -> None:
    try:
        document = read_document(f"a.{kind}", data, max_bytes=10_000_000)
    except FileError:
        return
    assert document.text.strip()
    starts = [place.start for place in document.places]
    assert starts == sorted(starts)
    assert all(0 <= start < len(document.text) for start in starts)


@pytest.mark.parametrize("kind", ["pdf", "docx", "pptx", "xlsx", "doc", "ppt", "xls", "rtf", "eml"])
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_truncated_or_flipped(kind: str, data: st.DataObject) -> None:
    whole = bytearray(valid(kind))
    for place, value in data.draw(st.lists(st.tuples(st.integers(0, len(whole) - 1), st.integers(0, 255)), max_size=8)):
        whole[place] = value
    attempt(kind, bytes(whole[: data.draw(st.integers(1, len(whole)))] if data.draw(st.booleans()) else whole))


def repacked(kind: str, changed: str, flips: list[tuple[int, int]]) -> bytes:
    """The package with the bytes of one part changed, so that the damage gets past the checksum."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(valid(kind))) as old, zipfile.ZipFile(file, "w") as new:
        for part in old.namelist():
            content = bytearray(old.read(part))
            if part == changed:
                for place, value in flips:
                    content[place % len(content)] = value
            new.writestr(part, bytes(content))
    return file.getvalue()


PARTS = {
    "docx": ["word/document.xml", "word/styles.xml", "word/numbering.xml", "[Content_Types].xml"],
    "pptx": ["ppt/slides/slide1.xml", "ppt/presentation.xml", "ppt/notesSlides/notesSlide1.xml"],
    "xlsx": ["xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/styles.xml", "docProps/core.xml"],
}


@pytest.mark.parametrize("kind", PARTS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_flips_within_the_parts(kind: str, data: st.DataObject) -> None:
    part = data.draw(st.sampled_from(PARTS[kind]))
    flips = data.draw(
        st.lists(st.tuples(st.integers(0, 50_000), st.sampled_from(b'<>"/0159azAZ&;=')), min_size=1, max_size=3)
    )
    attempt(kind, repacked(kind, part, flips))


def test_numbers_that_no_program_writes() -> None:
    """Far rows and columns, numbers of styles that are not there: bounded, not believed."""

    def change(before: bytes, after: bytes) -> None:
        file = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(valid("xlsx"))) as old, zipfile.ZipFile(file, "w") as new:
            for part in old.namelist():
                new.writestr(part, old.read(part).replace(before, after))
        attempt("xlsx", file.getvalue())

    change(b'r="2"', b'r="99999999999"')
    change(b'ref="A3:A4"', b'ref="A1:XFD1048576"')
    change(b'r="B2"', b'r="ZZZ2"')
    change(b'<dimension ref="A1:B2"', b'<dimension ref="A1:XFD1048576"')
    change(b'<c r="B2"', b'<c s="9999" r="B2"')
