"""The Lab tab: question sets, runs as a table and a plot over time, a run against another, the choice of settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from graph.turns import Assistant
from ui.lab_handlers import LabHandlers
from ui.scripted_html import scripted_html

# A question of a report: its case of one run, or of two that are compared.
_OPEN = """element.addEventListener('click', event => {
    const link = event.target.closest('a[href="#case"]');
    if (!link) return;
    event.preventDefault();
    const { case: id, run, against } = link.dataset;
    trigger('opened', { case: id, run, against: against ?? '' });
});"""


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
    opened: list[gr.components.Component | gr.Column]  # of each of two runs a column, what it has of a case, a trace
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
        choose = gr.Button(label["l_choose"], scale=0, min_width=260, elem_id="l-choose")
        apply = gr.Button(label["l_apply"], scale=0, min_width=120, interactive=False, elem_id="l-apply")
        undo = gr.Button(label["l_undo"], scale=0, min_width=120, elem_id="l-undo")
    with gr.Row():
        before = gr.Dropdown([], label=label["l_before"], elem_id="l-before")
        after = gr.Dropdown([], label=label["l_after"], elem_id="l-after")
        compare = gr.Button(label["l_compare"], scale=0, min_width=120, elem_id="l-compare")
    shown = gr.HTML(elem_id="l-shown", js_on_load=_OPEN)
    opened: list[Any] = []
    with gr.Row(elem_id="l-opened"):
        for side in ("run", "against"):
            with gr.Column(visible=False, min_width=400, elem_id=f"l-opened-{side}") as column:
                about = gr.HTML(elem_id=f"l-about-{side}")
                opened += [column, about, scripted_html("trace", elem_id=f"l-trace-{side}", elem_classes="told")]
    gr.Markdown(label["l_runs"], elem_classes="section")
    runs = gr.HTML(elem_id="l-runs")
    return LabPage(
        sets, cases, save, make, answers, run, stop, state, before, after, compare, shown, opened, choose, apply,
        undo, runs, gr.State(None),
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
    page.shown.opened(handlers.opened, None, page.opened, trigger_mode="always_last", **quiet)
    page.choose.click(
        handlers.choose, [page.sets, page.answers], [page.state, page.chosen, page.apply], concurrency_limit=2, **quiet
    )
    page.apply.click(handlers.apply, page.chosen, [page.state, page.apply], **quiet)
    page.undo.click(handlers.undo, None, page.state, **quiet)
