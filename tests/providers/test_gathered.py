"""How the pieces of a streamed reply gather."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from providers.gathered import AT_ONCE, GatheredStream, joined

WORDS = [f"{number} " for number in range(50)]


def piece(text: str | None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": "a", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}], **more}


def said(pieces: list[Any]) -> list[str]:
    return [one["choices"][0]["delta"]["content"] for one in pieces]


class Reply:
    """A stream of which every piece is there as soon as somebody asks; it may fail, or stay silent, at its end."""

    def __init__(self, pieces: list[Any], end: Exception | asyncio.Event | None = None) -> None:
        self._pieces, self._end, self.closed, self.cancelled = iter(pieces), end, False, False

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        for one in self._pieces:
            return one
        if isinstance(self._end, Exception):
            raise self._end
        if self._end is not None:
            try:
                await self._end.wait()
            except asyncio.CancelledError:
                self.cancelled = True
                raise
        raise StopAsyncIteration

    async def close(self) -> None:
        self.closed = True


def gathered(reply: Reply) -> GatheredStream:
    return GatheredStream(reply)  # type: ignore[arg-type]


async def test_the_first_pieces_come_alone_and_what_gathers_then_is_one() -> None:
    reply = Reply([*map(piece, WORDS), piece("", "stop")])
    async with gathered(reply) as stream:
        pieces = [one async for one in stream]
    assert said(pieces) == [*WORDS[:AT_ONCE], "".join(WORDS[AT_ONCE:]), ""]
    assert pieces[-1]["choices"][0]["finish_reason"] == "stop"
    assert reply.closed


@pytest.mark.parametrize("count", range(AT_ONCE + 2))
async def test_a_short_reply_ends(count: int) -> None:
    async with asyncio.timeout(120), gathered(Reply([*map(piece, WORDS[:count])])) as stream:
        assert said([one async for one in stream]) == WORDS[:count]


async def test_what_was_said_before_a_failure_comes_before_it() -> None:
    pieces = list[Any]()

    async def read() -> None:
        async with gathered(Reply([*map(piece, WORDS)], ConnectionError("gone"))) as stream:
            async for one in stream:
                pieces.append(one)

    with pytest.raises(ConnectionError, match="gone"):
        await read()
    assert "".join(said(pieces)) == "".join(WORDS)


async def test_who_leaves_early_ends_the_reading() -> None:
    reply = Reply([*map(piece, WORDS)], asyncio.Event())
    async with asyncio.timeout(120), gathered(reply) as stream:
        pieces = aiter(stream)
        while not said([await anext(pieces)])[0].endswith(WORDS[-1]):
            pass
        await pieces.aclose()
    assert reply.cancelled
    assert reply.closed


def test_only_words_are_joined() -> None:
    """What tells more than its words stays as it came, where it came."""
    call = {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0}]}}]}
    thought = {"choices": [{"index": 0, "delta": {"content": "c", "reasoning_content": "why"}}]}
    usage, last = {"choices": [], "usage": {"total_tokens": 3}}, piece("e", "length")
    begun = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}
    pieces = [begun, piece("a"), call, piece("b"), piece(None), thought, piece("d"), piece("d"), last, usage]
    assert [*joined(pieces)] == [piece("a"), call, piece("b"), piece(None), thought, piece("dd"), last, usage]


def test_nothing_that_came_is_changed() -> None:
    first, second = piece("a"), piece("b")
    assert [*joined([first, second])] == [piece("ab")]
    assert (first, second) == (piece("a"), piece("b"))
