"""Streams of events that are left, and those that nobody knows: Gradio breaks them off, or makes noise in the log."""

from __future__ import annotations

import asyncio
import json
import re

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.gradio_internals.owners import NOT_YOURS

_LAST = b'"close_stream"'
_STREAM = re.compile(r"/gradio_api/(?:queue/data|call(?:/v2)?/[^/]+/[^/]+)/?$")
_UNKNOWN = b'"404: Not Found"'  # of an event, or a page, that nobody knows
_OURS = json.dumps(NOT_YOURS).encode()


class StreamsMiddleware:
    """Ends a stream in order that was left after its last word, that another one of the page has ended with it, or that
    belongs to a page or an event from before a restart, and says the last in our words. A defect is raised as ever."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or not _STREAM.search(scope["path"]):
            await self._app(scope, receive, send)
            return
        over = gone = False

        async def send_on(message: Message) -> None:
            nonlocal over
            body = message.get("body", b"")
            over = over or _LAST in body
            await send({**message, "body": body.replace(_UNKNOWN, _OURS)} if body else message)

        async def receive_from() -> Message:
            nonlocal gone
            message = await receive()
            if message["type"] == "http.disconnect":
                if over:
                    await asyncio.Event().wait()  # until the stream has ended by itself
                gone = True
            return message

        try:
            await self._app(scope, receive_from, send_on)
        except KeyError as error:  # two streams of a page ended at once: with the first, Gradio has forgotten both
            task = asyncio.current_task()
            if task and task.cancelling():  # because the program ends
                raise asyncio.CancelledError from error
            if not gone:
                raise
        except RuntimeError as error:  # a page from before a restart: it has been told that nobody knows it any more
            if not isinstance(error.__cause__, HTTPException):
                raise
            await send({"type": "http.response.body", "body": b""})
