"""What is sent to Gradio's addresses, looked at before Gradio does: it would fail at some of it with a traceback."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import re
from typing import Any

from gradio.route_utils import FnIndexInferError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from schema import Message as Said

log = logging.getLogger(__name__)

ROOM = "/gradio_api/"
CALL = re.compile(r"(?:run|api|call(?:/v2)?)/[^/]+|queue/join|cancel|reset")
LARGEST = 32 * 2**20  # bytes
DEEPEST = 100  # levels of lists and objects
# What Gradio raises before it has begun an event, of a call that is not right.
_FAILURES = (FnIndexInferError, LookupError, ValueError, TypeError, RecursionError, OverflowError)
_FREE = "call/v2/"  # whose body is nothing but the arguments of an event
TOO_LARGE = Said(
    zh="请求太大（上限 32 MB）。文件请用 /gradio_api/upload 上传。",
    en="The request is too large (more than 32 MB). Files go to /gradio_api/upload.",
)
NO_JSON = Said(
    zh="请求体不是 JSON，或嵌套太深。请发送一个 JSON 对象。",
    en="The body is no JSON, or is nested too deeply. Send one JSON object.",
)
NO_CALL = Said(
    zh="没有这个事件，或参数不对。可用的事件和参数见 /gradio_api/info。",
    en="There is no such event, or its arguments are not right. See /gradio_api/info for events and arguments.",
)


class CallsMiddleware:
    """Refuses what is no call of an event, and what Gradio fails at before it has begun one: 400, and 413 for what is
    too large."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        rest = event_path(scope)
        if rest is None or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body = bytearray()
        try:
            async for piece in Request(scope, receive).stream():
                body += piece
                if len(body) > LARGEST:
                    await _refused(TOO_LARGE, 413)(scope, receive, send)
                    return
        except ClientDisconnect:
            return
        large = len(body) > 100_000  # then it takes a moment
        problem = await asyncio.to_thread(_problem, bytes(body), rest) if large else _problem(bytes(body), rest)
        if problem:
            await _refused(problem)(scope, receive, send)
        else:
            await self._call(bytes(body), scope, receive, send)

    async def _call(self, body: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """An error of Gradio's is held back until it is known whether a traceback comes with it."""
        held: list[Message] = []
        begun = False

        async def passed(message: Message) -> None:
            nonlocal begun
            if held or (message["type"] == "http.response.start" and message["status"] == 500):
                held.append(message)
            else:
                begun = True
                await send(message)

        try:
            await self._app(scope, replay(body, receive), passed)
        except _FAILURES as error:
            if begun:
                raise
            log.warning("a call was refused: %s: %s", type(error).__name__, str(error)[:200])
            await _refused(NO_CALL)(scope, receive, send)
            return
        for message in held:
            await send(message)


def replay(body: bytes, receive: Receive) -> Receive:
    """Gives a request whose body was read already to whoever reads it next."""
    again: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return again.pop() if again else await receive()

    return replayed


def event_path(scope: Scope) -> str | None:
    """Of an address by which an event is called, or a call is ended, what follows the room."""
    if scope["type"] != "http":
        return None
    path = str(scope["path"]).removeprefix(scope.get("root_path", ""))
    rest = path.removeprefix(ROOM).rstrip("/")
    return rest if path.startswith(ROOM) and CALL.fullmatch(rest) else None


def _problem(body: bytes, rest: str) -> Said | None:
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        return NO_JSON
    if not isinstance(asked, dict) or not _is_sound(asked):
        return NO_JSON
    if rest.startswith(_FREE):
        return None
    if rest not in _WITHOUT_DATA and not isinstance(asked.get("data"), list):
        return NO_CALL
    number = asked.get("fn_index")
    unnamed = number is None and rest != "queue/join"  # then the address says it
    fits = unnamed or (isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**31)
    return None if fits and all(isinstance(asked.get(name, ""), str | None) for name in _NAMES) else NO_CALL


_WITHOUT_DATA = ("cancel", "reset")
_NAMES = ("session_hash", "event_id")


def _is_sound(value: Any) -> bool:
    """Whether it is not nested too deeply, and every number is one."""
    level = [value]
    for _ in range(DEEPEST):
        inner: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                inner += one.values()
            elif isinstance(one, list):
                inner += one
            elif isinstance(one, float) and not math.isfinite(one):
                return False
        if not inner:
            return True
        level = inner
    return False


def _refused(problem: Said, status: int = 400) -> JSONResponse:
    return JSONResponse({"detail": f"{problem.zh}\n{problem.en}"}, status)
