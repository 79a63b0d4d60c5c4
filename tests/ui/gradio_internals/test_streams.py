"""Whoever leaves a stream of events does no harm and makes no noise; stock Gradio would do either."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from typing import Any

import gradio as gr
import httpx2
import pytest
from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.gradio_internals.owners import NOT_YOURS
from ui.gradio_internals.streams import StreamsMiddleware

PLACE = "queue/data"
SCOPE = {
    "type": "http", "method": "GET", "root_path": "", "scheme": "http",
    "headers": [(b"host", b"localhost")], "client": ("127.0.0.1", 1), "server": ("localhost", 80),
    "query_string": b"session_hash=s", "asgi": {"spec_version": "2.3"},
}  # fmt: skip


class Visitor:
    """Reads a stream, that of the page, and leaves it at a word."""

    def __init__(self, app: ASGIApp, word: bytes, place: str = PLACE) -> None:
        self._app, self._word, self._place, self.left = app, word, place, asyncio.Event()
        self.body = b""

    async def read(self) -> None:
        path = f"/gradio_api/{self._place}"
        scope = {**SCOPE, "path": path, "raw_path": path.encode()}
        await self._app(scope, self._receive, self._send)

    async def _receive(self) -> Message:
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        self.body += message.get("body", b"")
        if self._word in self.body:
            self.left.set()
            for _ in range(3):  # the server hears of it before it goes on
                await asyncio.sleep(0)


@pytest.fixture
async def site() -> AsyncIterator[FastAPI]:
    with gr.Blocks() as page:
        box = gr.Textbox()
        box.submit(lambda words: words, box, box, api_name="echo")
        page.load(asyncio.Event().wait, api_name="waits")
    site = gr.mount_gradio_app(FastAPI(), page, path="/")
    site.state.page = page
    async with site.router.lifespan_context(site):
        yield site


async def join(site: FastAPI, number: int, page: str = "s") -> None:
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(site), base_url="http://localhost") as client:
        asked = {"data": ["x"][number:], "fn_index": number, "session_hash": page}
        (await client.post("/gradio_api/queue/join", json=asked)).raise_for_status()


def app_of(site: FastAPI, stock: bool) -> ASGIApp:
    return site if stock else StreamsMiddleware(site)


@pytest.fixture
async def noise() -> AsyncIterator[list[Any]]:
    """What the event loop is told of tasks that have failed."""
    loop = asyncio.get_running_loop()
    noise: list[Any] = []
    before = loop.get_exception_handler()
    loop.set_exception_handler(lambda _, context: noise.append(context))
    yield noise
    loop.set_exception_handler(before)


@pytest.mark.parametrize("stock", [True, False])
async def test_a_stream_that_is_left_after_its_last_word(site: FastAPI, stock: bool, noise: list[Any]) -> None:
    await join(site, 0)
    visitor = Visitor(app_of(site, stock), b'"close_stream"')
    async with asyncio.timeout(120):
        await visitor.read()
        while stock and not noise:
            gc.collect()
            await asyncio.sleep(0)
    for _ in range(3):
        gc.collect()
        await asyncio.sleep(0)
    assert b"process_completed" in visitor.body
    assert bool(noise) is stock


@pytest.mark.parametrize("stock", [True, False])
@pytest.mark.parametrize("place", [PLACE, "call/echo/nobody", "call/v2/echo/nobody"])
async def test_what_nobody_knows(site: FastAPI, stock: bool, place: str) -> None:
    """A page from before a restart, or an event: it is told so, and then stock Gradio breaks the stream off."""
    visitor = Visitor(app_of(site, stock), b"never", place)
    async with asyncio.timeout(120):
        if stock:
            with pytest.raises(RuntimeError):
                await visitor.read()
        else:
            await visitor.read()
    assert (b"404: Not Found" in visitor.body) is stock
    assert (NOT_YOURS.partition("\n")[2].encode() in visitor.body) is not stock


@pytest.mark.parametrize("stock", [True, False])
@pytest.mark.parametrize("by", ["the page", "the program"])
async def test_two_streams_of_a_page_that_end_at_once(site: FastAPI, stock: bool, by: str) -> None:
    await join(site, 1)
    both = [Visitor(app_of(site, stock), b"never") for _ in range(2)]
    readers = [asyncio.create_task(one.read()) for one in both]
    async with asyncio.timeout(120):
        messages = site.state.page._queue.pending_messages_per_session["s"]
        while len(messages._getters) < 2:  # noqa: ASYNC110 - nobody is told who waits
            await asyncio.sleep(0)
        for one, reader in zip(both, readers, strict=True):
            if by == "the page":
                one.left.set()
            else:
                reader.cancel()
        ended = await asyncio.gather(*readers, return_exceptions=True)
    assert any(isinstance(one, Exception) for one in ended) is stock
    assert any(isinstance(one, asyncio.CancelledError) for one in ended) is (by == "the program")


@pytest.mark.parametrize("defect", [ValueError("a defect"), KeyError("page"), RuntimeError("a defect")])
async def test_a_defect_in_a_stream_is_raised(defect: Exception) -> None:
    """What ends in order are streams that are left or unknown, and nothing else."""

    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise defect

    visitor = Visitor(StreamsMiddleware(broken), b"never")
    with pytest.raises(type(defect)):
        await visitor.read()
