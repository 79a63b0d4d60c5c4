"""What stands between the page and the network: who may ask, and what the page may load."""

from __future__ import annotations

import ipaddress

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The page loads nothing from elsewhere, so that text of a document cannot send anything out by an image or a form.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' data: blob:; connect-src 'self'; "
    "form-action 'self'; base-uri 'self'; object-src 'none'; frame-ancestors 'self'"
)
LOCAL = {"localhost", "127.0.0.1", "::1"}


class GuardMiddleware:
    """Refuses foreign Host headers while listening on loopback (DNS rebinding) and sends the content policy."""

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app = app
        self._hosts = LOCAL if _is_loopback(host) else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if self._hosts is not None and _name(Headers(scope=scope).get("host", "")) not in self._hosts:
            await PlainTextResponse("Host not allowed", status_code=421)(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = POLICY
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "no-referrer"
            await send(message)

        await self._app(scope, receive, guarded)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _name(host: str) -> str:
    """The host of a Host header, without its port: `[::1]:7860` -> `::1`."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()
