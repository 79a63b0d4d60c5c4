"""The Lab tab: question sets, runs as a table and a plot over time, a run against another, the choice of settings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any

import gradio as gr

from errors import CitewiseError
from evaluation.lab.cases import to_jsonl
from evaluation.lab.charts import CurvePoint, line_chart, wrong_bar
from evaluation.lab.comparing import MAIN
from evaluation.lab.edge_cases import EDGE_CASES
from evaluation.lab.reading import parse_set
from evaluation.lab.report import comparison_body, run_body
from evaluation.lab.results import summary
from graph.lab.candidates import candidates
from graph.lab.laboratory import Laboratory
from graph.lab.running import FinishedRun, RunProgress
from graph.lab.variants import Variant
from graph.turns import Assistant
from schema import Language
from ui.events import PageEvent
from ui.texts import corner_message, page_language, text
from ui.user import thread_asked, user_of

PACE = 0.3  # seconds between two looks at a run
_MADE = 30


@dataclass(frozen=True)
class LabPage:
    sets: gr.Dropdown
    cases: gr.Textbox
    save: gr.Button
    make: gr.Button
    answers: gr.Checkbox
    run: gr.Button
    stop: gr.Button
    state: gr.Markdown
    before: gr.Dropdown
    after: gr.Dropdown
    compare: gr.Button
    shown: gr.HTML
    choose: gr.Button
    apply: gr.Button
    undo: gr.Button
    runs: gr.HTML
    chosen: gr.State  # the variant that a choice has found

    @property
    def lists(self) -> list[Any]:
        return [self.sets, self.before, self.after, self.runs]


def build_lab(label: dict[str, Any]) -> LabPage:
    gr.Markdown(label["l_about"], elem_classes="hint")
    with gr.Row():
        sets = gr.Dropdown([], label=label["l_set"], allow_custom_value=True, elem_id="l-set")
        make = gr.Button(label["l_make"], scale=0, min_width=160, elem_id="l-make")
        answers = gr.Checkbox(False, label=label["l_answers"], container=False, elem_id="l-answers")
        run = gr.Button(label["l_run"], variant="primary", scale=0, min_width=120, elem_id="l-run")
        stop = gr.Button(label["l_stop"], scale=0, min_width=120, elem_id="l-stop")
    with gr.Accordion(label["l_cases"], open=False, elem_id="l-editor"):
        cases = gr.Textbox(lines=10, max_lines=30, show_label=False, elem_id="l-cases")
        save = gr.Button(label["l_save"], size="sm", elem_id="l-save")
    state = gr.Markdown(elem_id="l-state")
    with gr.Row():
        choose = gr.Button(label["l_choose"], scale=0, min_width=200, elem_id="l-choose")
        apply = gr.Button(label["l_apply"], scale=0, min_width=120, interactive=False, elem_id="l-apply")
        undo = gr.Button(label["l_undo"], scale=0, min_width=120, elem_id="l-undo")
    with gr.Row():
        before = gr.Dropdown([], label=label["l_before"], elem_id="l-before")
        after = gr.Dropdown([], label=label["l_after"], elem_id="l-after")
        compare = gr.Button(label["l_compare"], scale=0, min_width=120, elem_id="l-compare")
    shown = gr.HTML(elem_id="l-shown")
    gr.Markdown(label["l_runs"], elem_classes="section")
    runs = gr.HTML(elem_id="l-runs")
    return LabPage(
        sets, cases, save, make, answers, run, stop, state, before, after, compare, shown, choose, apply, undo, runs,
        gr.State(None),
    )  # fmt: skip


def connect_lab(page: LabPage, assistant: Assistant, tab: gr.Tab, asking: gr.HTML, thread: gr.BrowserState) -> None:
    """`asking` tells which answer of the conversation `thread` is to be kept."""
    handlers = LabHandlers(assistant)
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    asking.kept(handlers.keep, thread, None, trigger_mode="multiple", **quiet)
    tab.select(handlers.lists, page.sets, page.lists, **quiet)
    page.sets.change(handlers.cases, page.sets, page.cases, **quiet)
    page.save.click(handlers.save, [page.sets, page.cases], [page.state, *page.lists], **quiet)
    page.make.click(handlers.make, page.sets, [page.state, page.cases, *page.lists], **quiet)
    running = page.run.click(
        handlers.run, [page.sets, page.answers], [page.state, page.shown, *page.lists], concurrency_limit=8, **quiet
    )
    page.stop.click(None, cancels=running).then(handlers.stopped, page.sets, [page.state, *page.lists], **quiet)
    page.compare.click(handlers.compare, [page.before, page.after], page.shown, **quiet)
    page.choose.click(
        handlers.choose, [page.sets, page.answers], [page.state, page.chosen, page.apply], concurrency_limit=2, **quiet
    )
    page.apply.click(handlers.apply, page.chosen, [page.state, page.apply], **quiet)
    page.undo.click(handlers.undo, None, page.state, **quiet)


class LabHandlers:
    """What its events do; each page of a user sees what is the user's own."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant

    def _lab(self, request: gr.Request) -> Laboratory:
        return Laboratory(self._assistant, user_of(request))

    async def lists(self, chosen: str | None, request: gr.Request) -> list[Any]:
        laboratory, language = self._lab(request), page_language(request)
        sets = [one.name for one in await laboratory.sets()]
        names = list(dict.fromkeys([*sets, EDGE_CASES]))
        runs = [one.info.name for one in await laboratory.runs()]
        return [
            gr.update(choices=names, value=chosen or names[0]),
            gr.update(choices=runs, value=runs[1] if len(runs) > 1 else None),
            gr.update(choices=runs, value=runs[0] if runs else None),
            await self._table(laboratory, language),
        ]

    async def cases(self, name: str, request: gr.Request) -> Any:
        try:
            return to_jsonl(await self._lab(request).cases(name))
        except CitewiseError:
            return ""

    async def save(self, name: str, content: str, request: gr.Request) -> list[Any]:
        laboratory, language = self._lab(request), page_language(request)
        try:
            count = await laboratory.put_set(_named(name, language), parse_set("set.jsonl", content.encode()))
        except CitewiseError as error:
            raise gr.Error(corner_message(error.in_full, request), print_exception=False) from error
        return [text("l_saved", language).format(count), *await self.lists(name, request)]

    async def make(self, name: str, request: gr.Request) -> list[Any]:
        """They join the set that is chosen, under their tag: figures of theirs are never mixed with people's."""
        laboratory, language = self._lab(request), page_language(request)
        made = await laboratory.make(_MADE)
        into = name if name and name != EDGE_CASES else "self-made"
        count = await laboratory.add_cases(into, made)
        said = text("l_made", language).format(len(made), count)
        return [said, await self.cases(into, request), *await self.lists(into, request)]

    async def run(self, name: str, answers: bool, request: gr.Request) -> AsyncGenerator[list[Any]]:
        laboratory, language = self._lab(request), page_language(request)
        begun = datetime.now().astimezone().isoformat(" ", timespec="milliseconds")
        run_name = f"{_named(name, language)} {begun[5:23]}"  # two may begin within a second
        progress: list[RunProgress] = []
        unchanged = [gr.skip()] * 5
        try:
            cases = await laboratory.cases(name)
            going_on = asyncio.create_task(
                laboratory.run(run_name, name, cases, with_answers=answers, on_progress=progress.append)
            )
            try:
                while not going_on.done():
                    if progress:
                        at = progress[-1]
                        yield [text("l_running", language).format(run_name, at.done, at.total), *unchanged]
                    await asyncio.wait([going_on], timeout=PACE)
                finished = going_on.result()
            finally:
                going_on.cancel()
        except CitewiseError as error:
            raise gr.Error(corner_message(error.in_full, request), print_exception=False) from error
        said = text("l_done", language).format(run_name)
        yield [said, run_body(*finished, language), *await self.lists(name, request)]

    async def stopped(self, name: str, request: gr.Request) -> list[Any]:
        return [text("l_stopped", page_language(request)), *await self.lists(name, request)]

    async def compare(self, before: str, after: str, request: gr.Request) -> str:
        try:
            found = await self._lab(request).compare(before or "", after or "")
        except CitewiseError as error:
            raise gr.Error(corner_message(error.in_full, request), print_exception=False) from error
        return comparison_body(found, page_language(request))

    async def choose(self, name: str, answers: bool, request: gr.Request) -> list[Any]:
        laboratory, language, assistant = self._lab(request), page_language(request), self._assistant
        tried = candidates(
            assistant.settings, reranks=assistant.library.reranker is not None,
            model=answers and assistant.chain.model() is not None,
        )  # fmt: skip
        try:
            cases = await laboratory.cases(_named(name, language))
            found = await laboratory.choose(cases, tried, with_answers=answers)
        except CitewiseError as error:
            raise gr.Error(corner_message(error.in_full, request), print_exception=False) from error
        if not found.replaced or found.confirmation is None:
            return [text("l_kept_settings", language), None, gr.update(interactive=False)]
        said = text("l_better", language).format(found.chosen.label, found.confirmation.mean)
        return [said, found.chosen.model_dump(mode="json"), gr.update(interactive=True)]

    async def apply(self, chosen: dict[str, Any] | None, request: gr.Request) -> list[Any]:
        if chosen is None:
            return [gr.skip(), gr.update(interactive=False)]
        variant = Variant.model_validate(chosen)
        await self._lab(request).apply(variant)
        return [text("l_applied", page_language(request)).format(variant.label), gr.update(interactive=False)]

    async def undo(self, request: gr.Request) -> str:
        language, undone = page_language(request), await self._lab(request).undo()
        return text("l_undone", language).format(undone.label) if undone else text("l_nothing_undone", language)

    async def keep(self, name: str, event: PageEvent, request: gr.Request) -> None:
        """An answer of the chat, by its link."""
        laboratory, language = self._lab(request), page_language(request)
        case = await laboratory.keep(thread_asked(name, request), event.turn)
        count = len(await laboratory.cases("golden")) if case else 0
        gr.Info(text("kept" if case else "not_kept", language).format(count))

    async def _table(self, laboratory: Laboratory, language: Language) -> str:
        finished = [await laboratory.finished(one.info.name) for one in await laboratory.runs()]
        if not finished:
            return f"<p>{escape(text('l_nothing', language))}</p>"
        return _plot(finished) + "".join(_rows(finished, language))


def _named(name: str | None, language: Language) -> str:
    if not name:
        raise gr.Error(text("l_no_set", language), print_exception=False)
    return name


def _rows(finished: Sequence[FinishedRun], language: Language) -> list[str]:
    """Each run with where its cases went wrong and its main figures."""
    lines = []
    for info, results in finished:
        for group, found in summary(results).items():
            figures = " · ".join(f"{name} {found.figures[name]:.3f}" for name in MAIN if name in found.figures)
            bar = wrong_bar(found.went_wrong, found.cases, language)
            tag = "" if group == "people" else " · self-made"
            lines.append(f"<tr><td>{escape(info.name)}{tag}</td><td>{escape(figures)}</td><td>{bar}</td></tr>")
    return ['<table class="lab-runs"><tbody>', *lines, "</tbody></table>"]


def _plot(finished: Sequence[FinishedRun]) -> str:
    """The main figure of the runs over the set of the newest one, oldest first."""
    newest, points = finished[0].info.set_name, []
    for info, results in reversed(finished):
        figures = next(iter(summary(results).values())).figures if results else {}
        name = next((one for one in MAIN if one in figures), None)
        if info.set_name == newest and name:
            points.append(CurvePoint(f"{info.name} ({name})", figures[name]))
    return line_chart(points) if len(points) > 1 else ""
