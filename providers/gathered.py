"""A streamed reply, whose words that come close together are passed on together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from openai import AsyncStream

AT_ONCE = 4  # pieces that are passed on as they come: the first word is among them


class GatheredStream:
    """A reply's pieces, as dicts; words that came while nobody looked are one piece.

    To make a message of each piece and to look at it from there to the reader's screen costs more than to read it (130
    pieces one by one 40 ms, as they gather 12), and everybody else who is being answered waits for it.
    """

    def __init__(self, stream: AsyncStream[Any]) -> None:
        self._stream = stream
        self._gathered: list[Any] = []
        self._changed = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)
        await self._stream.close()

    async def __aiter__(self) -> AsyncGenerator[Any, None]:
        for _ in range(AT_ONCE):
            if (piece := await anext(self._stream, None)) is None:
                return
            yield piece
        self._reading = asyncio.create_task(self._read())
        self._reading.add_done_callback(lambda _: self._changed.set())
        over = False
        while not over:
            await self._changed.wait()
            self._changed.clear()
            over = self._reading.done()  # before looking: nothing comes after
            gathered, self._gathered = self._gathered, []
            for piece in joined(gathered):
                yield piece
        self._reading.result()

    async def _read(self) -> None:
        async for piece in self._stream:
            self._gathered.append(piece)
            self._changed.set()


def joined(pieces: Iterable[Any]) -> Iterator[Any]:
    """In order; words that follow each other in one piece, anything else as it came."""
    last: Any = None
    words = list[str]()
    for piece in pieces:
        if (text := _words(piece)) is None:
            yield from _with_words(last, words)
            yield piece
            words = []
        else:
            last = piece
            words.append(text)
    yield from _with_words(last, words)


def _with_words(piece: Any, words: list[str]) -> Iterator[Any]:
    if words:
        (choice,) = piece["choices"]
        yield {**piece, "choices": [{**choice, "delta": {**choice["delta"], "content": "".join(words)}}]}


def _words(piece: Any) -> str | None:
    """What a piece says; None where that is not all that it tells."""
    match piece:
        case {"choices": [{"delta": {"content": str(text), **others}} as choice]} if others.keys() <= {"role"}:
            more = piece.get("usage") or choice.get("finish_reason") or choice.get("logprobs")
            return None if more else text
    return None
