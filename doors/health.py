"""`GET /healthz` and `GET /ready`: what supervisors and load balancers ask, who have no login.

Anybody may ask, so the answers tell nothing of the library; what is wrong is logged.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from errors import CitewiseError

log = logging.getLogger(__name__)

_UNKEPT = {"Cache-Control": "no-store"}
PATIENCE = 1.0  # seconds for the library to answer
_DRAINING = "正在结束，不再接受新问题。 / Ending, and taking no new questions."
_UNREADY = "知识库暂时没有响应。 / The library does not answer at the moment."


class HealthMiddleware:
    """Says whether the process runs, and whether it takes questions and its library answers; everything else it passes
    on."""

    def __init__(self, app: ASGIApp, look: Callable[[], object], is_draining: Callable[[], bool]) -> None:
        self._app, self._look, self._is_draining = app, look, is_draining
        self._looking: asyncio.Task[bool] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = str(scope.get("path", "")).removeprefix(scope.get("root_path", ""))
        asked = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if asked and path == "/healthz":
            await JSONResponse({"status": "ok"}, headers=_UNKEPT)(scope, receive, send)
        elif asked and path == "/ready":
            await (await self._readiness())(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _readiness(self) -> JSONResponse:
        """Who asks while another still waits waits for the same look: many of them hold no more than one thread."""
        if self._is_draining():
            return JSONResponse({"status": "draining", "message": _DRAINING}, 503, _UNKEPT)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._answers())
        await asyncio.wait({self._looking}, timeout=PATIENCE)
        if self._looking.done() and self._looking.result():
            return JSONResponse({"status": "ready"}, headers=_UNKEPT)
        return JSONResponse({"status": "unavailable", "message": _UNREADY}, 503, _UNKEPT)

    async def _answers(self) -> bool:
        try:
            await asyncio.to_thread(self._look)
        except CitewiseError as error:
            log.warning("the library does not answer: %s", error.message.en)
            return False
        return True
