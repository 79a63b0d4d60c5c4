"""One question to several strategies, side by side: answers, figures, and how far they found the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

import gradio as gr

from errors import CitewiseError
from graph.comparison import MOST, Comparison, compare
from graph.request_controls import controls_for
from graph.turns import Assistant
from schema import Language, StrategyName
from ui.ask_bar import OFFERED
from ui.comparison_markdown import alone_markdown, column_markdown, figures_markdown, overlap_markdown
from ui.doc_sets import set_choices
from ui.options import STRATEGIES
from ui.texts import corner_message, page_language

PACE = 0.2  # seconds between two updates
FIRST = ["keyword", "vector", "hybrid"]  # that are chosen
# To the chat, where the chip above the box says it.
TO_CHAT = "() => document.querySelector('#chat-view-button')?.click()"


@dataclass(frozen=True)
class Strategies:
    question: gr.Textbox
    chosen: gr.Dropdown
    sets: gr.Dropdown
    files: gr.Dropdown
    judge: gr.Checkbox
    run: gr.Button
    stop: gr.Button
    columns: list[gr.Column]
    answers: list[gr.Markdown]
    uses: list[gr.Button]
    below: gr.Column
    tables: list[gr.Markdown]
    ran: gr.State  # the strategies of the columns

    @property
    def inputs(self) -> list[Any]:
        return [self.question, self.chosen, self.sets, self.files, self.judge]

    @property
    def outputs(self) -> list[Any]:
        return [*self.columns, *self.answers, *self.uses, self.below, *self.tables, self.ran]


def build_strategies(label: dict[str, Any]) -> Strategies:
    gr.Markdown(label["x_about"], elem_classes="hint")
    question = gr.Textbox(
        label=label["x_question"], placeholder=label["x_hint"], lines=2, max_length=20_000, elem_id="x-question"
    )
    with gr.Row(elem_id="x-controls"):
        chosen = gr.Dropdown(
            [(label[f"s_{name}"], name) for name in STRATEGIES], value=FIRST, multiselect=True, max_choices=MOST,
            label=label["x_chosen"], info=label["x_chosen_info"], scale=2, min_width=300, elem_id="x-chosen",
        )  # fmt: skip
        places: dict[str, Any] = {"multiselect": True, "allow_custom_value": True, "min_width": 200}
        sets = gr.Dropdown([], label=label["doc_sets"], info=label["doc_sets_info"], elem_id="x-sets", **places)
        files = gr.Dropdown([], label=label["scope"], info=label["scope_info"], elem_id="x-files", **places)
    with gr.Row(elem_id="x-actions"):
        judge = gr.Checkbox(True, label=label["x_judge"], container=False, elem_id="x-judge")
        stop = gr.Button(label["x_stop"], scale=0, min_width=120, visible=False, elem_id="x-stop")
        run = gr.Button(label["x_run"], variant="primary", scale=0, min_width=160, elem_id="x-run")
    columns, answers, uses = [], [], []
    with gr.Row(elem_id="x-columns", equal_height=True):
        for number in range(MOST):
            with gr.Column(visible=False, min_width=220, elem_classes="x-column") as column:
                answers.append(gr.Markdown(elem_id=f"x-answer-{number}"))
                uses.append(gr.Button(label["x_use"], size="sm", visible=False, elem_id=f"x-use-{number}"))
            columns.append(column)
    with gr.Column(visible=False, elem_id="x-below") as below:
        gr.Markdown(label["x_figures"], elem_classes="section")
        figures = gr.Markdown(elem_id="x-figures")
        gr.Markdown(label["x_overlap"], elem_classes="section")
        gr.Markdown(label["x_overlap_info"], elem_classes="hint")
        overlap = gr.Markdown(elem_id="x-overlap")
        gr.Markdown(label["x_alone"], elem_classes="section")
        alone = gr.Markdown(elem_id="x-alone")
    return Strategies(
        question, chosen, sets, files, judge, run, stop, columns, answers, uses, below, [figures, overlap, alone],
        gr.State([]),
    )  # fmt: skip


def connect_strategies(parts: Strategies, assistant: Assistant, strategy: gr.Dropdown, tab: gr.Tab) -> None:
    handlers = StrategiesHandlers(assistant)
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    tab.select(handlers.places, None, [parts.sets, parts.files, parts.judge], **quiet)
    buttons = [parts.run, parts.stop]
    for asked in (parts.run.click, parts.question.submit):
        running = asked(handlers.run, parts.inputs, [*buttons, *parts.outputs], concurrency_limit=8, **quiet)
        for after in (running.then, running.failure):
            after(_ready, None, buttons, **quiet)
    parts.stop.click(handlers.stop, None, buttons, **quiet)
    for number, use in enumerate(parts.uses):

        def chosen(ran: list[str], number: int = number) -> Any:
            return ran[number] if number < len(ran) else gr.skip()

        use.click(chosen, parts.ran, strategy, **quiet).success(None, js=TO_CHAT)


class StrategiesHandlers:
    """What its events do."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self._running: WeakValueDictionary[str, asyncio.Task[None]] = WeakValueDictionary()  # by page

    def places(self, request: gr.Request) -> list[Any]:
        """What there is to choose from; without a model nobody can judge."""
        library = self._assistant.library
        names = library.known_names()[:OFFERED]
        return [
            gr.update(choices=set_choices(library.doc_set_infos(), page_language(request))),
            gr.update(choices=names),
            gr.update(visible=self._assistant.chain.model() is not None),
        ]

    async def run(
        self,
        question: str | None,
        chosen: list[StrategyName] | None,
        sets: list[str] | None,
        files: list[str] | None,
        judge: bool,
        request: gr.Request,
    ) -> AsyncGenerator[list[Any], None]:
        """The comparison as it gets on, no more often than a page can follow."""
        key, language = str(request.session_hash), page_language(request)
        snapshots: list[Comparison] = []
        changed = asyncio.Event()
        if before := self._running.get(key):
            await _end(before)
        try:
            controls = controls_for(self._assistant.library, sets or (), files or (), None, judge)
        except CitewiseError as error:
            raise gr.Error(corner_message(error.in_full, request), print_exception=False) from error

        async def follow() -> None:
            async with aclosing(compare(self._assistant, question or "", chosen or (), controls)) as states:
                async for state in states:
                    snapshots[:] = [state]
                    changed.set()

        running = self._running[key] = asyncio.create_task(follow())
        running.add_done_callback(lambda _: changed.set())
        try:
            yield [gr.update(interactive=False), gr.update(visible=True), *[gr.skip()] * _PARTS]
            while not running.done():
                await changed.wait()
                changed.clear()
                if snapshots:
                    yield [gr.skip(), gr.skip(), *component_values(snapshots[-1], language)]
                await asyncio.sleep(PACE)
            if not running.cancelled():
                running.result()
            if snapshots:
                yield [gr.skip(), gr.skip(), *component_values(snapshots[-1], language, stopped=running.cancelled())]
        except CitewiseError as error:
            raise gr.Error(corner_message(error.in_full, request), print_exception=False) from error
        finally:
            await _end(running)

    async def stop(self, request: gr.Request) -> list[Any]:
        if running := self._running.get(str(request.session_hash)):
            await _end(running)
        return _ready()


_PARTS = 3 * MOST + 5


def component_values(state: Comparison, language: Language, stopped: bool = False) -> list[Any]:
    """Values for `Strategies.shown`."""
    columns, unused = state.columns, [gr.skip()] * (MOST - len(state.columns))
    return [
        *[gr.update(visible=number < len(columns)) for number in range(MOST)],
        *[column_markdown(one, language, stopped) for one in columns],
        *unused,
        *[gr.update(visible=number < len(columns) and columns[number].answer is not None) for number in range(MOST)],
        gr.update(visible=any(one.evidence for one in columns)),
        figures_markdown(state, language),
        overlap_markdown(state, language),
        alone_markdown(state, language),
        [one.strategy for one in columns],
    ]


def _ready() -> list[Any]:
    return [gr.update(interactive=True), gr.update(visible=False)]


async def _end(running: asyncio.Task[None]) -> None:
    """Cancel it, and wait until its conversations are forgotten."""
    running.cancel()
    await asyncio.wait([running])
