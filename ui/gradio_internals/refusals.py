"""What Gradio refuses by itself, in our words: its own are in English, name its insides, and say 500 for a value that
does not fit."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from doors.problems import STATUS, UNFIT
from schema import Message as Said
from ui.gradio_internals.calls import NO_CALL, ROOM
from ui.gradio_internals.owners import NOT_YOURS

UPLOAD_TOO_LARGE = Said(
    zh="一次上传的文件太大。请分几次上传，或先拆分文件。",
    en="The files of one upload are too large together. Upload them one by one, or split them first.",
)
NO_UPLOAD = Said(
    zh="无法读取上传的内容。请用 multipart/form-data 的 files 字段发送文件。",
    en="The upload cannot be read. Send the files as the field files of multipart/form-data.",
)
BUSY = Said(zh="现在请求太多，请稍后再试。", en="There is too much to do at the moment. Try again later.")
_KNOWN = {400: NO_CALL, 405: NO_CALL, 413: UPLOAD_TOO_LARGE, 422: NO_CALL, 503: BUSY}


class RefusalsMiddleware:
    """Stands right before Gradio and whose things are (`owners.py`)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = str(scope.get("path", "")).removeprefix(scope.get("root_path", ""))
        if scope["type"] != "http" or not path.startswith(ROOM):
            await self._app(scope, receive, send)
            return
        status, body = 0, bytearray()

        async def passed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start" and message["status"] >= 400:
                status = message["status"]
            elif not status:
                await send(message)
            elif message["type"] == "http.response.body":
                body.extend(message.get("body", b""))
                if not message.get("more_body"):
                    refusal = _in_our_words(status, bytes(body), path.rstrip("/") == f"{ROOM}upload")
                    await refusal(scope, receive, send)

        await self._app(scope, receive, passed)


def _in_our_words(status: int, body: bytes, upload: bool) -> Response:
    if status == 404:
        return PlainTextResponse(NOT_YOURS, status)
    if known := NO_UPLOAD if upload and status in (400, 422) else _KNOWN.get(status):
        return JSONResponse({"detail": f"{known.zh}\n{known.en}"}, UNFIT if status == 422 else status)
    told = _object(body)
    if "title" in told:  # an error for people: of a value of theirs, where it is of no other kind
        return JSONResponse(told, STATUS.get(told["title"], UNFIT))
    return Response(body, status, media_type="application/json" if told else "text/plain")


def _object(body: bytes) -> dict[str, Any]:
    try:
        told = json.loads(body)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
