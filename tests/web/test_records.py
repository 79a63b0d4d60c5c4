"""Records: everything is in them, under a name that any system takes; old ones go, and nothing else."""

from __future__ import annotations

import errno
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from errors import CitewiseError
from schema import HistoryEntry, Message, StructuredSummary, WebChunk, WebDocument, WebMetadata
from web.base import WebError
from web.records import Records, safe_name

NOW = datetime(2026, 1, 18, 10, 30, 45)
PAGE = WebDocument(
    content="<html>完整原始内容</html>",
    clean_content="清洗后的内容",
    doc_type="html",
    status="completed",
    meta=WebMetadata(url="https://a.example/", title="标题", source_plugin="ddgs", language="zh", fetched_at=NOW),
    chunks=[WebChunk(id="1", content="块内容", index=0, embedding=[0.1, -0.2])],
    processing_history=[HistoryEntry(plugin="fetch", details={"seconds": 0.5})],
    structured=StructuredSummary(title="标题", keywords=["内容"], made_by="statistics"),
)


def records(folder: Path, now: datetime = NOW, days: float = 90, embeddings: bool = True) -> Records:
    return Records(folder, days, embeddings=embeddings, now=lambda: now)


def test_a_record_has_the_fields_of_the_documents(tmp_path: Path) -> None:
    path = records(tmp_path).save("最近 AI 芯片的新闻", [PAGE])
    assert path == tmp_path / "webis_documents" / "webis_docs_最近_AI_芯片的新闻_20260118_103045.json"
    written = json.loads(path.read_text(encoding="utf-8"))
    assert list(written) == ["query", "timestamp", "document_count", "documents"]
    assert (written["query"], written["timestamp"], written["document_count"]) == (
        "最近 AI 芯片的新闻",
        "2026-01-18T10:30:45",
        1,
    )
    [document] = written["documents"]
    assert set(document) >= {
        "id", "content", "clean_content", "doc_type", "status", "metadata", "chunks", "chunks_count",
        "processing_history", "parent_id",
    }  # fmt: skip
    assert set(document["metadata"]) >= {"url", "title", "author", "source_plugin", "language", "tags", "custom"}
    assert set(document["chunks"][0]) == {"id", "content", "index", "embedding", "metadata"}
    assert set(document["processing_history"][0]) == {"plugin", "timestamp", "details"}
    assert document["chunks_count"] == 1
    datetime.fromisoformat(document["processing_history"][0]["timestamp"])


def test_vectors_can_be_left_out(tmp_path: Path) -> None:
    path = records(tmp_path, embeddings=False).save("x", [PAGE])
    assert "embedding" not in json.loads(path.read_text(encoding="utf-8"))["documents"][0]["chunks"][0]
    [again] = records(tmp_path).load(path)
    assert again.chunks[0].embedding is None
    assert again.clean_content == PAGE.clean_content


texts = st.text(max_size=40)
times = st.datetimes(timezones=st.just(UTC)) | st.none()
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
dicts = st.dictionaries(texts, values, max_size=3)
lists = st.lists(texts, max_size=3)
vectors = st.none() | st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=4)
documents = st.builds(
    WebDocument,
    content=texts,
    clean_content=st.none() | texts,
    doc_type=st.sampled_from(["html", "pdf", "text", "markdown", "image", "audio", "video", "json", "unknown"]),
    status=st.sampled_from(["pending", "processing", "completed", "failed", "skipped"]),
    meta=st.builds(
        WebMetadata, url=texts, title=texts, author=texts, published_at=times, fetched_at=times, source_plugin=texts,
        language=texts, tags=lists, custom=dicts,
    ),
    chunks=st.lists(
        st.builds(WebChunk, id=texts, content=texts, index=st.integers(0), embedding=vectors, metadata=dicts),
        max_size=3,
    ),
    processing_history=st.lists(
        st.builds(HistoryEntry, plugin=texts, timestamp=st.datetimes(timezones=st.just(UTC)), details=dicts), max_size=3
    ),
    parent_id=st.none() | texts,
    structured=st.none()
    | st.builds(
        StructuredSummary, title=texts, keywords=lists, entities=lists, topics=lists,
        made_by=st.sampled_from(["model", "statistics"]),
    ),
)  # fmt: skip


@given(query=texts, pages=st.lists(documents, max_size=3))
def test_a_record_gives_the_same_documents_back(
    tmp_path_factory: pytest.TempPathFactory, query: str, pages: list[WebDocument]
) -> None:
    kept = records(tmp_path_factory.mktemp("records"))
    assert kept.load(kept.save(query, pages)) == pages
    assert kept.load(kept.save_fallback(query, pages, WebError(Message(zh="坏", en="bad")))) == pages


QUERIES = [
    "", "   ", "..", "../../etc/passwd", "C:\\Windows\\con", "CON", "nul.txt", "a/b\\c:d*e?f\"g<h>i|j", "x\0y\x1bz\n",
    "最近的新闻？", "字" * 500, "é" * 500, "👩‍👩‍👧" * 100, "\u202egnp.exe", "\ud800", "a" * 5000, ".hidden",
    "trailing. ", "-rf *",
]  # fmt: skip


@given(st.text(max_size=300))
@example("\ud800字\udfff")
def test_a_name_is_safe_whatever_was_asked(query: str) -> None:
    name = safe_name(query)
    assert 0 < len(name.encode()) <= 120
    assert all(mark.isalnum() or mark == "_" for mark in name)


@pytest.mark.parametrize("query", QUERIES)
def test_any_query_can_be_saved(tmp_path: Path, query: str) -> None:
    path = records(tmp_path).save(query, [PAGE])
    assert path.parent == tmp_path / "webis_documents"
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    assert len(f"{path.name}.part".encode()) < 255
    assert records(tmp_path).load(path) == [PAGE]


def test_chinese_stays_readable() -> None:
    assert safe_name("北京/上海：哪个更大？") == "北京_上海_哪个更大"
    assert safe_name("字" * 500) == "字" * 40


def test_the_same_second_twice_gives_two_files(tmp_path: Path) -> None:
    kept = records(tmp_path)
    paths = [kept.save("x", [PAGE]), kept.save("x", []), kept.save("x", [])]
    assert [path.name for path in paths] == [
        "webis_docs_x_20260118_103045.json",
        "webis_docs_x_20260118_103045_2.json",
        "webis_docs_x_20260118_103045_3.json",
    ]
    assert kept.load(paths[0]) == [PAGE]
    answers = [kept.save_answer({"query": "x"}), kept.save_answer({"query": "y"})]
    assert [path.name for path in answers] == [
        "agent_answer_20260118_103045.json",
        "agent_answer_20260118_103045_2.json",
    ]


def test_a_file_system_without_links_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr(os, "link", none)
    kept = records(tmp_path)
    first, second = kept.save("x", [PAGE]), kept.save("x", [])
    assert kept.load(first) == [PAGE]
    assert {one.name for one in first.parent.iterdir()} == {first.name, second.name}


def test_a_failed_run_keeps_what_it_has_and_why(tmp_path: Path) -> None:
    failed = WebDocument(status="failed", meta=WebMetadata(url="https://b.example/"))
    error = WebError(
        Message(zh="网页没有回答。", en="The page did not answer."), Message(zh="请重试。", en="Try again.")
    )
    path = records(tmp_path).save_fallback("AI 芯片", [PAGE, failed], error)
    assert path.name == "webis_docs_fallback_AI_芯片_20260118_103045.json"
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written["error"] == {
        "kind": "web",
        "zh": "网页没有回答。请重试。",
        "en": "The page did not answer. Try again.",
    }
    assert written["document_count"] == 2
    assert records(tmp_path).load(path) == [PAGE, failed]
    assert records(tmp_path).load(path)[1].content == ""


def test_an_answer_is_kept(tmp_path: Path) -> None:
    result = {"query": "问", "used_web": True, "agent_result": {"success": False, "error": "没有模型"}, "at": NOW}
    path = records(tmp_path).save_answer(result)
    assert path.parent == tmp_path
    assert json.loads(path.read_text(encoding="utf-8")) == {**result, "at": NOW.isoformat()}


def test_old_records_go_and_nothing_else(tmp_path: Path) -> None:
    old = records(tmp_path, NOW - timedelta(days=31), days=0)
    gone = [
        old.save("x", []),
        old.save("x", []),
        old.save_fallback("x", [], WebError(Message(zh="", en=""))),
        old.save_answer({}),
    ]
    folder = gone[0].parent
    half = folder / "webis_docs_x_20251201_000000_77.json.part"
    kept = [
        folder / "notes.json",
        folder / "webis_docs_mine.json",
        folder / "my_webis_docs_x_20200101_000000.json",
        folder / "webis_docs_x_20209999_000000.json",
        folder / "webis_docs_x_20200101_000000.json.bak",
        tmp_path / "agent_answer_20200101.json",
    ]
    for path in (half, *kept):
        path.write_text("{}")
    held = folder / "webis_docs_folder_20200101_000000.json"
    held.mkdir()
    new = records(tmp_path, days=30).save("y", [])
    assert not [path for path in (*gone, half) if path.exists()]
    assert all(path.exists() for path in (*kept, held, new))


def test_nothing_goes_when_records_are_kept_for_ever(tmp_path: Path) -> None:
    old = records(tmp_path, NOW - timedelta(days=9999)).save("x", [])
    records(tmp_path, days=0).save("y", [])
    assert old.exists()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b'{"documents": 3}', b'{"documents": [{}]}', b"\xff\xfe", b"[" * 99_999]
)
def test_what_is_no_record_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    (path := tmp_path / "x.json").write_bytes(content)
    with pytest.raises(CitewiseError) as failed:
        records(tmp_path).load(path)
    assert failed.value.kind == "web"
    assert "x.json" in failed.value.message.zh


def test_a_record_that_is_not_there_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(WebError):
        records(tmp_path).load(tmp_path / "none.json")


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "webis_documents").write_text("a file in its place")
    with pytest.raises(WebError) as failed:
        records(tmp_path).save("x", [PAGE])
    assert "webis_documents" in failed.value.message.en


def test_a_disk_that_is_full_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> int:
        with path.open("wb") as file:
            file.write(data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(WebError):
        records(tmp_path).save("x", [PAGE])
    assert list((tmp_path / "webis_documents").iterdir()) == []
