"""A page that leaves a stream after its last word is not taken for a page that is gone."""

from __future__ import annotations

import asyncio
import json
from contextlib import nullcontext

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import StreamingResponse
from starlette.routing import Route

from doors.streams import StreamsMiddleware

SCOPE = {
    "type": "http",
    "method": "GET",
    "path": "/gradio_api/queue/data",
    "asgi": {"spec_version": "2.3"},
    "headers": [],
}


@pytest.mark.parametrize(("words", "ended"), [("close_stream", True), ("heartbeat", False)])
async def test_a_stream_that_has_said_its_last_ends_in_order(words: str, ended: bool) -> None:
    said, left, how = [], asyncio.Event(), []

    async def events():
        try:
            yield f'data: {{"msg":"{words}"}}\n\n'
            await left.wait()
            await asyncio.sleep(0)  # the server has yet to hear of it
            await asyncio.sleep(0)
            how.append("ended")
        except asyncio.CancelledError:
            how.append("cancelled")
            raise

    async def receive():
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        said.append(message)
        if words.encode() in message.get("body", b""):
            left.set()

    async def app(scope, receive, send):
        await StreamingResponse(events(), media_type="text/event-stream")(scope, receive, send)

    await StreamsMiddleware(app)(SCOPE, receive, send)
    assert how == ["ended" if ended else "cancelled"]
    assert said[0]["type"] == "http.response.start"


@pytest.mark.parametrize(("problem", "raised"), [(HTTPException(404), False), (ValueError("a defect"), True)])
async def test_a_page_that_nobody_knows_any_more_makes_no_noise(problem: Exception, raised: bool) -> None:
    """As Gradio does it: it tells the page in its stream, and then raises."""
    said = []

    async def events():
        yield 'data: {"session_not_found": true}\n\n'
        raise problem

    async def receive():
        await asyncio.Event().wait()

    async def send(message):
        said.append(message)

    routes = [Route(SCOPE["path"], lambda _: StreamingResponse(events()))]
    site = Starlette(routes=routes, middleware=[Middleware(StreamsMiddleware)])
    scope = {**SCOPE, "root_path": "", "query_string": b""}
    with pytest.raises(ValueError, match="a defect") if raised else nullcontext():
        await site(scope, receive, send)
    assert b"session_not_found" in b"".join(one.get("body", b"") for one in said)
    assert said[-1].get("more_body", False) is raised


@pytest.mark.parametrize("place", ["queue/data", "call/ask/nobody", "call/v2/ask/nobody"])
async def test_what_nobody_knows_is_said_in_both_languages(place: str) -> None:
    """Gradio says it in its own words, and then breaks the stream off."""
    said = []

    async def events():
        yield 'event: error\ndata: "404: Not Found"\n\n'
        raise HTTPException(404)

    async def receive():
        await asyncio.Event().wait()

    async def send(message):
        said.append(message)

    path = f"/gradio_api/{place}"
    routes = [Route(path, lambda _: StreamingResponse(events()))]
    site = Starlette(routes=routes, middleware=[Middleware(StreamsMiddleware)])
    await site({**SCOPE, "path": path, "root_path": "", "query_string": b""}, receive, send)
    [told] = [one["body"] for one in said if one.get("body")]
    zh, en = json.loads(told.partition(b"data: ")[2]).splitlines()
    assert not zh.isascii()
    assert en == "There is no such thing, or it is not yours."
    assert said[-1].get("more_body", False) is False


@pytest.mark.parametrize("leaves", [True, False])
async def test_two_streams_that_a_page_leaves_at_once_make_no_noise(leaves: bool) -> None:
    """As Gradio does it: whoever is cancelled forgets the page's events, which another may have forgotten already."""
    known: dict[str, str] = {}

    async def events():
        yield "data: {}\n\n"
        try:
            await asyncio.Event().wait() if leaves else None
            del known["page"]
        except asyncio.CancelledError:
            del known["page"]
            raise

    async def receive():
        await asyncio.sleep(0) if leaves else await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message):
        pass

    async def app(scope, receive, send):
        await StreamingResponse(events(), media_type="text/event-stream")(scope, receive, send)

    with nullcontext() if leaves else pytest.raises(KeyError):
        await StreamsMiddleware(app)(SCOPE, receive, send)
