"""The source that a marker leads to: the passage marked within its document, whatever the document is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.conversations import Turn
from nodes.state import Record
from schema import (
    Answer,
    Citation,
    Document,
    Hit,
    Message,
    Origin,
    OriginalFile,
    Place,
    Plan,
    Statement,
    Support,
    TableQuery,
    TableResult,
)
from tests.each_row import each_row
from tests.ui.page_values import LABEL
from ui.excerpts import end_after, sections, start_before
from ui.nodes import Span, nodes_of
from ui.reader import Reader

MANUAL = """# 员工手册

## 休假

- **年假**有十五天，须提前两周申请。
- 婚假为十三天。

| 级别 | 住宿 |
|---|---|
| 一线 | 500 元 |

```python
if a < b: print("x")
```

见 [官网](https://example.org/a_(b)) 和 [脚本](javascript:alert(1)) ![图](http://evil.example/p.png) <img src=x>
"""


def texts(value: Any, marked: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a drawn part, with the mark it is under."""
    if isinstance(value, str):
        yield value, marked
    elif isinstance(value, list) and value and isinstance(value[0], str) and len(value) > 1 and _attributes(value[1]):
        for child in value[2:]:
            yield from texts(child, value[1].get("class", "") if value[0] == "mark" else marked)
    elif isinstance(value, list):
        for child in value:
            yield from texts(child, marked)
    elif isinstance(value, dict):
        for key in ("sections", "blocks", "lines", "node", "parts"):
            yield from texts(value.get(key, []), marked)


def _attributes(value: Any) -> bool:
    return isinstance(value, dict) and "node" not in value and "parts" not in value and "head" not in value


def marked(value: Any, kind: str = "good") -> str:
    return "".join(text for text, under in texts(value) if under == kind)


def words(value: Any) -> str:
    return "".join(text for text, _ in texts(value))


def span_of(text: str, passage: str) -> Span:
    return Span(text.index(passage), text.index(passage) + len(passage), "good")


@each_row(
    ("passage", "shown"),
    [
        ("- **年假**有十五天，须提前两周申请。", "年假有十五天，须提前两周申请。"),
        ("须提前两周", "须提前两周"),
        ("## 休假\n\n- **年假**有十五天", "休假年假有十五天"),
        ("- 婚假为十三天。\n", "婚假为十三天。"),
        ("| 一线 | 500 元 |", "一线500 元"),
        ('```python\nif a < b: print("x")\n```', 'if a < b: print("x")'),
        ("<img src=x>", "<img src=x>"),
    ],
)
def test_in_markdown_the_very_passage_is_marked(passage: str, shown: str) -> None:
    blocks = nodes_of(MANUAL, 0, len(MANUAL), [span_of(MANUAL, passage)], 1)
    assert marked([block["node"] for block in blocks]).replace("\n", "") == shown
    assert [block["line"] for block in blocks][:3] == [1, 3, 5]


def test_where_a_mark_would_change_the_text_the_whole_paragraph_is_marked() -> None:
    text = "- **年假有十五天。**须提前\n- 婚假"
    [listed] = nodes_of(text, 0, len(text), [span_of(text, "**年假有十五天。**")], 1)
    assert marked(listed["node"]) == "**年假有十五天。**须提前"  # no bold by the rules of Markdown
    assert words(listed["node"]).endswith("婚假")


def test_a_document_is_drawn_without_images_and_with_links_of_the_web_only() -> None:
    told = json.dumps(nodes_of(MANUAL, 0, len(MANUAL), (), 1), ensure_ascii=False)
    assert '"https://example.org/a_%28b%29"' in told
    assert "🖼" in told
    assert "evil.example" not in told
    assert '"href": "javascript' not in told
    assert '"img"' not in told


@given(st.text(alphabet="ab*`~_#>-|[]()!<1. \n年。\U0001bc9f\U00011fff", max_size=80), st.data())
def test_a_mark_changes_nothing_of_any_markdown(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    blocks = nodes_of(text, 0, len(text), [Span(start, end, "good")], 1)
    assert words(blocks) == words(nodes_of(text, 0, len(text), (), 1))  # a mark changes nothing else
    assert "\U0001bc9f" not in words(blocks)


def test_code_has_numbered_lines_and_pages_their_heads() -> None:
    code = "def a():\n    return 1\n\n\ndef b():\n    return 2\n"
    [drawn] = sections(Document("a.py", code, kind="code"), 0, len(code), [span_of(code, "return 2")], "en")
    assert [line["number"] for line in drawn["lines"]] == ["1", "2", "3", "4", "5", "6"]
    assert drawn["lines"][5]["parts"] == ["    ", ["mark", {"class": "good"}, "return 2"]]
    text = "One.\n\nTwo.\n\nThree."
    paged = Document("a.pdf", text, places=(Place(0, "page", 1), Place(6, "page", 2), Place(12, "page", 3)))
    drawn_pages = sections(paged, 8, len(text), (), "zh")
    assert [one["head"] for one in drawn_pages] == ["第 2 页", "第 3 页"]
    assert [words(one) for one in drawn_pages] == ["o.", "Three."]
    assert {line["number"] for one in drawn_pages for line in one["lines"]} == {""}
    rows = "## S\n\na: 1\nb: 2\na: 3\n"
    sheet = Document("a.xlsx", rows, kind="markdown", places=(Place(6, "row", 2, "S"), Place(16, "row", 5, "S")))
    [drawn] = sections(sheet, 0, len(rows), (), "en")
    assert [line["number"] for line in drawn["lines"]] == ["", "", "2", "", "5"]


@pytest.mark.parametrize("kind", ["markdown", "text"])
def test_of_a_book_a_part_is_read_and_the_parts_fit_together(kind: Any) -> None:
    chapters = [f"## {n}\n\nWords of {n}. " + "x" * 300 + "\n\n```\n# no head\n\nof code\n```\n\n" for n in range(300)]
    book = Document("book.md", "".join(chapters), kind=kind)
    at = book.text.index("Words of 150.")
    start, end = start_before(book, at, 1000), end_after(book, at, 1000)
    assert 1000 <= at - start <= 4000
    assert 1000 <= end - at <= 4000
    pieces, first = [book.text[start:end]], start
    while first:
        before = start_before(book, first, 6000)
        assert before < first
        pieces.insert(0, book.text[before:first])
        first = before
    assert "".join(pieces) == book.text[:end]
    for block in (one for part in sections(book, start, end, (), "en") for one in part.get("blocks", [])):
        assert (block["node"][0] == "pre") == ("of code" in words(block["node"]))


def test_one_endless_line_is_read_in_parts_as_well() -> None:
    book = Document("a.txt", "x" * 100_000)
    assert start_before(book, 50_000, 1000) == 49_000
    assert end_after(book, 50_000, 1000) == 51_000


class Library:
    """Of one document, or none."""

    def __init__(self, document: Document | None) -> None:
        self._document = document

    def document(self, name: str, doc_set: str = "") -> Document | None:
        found = self._document
        return found if found is not None and (found.name, found.doc_set) == (name, doc_set) else None

    def original_info(self, name: str, doc_set: str = "") -> OriginalFile | None:
        return OriginalFile("0" * 64, 9) if self.document(name, doc_set) else None


class Assistant:
    def __init__(self, document: Document | None) -> None:
        self.library = Library(document)


def reader(document: Document | None) -> Reader:
    return Reader(LABEL, Assistant(document))  # type: ignore[arg-type]


PASSAGE = "婚假为十三天。"
AT = MANUAL.index(PASSAGE)
LINE = MANUAL.count("\n", 0, AT) + 1
HIT = Hit(1, "员工手册.md", "HR", MANUAL[AT - 2 : AT + 7], AT - 2, AT + 7, LINE, LINE, ("休假",))


def turn(*statements: Statement, hit: Hit = HIT) -> Turn:
    answer = Answer("…", statements, (hit,), 0.9, "zh")
    return Turn("t", "q", reply="…", record=Record(plan=Plan(), answer=answer))


def citation(support: Support) -> Citation:
    return Citation(1, 0, AT, AT + 7, LINE, LINE, PASSAGE, support)


GOOD = Statement("婚假为**十三天**。", (citation(Support(0.97, True)),))
BAD = Statement(
    "婚假为四十天。", (citation(Support(0.2, False, (Message(zh="数字不符：40", en="another number: 40"),))),)
)
OWN = Statement("月亮由奶酪做成。")


async def opened(document: Document | None, asked: Turn, number: int = 1, language: Any = "zh") -> dict[str, Any]:
    [value] = await reader(document).show(asked, number, language)
    assert json.loads(json.dumps(value)) == value
    return dict(value)


async def test_the_passage_is_marked_in_its_document_with_what_leans_on_it() -> None:
    value = await opened(Document("员工手册.md", MANUAL, "HR", "markdown"), turn(GOOD, BAD))
    assert marked(value) == PASSAGE
    assert (value["title"], value["path"]) == ("员工手册.md", "HR › 休假")
    assert value["file"] == "originals?name=%E5%91%98%E5%B7%A5%E6%89%8B%E5%86%8C.md&doc_set=HR"
    assert value["facts"][0] == f"行 {LINE}"
    good, bad = value["claims"]
    assert (good["text"], good["state"], good["score"]) == ("婚假为十三天。", "good", "97%")
    assert (bad["state"], bad["reasons"]) == ("weak", ["数字不符：40"])
    assert (value["note"], value["before"], value["after"]) == ("", None, None)
    only_bad = await opened(Document("员工手册.md", MANUAL, "HR", "markdown"), turn(BAD), language="en")
    assert marked(only_bad) == ""
    assert marked(only_bad, "weak") == PASSAGE
    assert only_bad["claims"][0]["reasons"] == ["another number: 40"]


async def test_of_a_table_the_rows_are_shown_that_were_used_and_no_others() -> None:
    rows = "| a | b |\n|---|---|\n| one | 1 |\n| two | 2 |\n| three | 3 |\n"
    used = [(at, at + len(row)) for row in ("| one | 1 |", "| three | 3 |") if (at := rows.index(row)) >= 0]
    cited = tuple(Citation(1, 0, a, b, 3, 3, rows[a:b], Support(1.0, True)) for a, b in used)
    hit = Hit(0, "t.md", "", rows[slice(*used[0])], *used[0], 3, 3)
    computed = TableResult(TableQuery(document="t.md", sql=""), ("SUM",), ((4,),), False, 3, 2, (1, 3))
    answer = Answer("4 [1]", (Statement("4", cited),), (hit,), 1.0, "en", table=computed)
    asked = Turn("t", "q", reply="…", record=Record(plan=Plan(), answer=answer))
    value = await opened(Document("t.md", rows, "", "markdown"), asked)
    shown = json.dumps(value["sections"])
    assert ["one" in shown, "two" in shown, "three" in shown] == [True, False, True]
    assert len(value["claims"]) == 1


async def test_a_document_that_is_gone_or_changed_is_told_and_the_record_shown() -> None:
    moved = await opened(Document("员工手册.md", "新的一行。\n\n" + MANUAL, "HR", "markdown"), turn(GOOD))
    assert marked(moved) == PASSAGE
    assert "换了位置" in moved["note"]
    for document, said in ((None, "已不在知识库"), (Document("员工手册.md", "# 空\n", "HR", "markdown"), "改动过")):
        value = await opened(document, turn(GOOD))
        assert said in value["note"]
        assert marked(value) == PASSAGE
        assert (value["before"], value["after"]) == (None, None)
    assert "no longer in the library" in (await opened(None, turn(GOOD), language="en"))["note"]
    [part] = (await opened(None, turn(GOOD)))["sections"]
    assert [line["number"] for line in part["lines"]] == [str(LINE)]  # as they were


async def test_without_a_source_in_particular_all_are_listed_with_what_none_supports() -> None:
    document = Document("员工手册.md", MANUAL, "HR", "markdown")
    value = await opened(document, turn(GOOD, BAD, OWN), 0)
    assert [one["text"] for one in value["doubtful"]] == [BAD.text, OWN.text]
    assert [one["reasons"] for one in value["doubtful"]] == [["数字不符：40"], ["没有标注来源"]]
    assert value["listed"] == [{"href": "#source/t/1", "words": f"[1] 员工手册.md (行 {LINE})"}]
    assert (await opened(document, Turn("t", "q"), 1))["note"] == "这个回答没有引用来源。"
    assert (await opened(document, turn(GOOD), 9))["number"] == 0  # made up by hand


async def test_the_way_out_leads_to_the_web_only() -> None:
    origin = Origin("html", "github", url="https://github.com/a/b/blob/c/g.md", repo="a/b", commit_id="c")
    hit = Hit(1, "员工手册.md", "HR", HIT.text, HIT.start, HIT.end, LINE, LINE, origin=origin)
    value = await opened(None, turn(GOOD, hit=hit))
    assert value["address"] == f"https://github.com/a/b/blob/c/g.md?plain=1#L{LINE}"
    hostile = Hit(1, "x", "", "y", 0, 1, 1, 1, origin=Origin("html", "website", url="javascript:alert(1)"))
    assert (await opened(None, turn(hit=hostile)))["address"] == ""
