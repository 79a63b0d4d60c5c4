"""Word documents written here by python-docx, and by hand what it cannot write."""

import io
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from errors import FileError
from ingestion.readers import read_document
from ingestion.readers.docx_numbering import roman
from schema import Document
from tables.numerals import chinese_numeral
from tests.each_row import each_row

Write = Callable[[Any], object]


def saved(*writes: Write) -> bytes:
    document = docx.Document()
    for write in writes:
        write(document)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def read(data: bytes, name: str = "合同.docx") -> Document:
    return read_document(name, data, max_bytes=10_000_000)


def changed(data: bytes, change: Callable[[str, bytes], bytes | None], **added: bytes) -> bytes:
    """The package with each part as `change` makes it; None drops it."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            if (content := change(part, old.read(part))) is not None:
                new.writestr(part, content)
        for part, content in added.items():
            new.writestr(part, content)
    return file.getvalue()


def xml(source: str) -> Write:
    return lambda document: document.element.body.insert(
        -1, parse_xml(source.replace("<w:p>", f"<w:p {nsdecls('w')}>", 1))
    )


def test_headings_paragraphs_and_lists() -> None:
    def write(document: Any) -> None:
        document.add_heading("员工手册", 0)
        document.add_heading("假期", 1)
        document.add_paragraph("每年十五天。\t未休完的顺延。")
        document.add_heading("Leave", 2)
        document.add_paragraph("first", style="List Number")
        document.add_paragraph("second", style="List Number")
        document.add_paragraph("a pen", style="List Bullet")
        document.add_paragraph("# 5 is no heading")

    found = read(saved(write))
    assert found.kind == "markdown"
    assert found.text == (
        "# 员工手册\n\n## 假期\n\n每年十五天。 未休完的顺延。\n\n"
        "### Leave\n\n1. first\n2. second\n- a pen\n\n\\# 5 is no heading"
    )


def test_tables_repeat_their_head_and_merged_cells() -> None:
    def write(document: Any) -> None:
        table = document.add_table(rows=0, cols=3)
        for row in [("部门", "城市", "标准|晚"), *((f"部门{n // 20}", f"城市{n}", str(n)) for n in range(60))]:
            for cell, text in zip(table.add_row().cells, row, strict=True):
                cell.text = text
        table.cell(1, 0).merge(table.cell(2, 0)).text = "研发"

    blocks = read(saved(write)).text.split("\n\n")
    assert len(blocks) > 1
    for block in blocks:
        assert block.startswith("| 部门 | 城市 | 标准\\|晚 |\n| --- | --- | --- |\n")
        assert len(block) <= 600
    rows = [row for block in blocks for row in block.split("\n")[2:]]
    assert len(rows) == 60
    assert rows[:2] == ["| 研发 | 城市0 | 0 |", "| 研发 | 城市1 | 1 |"]


def test_a_list_is_counted_as_word_shows_it() -> None:
    levels = (
        '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="chineseCounting"/><w:lvlText w:val="第%1条"/></w:lvl>'
        '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>'
    )

    def write(document: Any) -> None:
        numbering = document.part.numbering_part.element
        numbering.insert(0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="90">{levels}</w:abstractNum>'))
        numbering.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="90"><w:abstractNumId w:val="90"/></w:num>'))
        for text, level in (("总则", 0), ("范围", 0), ("甲方", 1), ("乙方", 1), ("附则", 0), ("生效", 1)):
            properties = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="90"/></w:numPr>'
            xml(f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")(document)

    assert read(saved(write)).text.split("\n\n") == [
        "第一条 总则", "第二条 范围", "二.1 甲方", "二.2 乙方", "第三条 附则", "三.1 生效",
    ]  # fmt: skip


def test_numbers_in_words() -> None:
    assert [chinese_numeral(n) for n in (1, 10, 11, 20, 21, 100, 105, 110, 1001, 2310)] == [
        "一", "十", "十一", "二十", "二十一", "一百", "一百零五", "一百一十", "一千零一", "二千三百一十",
    ]  # fmt: skip
    assert [roman(n) for n in (1, 4, 9, 14, 1990)] == ["i", "iv", "ix", "xiv", "mcmxc"]


def test_what_python_docx_does_not_see() -> None:
    control = "<w:p><w:sdt><w:sdtContent><w:r><w:t>in a control </w:t></w:r></w:sdtContent></w:sdt>"
    revised = "<w:ins><w:r><w:t>inserted</w:t></w:r></w:ins><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>"
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
    box = (
        "<w:p><w:r><w:t>Beside the box.</w:t><w:pict><w:txbxContent>"
        "<w:p><w:r><w:t>In the box.</w:t></w:r></w:p></w:txbxContent></w:pict></w:r></w:p>"
    )
    text = read(saved(xml(control + revised + hidden + "</w:p>"), xml(box))).text
    assert text == "in a control inserted\n\nBeside the box.\n\nIn the box."


def test_notes_stand_at_the_end_and_contents_are_left_out() -> None:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    note = '<w:footnote w:id="7"><w:p><w:r><w:t>见附录。</w:t></w:r></w:p></w:footnote>'
    notes = f"<w:footnotes {nsdecls('w')}>{note}</w:footnotes>"

    def write(document: Any) -> None:
        contents = document.styles.add_style("TOC 1", WD_STYLE_TYPE.PARAGRAPH)
        document.add_paragraph("第一章 1", style=contents)
        part = Part(PackURI("/word/footnotes.xml"), "application/xml", notes.encode(), document.part.package)
        document.part.relate_to(part, kind)

    reference = '<w:p><w:r><w:t>年假十五天</w:t></w:r><w:r><w:footnoteReference w:id="7"/></w:r></w:p>'
    assert read(saved(write, xml(reference))).text == "年假十五天[^1]\n\n[^1]: 见附录。"


def test_headings_of_other_programs() -> None:
    def write(document: Any) -> None:
        style = document.styles.add_style("标题 2", WD_STYLE_TYPE.PARAGRAPH)
        document.add_paragraph("名为标题", style=style)
        outline = '<w:pPr><w:outlineLvl w:val="2"/></w:pPr>'
        xml(f"<w:p>{outline}<w:r><w:t>大纲级别</w:t></w:r></w:p>")(document)

    assert read(saved(write)).text == "## 名为标题\n\n### 大纲级别"


def test_a_short_bold_paragraph_is_like_a_heading() -> None:
    def write(document: Any) -> None:
        document.add_paragraph().add_run("付款方式").bold = True
        document.add_paragraph("签约后三十日内付清。")

    assert read(saved(write)).text == "**付款方式**\n\n签约后三十日内付清。"


def test_what_the_file_tells_about_itself() -> None:
    def write(document: Any) -> None:
        document.add_paragraph("words")
        core = document.core_properties
        core.title, core.author, core.modified = "租赁合同", "法务部", datetime(2024, 5, 6, 7, 8, 9)

    found = read(saved(write))
    assert (found.metadata["title"], found.metadata["author"]) == ("租赁合同", "法务部")
    assert found.origin.doc_type == "docx"
    assert datetime.fromisoformat(found.origin.timestamp) == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


PLAIN = saved(lambda document: document.add_paragraph("The text."))


@each_row("name", ["a.docx", "a.zip", "a.bin", "a", "a.txt", "a.md", "a.xlsx"])
def test_a_word_file_of_any_name_is_one(name: str) -> None:
    assert read(PLAIN, name).origin.doc_type == "docx"


def test_macros_are_left_alone() -> None:
    def enable(part: str, content: bytes) -> bytes:
        plain = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
        return content.replace(plain, b"application/vnd.ms-word.document.macroEnabled.main+xml")

    assert read(changed(PLAIN, enable, **{"word/vbaProject.bin": b"\0macro"}), "a.docm").text == "The text."


def test_a_zip_bomb_is_refused() -> None:
    bomb = changed(PLAIN, lambda part, content: content, **{"word/media/image.xml": b" " * 50_000_000})
    assert len(bomb) < 200_000
    with pytest.raises(FileError, match="unpacks into far too much"):
        read(bomb)


def test_exploding_entities_are_refused() -> None:
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    head = f'<!DOCTYPE x [<!ENTITY l0 "lol">{lol}]>'.encode()

    def explode(part: str, content: bytes) -> bytes:
        if part != "word/document.xml":
            return content
        return content.replace(b"?>", b"?>" + head, 1).replace(b"The text.", b"&l9;")

    with pytest.raises(FileError, match="damaged"):
        read(changed(PLAIN, explode))


@pytest.mark.parametrize("missing", ["word/document.xml", "_rels/.rels"])
def test_a_file_without_its_parts_is_damaged(missing: str) -> None:
    with pytest.raises(FileError, match="damaged"):
        read(changed(PLAIN, lambda part, content: None if part == missing else content))
