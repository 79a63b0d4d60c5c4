"""What stands between the page and the network: which addresses it answers to, and what a page of it may load."""

from __future__ import annotations

import gzip
import re
import secrets
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from doors.users import LOCAL, is_loopback

# The page loads nothing from elsewhere, so that text of a document cannot send anything out by an image or a form. Of
# scripts only those run that are the program's own files or were in the page as it was served, by their number:
# handlers and scripts that come in with a text do not. Gradio makes functions of the page's own "js" by eval.
POLICY = (
    "default-src 'self'; script-src 'self' 'nonce-{number}' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' data: blob:; connect-src 'self'; "
    "worker-src 'self' blob:; frame-src 'none'; object-src 'none'; form-action 'self'; base-uri 'self'; "
    "frame-ancestors 'self'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "same-origin",  # with "no-referrer" a browser hides the origin of the page's own forms, too
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
WRONG_ADDRESS = (
    "拒绝访问：请在本机用 http://localhost 加端口打开页面；"
    "要用其他地址，请设置 CITEWISE_ALLOWED_HOSTS 或 CITEWISE_HOST。\n"
    "Refused: open the page on this machine at http://localhost and its port; for another address set "
    "CITEWISE_ALLOWED_HOSTS or CITEWISE_HOST."
)
OTHER_SITE = "拒绝访问：请求来自另一个网站。\nRefused: the request comes from another site."


class GuardMiddleware:
    """Refuses foreign hosts and origins, and sends the content policy.

    A foreign Host header is DNS rebinding; a foreign Origin is another site that makes the browser write here. Beyond
    loopback any host is ours unless some are named: nobody is let in there without a login, whose cookie has a host.
    """

    def __init__(self, app: ASGIApp, host: str, allowed: Sequence[str] = ()) -> None:
        self._app = app
        self._hosts = LOCAL | {name.lower() for name in allowed} if allowed or is_loopback(host) else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if refusal := self._refusal(Headers(scope=scope)):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await refusal(scope, receive, send)
            return
        await _NonceResponse(send, Headers(scope=scope)).serve(self._app, scope, receive)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if self._hosts is not None and _name(host) not in self._hosts:
            return PlainTextResponse(WRONG_ADDRESS, status_code=421)
        if origin is not None and not _is_of(origin, host):
            return PlainTextResponse(OTHER_SITE, status_code=403)
        elsewhere = headers.get("sec-fetch-site") in ("cross-site", "same-site")
        if elsewhere and headers.get("sec-fetch-mode") != "navigate":
            return PlainTextResponse(OTHER_SITE, status_code=403)
        return None


class _NonceResponse:
    """Sends a response with the policy; a page is held back until its scripts bear the number that the policy names."""

    def __init__(self, send: Send, headers: Headers) -> None:
        self._send, self._gzip = send, "gzip" in headers.get("accept-encoding", "")
        self._shown = "text/html" in headers.get("accept", "")
        self._number = secrets.token_urlsafe(16)
        self._start: Message | None = None
        self._body = b""

    async def serve(self, app: ASGIApp, scope: Scope, receive: Receive) -> None:
        await app(uncompressed(scope) if self._shown else scope, receive, self._pass)  # else no script could be found

    async def _pass(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("Content-Security-Policy", POLICY.format(number=self._number))
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            kept = headers.get("content-disposition", "").startswith("attachment")
            if self._shown and not kept and headers.get("content-type", "").startswith("text/html"):
                self._start = message
                return
        elif self._start is not None:
            self._body += message.get("body", b"")
            if not message.get("more_body"):
                await self._send_page(self._start)
            return
        await self._send(message)

    async def _send_page(self, start: Message) -> None:
        body = re.sub(rb"<script(?=[\s>])", b'<script nonce="%b"' % self._number.encode(), self._body)
        headers = MutableHeaders(scope=start)
        if self._gzip and len(body) > 1000:
            body = gzip.compress(body, 5)
            headers["Content-Encoding"] = "gzip"
            headers.add_vary_header("Accept-Encoding")
        headers["Content-Length"] = str(len(body))
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})


def uncompressed(scope: Scope) -> Scope:
    """A request whose response can be read, and added to."""
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]}


def _is_of(origin: str, host: str) -> bool:
    """Whether a page of this origin was served under this Host header: a port that goes without saying is none."""
    scheme, _, place = origin.lower().partition("://")
    port = {"http": ":80", "https": ":443"}.get(scheme)
    return port is not None and bool(place) and place.removesuffix(port) == host.lower().removesuffix(port)


def _name(host: str) -> str:
    """The host of a Host header, without its port: `[::1]:7860` -> `::1`."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()
