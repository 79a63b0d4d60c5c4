"""Which pages are open, and an end of what they wait for: Gradio tells neither."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import _lru_cache_wrapper

import gradio as gr
from fastapi.dependencies import models
from starlette.types import ASGIApp, Receive, Scope, Send

_EVENTS_END = 10.0  # seconds at most until those that were cancelled are over


async def end_events(page: gr.Blocks) -> None:
    """Cancels the events that pages still wait for, before the stores that they read are closed.

    Gradio runs events in tasks of its own, which the end of the server does not touch."""
    page._queue.stopped = True
    running = list(page._queue._asyncio_tasks)
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running, timeout=_EVENTS_END)


def has_events(page: gr.Blocks) -> bool:
    """Whether an event of a page runs, also one that the page does not wait for any more."""
    return bool(page._queue._asyncio_tasks)


def forget_functions() -> None:
    """FastAPI remembers the last thousands of functions that it has looked at, Gradio's of each page among them: a page
    that is closed would stay in memory, and its library with it."""
    for remembered in vars(models).values():
        if isinstance(remembered, _lru_cache_wrapper):
            remembered.cache_clear()


class PagesMiddleware:
    """Runs a context for each open page: one holds Gradio's heartbeat as long as it is open."""

    def __init__(self, app: ASGIApp, page: Callable[[], AbstractContextManager[None]]) -> None:
        self._app, self._page = app, page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and "/heartbeat/" in scope["path"]:
            with self._page():
                await self._app(scope, receive, send)
        else:
            await self._app(scope, receive, send)
