"""Documents and files on their way as rows of one table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gradio as gr
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema import Chunking, DocumentInfo, Message, Origin, Task
from tests.each_row import each_row
from ui.documents import PAGE, RowKey, RowQuery, document_rows, human_size, select, state_of, table_value, with_tasks


def stored(name: str, doc_set: str = "", **more: Any) -> DocumentInfo:
    facts: dict[str, Any] = {
        "id": 1, "name": name, "doc_set": doc_set, "kind": "markdown", "language": "en", "size": 10, "chunks": 3,
        "chunking": Chunking(strategy="recursive", size=300), "digest": "d", "updated": "2026-01-01T00:00:00Z",
        "origin": Origin("markdown"),
    }  # fmt: skip
    return DocumentInfo(**(facts | more))


def task(name: str, status: Any, doc_set: str = "", **more: Any) -> Task:
    return Task(7, "add", name, doc_set, status, updated="2026-02-01T00:00:00Z", **more)


def names(rows: Any) -> list[str]:
    return [row.key.name for row in rows]


@given(st.text(), st.text())
def test_a_key_comes_back_from_the_browser_as_it_went(doc_set: str, name: str) -> None:
    assert RowKey.of(str(RowKey(doc_set, name))) == RowKey(doc_set, name)


@each_row("told", ["", "{}", "[1", '["a"]', "null x"])
def test_what_is_no_key_is_refused(told: str) -> None:
    with pytest.raises(gr.Error, match="reload the page"):
        RowKey.of(told)


def test_a_new_version_on_its_way_is_one_row_with_the_chunks_that_are_there() -> None:
    rows = with_tasks(document_rows([stored("a.md"), stored("a.md", "x")]), [task("a.md", "processing", size=99)])
    assert len(rows) == 2
    [moving] = [row for row in rows if row.status == "processing"]
    assert (moving.key, moving.chunks, moving.size) == (RowKey("", "a.md"), 3, 99)
    assert with_tasks({}, [task("b.pdf", "pending")])[0].doc_type == "pdf"  # by its name, until it is read


def test_rows_are_filtered_by_words_set_state_and_kind() -> None:
    documents = [
        stored("Résumé 2026.md"), stored("報告.md", "x"), stored("b.py", "x", origin=Origin("code")),
    ]  # fmt: skip
    rows = with_tasks(document_rows(documents), [task("c.txt", "failed")])
    assert names(select(rows, RowQuery("resume 26"))) == ["Résumé 2026.md"]
    assert names(select(rows, RowQuery("报告"))) == ["報告.md"]
    assert sorted(names(select(rows, RowQuery(doc_set="x")))) == ["b.py", "報告.md"]
    assert sorted(names(select(rows, RowQuery(doc_set="")))) == ["Résumé 2026.md", "c.txt"]
    assert names(select(rows, RowQuery(status="failed"))) == ["c.txt"]
    assert names(select(rows, RowQuery(doc_set="x", doc_type="code"))) == ["b.py"]


def test_a_page_is_listed_by_its_title_and_found_by_title_address_and_name() -> None:
    def page(title: str) -> Origin:
        return Origin("html", "website", url="https://example.org/%E6%BD%AE?a=1", title=title)

    rows = list(
        document_rows([stored("z"), stored("example.org/潮-3f9a1c20.html", origin=page("A <b>\n Tides"))]).values()
    )
    wanted = RowQuery(column="name", descending=False)
    first, second = table_value(select(rows, wanted), wanted, 2, None, "en")["rows"]
    assert (first["name"], first["address"]) == ("A <b> Tides", "example.org/潮?a=1")
    assert (second["name"], second["address"]) == ("z", "")
    for words in ("tides", "example a=1", "潮-3f9"):
        assert names(select(rows, RowQuery(words))) == ["example.org/潮-3f9a1c20.html"]
    [untitled] = table_value(with_tasks({}, [task("x.html", "failed", origin=page(""))]), wanted, 1, None, "en")["rows"]
    assert (untitled["name"], untitled["address"]) == ("example.org/潮?a=1", "")


def test_rows_are_sorted_by_any_column_and_equal_ones_by_name() -> None:
    documents = [stored("b", size=1), stored("a", size=1), stored("c", size=5, chunks=1)]
    rows = list(document_rows(documents).values())
    assert names(select(rows, RowQuery(column="size", descending=True))) == ["c", "a", "b"]
    assert names(select(rows, RowQuery(column="chunks", descending=False))) == ["c", "a", "b"]
    assert names(select(rows, RowQuery(column="name", descending=True))) == ["c", "b", "a"]
    waiting = with_tasks(document_rows(documents), [task("z", "processing"), task("y", "pending")])
    assert names(select(waiting, RowQuery(column="status", descending=False)))[:2] == ["z", "y"]


def test_a_document_without_its_vectors_is_not_done_and_says_why() -> None:
    why = Message(zh="等待向量：自 10:32 起没有应答", en="Waiting for vectors: nobody answers since 10:32")
    rows = with_tasks(document_rows([stored("a.md", missing=2, problem=why), stored("b.md")]), [])
    assert names(select(rows, RowQuery(status="completed"))) == ["b.md"]
    [shown] = table_value(select(rows, RowQuery(status="pending")), RowQuery(), 2, None, "en")["rows"]
    assert (shown["status"], shown["state"], shown["note"]) == ("pending", "🟡 Waiting for vectors", why.en)
    assert shown["updated"] == "2026-01-01T00:00:00Z"
    [again] = with_tasks(document_rows([stored("a.md", missing=2, problem=why)]), [task("a.md", "failed")])
    assert (again.status, again.problem) == ("failed", None)  # a newer version tells its own


def test_a_page_of_a_large_library_is_sent_and_no_more() -> None:
    rows = list(document_rows(stored(f"{n:05}") for n in range(10_000)).values())
    wanted = RowQuery(column="name", descending=False, page=3)
    value = table_value(select(rows, wanted), wanted, len(rows), None, "en")
    assert [one["name"] for one in value["rows"]] == [f"{n:05}" for n in range(3 * PAGE, 4 * PAGE)]
    assert (value["page"], value["pages"]) == (3, 100)
    beyond = table_value(rows[:5], wanted._replace(page=99), len(rows), None, "en")
    assert (len(beyond["rows"]), beyond["page"], beyond["count"]) == (5, 0, "5 / 10000")


def test_states_in_both_languages() -> None:
    moving = replace(task("a", "processing"), stage="chunk", fraction=0.4)
    assert state_of("pending", task("a", "pending"), "zh") == "🟡 等待处理"
    assert state_of("pending", None, "zh") == "🟡 等待向量"
    assert state_of("processing", moving, "zh") == "⏳ 处理中 · 切片 40%"
    assert state_of("processing", moving, "en") == "⏳ Processing · chunking 40%"
    assert state_of("completed", None, "zh") == "✅ 已完成"
    assert state_of("failed", None, "en") == "❌ Failed"
    told = task("a", "skipped", problem=Message(zh="没有变化", en="unchanged"))
    [row] = table_value(with_tasks({}, [told]), RowQuery(), 1, None, "en")["rows"]
    assert (row["state"], row["note"]) == ("⏭ Skipped", "unchanged")


@each_row(
    ("size", "said"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (123_456, "123 kB"), (999_999, "1.0 MB"), (2_500_000_000, "2.5 GB")],
)
def test_sizes_as_a_person_reads_them(size: int, said: str) -> None:
    assert human_size(size) == said
