"""What Gradio does over and over though nobody here asks for it: counts, copies and looks that are spared.

None of it is seen. It is time that each click waits for, and a processor that is never idle."""

from __future__ import annotations

import sys
from typing import Any

import gradio as gr
import gradio.blocks
from fastapi import FastAPI
from gradio.blocks import BlocksConfig
from gradio.routes import App
from starlette.datastructures import MutableHeaders
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOOK = 0.01  # seconds between two looks whether an event is to be begun: it waits for half of them
_LOOK_FOR_PROGRESS = 0.1  # of `gr.Progress`, which this page does not use
_ASSETS = "/assets/"  # each is named by a hash of its content, too
_A_YEAR = "public, max-age=31536000, immutable"  # seconds


class SparedApp(App):
    """Gradio makes the application of a page when it is begun, when its parts are all there, and when it is mounted:
    a third of the time in which the program begins. Of ours only the last is made, which is the one that is asked."""

    unmounted: tuple[type[gr.Blocks], ...] = ()  # pages that do without

    @staticmethod
    def create_app(blocks: gr.Blocks, *given: Any, **named: Any) -> Any:
        return None if isinstance(blocks, SparedApp.unmounted) else App.create_app(blocks, *given, **named)


gradio.blocks.App = SparedApp  # type: ignore[attr-defined]


def knows_its_app(page: gr.Blocks, site: FastAPI) -> None:
    """After it was mounted, last of all."""
    apps = [one.app for one in site.routes if isinstance(one, Mount)]
    page.app = next(one for one in reversed(apps) if isinstance(one, App))


class PageConfig(BlocksConfig):
    """Gradio keeps beside each session what every part of the page is set to, for links to a state that nobody can
    make here (`owners.py` closes their addresses): that takes half of the time in which a page's first event begins."""

    def __copy__(self) -> BlocksConfig:
        """For a session; parts that are drawn later (`gr.render`) are described as ever."""
        of_session: BlocksConfig = super().__copy__()  # type: ignore[no-untyped-call]
        of_session.config_for_block = _only_drawn_later  # type: ignore[method-assign]
        return of_session


def _only_drawn_later(_id: int, rendered_ids: list[int], block: Any, renderable: Any = None) -> dict[Any, Any]:
    return BlocksConfig.config_for_block(_id, rendered_ids, block, renderable) if renderable else {}


def without_endpoints(config: dict[str, Any]) -> dict[str, Any]:
    """Endpoints for programs (`gr.api`) are no part of the page, which would make a part of each of their parameters;
    programs, which ask for no page, are told all."""
    called = {one["id"] for one in config["dependencies"] if not one["targets"]}
    begun = [one for one in config["dependencies"] if one["targets"]]
    used = {number for one in begun for number in (*one["inputs"], *one["outputs"])}
    parameters = {one["id"] for one in config["components"] if one["type"] == "api"} - used
    for page in config["page"].values():
        page["dependencies"] = [number for number in page["dependencies"] if number not in called]
        page["components"] = [number for number in page["components"] if number not in parameters]
        page["layout"] = _without(page["layout"], parameters)
    return config


def _without(layout: dict[str, Any], parts: set[int]) -> dict[str, Any]:
    if "children" not in layout:
        return layout
    return {**layout, "children": [_without(one, parts) for one in layout["children"] if one["id"] not in parts]}


def rest_between_events(page: gr.Blocks) -> None:
    """Gradio looks a thousand times a second whether there is anything to do, and after each event it tells anew,
    with pandas, how the last ten thousand went."""
    page._queue.sleep_when_free = _LOOK
    page._queue.progress_update_sleep_when_free = _LOOK_FOR_PROGRESS
    page._queue.ANAYLTICS_CACHE_FREQUENCY = sys.maxsize  # events between two of these tables; a name of Gradio's


class LastingAssets:
    """Scripts and styles of Gradio, a hundred to a page, are kept by the browser: it would soon ask for each again, and
    be sent the whole."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(_ASSETS):
            await self._app(scope, receive, send)
            return

        async def lasting(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                MutableHeaders(scope=message)["Cache-Control"] = _A_YEAR
            await send(message)

        await self._app(scope, receive, lasting)
