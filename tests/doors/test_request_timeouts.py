"""A request that is half sent does not hold its connection for good; what is slow for a good reason goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext, suppress
from typing import Any

import pytest
import uvicorn

from doors.request_timeouts import TOO_SLOW, TimeoutProtocol

HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\n"


class Quick(TimeoutProtocol):
    """In hundredths of the time."""

    HEAD, STILL, LOOK, SLOWEST = 0.2, 0.2, 0.05, 1e9


class Server:
    """What the requests have brought."""

    def __init__(self, port: int) -> None:
        self.port, self.gone = port, asyncio.Event()

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)


@asynccontextmanager
async def serving(protocol: type[TimeoutProtocol] = Quick) -> AsyncIterator[Server]:
    """An app that reads what comes and then streams an answer of twenty pieces, slower than any limit."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                found.gone.set()
                return
            more = message.get("more_body", False)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for piece in range(20):
            await asyncio.sleep(0.03)
            await send({"type": "http.response.body", "body": b"x", "more_body": piece < 19})

    config = uvicorn.Config(app, http=protocol, port=0, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    server.capture_signals = nullcontext  # type: ignore[method-assign]
    running = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110  # uvicorn tells nobody
        await asyncio.sleep(0.01)
    found = Server(server.servers[0].sockets[0].getsockname()[1])
    try:
        yield found
    finally:
        server.should_exit = server.force_exit = True
        await running


@pytest.mark.parametrize(
    "half",
    [b"", HEAD, HEAD + b"Content-Length: 10\r\n\r\n12", HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n12\r\n"],
    ids=["nothing", "head", "body", "chunks"],
)
async def test_a_request_that_stands_still_is_closed(half: bytes) -> None:
    async with serving() as server:
        reader, writer = await server.open()
        writer.write(half)
        said = await reader.read()  # to the end of the connection
        assert said.startswith(b"HTTP/1.1 408")
        assert TOO_SLOW.encode() in said
        if b"\r\n\r\n" in half:
            await server.gone.wait()  # whoever reads it is told
        writer.close()


async def test_a_body_that_trickles_is_closed() -> None:
    async with serving() as server:
        reader, writer = await server.open()
        writer.write(HEAD + b"Content-Length: 1000000\r\n\r\n")
        reading = asyncio.ensure_future(reader.read())
        while not reading.done():
            writer.write(b"x")
            await asyncio.sleep(0.02)
        with suppress(ConnectionResetError):  # a byte that came after the answer may have thrown it away
            assert (await reading).startswith(b"HTTP/1.1 408")
        await server.gone.wait()
        writer.close()


async def test_a_head_after_an_answer_is_waited_for_no_longer() -> None:
    async with serving() as server:
        reader, writer = await server.open()
        writer.write(HEAD + b"Content-Length: 2\r\n\r\n12")
        await reader.readuntil(b"0\r\n\r\n")
        writer.write(HEAD)
        assert b"408" in await reader.read()
        writer.close()


async def test_a_slow_body_and_a_long_answer_go_on() -> None:
    class Slow(Quick):
        STILL, SLOWEST = 1e6, 0.001

    async with serving(Slow) as server:
        reader, writer = await server.open()
        writer.write(HEAD + b"Content-Length: 20\r\n\r\n")
        for _ in range(20):
            writer.write(b"x")
            await asyncio.sleep(0.03)
        said = await reader.readuntil(b"0\r\n\r\n")
        assert said.startswith(b"HTTP/1.1 200")
        assert said.count(b"1\r\nx\r\n") == 20
        writer.close()
