"""Tables in PDFs written here: ruled, framed and bare, over pages, with merged and wrapped cells; and what is none."""

from __future__ import annotations

import io
from typing import Any

from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import BaseDocTemplate, Frame, FrameBreak, PageTemplate, Paragraph, SimpleDocTemplate, Table

from ingestion.page_pictures import page_boxes
from ingestion.readers import read_document
from ingestion.readers.pdf_cells import pieces_of
from ingestion.readers.pdf_layout import lay_out
from ingestion.readers.pdf_lines import PdfLine, PdfPage, PdfWord
from library import Library
from schema import Document, TableQuery, TypedTable
from tests.each_row import each_row

pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
EN = getSampleStyleSheet()["BodyText"]
ZH = ParagraphStyle("zh", fontName="STSong-Light", fontSize=10, leading=14, wordWrap="CJK")
PROSE = (
    "In 2023 the company had 14,200 employees in 31 countries and sold 1.2 million devices, 8.5% more than in 2022; "
    "the rest of this text says what they do and where they work, and it is long enough for several lines. "
)
GRID = [("GRID", (0, 0), (-1, -1), 0.5, "black")]
FRAME = [("LINEABOVE", (0, 0), (-1, 0), 1, "black"), ("LINEBELOW", (0, 0), (-1, 0), 0.5, "black")]
FRAME += [("LINEBELOW", (0, -1), (-1, -1), 1, "black")]
STYLES = {"ruled": GRID, "framed": FRAME, "bare": []}
DEPARTMENTS = ("Sales", "Research and Development", "Finance")


def staff(count: int) -> list[list[str]]:
    """Whose average salary is 3,100 + 100 * (count - 1) / 2."""
    return [
        [f"Person {n}", DEPARTMENTS[n % 3], f"{3000 + 100 * n:,}", f"2021-03-{n % 28 + 1:02}"] for n in range(count)
    ]


def printed(story: list[Any], **options: Any) -> bytes:
    file = io.BytesIO()
    SimpleDocTemplate(file, pagesize=A4, **options).build(story)
    return file.getvalue()


def read(data: bytes) -> Document:
    return read_document("报告.pdf", data, max_bytes=50_000_000)


def only_table(document: Document) -> TypedTable:
    assert document.tables is not None
    [table] = document.tables
    return table


@each_row("style", list(STYLES))
def test_a_table_over_pages_is_one_with_all_its_rows(style: str) -> None:
    rows = staff(90)
    head = ["Name", "Department", "Salary", "Hired"]
    table = Table([head, *rows], repeatRows=1, style=STYLES[style], colWidths=[90, 150, 80, 80])
    document = read(printed([Paragraph(PROSE * 2, EN), table, Paragraph(PROSE, EN)]))
    typed = only_table(document)
    assert [(column.name, column.kind) for column in typed.columns] == [
        ("Name", "text"), ("Department", "text"), ("Salary", "number"), ("Hired", "date")
    ]  # fmt: skip
    assert typed.cells[0] == [row[0] for row in rows]
    assert typed.cells[2] == [3000 + 100 * n for n in range(90)]
    assert document.text.count("| Name |") == 1
    assert document.text.count("In 2023 the company") == 3
    pages = [place.number for place in document.places]
    assert pages == [*range(1, document.metadata["pages"] + 1)]
    last = typed.spans[-1][0]
    assert max(place.number for place in document.places if place.start <= last) == len(pages)


@each_row("style", list(STYLES))
def test_wrapped_and_merged_cells_are_one_row(style: str) -> None:
    def cell(text: str) -> Paragraph:
        return Paragraph(text, ZH)

    rows = [
        ["一季度", cell("华东地区的直营门店和加盟门店"), "1,200", "8.5%"],
        ["二季度", cell("华南"), "2,300", "7%"],
        ["三季度", cell("西北地区的直营门店、加盟门店和网店"), "900", "12%"],
        ["四季度", cell("华北"), "1,850", "9%"],
    ]
    font = [("FONT", (0, 0), (-1, -1), "STSong-Light", 10), ("VALIGN", (0, 0), (-1, -1), "MIDDLE")]
    table = Table(
        [["季度", "地区", "销售额（万元）", "占比"], *rows], style=[*font, *STYLES[style]], colWidths=[60, 90, 90, 60]
    )
    typed = only_table(read(printed([Paragraph("本表为各地区的销售额。" * 8, ZH), table])))
    assert typed.cells[1] == ["华东地区的直营门店和加盟门店", "华南", "西北地区的直营门店、加盟门店和网店", "华北"]
    assert typed.cells[2] == [1200, 2300, 900, 1850]
    assert typed.columns[2].unit == "万元"


def test_merged_heads_and_cells_over_rows() -> None:
    rows = [
        ["City", "Hotel", "", "Meals"],
        ["", "Low", "High", ""],
        ["Beijing", "300", "800", "120"],
        ["", "350", "900", "130"],
        ["Xi'an", "200", "500", "80"],
    ]
    spans = [("SPAN", (0, 0), (0, 1)), ("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (3, 1)), ("SPAN", (0, 2), (0, 3))]
    data = printed([Table(rows, style=[*GRID, *spans])])
    document = read(data)
    typed = only_table(document)
    assert [column.name for column in typed.columns] == ["City", "Hotel Low", "Hotel High", "Meals"]
    assert typed.cells[0] == ["Beijing", "Beijing", "Xi'an"]
    assert typed.cells[2] == [800, 900, 500]
    [city, *rest] = page_boxes(data, 1, document.text, [typed.spans[0]]).boxes
    assert city[1] > max(box[3] for box in rest)  # "Beijing" is printed at the foot of its merged cell
    assert max(box[3] for box in rest) - min(box[1] for box in rest) < 0.02


def test_figures_with_currencies_apart_and_years_as_heads() -> None:
    rows = [
        ["$ thousand", "2023", "2022"],
        ["Revenue", "1,234", "1,100"],
        ["Costs", "(834)", "(790)"],
        ["Profit", "400", "310"],
    ]
    typed = only_table(read(printed([Paragraph(PROSE, EN), Table(rows, colWidths=[150, 80, 80], hAlign="LEFT")])))
    assert [column.name for column in typed.columns] == ["$ thousand", "2023", "2022"]
    assert typed.cells[1] == [1234, -834, 400]


def test_a_line_of_a_picture_is_parted_where_its_words_are() -> None:
    words = [("张", 0.0, 9.0), ("伟", 10.0, 19.0), ("Ann", 60.0, 80.0), ("Lee", 83.0, 99.0), ("1,OO0", 140.0, 170.0)]
    line = PdfLine(
        "张伟 Ann Lee 1,OO0", 0.0, 170.0, 500.0, 500.0, 10.0, box=(1, 2, 3, 4), doubts=("1,OO0 0.62",),
        words=tuple(PdfWord(text, left, right, 500.0) for text, left, right in words),
    )  # fmt: skip
    found = pieces_of(line, 0, 5.5)
    assert [piece.text for piece in found] == ["张伟", "Ann Lee", "1,OO0"]
    assert [piece.doubts for piece in found] == [(), (), ("1,OO0 0.62",)]
    assert {piece.box for piece in found} == {(1, 2, 3, 4)}


def two_columns(story: list[Any]) -> bytes:
    file = io.BytesIO()
    document = BaseDocTemplate(file, pagesize=A4)
    frames = [Frame(50, 60, 240, 700, id="left"), Frame(310, 60, 240, 700, id="right")]
    document.addPageTemplates([PageTemplate(frames=frames)])
    document.build(story)
    return file.getvalue()


JUSTIFIED = ParagraphStyle("justified", parent=EN, alignment=4)
CONTENTS = [[f"{n} About a part of this report", f"{3 * n}"] for n in range(1, 9)]
FORM = [["Name: Li Lei", "Date: 2024-05-01"], ["Department: Sales", "Signed: yes"], ["Room: 12", "Floor: 3"]]


@each_row("kind", ["justified", "zh", "references", "contents", "form", "boxes of prose"])
def test_what_stands_in_columns_is_no_table(kind: str) -> None:
    stories: dict[str, list[Any]] = {
        "justified": [Paragraph(PROSE * 30, JUSTIFIED)],
        "zh": [Paragraph("公司在2023年有14200名员工，分布在31个国家，售出120万台设备，同比增长8.5%。" * 60, ZH)],
        "references": [Paragraph(f"[{n}] {PROSE}", EN) for n in range(20)],
        "contents": [Table(CONTENTS, colWidths=[150, 60])],
        "form": [Table(FORM, colWidths=[110, 110])],
        "boxes of prose": [Table([[Paragraph(PROSE, EN), Paragraph(PROSE, EN)]] * 3, style=GRID, colWidths=[110, 110])],
    }
    document = read(two_columns(stories[kind]))
    assert document.tables == ()
    assert "|--" not in document.text


@each_row("style", list(STYLES))
def test_a_table_within_a_column_stands_beside_running_text(style: str) -> None:
    table = Table(
        [["Year", "Units", "Share"], *([f"{n}", f"{n * 7 % 90 + 10}", f"{n % 10}%"] for n in range(2015, 2024))]
    )
    table.setStyle([*STYLES[style], ("FONTSIZE", (0, 0), (-1, -1), 9)])
    document = read(two_columns([Paragraph(PROSE * 5, JUSTIFIED), table, Paragraph(PROSE * 16, JUSTIFIED)]))
    typed = only_table(document)
    assert len(typed.spans) == 9
    assert typed.cells[1] == [n * 7 % 90 + 10 for n in range(2015, 2024)]
    assert document.text.replace("\n", " ").count("In 2023 the company had") == 21


def test_a_table_in_a_scan_keeps_boxes_and_doubts_of_its_cells() -> None:
    def cells(nth: int, *texts: str) -> list[PdfLine]:
        top = 800.0 - 20 * nth
        return [
            PdfLine(
                text, 50.0 + 150 * at, 90.0 + 150 * at, top, top, 10.0, box=(500 + 1000 * at, 200 * nth, 0, 0),
                doubts=("1,OO0 0.62",) if text == "1,OO0" else (),
            )
            for at, text in enumerate(texts)
        ]  # fmt: skip

    lines = [*cells(0, "Item", "Price"), *cells(1, "Pen", "1,200"), *cells(2, "Ink", "1,OO0"), *cells(3, "Pad", "900")]
    lines += [*cells(4, "Cap", "70"), *cells(5, "Bag", "80"), *cells(6, "Mug", "9"), *cells(7, "Jar", "12")]
    text, places, markdown = lay_out([PdfPage(1, 1000.0, lines)], [])
    assert markdown
    assert text.startswith("| Item | Price |\n|---|---|\n| Pen | 1,200 |\n| Ink | 1,OO0 |\n")
    assert len(places) == len(lines)
    assert [place.box[:2] for place in places[:4]] == [(500, 0), (1500, 0), (500, 200), (1500, 200)]
    [doubtful] = [place for place in places if place.doubts]
    assert text[doubtful.start :].startswith("1,OO0 |")


@each_row("rows", [3, 9])
def test_short_lines_in_the_next_column_are_none_of_its_cells(rows: int) -> None:
    table = Table([["Model", "Size", "Score"], *([f"Model {n}", f"{7 * n} M", f"{n / 2}"] for n in range(rows))])
    items = [Paragraph(f"- item {n} of a list", EN) for n in range(24)]
    document = read(two_columns([table, FrameBreak(), *items]))
    assert not any(cell and "item" in str(cell) for typed in document.tables or () for cell in typed.cells[-1])
    assert document.text.count("of a list") == 24
    assert [len(typed.spans) for typed in document.tables or ()] in ([rows], [])


async def test_a_question_is_computed_over_all_rows_and_leads_to_their_page(make_settings: Any) -> None:
    rows = staff(60)
    table = Table([["Name", "Department", "Salary", "Hired"], *rows], repeatRows=1, style=GRID)
    async with await Library.open(make_settings(CITEWISE_INGEST_WORKERS="0")) as library:
        await library.add("staff.pdf", printed([Paragraph(PROSE, EN), table]))
        [info] = await library.tables()
        sql = f'SELECT AVG("Salary") FROM "{info.document}" WHERE "Name" = \'Person 59\''
        result = await library.run_table_query(TableQuery(document="staff.pdf", sql=sql))
        assert (result.rows, result.rows_read, result.used) == (((8900.0,),), 60, (60,))
        found = await library.rows_of(result)
        assert found is not None
        [citation] = found[1]
        [page] = {place.number for place in citation.places}
        assert page == 2
        boxes = library.page_boxes("staff.pdf", "", page, [(citation.start, citation.end)])
        assert boxes is not None
        assert boxes.boxes
        assert max(box[3] for box in boxes.boxes) - min(box[1] for box in boxes.boxes) < 0.03  # one row
