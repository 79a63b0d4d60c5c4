"""The library with its embedder at an address: questions while it is away, another model while all goes on."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.model_server import STALL, Reply, model_server, vector_of
from errors import CitewiseError
from graph.management import LibraryManagement, ProcessReport
from library import Library
from schema import Chunking, EmbeddingReport, Message
from settings import Settings

GUIDE = "# Guide\n\n## Start\n\nPress the green button.\n\n## Stop\n\nPull the red lever gently.\n"
FIXED = Chunking(strategy="fixed", size=80)


def chat(_: dict[str, Any]) -> Reply:
    raise AssertionError("nobody chats here")


def settings_for(folder: Path, base_url: str | None = None, **values: str) -> Settings:
    address = {
        "CITEWISE_EMBEDDING": "compatible",
        "CITEWISE_EMBEDDING_MODEL": "m",
        "CITEWISE_EMBEDDING_BASE_URL": base_url,
        "CITEWISE_EMBEDDING_QUESTION_TIMEOUT": "600",
        "CITEWISE_INGEST_WORKERS": "0",
    }
    return Settings.from_mapping({"CITEWISE_DATA_DIR": str(folder), **(address if base_url else {}), **values})


async def test_a_question_goes_by_keywords_while_the_embedder_is_away(tmp_path: Path) -> None:
    faults = [Reply(first_delay=STALL)]
    with model_server(chat, embed=lambda _: faults[0] if faults[1:] else Reply()) as server:
        settings = settings_for(tmp_path, server.base_url, CITEWISE_EMBEDDING_QUESTION_TIMEOUT="2")
        async with await Library.open(settings) as library:
            await library.add("guide.md", GUIDE.encode(), chunking=FIXED)
            await library.settle()
            found = await library.search("red lever")
            assert "red lever" in found.hits[0].text
            assert not found.notices
            faults.append(faults[0])
            asked = len(server.embedding_requests)
            for question in ("Where is the lever?", "What about the red lever?", "Which lever?"):
                found = await library.search(question)
                assert "red lever" in found.hits[0].text
                assert found.strategy == "keyword"
                assert any("within 2 seconds" in notice.en and "2 秒内没有" in notice.zh for notice in found.notices)
            assert len(server.embedding_requests) == asked + 1  # nobody waits for it again
            assert (await library.embedding_state()).problem is not None
            assert library.question_vector("Which lever was it?") is None
            again = await library.search("red lever")  # its vector is known
            assert again.strategy != "keyword"


async def test_texts_are_compared_with_each_other_without_asking_anybody(tmp_path: Path) -> None:
    with model_server(chat) as server:
        async with await Library.open(settings_for(tmp_path, server.base_url)) as library:
            await library.add("guide.md", GUIDE.encode())
            asked = len(server.embedding_requests)
            question, lever, other = await library.embed(["red lever", "Pull the red lever.", "something else"])
            assert question @ lever > question @ other
            assert len(server.embedding_requests) == asked
            vector = library.question_vector("red lever")
            chunks = library.vectors([hit.chunk_id for hit in (await library.search("red lever")).hits])
            assert vector is not None
            assert vector.shape == chunks[0].shape


async def test_another_model_comes_while_everybody_works(tmp_path: Path) -> None:
    paragraphs = [f"The harbour pilot number{n} boards his ship{n} at the buoy{n} of the day." for n in range(60)]
    async with await Library.open(settings_for(tmp_path, CITEWISE_INGEST_WORKERS="0")) as library:
        await library.add("pilots.md", "\n\n".join(paragraphs).encode(), chunking=FIXED)
        await library.settle()
    with model_server(chat) as server:
        settings = settings_for(
            tmp_path, server.base_url, CITEWISE_INGEST_WORKERS="1", CITEWISE_EMBEDDING_BATCH_SIZE="8"
        )
        async with await Library.open(settings) as library:
            uploads, number = [], 0
            while (await library.embedding_state()).space.provider != "compatible":
                number += 1
                if number > 30:  # enough, also on a slow machine
                    await asyncio.sleep(0.01)
                    continue
                text = f"A tug called extra{number} lies at the quay."
                uploads.append(asyncio.create_task(library.add(f"{number}.md", text.encode())))
                found = await library.search(f"pilot number{number % 60}", strategy="hybrid")
                assert any(f"number{number % 60} " in hit.text for hit in found.hits[:2])
                assert not found.notices
            stored = await asyncio.gather(*uploads)
            assert {one.outcome for one in stored} == {"added"}
            await library.settle()
            assert library.store.without_vectors() == []
            texts = dict(library.store.indexed_texts())
            expected = [vector_of(text) for text in texts.values()]
            np.testing.assert_allclose(library.vectors(list(texts)), expected, atol=1e-3)
            assert len(texts) >= 60 + len(stored)


async def test_closing_waits_for_no_address(tmp_path: Path) -> None:
    async with await Library.open(settings_for(tmp_path, CITEWISE_INGEST_WORKERS="0")) as library:
        await library.add("guide.md", GUIDE.encode(), chunking=FIXED)
    waiting = asyncio.Event()
    loop = asyncio.get_running_loop()

    def embed(request: dict[str, Any]) -> Reply:
        if len(server.embedding_requests) == 1:
            return Reply()
        loop.call_soon_threadsafe(waiting.set)
        return Reply(first_delay=STALL)

    with model_server(chat, embed=embed) as server:
        library = await Library.open(settings_for(tmp_path, server.base_url, CITEWISE_EMBEDDING_TIMEOUT="3600"))
        upload = asyncio.create_task(library.add("late.md", b"Something that comes in late."))
        await waiting.wait()
        async with asyncio.timeout(120):
            await library.close()
        await asyncio.wait([upload])
    async with await Library.open(settings_for(tmp_path, CITEWISE_INGEST_WORKERS="0")) as library:
        assert "guide.md" in library.names()
        await library.settle()


async def test_documents_whose_vectors_are_missing_say_why_and_get_them_by_hand(tmp_path: Path) -> None:
    away = [False]
    with model_server(chat, embed=lambda _: Reply(status=500) if away[0] else Reply()) as server:
        async with await Library.open(settings_for(tmp_path, server.base_url)) as library:
            await library.add("guide.md", GUIDE.encode(), chunking=FIXED)
            await library.settle()
            [guide] = library.documents()
            assert (guide.status, guide.problem) == ("completed", None)
            away[0] = True
            stored = await library.add("late.md", b"# Late\n\nThe quay is closed at night.\n")
            for late in (stored.document, library.documents()[0]):
                assert (late.name, late.missing, late.status) == ("late.md", 1, "pending")
                assert late.problem is not None
                assert "1 of 1 chunks" in late.problem.en
                assert re.search(r"Since \d\d:\d\d: ", late.problem.en)
                assert "error (500)" in late.problem.en
                assert "自 " in late.problem.zh
            assert library.documents()[1].status == "completed"
            assert (await library.search("quay closed")).hits[0].document == "late.md"  # by its words

            report = await library.embed_now()
            assert (report.documents, report.chunks, report.left_documents, report.left_chunks) == (0, 0, 1, 1)
            assert "500" in (report.problem or Message(zh="", en="")).en
            away[0] = False
            report = await library.embed_now()  # nothing rests that a person asks for
            assert report == EmbeddingReport(1, 1, 0, 0)
            assert [(info.status, info.problem) for info in library.documents()] == [("completed", None)] * 2
            assert await library.embed_now() == EmbeddingReport(0, 0, 0, 0)


class Managed(LibraryManagement):
    def __init__(self, library: Library) -> None:
        self._library = library

    @property
    def library(self) -> Library:
        return self._library


async def test_processing_says_why_vectors_stay_missing_however_often_it_is_asked(tmp_path: Path) -> None:
    away = [False]
    with model_server(chat, embed=lambda _: Reply(status=500) if away[0] else Reply()) as server:
        async with await Library.open(settings_for(tmp_path, server.base_url)) as library:
            await library.add("guide.md", GUIDE.encode(), chunking=FIXED)
            await library.settle()
            away[0] = True
            late = (await library.add("late.md", b"# Late\n\nThe quay is closed at night.\n")).document
            for _ in range(2):  # its embedder rests by now
                with pytest.raises(CitewiseError) as error:
                    await Managed(library).process()
                assert (error.value.kind, "500" in error.value.message.en) == ("model", True)
            away[0] = False
            assert await Managed(library).process() == ProcessReport([], {}, late.missing)
            assert await Managed(library).process() == ProcessReport([], {}, 0)
            [guide, now] = sorted(library.documents(), key=lambda one: one.name)
            assert (now.status, now.missing, guide.missing) == ("completed", 0, 0)


async def test_texts_that_the_model_refuses_are_told_as_that(tmp_path: Path) -> None:
    def embed(request: dict[str, Any]) -> Reply:
        return Reply(status=400) if any("forbidden" in text for text in request["input"]) else Reply()

    with model_server(chat, embed=embed) as server:
        async with await Library.open(settings_for(tmp_path, server.base_url)) as library:
            await library.add("guide.md", GUIDE.encode(), chunking=FIXED)
            await library.add("odd.md", b"# Odd\n\nA forbidden word.\n")
            report = await library.embed_now()
            assert (report.left_documents, report.left_chunks) == (1, 1)
            [odd] = [info for info in library.documents() if info.missing]
            assert odd.name == "odd.md"
            assert odd.problem is not None
            assert "does not take these texts" in odd.problem.en
            assert "不接受" in odd.problem.zh
