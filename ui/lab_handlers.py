"""What the events of the Lab tab do. The lab itself is loaded when the first of them comes: a page of nobody who opens
the tab does without it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from importlib import import_module
from typing import TYPE_CHECKING, Any

import gradio as gr

from errors import CitewiseError
from graph.turns import Assistant
from schema import Language
from ui.events import PageEvent
from ui.texts import corner_message, page_language, text
from ui.user import thread_asked, user_of

if TYPE_CHECKING:
    from graph.lab.laboratory import Laboratory
    from graph.lab.running import RunProgress

PACE = 0.3  # seconds between two looks at a run
_MADE = 30


class LabHandlers:
    """Each page of a user sees what is the user's own."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant

    async def _lab(self, request: gr.Request) -> Laboratory:
        await asyncio.to_thread(import_module, "ui.lab_shown")  # and with it the lab: a tenth of a second
        from graph.lab.laboratory import Laboratory

        return Laboratory(self._assistant, user_of(request))

    async def lists(self, chosen: str | None, request: gr.Request) -> list[Any]:
        laboratory, language = await self._lab(request), page_language(request)
        from evaluation.lab.edge_cases import EDGE_CASES
        from ui.lab_shown import runs_table

        sets = [one.name for one in await laboratory.sets()]
        names = list(dict.fromkeys([*sets, EDGE_CASES]))
        runs = [one.info.name for one in await laboratory.runs()]
        finished = [await laboratory.finished(name) for name in runs]
        return [
            gr.update(choices=names, value=chosen or names[0]),
            gr.update(choices=runs, value=runs[1] if len(runs) > 1 else None),
            gr.update(choices=runs, value=runs[0] if runs else None),
            runs_table(finished, language),
        ]

    async def cases(self, name: str, request: gr.Request) -> Any:
        laboratory = await self._lab(request)
        from evaluation.lab.cases import to_jsonl

        try:
            return to_jsonl(await laboratory.cases(name))
        except CitewiseError:
            return ""

    async def save(self, name: str, content: str, request: gr.Request) -> list[Any]:
        laboratory, language = await self._lab(request), page_language(request)
        from evaluation.lab.reading import parse_jsonl

        try:
            count = await laboratory.put_set(_named(name, language), parse_jsonl(content))
        except CitewiseError as error:
            raise _shown(error, request) from error
        return [text("l_saved", language).format(count), *await self.lists(name, request)]

    async def make(self, name: str, request: gr.Request) -> list[Any]:
        """They join the set that is chosen, under their tag: figures of theirs are never mixed with people's."""
        laboratory, language = await self._lab(request), page_language(request)
        from evaluation.lab.edge_cases import EDGE_CASES

        made = await laboratory.make(_MADE)
        into = name if name and name != EDGE_CASES else "self-made"
        count = await laboratory.add_cases(into, made)
        said = text("l_made", language).format(len(made), count)
        return [said, await self.cases(into, request), *await self.lists(into, request)]

    async def run(self, name: str, answers: bool, request: gr.Request) -> AsyncGenerator[list[Any]]:
        laboratory, language = await self._lab(request), page_language(request)
        from evaluation.lab.report import run_body
        from graph.lab.running import new_run_name
        from ui.lab_shown import inert

        run_name = new_run_name(_named(name, language))
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
            raise _shown(error, request) from error
        said = text("l_done", language).format(run_name)
        yield [said, inert(run_body(*finished, language)), *await self.lists(name, request)]

    async def stopped(self, name: str, request: gr.Request) -> list[Any]:
        return [text("l_stopped", page_language(request)), *await self.lists(name, request)]

    async def compare(self, before: str, after: str, request: gr.Request) -> str:
        laboratory = await self._lab(request)
        from evaluation.lab.report import comparison_body
        from ui.lab_shown import inert

        try:
            found = await laboratory.compare(before or "", after or "")
        except CitewiseError as error:
            raise _shown(error, request) from error
        return inert(comparison_body(found, page_language(request)))

    async def opened(self, event: PageEvent, request: gr.Request) -> list[Any]:
        """A question of a report, by its link: what the run has of it, or both runs of a comparison."""
        laboratory, language = await self._lab(request), page_language(request)
        from ui.lab_shown import shown_case

        shown: list[Any] = []
        for run in (event.run, event.against):
            if not run:
                shown += [gr.update(visible=False), "", None]
                continue
            try:
                case = shown_case(await laboratory.opened(run, event.case), language)
            except CitewiseError as error:
                raise _shown(error, request) from error
            shown += [gr.update(visible=True), case.about, case.trace]
        return shown

    async def choose(self, name: str, answers: bool, request: gr.Request) -> list[Any]:
        laboratory, language = await self._lab(request), page_language(request)
        try:
            cases = await laboratory.cases(_named(name, language))
            found = await laboratory.choose_settings(cases, with_answers=answers)
        except CitewiseError as error:
            raise _shown(error, request) from error
        if not found.replaced or found.confirmation is None:
            return [text("l_kept_settings", language), None, gr.update(interactive=False)]
        said = text("l_better", language).format(found.chosen.label, found.confirmation.mean)
        return [said, found.chosen.model_dump(mode="json"), gr.update(interactive=True)]

    async def apply(self, chosen: dict[str, Any] | None, request: gr.Request) -> list[Any]:
        if chosen is None:
            return [gr.skip(), gr.update(interactive=False)]
        laboratory = await self._lab(request)
        from graph.lab.variants import Variant

        variant = Variant.model_validate(chosen)
        await laboratory.apply(variant)
        return [text("l_applied", page_language(request)).format(variant.label), gr.update(interactive=False)]

    async def undo(self, request: gr.Request) -> str:
        language, undone = page_language(request), await (await self._lab(request)).undo()
        return text("l_undone", language).format(undone.label) if undone else text("l_nothing_undone", language)

    async def keep(self, name: str, event: PageEvent, request: gr.Request) -> None:
        """An answer of the chat, by its link."""
        laboratory, language = await self._lab(request), page_language(request)
        case = await laboratory.keep(thread_asked(name, request), event.turn)
        count = len(await laboratory.cases("golden")) if case else 0
        gr.Info(text("kept" if case else "not_kept", language).format(count))


def _named(name: str | None, language: Language) -> str:
    if not name:
        raise gr.Error(text("l_no_set", language), print_exception=False)
    return name


def _shown(error: CitewiseError, request: gr.Request) -> gr.Error:
    return gr.Error(corner_message(error.in_full, request), print_exception=False)
