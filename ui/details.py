"""Beside the chat: the source that a marker leads to, the plan, the trace and the evaluation of an answer.

Links of the chat ("#source/TURN/2", see opened.js) open it; each tab is a panel in a file of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import gradio as gr

from graph.conversations import Turn
from graph.turns import Assistant
from schema import Language
from ui.events import PageEvent
from ui.reader import Reader
from ui.scripted_html import scripted_html
from ui.texts import page_language, text
from ui.user import thread_asked


class Panel(Protocol):
    """One tab: built by `build_…(label)`, filled when a link leads to it."""

    @property
    def parts(self) -> Sequence[gr.components.Component]:
        """What `show` gives values for, in its order."""

    async def show(self, turn: Turn | None, number: int, language: Language) -> list[Any]:
        """What the tab shows of a turn, and of its source `number` (from 1; 0: none in particular); None: nothing."""


@dataclass(frozen=True)
class Details:
    column: gr.Column
    tabs: gr.Tabs
    close: gr.Button
    links: gr.HTML
    panels: dict[str, Panel]

    @property
    def outputs(self) -> list[Any]:
        return [self.column, self.tabs, *self.parts]

    @property
    def parts(self) -> list[Any]:
        return [part for panel in self.panels.values() for part in panel.parts]

    async def fill(self, turn: Turn, number: int, language: Language) -> list[Any]:
        """Values for `parts`."""
        shown = [await panel.show(turn, number, language) for panel in self.panels.values()]
        return [part for parts in shown for part in parts]


def build_details(label: dict[str, Any], panels: dict[str, Any]) -> Details:
    """`panels` build themselves, each within its tab."""
    links = scripted_html("opened", elem_id="opened", visible="hidden")
    with gr.Column(visible=False, elem_id="details", scale=4, min_width=320) as column:
        with gr.Row(elem_classes="details-head"):
            gr.Markdown(label["details"], elem_classes="section")
            close = gr.Button(label["close"], size="sm", scale=0, min_width=80, elem_id="close-details")
        built: dict[str, Panel] = {}
        with gr.Tabs(elem_id="details-tabs", overflow_behavior="wrap") as tabs:
            for kind, build in panels.items():
                with gr.Tab(label[f"d_{kind}"], id=kind, elem_id=f"details-{kind}"):
                    built[kind] = build(label)
    return Details(column, tabs, close, links, built)


def connect_details(details: Details, assistant: Assistant, thread: gr.BrowserState) -> None:
    async def followed(name: str, event: PageEvent, request: gr.Request) -> list[Any]:
        kind, number = event.kind, event.number
        turn = await assistant.turn(thread_asked(name, request), event.turn)
        if turn is None or kind not in details.panels:
            gr.Info(
                text(
                    "d_later" if assistant.live_turn(thread_asked(name, request)) else "d_gone", page_language(request)
                )
            )
            return [gr.skip()] * len(details.outputs)
        filled = await details.fill(turn, number, page_language(request))
        return [gr.update(visible=True), gr.update(selected=kind), *filled]

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    details.links.followed(followed, thread, details.outputs, trigger_mode="always_last", **quiet)
    if isinstance(reader := details.panels["source"], Reader):
        reader.connect(thread)
    details.close.click(lambda: gr.update(visible=False), None, details.column, **quiet)
