"""Websites and repositories as sources of document sets: added, read, refreshed, removed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from errors import CitewiseError
from library import Library
from schema import Language, Message, Source
from ui.events import PageEvent
from ui.markup import literal
from ui.options import chunkers, read_chunking, unit_choice
from ui.page_notes import digest, note_box
from ui.scripted_html import scripted_html
from ui.texts import page_language, text
from web.sources import LibrarySources, SourceProgress

_COLUMNS = {  # and their headings
    "address": "address", "doc_set": "set", "kind": "kind", "pages": "documents", "refreshed": "src_refreshed",
    "state": "state",
}  # fmt: skip
_SIGNS = {"new": "🟡", "running": "⏳", "done": "✅", "partly": "⚠️", "failed": "❌"}
_SAID = ("refresh", "stop", "remove", "ask", "with", "only", "keep", "problems")
NO_ADDRESS = Message(zh="请先写出网址。", en="Write an address first.")


@dataclass(frozen=True)
class SourcesPanel:
    panel: gr.Accordion
    address: gr.Textbox
    into: gr.Dropdown
    add: gr.Button
    prefix: gr.Textbox
    patterns: gr.Textbox
    ref: gr.Textbox
    chunker: gr.Dropdown
    size: gr.Number
    overlap: gr.Number
    unit: gr.Dropdown
    note: gr.Markdown  # why an address was not taken
    listing: gr.HTML
    seen: gr.Textbox

    @property
    def typed(self) -> list[Any]:
        """In the order in which `SourcesHandlers.add` takes their values."""
        return [
            self.address, self.into, self.prefix, self.patterns, self.ref, self.chunker, self.size, self.overlap,
            self.unit,
        ]  # fmt: skip

    @property
    def parts(self) -> list[Any]:
        """In the order in which `SourcesHandlers.show` gives them."""
        return [self.panel, self.listing, self.seen]


def build_sources(label: dict[str, Any]) -> SourcesPanel:
    with gr.Accordion(label["sources"], open=False, elem_id="sources-panel") as panel:
        with gr.Row(elem_classes="controls", equal_height=True):
            address = gr.Textbox(
                label=label["address"], info=label["address_info"], max_lines=1, max_length=2_000, scale=4,
                min_width=260, elem_id="source-address",
            )  # fmt: skip
            into = gr.Dropdown(
                [], value="", allow_custom_value=True, label=label["into_set"], info=label["source_set_info"], scale=2,
                min_width=160, elem_id="source-into",
            )  # fmt: skip
        note = gr.Markdown(visible=False, elem_id="source-note")
        with gr.Accordion(label["source_options"], open=False, elem_id="source-options"):
            with gr.Row(elem_classes="controls"):
                prefix, patterns, ref = (
                    gr.Textbox(label=label[name], info=label[f"{name}_info"], max_lines=1, max_length=2_000,
                               min_width=200, elem_id=f"source-{name}")
                    for name in ("prefix", "patterns", "ref")
                )  # fmt: skip
            with gr.Row(elem_classes="controls"):
                chunker = gr.Dropdown(chunkers("en", "usual"), value="", label=label["chunker"], min_width=130)
                size = gr.Number(0, precision=0, minimum=0, label=label["size"], min_width=90)
                overlap = gr.Number(0, precision=0, minimum=0, label=label["overlap"], min_width=90)
                unit = unit_choice(label, "source-unit", min_width=110)
        with gr.Row(elem_classes="buttons"):
            add = gr.Button(label["add_source"], size="sm", scale=0, min_width=110, elem_id="add-source")
        listing = scripted_html("sources", elem_id="sources")
    return SourcesPanel(
        panel, address, into, add, prefix, patterns, ref, chunker, size, overlap, unit, note, listing, note_box()
    )


def connect_sources(panel: SourcesPanel, sources: LibrarySources, library: Library) -> SourcesHandlers:
    """Its own events. The page's timer shows what comes of them."""
    handlers = SourcesHandlers(sources, library)
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    shown = [panel.note, panel.address, panel.prefix, panel.patterns, panel.ref]
    for added in (panel.add.click, panel.address.submit):
        added(handlers.add, panel.typed, shown, **quiet)
    listing = panel.listing
    for event, work in ((listing.refreshed, handlers.refresh), (listing.stopped, handlers.stop),
                        (listing.removed, handlers.remove)):  # fmt: skip
        event(work, None, panel.note, trigger_mode="multiple", **quiet)
    return handlers


class SourcesHandlers:
    """What its events do."""

    def __init__(self, sources: LibrarySources, library: Library) -> None:
        self._sources, self._library = sources, library

    def now(self) -> str:
        """Changes with what is shown: a set may be renamed or deleted, too."""
        return digest((self._sources.version, self._library.version))

    async def show(self, language: Language, note: str | None = None) -> list[Any]:
        """The parts of the panel; skipped where nothing has changed since it was seen."""
        if (now := self.now()) == note:
            return [gr.skip()] * 3
        found = await asyncio.to_thread(self._sources.list)
        running, ended = dict(self._sources.running), dict(self._sources.ended)
        heading = headline(len(found), len(running), language)
        return [gr.update(label=heading), list_value(found, running, ended, language), now]

    async def add(
        self,
        address: str | None,
        into: str | None,
        prefix: str | None,
        patterns: str | None,
        ref: str | None,
        strategy: str,
        size: float | None,
        overlap: float | None,
        unit: str | None,
        request: gr.Request,
    ) -> list[Any]:
        """Its first run begins at once; what was typed stays where it was refused."""
        language = page_language(request)
        address, into, prefix, ref = ((typed or "").strip() for typed in (address, into, prefix, ref))
        try:
            if not address:
                raise CitewiseError("web", NO_ADDRESS)
            source = await self._sources.add(
                address, doc_set=into, prefix=prefix, patterns=tuple((patterns or "").split()), ref=ref,
                chunking=read_chunking(strategy, size, overlap, unit),
            )  # fmt: skip
            self._sources.start(source.id)
        except CitewiseError as error:
            return [_noted(error.in_full, language), *[gr.skip()] * 4]
        return [_noted(None, language), "", "", "", ""]

    async def refresh(self, event: PageEvent, request: gr.Request) -> Any:
        async def start(key: int) -> None:
            self._sources.start(key)

        return await self._run_noted(start(event.source), request)

    async def stop(self, event: PageEvent, request: gr.Request) -> Any:
        return await self._run_noted(self._sources.stop(event.source), request)

    async def remove(self, event: PageEvent, request: gr.Request) -> Any:
        return await self._run_noted(self._sources.remove(event.source, documents=event.documents), request)

    async def _run_noted(self, work: Coroutine[Any, Any, Any], request: gr.Request) -> Any:
        language, problem = page_language(request), None
        try:
            await work
        except CitewiseError as error:
            problem = error.in_full
        return _noted(problem, language)


def _noted(problem: Message | None, language: Language) -> Any:
    return gr.update(value=f"⚠ {literal(problem.to(language))}" if problem else "", visible=problem is not None)


def headline(count: int, running: int, language: Language) -> str:
    """“网站与仓库 · 3 · ⏳ 正在读取”: what is to be known of a folded panel."""
    parts = [text("sources", language)]
    if count:
        parts.append(f"{count:,}")
    if running:
        parts.append(f"{_SIGNS['running']} {text('src_running', language)}")
    return " · ".join(parts)


def list_value(
    found: Sequence[Source],
    running: Mapping[int, SourceProgress],
    ended: Mapping[int, SourceProgress],
    language: Language,
) -> Any:
    """What sources.js draws: text and numbers, never markup."""
    return {
        "heads": [{"column": column, "label": text(key, language)} for column, key in _COLUMNS.items()],
        "rows": [_cells(one, running.get(one.id), ended.get(one.id), language) for one in found],
        "say": {key: text(f"src_{key}", language) for key in _SAID},
    }


def _cells(
    source: Source, progress: SourceProgress | None, last: SourceProgress | None, language: Language
) -> dict[str, Any]:
    state = _state(source, progress)
    label, counts = text(f"src_{state}", language), progress or last
    if progress is not None and progress.looked:
        label += f" · {progress.looked:,}"
    note = source.problem.to(language) if source.problem and progress is None else ""
    problems = [(url, why.to(language)) for url, why in counts.problems] if counts else []
    return {
        "key": str(source.id),
        "address": source.address,
        "limits": " · ".join(filter(None, [source.prefix, " ".join(source.patterns), source.ref, source.commit[:12]])),
        "doc_set": source.doc_set,
        "kind": text(f"src_{source.kind}", language),
        "pages": f"{source.pages:,}",
        "refreshed": source.refreshed_at,
        "status": state,
        "state": f"{_SIGNS[state]} {label}",
        "note": note,
        "counts": _counts(counts, language) if counts else "",
        "problems": [_problem(*one) for one in problems if len(problems) > 1 or one[1] not in note],
        "running": progress is not None,
        "has_pages": source.pages > 0,
    }


def _state(source: Source, progress: SourceProgress | None) -> str:
    if progress is not None:
        return "running"
    if source.problem is not None:
        return "partly" if source.pages else "failed"
    if source.refreshed_at:
        return "done"
    return "partly" if source.pages else "new"  # stopped before its end


def _problem(url: str, why: str) -> str:
    return why if url in why else f"{url}  {why}"


def _counts(progress: SourceProgress, language: Language) -> str:
    """“3 新或有变 · 9 未变”: of a run, what it found any of."""
    named = {name: getattr(progress, name) for name in ("stored", "unchanged", "gone", "skipped", "failed")}
    return " · ".join(f"{count:,} {text(f'src_n_{name}', language)}" for name, count in named.items() if count)
