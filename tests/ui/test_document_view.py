"""What is told of an opened document: facts of the reader, of the chunker, of what went wrong."""

from __future__ import annotations

from library import LibraryStats
from schema import (
    Chunking,
    DocSetInfo,
    Document,
    DocumentInfo,
    EmbeddingState,
    Message,
    Origin,
    Space,
    StructuredSummary,
    Task,
)
from stores.search_contract import IndexInfo
from tests.each_row import each_row
from ui.doc_sets import into_choices, manage_choices, set_choices
from ui.document_view import about_markdown, facts_markdown
from ui.documents import RowKey
from ui.totals import totals_markdown

LIVE = "<img src=x> **bold** [a](http://b)"


def test_facts_are_words_and_never_markup() -> None:
    origin = Origin("code", code_language="python", file_path=f"src/{LIVE}", repo="o/r", commit_id="0123456789abcdef")
    info = DocumentInfo(
        1, LIVE, "set <b>", "code", "en", 2048, 12, Chunking(strategy="code", size=1000), "ab" * 32, "", origin, 345
    )
    document = Document(
        LIVE,
        "text",
        metadata={
            "title": LIVE,
            "encoding": "gb18030",
            "body_start": 3,
            "deep": {"a": 1},
            "created": "2026-11-22T05:37:35Z",
        },
    )
    told = facts_markdown(RowKey("set <b>", LIVE), info, document, None, "en")
    assert "<img" not in told.replace("\\<img", "")
    assert "**bold**" not in told
    assert "](http" not in told.replace("\\](", "")
    for fact in (
        "2.0 kB",
        "12",
        "345",
        "gb18030",
        "2026-11-22 05:37 UTC",
        "python",
        "o/r @ 0123456789ab",
        "abababababababab",
    ):
        assert fact in told
    assert "body" not in told
    assert "deep" not in told


def test_what_a_document_is_about_is_words_too_and_says_who_found_it() -> None:
    about = StructuredSummary(title="t", keywords=[LIVE, "pump"], topics=["Start"], made_by="model")
    told = about_markdown(about, "zh")
    assert "<img" not in told.replace("\\<img", "")
    assert "pump" in told
    assert told.index("关键词") < told.index("主题") < told.index("由模型提取")
    assert "实体" not in told
    assert about_markdown(StructuredSummary(title="t"), "en") == about_markdown(None, "en") == ""
    assert "found by statistics" in about_markdown(StructuredSummary(keywords=["a"]), "en")


def facts_of(origin: Origin, title: str = "") -> str:
    info = DocumentInfo(1, "a.html", "", "markdown", "en", 9, 1, Chunking(), "ab" * 32, "", origin)
    document = Document("a.html", "text", metadata={"title": title})
    return facts_markdown(RowKey("", "a.html"), info, document, None, "en")


def test_a_page_tells_its_title_its_address_and_when_it_was_fetched() -> None:
    url = "https://example.org/a_(b)?q=<x>&y=1"
    told = facts_of(Origin("html", "website", url=url, timestamp="2026-11-22T05:37:35.123456+00:00"), f"Tides {LIVE}")
    assert "](https://example.org/a_%28b%29?q=%3Cx%3E&y=1)" in told
    assert "**Fetched**: 2026-11-22 05:37 UTC" in told
    assert told.count("**Title**: Tides") == 1
    assert "](http://b" not in told.replace("\\](", "")
    told = facts_of(Origin("html", "website", url=url, title=f"Tides {LIVE}"), "Tides")
    assert told.startswith("### Tides \\<img src=x\\>")
    assert "**Document**: a.html" in told
    assert "**Title**" not in told
    file = "https://github.com/o/r/blob/c/a.py"
    told = facts_of(Origin("code", "github", "python", "a.py", file, "o/r", "0123456789abcdef", "2026-11-20T00:00:00Z"))
    assert f"]({file})" in told
    assert "o/r @ 0123456789ab" in told
    assert "**Committed**: 2026-11-20 00:00 UTC" in told


@each_row("url", ["javascript:alert(1)", "data:text/html,<script>", "http://[bad", "file:///etc/passwd", "http:x"])
def test_an_address_that_is_none_of_the_web_is_no_link(url: str) -> None:
    assert "](" not in facts_of(Origin("html", "website", url=url)).replace("\\](", "")


def test_a_failed_file_says_why_and_what_to_do() -> None:
    task = Task(
        1, "add", "a.pdf", "", "failed", problem=Message(zh="没有文字。请先做 OCR。", en="No text. Run OCR first.")
    )
    assert "Run OCR first." in facts_markdown(RowKey("", "a.pdf"), None, None, task, "en")
    told = facts_markdown(RowKey("", "a.pdf"), None, None, task, "zh")
    assert "❌ 处理失败" in told
    assert "请先做 OCR。" in told


def test_totals_tell_what_waits_what_failed_and_what_is_in_the_way() -> None:
    index = IndexInfo("ivf", 56789, 9, 200, 0.9966)
    stats = LibraryStats(1234, 56789, 3_400_000, 120_000_000, "key", 3, 1, index)
    state = EmbeddingState(Space("tfidf", "tfidf", "r", 512), ("tfidf", "tfidf"), missing=12)
    problem = Message(zh="磁盘已满。", en="The disk is full.")
    told = totals_markdown(stats, 5, state, {"pending": 3, "failed": 1}, problem, "en")
    facts = [
        "**1,234** documents",
        "**5** sets",
        "**56,789** chunks",
        "120 MB",
        "512 dimensions",
        "**ivf** vector index, recall@10 0.997",
    ]
    facts += ["**12** chunks without vectors", "🟡 **3** Waiting", "❌ **1** Failed", "⚠ The disk is full."]
    for fact in facts:
        assert fact in told
    empty = totals_markdown(LibraryStats(0, 0, 0, 0, None, 0, 0), 0, EmbeddingState(None, ("a", "b")), {}, None, "zh")
    assert "⚠" not in empty
    assert "处理失败" not in empty


def test_sets_to_choose_from() -> None:
    infos = [DocSetInfo("", 4, 9), DocSetInfo("合同", 1200, 5000), DocSetInfo("empty", 0, 0)]
    assert set_choices(infos, "zh") == [("合同 (1,200)", "合同"), ("empty (0)", "empty"), ("（不分集） (4)", "")]
    assert into_choices(infos) == ["合同", "empty"]
    assert manage_choices(infos) == [("合同 (1,200)", "合同"), ("empty (0)", "empty")]
