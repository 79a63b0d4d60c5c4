"""PDF written here, with fonts of both languages: paragraphs, headings, pages, and what is refused."""

import io
from collections.abc import Callable

import pytest
from reportlab.lib import pdfencrypt
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageBreak, PageTemplate, Paragraph, SimpleDocTemplate

from errors import FileError
from ingestion.readers import pdf, read_document
from schema import Document
from tests.each_row import each_row

pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
ZH = ParagraphStyle("zh", fontName="STSong-Light", fontSize=11, leading=17, wordWrap="CJK", firstLineIndent=22)
ZH_TITLE = ParagraphStyle("title", fontName="STSong-Light", fontSize=18, leading=26, spaceAfter=8)
EN, EN_TITLE = getSampleStyleSheet()["BodyText"], getSampleStyleSheet()["Heading2"]
LEAVE = (
    "员工每年享有十五天带薪年假，入职满一年后开始计算。未休完的年假可以顺延至次年三月三十一日，逾期作废。"
    "请假应当提前三个工作日在系统中提交申请，由直属主管批准。"
)
POLICY = (
    "Employees receive fifteen days of paid leave a year, counted after the first full year of employment. "
    "Unused leave may be carried over until the thirty-first of March; it lapses after that."
)


def read(data: bytes, name: str = "手册.pdf") -> Document:
    return read_document(name, data, max_bytes=50_000_000)


def drawn(*pages: Callable[[Canvas], object], **options: object) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, **options)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def lines(*texts: str, top: int = 700) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        for number, text in enumerate(texts):
            canvas.drawString(72, top - 14 * number, text)

    return draw


def heads(canvas: Canvas, template: BaseDocTemplate) -> None:
    canvas.setFont("Helvetica", 9)
    canvas.drawString(60, 810, "Citewise Handbook 2024")
    canvas.drawCentredString(300, 30, f"Page {template.page} of 9")


@pytest.fixture(scope="module")
def handbook() -> Document:
    file = io.BytesIO()
    story: list[object] = []
    for chapter, (body, text) in enumerate([(ZH, LEAVE), (EN, POLICY)] * 2, start=1):
        story += [Paragraph(f"第{chapter}章 假期", ZH_TITLE), Paragraph(text * 2, body), Paragraph(text, body)]
        story += [
            Paragraph(f"{chapter}.1 Details {chapter}", EN_TITLE),
            Paragraph(f"{text} ({chapter})", body),
            PageBreak(),
        ]
    SimpleDocTemplate(file, pagesize=A4, title="员工手册", author="人事部").build(
        story, onFirstPage=heads, onLaterPages=heads
    )
    return read(file.getvalue())


def test_lines_become_paragraphs_in_both_languages(handbook: Document) -> None:
    paragraphs = handbook.text.split("\n\n")
    assert paragraphs.count(LEAVE * 2) == 2
    assert paragraphs.count(LEAVE) == 2
    assert paragraphs.count(POLICY) == 2


def test_headings_by_size(handbook: Document) -> None:
    assert handbook.kind == "markdown"
    headings = [line for line in handbook.text.split("\n") if line.startswith("#")]
    assert headings[:4] == ["# 第1章 假期", "## 1.1 Details 1", "# 第2章 假期", "## 2.1 Details 2"]


def test_running_heads_and_page_numbers_are_dropped(handbook: Document) -> None:
    assert "Handbook" not in handbook.text
    assert "Page" not in handbook.text


def test_pages_with_nothing_but_heads_are_kept() -> None:
    assert read(drawn(*[lines("Slide of a deck", top=800)] * 3)).text.split() == "Slide of a deck".split() * 3


def test_every_text_is_on_its_page(handbook: Document) -> None:
    assert [(place.kind, place.number) for place in handbook.places] == [("page", n) for n in range(1, 5)]
    for place in handbook.places:
        assert handbook.text[place.start :].startswith(f"# 第{place.number}章")


def test_what_the_file_tells_about_itself(handbook: Document) -> None:
    assert handbook.origin.doc_type == "pdf"
    assert (handbook.metadata["title"], handbook.metadata["author"]) == ("员工手册", "人事部")
    assert handbook.metadata["pages"] == 4
    assert handbook.origin.timestamp.endswith("+00:00")


def test_a_sentence_goes_on_over_columns_and_pages() -> None:
    file = io.BytesIO()
    document = BaseDocTemplate(file, pagesize=A4)
    frames = [Frame(50, 60, 240, 100, id="left"), Frame(310, 60, 240, 100, id="right")]
    document.addPageTemplates([PageTemplate(frames=frames)])
    document.build([Paragraph(LEAVE * 6, ZH)])
    found = read(file.getvalue())
    assert found.text == LEAVE * 6
    assert [place.number for place in found.places] == [1, 2, 3]
    assert 0 < found.places[1].start < len(found.text)


def test_divided_words_are_made_whole() -> None:
    text = (
        "The interna-",
        "tional agreement is a well-",
        "known fact that every reader of this has heard be-",
        "fore.",
    )
    assert read(drawn(lines(*text))).text == (
        "The international agreement is a well-known fact that every reader of this has heard before."
    )


def test_a_raised_number_does_not_part_a_sentence() -> None:
    texts = (
        "This sentence begins on a line and goes on to the next line of the page that is",
        "long enough, and then it goes on to a third one until it is at its end in this line",
        "of the paragraph, which is the last.",
    )

    def draw(canvas: Canvas) -> None:
        for number, text in enumerate(texts):
            if number == 1:
                canvas.setFont("Helvetica", 6)
                canvas.drawString(64, 690, "12")
            lines(text, top=700 - 14 * number)(canvas)

    assert read(drawn(draw)).text == f"{texts[0]} 12 {texts[1]} {texts[2]}"


def test_lists_and_short_lines_stay_lines() -> None:
    text = read(
        drawn(
            lines("Bring to the first meeting of the year with everybody in the whole team:", "1. a pen", "2. a ruler")
        )
    ).text
    assert [line for line in text.split("\n") if line][1:] == ["1. a pen", "2. a ruler"]


def test_rows_of_tables_keep_their_cells_apart() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("STSong-Light", 11)
        for number, row in enumerate(
            [("城市", "Hotel", "Meals"), ("北京", "600", "120"), ("1.", "An item of a list", "")]
        ):
            for column, text in enumerate(row):
                canvas.drawString(72 + 90 * column, 700 - 16 * number, text)

    assert read(drawn(draw)).text == "城市 | Hotel | Meals\n北京 | 600 | 120\n1. An item of a list"


def test_contents_with_leaders_stay_lines() -> None:
    found = read(drawn(lines("1 Leave of all staff " + ". " * 60 + "1", "2 Travel of all staff " + ". " * 60 + "14")))
    assert found.text == "1 Leave of all staff … 1\n2 Travel of all staff … 14"


def test_a_title_stands_over_the_bookmarks() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 24)
        canvas.drawString(72, 740, "Handbook of everything")
        canvas.bookmarkPage("a")
        canvas.addOutlineEntry("Leave", "a", level=0)
        lines("Leave", "", "Fifteen days a year for all.")(canvas)

    assert read(drawn(draw)).text == "# Handbook of everything\n\n## Leave\n\nFifteen days a year for all."


def test_bookmarks_are_headings() -> None:
    def chapter(number: int) -> Callable[[Canvas], None]:
        def draw(canvas: Canvas) -> None:
            canvas.bookmarkPage(f"c{number}")
            canvas.addOutlineEntry(f"Rules {number}", f"c{number}", level=0)
            lines(f"{number}. Rules {number}", "", "", "All of it is in one size of letters, as in many books.")(canvas)

        return draw

    found = read(drawn(chapter(1), chapter(2), chapter(3)))
    assert [line for line in found.text.split("\n") if line.startswith("#")] == [f"# {n}. Rules {n}" for n in (1, 2, 3)]


def test_an_empty_password_is_none() -> None:
    locked = pdfencrypt.StandardEncryption("", ownerPassword="owner", strength=128)
    assert read(drawn(lines("Open to all."), encrypt=locked)).text == "Open to all."


def test_an_encrypted_file_is_refused() -> None:
    locked = pdfencrypt.StandardEncryption("secret", ownerPassword="owner", strength=128)
    with pytest.raises(FileError, match="password"):
        read(drawn(lines("Hidden."), encrypt=locked))


def scan(canvas: Canvas) -> None:
    from PIL import Image

    canvas.drawImage(ImageReader(Image.new("RGB", (60, 80), "white")), 0, 0, *A4)


def test_a_scanned_file_needs_ocr() -> None:
    with pytest.raises(FileError, match="2 of its 3 pages") as refused:
        read(drawn(scan, lines("A cover with a line of text on it."), scan))
    assert "OCR" in refused.value.suggestions[0].zh
    with pytest.raises(FileError, match=": its pages hold no text"):
        read(drawn(scan, scan))
    with pytest.raises(FileError, match="seems to be scanned"):
        read(drawn(lambda canvas: canvas.rect(9, 9, 9, 9)))


def test_some_scanned_pages_are_noted() -> None:
    text = lines("This page has words enough to be one.")
    found = read(drawn(text, scan, text, text))
    assert found.metadata["pages_without_text"] == [2]
    assert [place.number for place in found.places] == [1, 3, 4]


@each_row("name", ["notes.txt", "notes", "notes.docx", "notes.md"])
def test_a_pdf_of_any_name_is_one(name: str) -> None:
    assert read(drawn(lines("Told by content.")), name).origin.doc_type == "pdf"


@pytest.mark.parametrize(("limit", "most"), [("_MOST_PAGES", 2), ("_MOST_CHARACTERS", 30)])
def test_what_is_too_long_is_refused_with_the_limit(monkeypatch: pytest.MonkeyPatch, limit: str, most: int) -> None:
    monkeypatch.setattr(pdf, limit, most)
    with pytest.raises(FileError, match=f"{most} is the limit"):
        read(drawn(*[lines("Words of a page.")] * 3))


def test_damaged_files_are_refused() -> None:
    with pytest.raises(FileError, match="damaged"):
        read(b"%PDF-1.7\n" + b"nothing of the kind " * 20)
