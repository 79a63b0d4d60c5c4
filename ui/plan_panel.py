"""What was understood, each part changeable and run again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

import gradio as gr

from errors import CitewiseError
from graph.conversations import Turn
from graph.turns import Assistant
from library import Library
from planning.chunking_words import describe_chunking
from planning.missing_names import missing_name_notices
from schema import Language, Plan
from ui.ask_bar import OFFERED
from ui.chat import ChatPanel
from ui.chat_events import ChatHandlers
from ui.details import Details
from ui.doc_sets import into_choices, set_choices
from ui.markup import literal
from ui.options import chunkers, strategies, unit_choice, units
from ui.plan_form import ORDER, PlanForm, changed_plan, form_of, move_files, uploads_deleted, uploads_deleted_error
from ui.texts import corner_message, page_language, text
from ui.turn_display import READY
from ui.user import thread_asked

# Where the panel covers the chat, the answer is to be seen.
TO_CHAT = """() => {
    if (innerWidth <= 900) document.querySelector('#close-details')?.click();
}"""
_LANGUAGES = [("中文", "zh"), ("English", "en")]


class PlanPanel:
    """The form stands for the turn whose id it holds; the plan itself is read from the conversation."""

    def __init__(self, label: dict[str, Any], assistant: Assistant) -> None:
        self._assistant = assistant
        self.turn = gr.Textbox("", max_lines=1, visible="hidden")
        self.said = gr.Markdown(elem_id="plan-said")
        with gr.Column(visible=False, elem_id="plan-form") as self.form:
            self.actions = gr.CheckboxGroup([], label=label["p_actions"], elem_id="plan-actions")
            question = gr.Textbox(label=label["p_question"], lines=2, max_length=20_000, elem_id="plan-question")
            translated = gr.Textbox(
                label=label["p_translated"], info=label["p_translated_info"], max_length=20_000,
                elem_id="plan-translated",
            )  # fmt: skip
            sql = gr.Textbox(
                label=label["p_sql"], info=label["p_sql_info"], lines=3, max_length=20_000, visible=False,
                elem_id="plan-sql",
            )  # fmt: skip
            strategy = gr.Dropdown([], label=label["strategy"], filterable=False, elem_id="plan-strategy")
            chosen: dict[str, Any] = {"multiselect": True, "allow_custom_value": True}
            sets = gr.Dropdown([], label=label["doc_sets"], info=label["doc_sets_info"], elem_id="plan-sets", **chosen)
            files = gr.Dropdown([], label=label["p_files"], info=label["p_files_info"], elem_id="plan-files", **chosen)
            answered_in = gr.Radio(
                _LANGUAGES, label=label["p_language"], info=label["p_language_info"], elem_id="plan-language"
            )
            anew = gr.Checkbox(label=label["p_anew"], elem_id="plan-anew")
            with gr.Group(visible=False, elem_id="plan-saving") as self.saving:
                chunker = gr.Dropdown([], label=label["chunker"], filterable=False, elem_id="plan-chunker")
                with gr.Row():
                    size = gr.Number(
                        precision=0, minimum=0, label=label["size"], info=label["zero_auto"], min_width=120,
                        elem_id="plan-size",
                    )  # fmt: skip
                    overlap = gr.Number(
                        precision=0, minimum=0, label=label["overlap"], info=label["zero_auto"], min_width=120,
                        elem_id="plan-overlap",
                    )  # fmt: skip
                    unit = unit_choice(label, "plan-unit", info=label["unit_info"], min_width=120)
                into = gr.Dropdown(
                    [], allow_custom_value=True, label=label["into_set"], info=label["into_set_info"],
                    elem_id="plan-into",
                )  # fmt: skip
            gr.Markdown(label["p_run_info"], elem_classes="hint")
            self.run = gr.Button(label["p_run"], variant="primary", elem_id="plan-run")
        self.fields: list[Any] = [
            self.actions, question, translated, strategy, sets, files, answered_in, anew, chunker, size, overlap, into,
            unit, sql,
        ]  # fmt: skip
        self.parts: Sequence[Any] = [self.turn, self.said, self.form, self.saving, *self.fields]

    async def show(self, turn: Turn | None, number: int, language: Language) -> list[Any]:
        if turn is None or turn.record is None:
            nothing = text("p_none", language) if turn is not None else ""
            return ["", nothing, gr.update(visible=False), gr.update(), *[gr.skip()] * len(self.fields)]
        plan, library = turn.record.plan, self._assistant.library
        form = form_of(turn, plan, library)
        return [
            turn.id,
            _understood(turn, plan, library, language),
            gr.update(visible=True),
            gr.update(visible=_stores(form.actions)),
            *_values(form, library, language),
        ]

    def connect(self, thread: gr.BrowserState, chat: ChatPanel, handlers: ChatHandlers, details: Details) -> None:
        """Its own events. Once another turn stands in for the one that is shown, all of `details` shows that."""
        quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}

        async def check(turn: str, name: str, request: gr.Request, *values: Any) -> None:
            await self._changed_plan(turn, name, request, handlers, values)  # before anything moves on the page

        async def run(turn: str, name: str, request: gr.Request, *values: Any) -> AsyncGenerator[list[Any], None]:
            before, plan = await self._changed_plan(turn, name, request, handlers, values)
            try:
                plan = await move_files(before, plan, self._assistant.library)
            except CitewiseError as error:
                raise gr.Error(corner_message(error.in_full, request), print_exception=False) from error
            async with aclosing(handlers.again(name, turn, plan, request)) as updates:
                async for update in updates:
                    yield [update.chat, update.box, update.name, *[gr.skip()] * len(details.parts)]
            turns = await self._assistant.turns(thread_asked(name, request))
            if turns and turn not in [one.id for one in turns]:
                yield [*[gr.skip()] * 3, *await details.fill(turns[-1], 0, page_language(request))]
            yield [gr.skip()] * (3 + len(details.parts))  # why: `ui.chat_events.AS_IT_IS`

        given = [self.turn, thread, *self.fields]
        checked = self.run.click(check, given, None, **quiet)
        checked.success(None, js=TO_CHAT)
        running = checked.success(
            run, given, [chat.chat, chat.box, thread, *details.parts], concurrency_limit=16, **quiet
        )
        for after in (running.then, running.failure):
            after(lambda: READY, None, chat.box, **quiet)
        self.actions.change(
            lambda actions: gr.update(visible=_stores(actions or ())), self.actions, self.saving, **quiet
        )

    async def _changed_plan(
        self, turn_id: str, name: str, request: gr.Request, handlers: ChatHandlers, values: Sequence[Any]
    ) -> tuple[Plan, Plan]:
        """The turn's plan, and the changed one. What stands against it is a word on the page; the form stays."""
        language = page_language(request)
        turn = await self._assistant.turn(thread_asked(name, request), turn_id)
        if turn is None or turn.record is None:
            raise gr.Error(text("p_gone", language), print_exception=False)
        if handlers.runs(name, request):
            raise gr.Error(text("p_busy", language), print_exception=False)
        try:
            form = PlanForm(*values)
            plan, assistant = turn.record.plan, self._assistant
            changed = changed_plan(turn, plan, form, assistant.library, assistant.settings)
            if changed.table is not None and changed.table != plan.table:
                await assistant.library.run_table_query(changed.table)  # what is wrong with it is said at once
            return plan, changed
        except CitewiseError as error:
            raise gr.Error(corner_message(error.in_full, request), print_exception=False) from error


def _stores(actions: Sequence[str]) -> bool:
    return "save" in actions or "fetch_web" in actions


def _values(form: PlanForm, library: Library, language: Language) -> list[Any]:
    """The fields with what there is to choose from."""
    infos = library.doc_set_infos()
    named = list(dict.fromkeys([*form.documents, *library.known_names()[:OFFERED]]))
    return [
        gr.update(choices=[(text(f"a_{action}", language), action) for action in ORDER], value=list(form.actions)),
        form.question,
        form.translated,
        gr.update(choices=strategies(language)[1:], value=form.strategy),
        gr.update(choices=set_choices(infos, language), value=list(form.doc_sets)),
        gr.update(choices=named, value=list(form.documents)),
        form.language,
        form.anew,
        gr.update(choices=chunkers(language, "usual"), value=form.chunker),
        form.size,
        form.overlap,
        gr.update(choices=into_choices(infos), value=form.into),
        gr.update(choices=units(language, "usual"), value=form.unit),
        gr.update(value=form.sql, visible=bool(form.sql)),
    ]


def _understood(turn: Turn, plan: Plan, library: Library, language: Language) -> str:
    """By whom, and what no field shows."""
    colon = "：" if language == "zh" else ": "
    lines = [f"**{text('p_by', language)}**{colon}{text(f'p_{plan.origin}', language)}"]
    for wish in plan.per_file:
        lines.append(f"{literal(wish.file)}{colon}{literal(describe_chunking(wish.chunking).to(language))}")
    notices = list(missing_name_notices(plan))
    if "save" in plan.actions and (gone := uploads_deleted(turn, library)):
        notices.append(uploads_deleted_error(gone))
    lines += [f"⚠ {literal(notice.to(language))}" for notice in notices]
    return "  \n".join(lines)
