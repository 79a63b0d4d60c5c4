"""Records come back as they were, other programs hand in what they have, and nothing hostile gets in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errors import CitewiseError
from graph.handle_query import handle_query, retrieve
from graph.imports import add_documents, import_records
from library import Library
from schema import Scope
from settings import Settings
from tests.graph.turn_cases import GUIDE, assistant_of
from tests.graph.web_cases import CHIPS, PATHS, news_site, reached

Make = Callable[..., Settings]
SMALL = {"CITEWISE_CHINESE_CHUNK_SIZE": "60", "CITEWISE_CHINESE_CHUNK_OVERLAP": "0", "CITEWISE_EMBEDDING": "hashing"}
TEA = {
    "content": "绿茶用八十度的水冲泡。\n\n红茶用沸水冲泡。",
    "source": "https://例子.中国/茶",
    "structured_data": {"title": "茶", "entities": ["西湖"]},
    "metadata": {"title": "泡茶", "from_pipeline": True, "tags": ["茶"]},
    "chunks": ["绿茶用八十度的水冲泡。", "红茶用沸水冲泡。"],
}


def held(library: Library) -> list[tuple[Any, ...]]:
    """All that a library holds, but for ids and times of its own."""
    found = []
    for info in sorted(library.documents(), key=lambda info: info.name):
        document = library.document(info.name, info.doc_set)
        assert document
        hits = library.store.chunks(info.name, info.doc_set, 0, 99)
        vectors = library.vectors([hit.chunk_id for hit in hits])
        chunks = [(hit.text, hit.start, hit.end, hit.start_line, hit.end_line, hit.headings) for hit in hits]
        origin = (document.origin.doc_type, document.origin.source_type, document.origin.url, document.origin.title)
        found.append(
            (info.name, info.doc_set, document.text, document.language, document.metadata, origin,
             document.structured, chunks, np.round(vectors, 3).tolist())
        )  # fmt: skip
    return found


async def test_a_record_gives_the_library_back(make_settings: Make, tmp_path: Path) -> None:
    with news_site() as site:
        settings = make_settings(**reached(site), **SMALL)
        async with assistant_of(settings) as assistant:
            result = await handle_query(assistant, CHIPS["zh"], force_refresh=True)
            before = held(assistant.library)
        asked = len(site.requests)
        other = Settings.from_mapping(
            {**SMALL, "CITEWISE_DATA_DIR": str(tmp_path / "other"), "CITEWISE_INGEST_WORKERS": "0"}
        )
        async with await Library.open(other) as library:
            await library.add("any.md", b"# Any\n\nSo that the library has a space.\n")
            done = await import_records(library, Path(result["record"]))
            await library.delete("any.md")
            assert (len(done.stored), done.failed, done.notices) == (len(PATHS), {}, [])
            assert held(library) == before
            again = await import_records(library, Path(result["record"]), "again")
            assert {one.document.doc_set for one in again.stored} == {"again"}
    assert len(site.requests) == asked


async def test_other_programs_bring_chunks_and_what_a_document_is_about(make_settings: Make) -> None:
    async with await Library.open(make_settings(**SMALL)) as library:
        done = await add_documents(library, [TEA, {"content": "Plain.", "source": "notes/a.md"}], "web")
        assert (done.failed, done.notices) == ({}, [])
        tea, plain = (one.document for one in done.stored)
        assert (plain.name, plain.doc_set, plain.origin.source_type) == ("notes/a.md", "web", "file")
        assert [hit.text for hit in await library.chunks(tea.name, "web")] == TEA["chunks"]
        document = library.document(tea.name, "web")
        assert document
        assert (document.origin.url, document.origin.title) == (TEA["source"], "泡茶")
        assert (document.metadata["from_pipeline"], document.metadata["tags"]) == (True, ["茶"])
        assert document.structured
        assert document.structured.entities == ["西湖"]
        assert library.documents(Scope(metadata=(("tags", "茶"),)))[0].name == tea.name
        assert library.vectors([hit.chunk_id for hit in await library.chunks(tea.name, "web")]).any(axis=1).all()


async def test_vectors_are_kept_where_they_are_of_the_library_s_space(make_settings: Make) -> None:
    async with await Library.open(make_settings(**SMALL)) as library:
        await library.add("any.md", b"# Any\n\nSo that the library has a space.\n")
        space = library.stats().space
        dimensions = library.vectors([1]).shape[1]
        own = np.eye(2, dimensions) * 3
        [stored] = (await add_documents(library, [{**TEA, "embeddings": own.tolist(), "space": space}])).stored
        hits = await library.chunks(stored.document.name)
        assert np.allclose(library.vectors([hit.chunk_id for hit in hits]), np.eye(2, dimensions), atol=1e-3)
        assert stored.missing_vectors == 0

        other = {
            "content": "白茶不炒。\n\n黑茶要渥堆。",
            "chunks": ["白茶不炒。", "黑茶要渥堆。"],
            "embeddings": own.tolist(),
        }
        foreign = [{**other, "name": "b.md", "space": "another/model/1/1536"}, {**other, "name": "c.md"}]
        done = await add_documents(library, foreign)
        assert [("computed anew" in one.en, "重新计算" in one.zh) for one in done.notices] == [(True, True)] * 2
        hits = await library.chunks("b.md")
        assert not np.allclose(library.vectors([hit.chunk_id for hit in hits]), np.eye(2, dimensions), atol=1e-3)

        wrong = {**TEA, "name": "d.md", "embeddings": [[1.0, 0.0]] * 2, "space": space}
        fewer = {**TEA, "name": "e.md", "embeddings": [[1.0, 0.0]], "space": space}
        done = await add_documents(library, [wrong, fewer])
        assert "2 dimensions" in done.failed["d.md"].message.en
        assert "2 chunks and 1 vectors" in done.failed["e.md"].message.en
        assert all(one.suggestions for one in done.failed.values())
        assert library.document("d.md") is None


@pytest.mark.parametrize(
    "written",
    [
        "", "nothing", "[]", "{}", '{"documents": 3}', '{"documents": [3]}', '{"documents": [{"content": "a"}]}',
        '{"documents": [{"metadata": {}, "chunks": [{"id": 1}]}]}', "[" * 100_000, "\x00",
    ],
)  # fmt: skip
async def test_what_is_no_record_is_refused_with_a_remedy(make_settings: Make, tmp_path: Path, written: str) -> None:
    path = tmp_path / "webis_docs_x_20260101_000000.json"
    path.write_text(written, "utf-8")
    async with await Library.open(make_settings()) as library:
        with pytest.raises(CitewiseError) as refused:
            await import_records(library, path)
        assert refused.value.suggestions
        for nowhere in (tmp_path, tmp_path / "none.json"):
            with pytest.raises(CitewiseError):
                await import_records(library, nowhere)
        assert library.documents() == []


async def test_one_bad_document_keeps_no_other_out(make_settings: Make) -> None:
    bad: list[Any] = [
        "no document",
        {"content": "a", "chunks": [{"text": "a"}]},
        {"content": "a", "metadata": {"tags": 3}},
        {"content": " \n"},
        {"content": "a", "chunks": 7},
        {"content": "a", "chunks": ["a"], "embeddings": [["x"]]},
    ]
    async with await Library.open(make_settings()) as library:
        done = await add_documents(library, [*bad, {"content": "fine", "name": "../../etc/fine.md"}])
        assert [one.document.name for one in done.stored] == ["etc/fine.md"]
        assert len(done.failed) == len(bad)
        assert all(one.suggestions for one in done.failed.values())
        said = [one.message.en for one in done.failed.values()]
        assert said[:2] == [
            "A value does not fit: a document must be an object of names and values.",
            "A value does not fit: chunks/0/content is missing.",
        ]
        [named] = (await add_documents(library, [{"content": "Salt.", "url": "https://example.org/salt"}])).stored
        assert (named.document.origin.url, named.document.origin.source_type) == ("https://example.org/salt", "website")
        moved = await add_documents(library, [{**TEA, "chunks": ["not in the text"]}])
        assert ["cut anew" in one.en for one in moved.notices] == [True]
        assert len(moved.stored) == 1


async def test_retrieving_asks_no_model_and_writes_no_file(make_settings: Make) -> None:
    settings = make_settings(CITEWISE_WEB="never")
    async with assistant_of(settings) as assistant:
        await assistant.library.add("guide.md", GUIDE.encode())
        before = {path.name for path in settings.data_dir.iterdir()}
        found = await retrieve(assistant, "What does a rattling noise mean?", base_prompt="You are kind.")
        assert list(found) == ["query", "documents", "context", "tree_knowledge", "prompt", "coverage", "notices"]
        assert found["documents"][0]["source"] == "guide.md"
        assert found["documents"][0]["structured_data"]["title"] == "Pump guide"
        assert "A rattling noise means air" in found["context"]
        assert found["prompt"].startswith("You are kind.\n\n")
        assert all(line in found["prompt"] for line in found["context"].splitlines()[1:-1])  # its marks are its own
        assert {path.name for path in settings.data_dir.iterdir()} == before
        assert json.loads(json.dumps(found)) == found
