"""How streams of a model are read."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import httpx2
import pytest

from providers import openai_chat
from providers.gathered import AT_ONCE
from providers.openai_chat import PacedStream

CHUNKS = [b"%d" % number for number in range(100)]


class Slow(httpx2.AsyncByteStream):
    """Says a chunk every millisecond, to whoever listens or later, and counts how often somebody has to wait."""

    def __init__(self) -> None:
        self.waits, self.closed = 0, False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        queue = asyncio.Queue[bytes | None]()

        async def say() -> None:
            for chunk in (*CHUNKS, None):
                await asyncio.sleep(0.001)
                queue.put_nowait(chunk)

        saying = asyncio.create_task(say())
        while True:
            self.waits += queue.empty()
            if (chunk := await queue.get()) is None:
                break
            yield chunk
        await saying

    async def aclose(self) -> None:
        self.closed = True


async def test_chunks_gather_between_two_reads_and_none_is_lost() -> None:
    slow = Slow()
    stream = PacedStream(slow)
    assert [chunk async for chunk in stream] == CHUNKS
    assert slow.waits < len(CHUNKS) / 2
    await stream.aclose()
    assert slow.closed


async def test_the_first_chunks_are_passed_on_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_chat, "PAUSE", 3600.0)
    chunks = aiter(PacedStream(Slow()))
    async with asyncio.timeout(120):
        assert [await anext(chunks) for _ in range(AT_ONCE)] == CHUNKS[:AT_ONCE]


async def test_what_is_there_already_is_read_without_a_pause_however_busy_the_machine_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Busy(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            for chunk in CHUNKS:
                time.sleep(0.001)  # noqa: ASYNC251 - a busy processor, on which nobody waits for the network
                yield chunk

    monkeypatch.setattr(openai_chat, "PAUSE", 3600.0)
    async with asyncio.timeout(120):
        assert [chunk async for chunk in PacedStream(Busy())] == CHUNKS


async def test_who_leaves_early_leaves_no_generator_behind() -> None:
    ended = []

    class Half(Slow):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                for chunk in CHUNKS:
                    yield chunk
            finally:
                ended.append(True)

    stream = PacedStream(Half())
    chunks = aiter(stream)
    await anext(chunks)
    await stream.aclose()
    assert ended == [True]
