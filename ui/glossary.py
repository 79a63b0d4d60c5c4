"""The glossary on the library page: pairs of terms are seen, added, changed, deleted, brought in by a table."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from errors import CitewiseError
from library import Library
from schema import GlossaryPair, Language
from ui.events import PageEvent
from ui.gradio_internals.uploads import drop_gradio_copies
from ui.markup import literal
from ui.scripted_html import scripted_html
from ui.texts import page_language, text

_SAID = ("about", "chinese", "english", "document", "add", "edit", "save", "keep", "remove")
_SHOWN = 500  # pairs


@dataclass(frozen=True)
class GlossaryPanel:
    panel: gr.Accordion
    listing: gr.HTML
    table: gr.UploadButton
    note: gr.Markdown  # what became of a table, or why a pair was not taken

    @property
    def parts(self) -> list[Any]:
        return [self.listing, self.note]


def build_glossary(label: dict[str, Any]) -> GlossaryPanel:
    with gr.Accordion(label["glossary"], open=False, elem_id="glossary-panel") as panel:
        listing = scripted_html("glossary", elem_id="glossary")
        note = gr.Markdown(visible=False, elem_id="glossary-note")
        with gr.Row(elem_classes="buttons"):
            table = gr.UploadButton(label["gl_import"], size="sm", scale=0, min_width=180, elem_id="import-glossary")
    return GlossaryPanel(panel, listing, table, note)


def connect_glossary(panel: GlossaryPanel, library: Library) -> None:
    """Its own events; it is read when it is unfolded."""

    async def show(request: gr.Request) -> list[Any]:
        return await _shown(library, page_language(request))

    async def put(event: PageEvent, request: gr.Request) -> list[Any]:
        was = [(event.was_chinese, event.was_english)] if event.was_chinese else []
        return await _changed(library, library.change_glossary([(event.chinese, event.english)], was), request)

    async def remove(event: PageEvent, request: gr.Request) -> list[Any]:
        return await _changed(library, library.change_glossary([], [(event.chinese, event.english)]), request)

    async def bring(path: str, request: gr.Request) -> list[Any]:
        language = page_language(request)
        data = await asyncio.to_thread(Path(path).read_bytes)
        drop_gradio_copies([path])
        try:
            counts = await library.import_glossary(Path(path).name, data)
        except CitewiseError as error:
            return await _shown(library, language, _problem(error, language))
        return await _shown(library, language, text("gl_imported", language).format(*counts))

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    panel.panel.expand(show, None, panel.parts, **quiet)
    for event, work in ((panel.listing.pair_put, put), (panel.listing.pair_removed, remove)):
        event(work, None, panel.parts, trigger_mode="multiple", **quiet)
    panel.table.upload(bring, panel.table, panel.parts, **quiet)


async def _changed(library: Library, work: Coroutine[Any, Any, int], request: gr.Request) -> list[Any]:
    language = page_language(request)
    try:
        await work
    except CitewiseError as error:
        return await _shown(library, language, _problem(error, language))
    return await _shown(library, language)


def _problem(error: CitewiseError, language: Language) -> str:
    return f"⚠ {error.in_full.to(language)}"


async def _shown(library: Library, language: Language, note: str = "") -> list[Any]:
    pairs = await library.glossary()
    return [listed_pairs(pairs, language), gr.update(value=literal(note), visible=bool(note))]


def listed_pairs(pairs: Sequence[GlossaryPair], language: Language) -> dict[str, Any]:
    """What glossary.js draws: text, never markup."""
    more = len(pairs) - _SHOWN
    return {
        "say": {key: text(f"gl_{key}", language) for key in _SAID},
        "rows": [one._asdict() for one in pairs[:_SHOWN]],
        "more": text("gl_more", language).format(more) if more > 0 else "",
    }
