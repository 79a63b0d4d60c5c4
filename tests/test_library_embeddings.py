"""The library with its embedder at an address: questions while it is away, another model while all goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.model_server import STALL, Reply, model_server, vector_of
from library import Library
from schema import Chunking
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
        async with asyncio.timeout(30):
            await library.close()
        await asyncio.wait([upload])
    async with await Library.open(settings_for(tmp_path, CITEWISE_INGEST_WORKERS="0")) as library:
        assert "guide.md" in library.names()
        await library.settle()
