"""The headings that a chunk stands under: marked ones, printed ones, headers of tables."""

from ingestion.chunking import chunk_document
from ingestion.readers import read_document
from schema import ChunkerName, Chunking, Document
from tests.each_row import each_row
from tests.ingestion.chunking_cases import NAMES, SETTINGS, cut, embed, file


@each_row("name", NAMES)
def test_lines_and_headings_of_the_handbook(name: ChunkerName) -> None:
    document = file("员工手册.md")
    chunks = cut(document, name, 200)
    assert chunks[0].start >= document.metadata["body_start"]
    found = next(chunk for chunk in chunks if "8-7110" in chunk.text)
    number = next(n for n, line in enumerate(document.text.split("\n"), 1) if "8-7110" in line)
    assert found.start_line <= number <= found.end_line
    assert found.headings[0] == "云杉科技员工手册"
    assert name == "fixed" or found.headings[1] == "五、信息安全"


def test_top_level_sections_are_not_mixed() -> None:
    document = Document("a", "# One\n\nAbout one.\n\n# Two\n\nAbout two.\n", kind="markdown")
    for name in ("recursive", "markdown", "semantic"):
        assert [chunk.headings for chunk in cut(document, name, 1000)] == [("One",), ("Two",)]


@each_row(
    ("text", "path"),
    [
        ("# A #\n\n### B {#anchor}\n\nx", ("A", "B")),
        ("Title\n===\n\nPart\n---\n\nx", ("Title", "Part")),
        ("# A\n\n## B\n\n# C\n\nx", ("C",)),
        ("```\n# no\n```\n# A\n\n~~~\n## no\n```\n~~~\nx", ("A",)),
        ("``` never closed\n\n# A\n\nx", ("A",)),
        ("手册\n\n第一章 总则\n\n一、范围\n\n（一）人员\n\nx。", ("手册", "第一章 总则", "一、范围", "（一）人员")),
        ("# A\n\n一、苹果\n二、香蕉\n三、梨\n\nx。", ("A",)),
        ("# A\n\n1. **one**\n2. **two**\n\nx。", ("A",)),
        ("# A\n\n一、这是一个完整的句子，不是标题。\n\nx。", ("A",)),
        ("This line is a sentence.\n\nx", ()),
        ("= Wiki =\n\n== Part ==\n\nx", ("Wiki", "Part")),
        ("# A\n\n- ---\n\n---\n\nx", ("A",)),
    ],
)
def test_heading_paths(text: str, path: tuple[str, ...]) -> None:
    assert cut(Document("a", text, kind="markdown"), "markdown", 60)[-1].headings == path


BODY = "Members may freeze a membership for three months. It costs ten dollars."


@each_row(
    ("text", "path"),
    [
        (f"TERMS\n\n1. Fees\nSeventy.\n\n2. Freezing\n{BODY}", ("TERMS", "2. Freezing")),
        (
            f"Acme Lease\n\nARTICLE II: TERM\n\nSection 2.1 Length\n\n{BODY}",
            ("Acme Lease", "ARTICLE II: TERM", "Section 2.1 Length"),
        ),
        (f"员工守则\n\n3、考勤与请假\n{BODY}", ("员工守则", "3、考勤与请假")),
        (f"Guide\n\nOPENING HOURS\n{BODY}", ("Guide", "OPENING HOURS")),
        (f"Guide\n\nOPENING HOURS\n\n1) Summer\n{BODY}", ("Guide", "OPENING HOURS", "1) Summer")),
        (f"Diary\n\n3 May\n{BODY}\n\nMonday, 4 May 2026\n{BODY}", ("Diary", "Monday, 4 May 2026")),
        (f"日记\n\n5月3日 周日 晴\n{BODY}", ("日记", "5月3日 周日 晴")),
        (f"Letter\n\n14 May 2026\n\n{BODY}", ("Letter",)),  # no entry of a diary
        (f"办法\n\n{BODY}\n\n教务处\n2026年5月3日\n", ("办法",)),
        # items of a list: one beside another, one that goes on in the next line, a step, one in the middle of a text
        ("Guide\n\n1. Apples\n2. Pears\n\nMore.", ("Guide",)),
        ("Guide\n\n1. Apples from the\ngarden.\n\n2. Pears from\nthe market.", ("Guide",)),
        ("Guide\n\n2. Restart the proxy\n\nUse the service manager.", ("Guide",)),
        ("Guide\n\n2、点击提交\n系统会发出邮件。", ("Guide",)),
        ("Guide\n\nWords before\n2. Pears\nWords behind.", ("Guide",)),
        ("Guide\n\nUSD 400\n\nA price that is not there.", ("Guide",)),
    ],
)
def test_headings_of_plain_text(text: str, path: tuple[str, ...]) -> None:
    assert cut(Document("a.txt", text, kind="text"), "markdown", 60)[-1].headings == path


def test_a_numbered_line_of_markdown_is_an_item() -> None:
    document = Document("a.md", f"# Terms\n\n2. Freezing\n{BODY}", kind="markdown")
    assert cut(document, "markdown", 60)[-1].headings == ("Terms",)


def test_a_front_matter_title_stands_over_a_text_without_one() -> None:
    document = read_document("a.md", b"---\ntitle: The API\n---\n\n## Routes\n\nWords.\n", max_bytes=1000)
    assert cut(document, "recursive", 100)[0].headings == ("The API", "Routes")


def test_a_comment_holds_no_headings() -> None:
    comment = "<!--\n# Licensed to somebody\n```\n# under a licence\n-->"
    text = f"# Title\n\n{comment}\n\nThe body.\n\n<!-- open\n# Part\n\nMore.\n"
    document = Document("a.md", text, "", "markdown", "en", len(text))
    chunks = chunk_document(document, Chunking(strategy="markdown", size=50, overlap=0), SETTINGS, embed)[1]
    assert {chunk.headings for chunk in chunks} == {("Title",), ("Part",)}


@each_row("name", NAMES)
def test_the_rest_of_a_long_table_stands_under_its_header(name: ChunkerName) -> None:
    rows = "\n".join(f"| Pump {n} | {n * 10} litres | {n} years |" for n in range(40))
    header = "| Name | Volume | Warranty |\n|---|:-:|---|\n"
    text = f"# Pumps\n\nAll of them.\n\n{header}{rows}\n\nPrices are listed elsewhere.\n"
    chunks = cut(Document("a.md", text, kind="markdown"), name, 300, 50)
    table = [chunk for chunk in chunks if chunk.text.startswith("| Pump")]
    assert len(table) > 3
    assert {chunk.headings for chunk in table} == {("Pumps", "Name | Volume | Warranty")}
    assert all(chunk.headings == ("Pumps",) for chunk in chunks if chunk not in table)
    plain = cut(Document("a.md", text.replace("|---|:-:|---|\n", ""), kind="markdown"), name, 300, 50)
    assert {chunk.headings for chunk in plain} == {("Pumps",)}  # its columns have no names


@each_row("header", ["|" + "wide |" * 100, "| |", "|Name|Price|"])
def test_headers_of_tables_are_names(header: str) -> None:
    columns = header.strip("|").count("|") + 1
    row = "| " + "word | " * columns
    text = f"{header}\n{'|---' * columns}|\n" + "\n".join([row] * 90)
    expected = {(), ("Name|Price",)} if "Name" in header else {()}
    assert {chunk.headings for chunk in cut(Document("a.md", text, kind="markdown"), "recursive", 800)} == expected
