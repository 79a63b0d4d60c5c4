"""Scripts that run before those of Gradio's page, which neither `head=` nor `js=` can do."""

from __future__ import annotations

import hashlib
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from doors.guard import uncompressed
from doors.login import user_of

_HERE = Path(__file__).parent
_FIRST = "".join(
    f"<script>{(_HERE / name).read_text(encoding='utf-8')}</script>" for name in ("first.js", "stream.js")
).encode()
_HEAD = b"<head>"


class FirstScript:
    """Puts first.js and stream.js before all else of the page: what Gradio takes as `head=` runs when it has chosen."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"] != "/":
            await self._app(scope, receive, send)
            return
        first = _HEAD + _whose(user_of(scope)) + _FIRST
        begun: Message | None = None

        async def with_script(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start" and _is_page(Headers(raw=message["headers"])):
                begun = message
                return
            if begun is not None:
                start, begun = begun, None
                message["body"] = message.get("body", b"").replace(_HEAD, first, 1)
                headers = MutableHeaders(raw=start["headers"])
                if "content-length" in headers:
                    headers["content-length"] = str(int(headers["content-length"]) + len(first) - len(_HEAD))
                await send(start)
            await send(message)

        await self._app(uncompressed(scope), receive, with_script)


def _whose(user: str) -> bytes:
    """For first.js, which forgets what the browser has kept of another user; without a login there is none."""
    mark = hashlib.sha256(user.encode()).hexdigest()
    return f'<meta name="citewise-user" content="{mark}">'.encode() if user else b""


def _is_page(headers: Headers) -> bool:
    return headers.get("content-type", "").startswith("text/html")
