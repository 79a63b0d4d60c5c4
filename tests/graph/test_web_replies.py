"""What is said of pages that were fetched: what is saved, what is not and why, in Markdown."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from nodes.fetch_web import _fetch_summary, _left_out, _reply
from schema import Message


def page(title: str, chunks: int = 2, status: str = "completed", url: str = "https://a.org/x") -> Any:
    return SimpleNamespace(meta=SimpleNamespace(title=title, url=url), chunks=[0] * chunks, status=status)


GONE = Message(zh="*b.org* 打不开。", en="*b.org* cannot be read.")


def test_what_was_saved_comes_first_and_what_was_not_is_a_warning() -> None:
    told = _reply([page("Tides *today*"), page("", 1)], "we*b", [GONE])
    assert told.en.splitlines() == [
        "- ✅ **Tides \\*today\\***: saved, 2 chunks, in the set “we\\*b”",
        "- ✅ **https://a.org/x**: saved, 1 chunk, in the set “we\\*b”",
        "- ⚠ \\*b.org\\* cannot be read.",
    ]
    assert told.zh.splitlines() == [
        "- ✅ **Tides \\*today\\***：已保存，2 个切片，文档集“we\\*b”",
        "- ✅ **https://a.org/x**：已保存，1 个切片，文档集“we\\*b”",
        "- ⚠ \\*b.org\\* 打不开。",
    ]


def test_where_nothing_was_saved_it_has_failed() -> None:
    assert _reply([], "web", [GONE]) == Message(zh="- ❌ \\*b.org\\* 打不开。", en="- ❌ \\*b.org\\* cannot be read.")


def test_addresses_that_were_not_read_are_counted() -> None:
    told = _left_out(12)
    assert "12" in told.zh
    assert told.en.startswith("Of the 12 addresses only the first ")


def test_the_trace_has_the_pages_that_came_and_those_that_did_not() -> None:
    came, gone = page("A"), page("B", status="failed", url="https://b.org/y")
    assert _fetch_summary([gone, came]) == Message(
        zh="已抓取：https://a.org/x；失败：https://b.org/y", en="fetched: https://a.org/x; failed: https://b.org/y"
    )
    assert _fetch_summary([came, came]).en == "fetched: https://a.org/x, https://a.org/x"
    assert _fetch_summary([]) == Message(zh="没有网页", en="no page")
