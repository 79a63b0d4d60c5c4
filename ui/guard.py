"""What stands between the page and the network: who may ask, and what the page may load."""

from __future__ import annotations

import ipaddress
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder, is_in_or_equal
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The page loads nothing from elsewhere, so that text of a document cannot send anything out by an image or a form.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' data: blob:; connect-src 'self'; "
    "form-action 'self'; base-uri 'self'; object-src 'none'; frame-ancestors 'self'"
)
WRONG_ADDRESS = (
    "拒绝访问：请在本机用 http://localhost 加端口打开页面；要用其他地址，请设置 CITEWISE_HOST。\n"
    "Refused: open the page on this machine at http://localhost and its port; for another address set CITEWISE_HOST."
)
LOCAL = {"localhost", "127.0.0.1", "::1"}


class UploadsOnly(gr.Blocks):
    """A page that takes files by upload only.

    Gradio itself checks the paths in a request only where it was launched, not where it is mounted: there a made-up
    request could have it copy any file of the machine to where the page serves files, or fetch a URL.
    """

    async def preprocess_data(self, block_fn: Any, inputs: list[Any], *rest: Any, **named: Any) -> Any:
        _refuse_files_not_uploaded(inputs)
        return await super().preprocess_data(block_fn, inputs, *rest, **named)


def _refuse_files_not_uploaded(value: Any) -> None:
    """Raises gr.Error where the value of a component names a file outside the folder of uploads."""
    if isinstance(value, dict):
        path = value.get("path")
        if isinstance(path, str) and not is_in_or_equal(path, get_upload_folder()):
            raise gr.Error("文件不是从这个页面上传的。 / The file was not uploaded here.", print_exception=False)
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        _refuse_files_not_uploaded(part)


class GuardMiddleware:
    """Refuses foreign hosts and origins while listening on loopback, and sends the content policy.

    A foreign Host header is DNS rebinding; a foreign Origin is another site that makes the browser write here.
    """

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app = app
        self._hosts = LOCAL if _is_loopback(host) else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if refusal := self._refusal(Headers(scope=scope)):
            await refusal(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = POLICY
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "no-referrer"
            await send(message)

        await self._app(scope, receive, guarded)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if self._hosts is None:
            return None
        if _name(host) not in self._hosts:
            return PlainTextResponse(WRONG_ADDRESS, status_code=421)
        if origin is not None and origin.lower().partition("://")[2] != host.lower():
            return PlainTextResponse(WRONG_ADDRESS, status_code=403)
        return None


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
