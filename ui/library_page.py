"""The library page: uploads, progress, totals, the table and what can be done with its files."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import gradio as gr

from graph.turns import Assistant
from library import Library
from schema import DocSetInfo, Language, Task
from ui.actions import Actions, build_actions, build_uploads, connect_actions
from ui.chunking_comparison import choices
from ui.doc_sets import DocSetPanel, build_doc_sets, connect_doc_sets, into_choices, manage_choices, set_choices
from ui.document_view import DocumentHandlers, DocumentView, build_document_view, connect_document_view
from ui.documents import (
    COLUMNS,
    SIGNS,
    Row,
    RowKey,
    RowQuery,
    TableOrder,
    document_rows,
    kind_name,
    select,
    table_value,
    with_tasks,
)
from ui.events import PageEvent
from ui.forest_view import ForestPanel, build_names, connect_names
from ui.glossary import GlossaryPanel, build_glossary, connect_glossary
from ui.options import chunkers, units
from ui.page_notes import PageNote, connect_clock, digest, note_box
from ui.scripted_html import scripted_html
from ui.sources import SourcesHandlers, SourcesPanel, build_sources, connect_sources
from ui.texts import page_language, text
from ui.totals import totals

_REST = 4  # times as long as a look has taken, nothing is looked at
PACE = 1.0  # seconds between two looks at what has changed
_PROGRESS = """<div class="on-its-way"><progress max="${value.total}" value="${value.done}"></progress>
<span>${value.done} / ${value.total}</span></div>"""  # numbers alone


class LibraryView(NamedTuple):
    """What a person has set: filters, order, the document that is open."""

    seen: str | None  # a `PageNote`
    sets_seen: str | None
    kinds_seen: str | None
    find: str
    in_set: str  # "": any, else "=" and the name
    in_state: str
    of_kind: str
    order: TableOrder
    opened: RowKey | None
    first: int  # chunk of it
    view_seen: str | None
    sources_seen: str | None

    @property
    def wanted(self) -> RowQuery:
        doc_set = self.in_set[1:] if self.in_set else None
        state: Any = self.in_state or None
        return RowQuery(self.find or "", doc_set, state, self.of_kind or None, *self.order)

    def note(self, now: str) -> str:
        """Of a page that shows this: a late response may show what was asked for before, or other choices."""
        return digest((now, self.wanted, self.opened, self.sets_seen, self.kinds_seen))


@dataclass(frozen=True)
class LibraryPage:
    totals: gr.Markdown
    progress: gr.HTML
    on_its_way: gr.Row
    find: gr.Textbox
    in_set: gr.Dropdown
    in_state: gr.Dropdown
    of_kind: gr.Dropdown
    table: gr.HTML
    actions: Actions
    sets: DocSetPanel
    view: DocumentView
    sources: SourcesPanel
    glossary: GlossaryPanel
    names: ForestPanel
    order: gr.State  # column, descending, page
    seen: gr.Textbox
    sets_seen: gr.Textbox
    kinds_seen: gr.Textbox
    timer: gr.Timer

    @property
    def inputs(self) -> list[Any]:
        """What the page shows is made by these: the fields of `LibraryView`."""
        return [self.seen, self.sets_seen, self.kinds_seen, self.find, self.in_set, self.in_state, self.of_kind,
                self.order, self.view.opened, self.view.first, self.view.seen, self.sources.seen]  # fmt: skip

    @property
    def outputs(self) -> list[Any]:
        """In the order in which `LibraryHandlers` gives it."""
        return [self.seen, self.table, self.totals, self.on_its_way, self.progress, self.kinds_seen, self.of_kind,
                self.sets_seen, self.in_set, self.actions.into, self.sets.picked, self.sources.into,
                *self.view.parts, *self.sources.parts]  # fmt: skip


def build_library(label: dict[str, Any]) -> LibraryPage:
    order = gr.State(TableOrder())
    totals = gr.Markdown(elem_id="totals")
    with gr.Row(visible=False, elem_id="on-its-way") as on_its_way:
        progress = gr.HTML(
            {"done": 0, "total": 1},
            html_template=_PROGRESS,
            js_on_load=None,
            apply_default_css=False,
            elem_id="progress",
        )
        cancel_all = gr.Button(label["cancel_all"], size="sm", scale=0, min_width=110, elem_id="cancel-all")
    bringing = build_uploads(label)
    sources = build_sources(label)
    actions = build_actions(label, bringing, cancel_all)
    with gr.Row(elem_id="filters", elem_classes="controls"):
        find = gr.Textbox(label=label["find"], max_lines=1, min_width=160, elem_id="find")
        in_set = gr.Dropdown([("", "")], value="", label=label["set"], min_width=130, elem_id="in-set")
        in_state = gr.Dropdown([("", "")], value="", label=label["state"], min_width=130, elem_id="in-state")
        of_kind = gr.Dropdown([("", "")], value="", label=label["kind"], min_width=130, elem_id="of-kind")
    table = scripted_html("table", elem_id="documents")
    sets, glossary, names = build_doc_sets(label), build_glossary(label), build_names(label)
    view = build_document_view(label)
    timer = gr.Timer(PACE, active=False)
    return LibraryPage(
        totals, progress, on_its_way, find, in_set, in_state, of_kind, table, actions, sets, view, sources, glossary,
        names, order, note_box(), note_box(), note_box(), timer,
    )  # fmt: skip


def connect_library(page: LibraryPage, assistant: Assistant, tab: gr.Tab) -> None:
    """Its own events. `page.timer` runs only while its tab is open."""
    library = assistant.library
    sources = connect_sources(page.sources, assistant.sources, library)
    handlers = LibraryHandlers(page, library, connect_document_view(page.view, library), sources)
    connect_actions(page.actions, library)
    connect_doc_sets(page.sets, library, page.actions.into)
    connect_glossary(page.glossary, library)
    connect_names(page.names, library)
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    asked, shown, view = set(page.inputs), page.outputs, page.view
    cuts = [page.actions.chunker, page.sources.chunker, view.compare.a.strategy, view.compare.b.strategy]
    counted = [page.actions.unit, page.sources.unit, view.compare.a.unit, view.compare.b.unit]
    tab.select(handlers.enter, asked, [page.in_state, *cuts, *counted, *shown], **quiet)
    connect_clock(page.timer, handlers.news, handlers.follow, asked, shown)
    page.actions.refresh.click(handlers.anew, asked, shown, **quiet)
    last: dict[str, Any] = {"trigger_mode": "always_last", **quiet}  # what was chosen last is what is shown
    for narrowed in (page.find.change, page.in_set.input, page.in_state.input, page.of_kind.input):
        narrowed(handlers.narrow, asked, [page.order, *shown], **last)
    page.table.sorted(handlers.sort, asked, [page.order, *shown], **last)
    page.table.paged(handlers.turn, asked, [page.order, *shown], **last)
    page.table.opened(handlers.open, asked, [view.opened, *view.made, *shown], **last).then(None, js=_SHOW_DOCUMENT)
    view.close.click(handlers.close, asked, [view.opened, *view.made, *shown], **quiet)


_SHOW_DOCUMENT = "() => document.querySelector('#document')?.scrollIntoView({behavior: 'smooth', block: 'start'})"


class LibraryHandlers:
    """What its events do: each looks at the library anew with one thing changed."""

    def __init__(
        self, page: LibraryPage, library: Library, documents: DocumentHandlers, sources: SourcesHandlers
    ) -> None:
        self._page, self._library, self._documents, self._sources = page, library, documents, sources
        self._stored: tuple[object, dict[RowKey, Row]] = (None, {})  # of which generation, with which reason

    def _view_of(self, values: dict[Any, Any]) -> LibraryView:
        return LibraryView(*(values[part] for part in self._page.inputs))

    async def news(self, values: dict[Any, Any], request: gr.Request) -> bool:
        """Whether `follow` has anything to show."""
        asked = self._view_of(values)
        return self._changed(asked) or self._sources.now() != asked.sources_seen

    async def follow(self, values: dict[Any, Any], request: gr.Request) -> list[Any]:
        """What has changed since it was seen; nothing else is computed or sent."""
        asked, language = self._view_of(values), page_language(request)
        if self._changed(asked):
            return await self._show(asked, language)
        sources = await self._sources.show(language, asked.sources_seen)
        return [*[gr.skip()] * (len(self._page.outputs) - len(sources)), *sources]

    async def anew(self, values: dict[Any, Any], request: gr.Request) -> list[Any]:
        asked = self._view_of(values)._replace(sets_seen=None, kinds_seen=None, view_seen=None, sources_seen=None)
        return await self._show(asked, page_language(request))

    async def enter(self, values: dict[Any, Any], request: gr.Request) -> list[Any]:
        """The page as it is opened, its lists of choices in the reader's language."""
        language = page_language(request)
        states = _any(language, [(f"{SIGNS[state]} {text(f'st_{state}', language)}", state) for state in SIGNS])
        return [
            gr.update(choices=states),
            *[gr.update(choices=chunkers(language, "usual"))] * 2,
            gr.update(choices=choices(language, "a")),
            gr.update(choices=choices(language, "b")),
            *[gr.update(choices=units(language, "usual"))] * 4,
            *await self.anew(values, request),
        ]

    async def narrow(self, values: dict[Any, Any], request: gr.Request) -> list[Any]:
        """Another filter: from its first page on."""
        asked = self._view_of(values)
        return await self._reordered(asked, asked.order._replace(page=0), request)

    async def sort(self, values: dict[Any, Any], event: PageEvent, request: gr.Request) -> list[Any]:
        """A click on a heading; another one turns the order round."""
        asked, column = self._view_of(values), event.column
        if column not in COLUMNS:
            return [gr.skip()] * (1 + len(self._page.outputs))
        again = asked.order.column == column
        descending = not asked.order.descending if again else column in ("updated", "size", "chunks")
        return await self._reordered(asked, TableOrder(column, descending, 0), request)

    async def turn(self, values: dict[Any, Any], event: PageEvent, request: gr.Request) -> list[Any]:
        asked = self._view_of(values)
        return await self._reordered(asked, asked.order._replace(page=max(0, event.page)), request)

    async def open(self, values: dict[Any, Any], event: PageEvent, request: gr.Request) -> list[Any]:
        return await self._opened(self._view_of(values), RowKey.of(event.key), request)

    async def close(self, values: dict[Any, Any], request: gr.Request) -> list[Any]:
        return await self._opened(self._view_of(values), None, request)

    async def _opened(self, asked: LibraryView, key: RowKey | None, request: gr.Request) -> list[Any]:
        shown = await self._show(asked._replace(opened=key, first=0, view_seen=None), page_language(request))
        return [key, *self._documents.made(key == asked.opened), *shown]

    async def _reordered(self, asked: LibraryView, order: TableOrder, request: gr.Request) -> list[Any]:
        return [order, *await self._show(asked._replace(order=order), page_language(request))]

    async def _show(self, asked: LibraryView, language: Language) -> list[Any]:
        """In the order of `LibraryPage.shown`. What is noted as seen is older than what is shown, never newer."""
        now, begun = self._now(), time.monotonic()
        tasks = self._library.tasks()
        rows = await asyncio.to_thread(self._rows, tasks)
        found = await asyncio.to_thread(select, rows, asked.wanted)
        infos = await asyncio.to_thread(self._library.doc_set_infos)
        kinds = sorted({row.doc_type for row in rows})
        done, total = self._library.progress()
        figures = await totals(self._library, language)
        noted = asked._replace(sets_seen=digest(infos), kinds_seen=digest(kinds)).note(now)
        return [
            str(PageNote.after(noted, _REST * (time.monotonic() - begun))),
            table_value(found, asked.wanted, len(rows), asked.opened, language),
            figures,
            gr.update(visible=done < total),
            {"done": done, "total": total} if done < total else gr.skip(),
            *_kind_list(kinds, language, asked.kinds_seen),
            *_set_lists(infos, language, asked.sets_seen),
            *await self._documents.show(asked.opened, asked.first, language, asked.view_seen),
            *await self._sources.show(language, asked.sources_seen),
        ]

    def _changed(self, asked: LibraryView) -> bool:
        return not (note := PageNote.of(asked.seen)).resting and asked.note(self._now()) != note.now

    def _now(self) -> str:
        """Changes with everything of the library that is shown. Live stages are read only while there are any."""
        library = self._library
        done, total = library.progress()
        moving = [(t.id, t.stage, round(t.fraction, 2)) for t in library.tasks() if t.stage] if done < total else []
        return repr((library.version, library.generation(), library.why_missing, done, total, moving))

    def _rows(self, tasks: list[Task]) -> list[Row]:
        state = self._library.generation(), self._library.why_missing
        if self._stored[0] != state:
            self._stored = state, document_rows(self._library.documents())
        return with_tasks(self._stored[1], tasks)


def _kind_list(kinds: Sequence[str], language: Language, note: str | None) -> list[Any]:
    """What is noted, and the choices of `of_kind`; skipped where they are the same: an open list stays open."""
    if (now := digest(kinds)) == note:
        return [gr.skip()] * 2
    return [now, gr.update(choices=_any(language, [(kind_name(kind, language), kind) for kind in kinds]))]


def _set_lists(infos: Sequence[DocSetInfo], language: Language, note: str | None) -> list[Any]:
    """The same for `in_set`, `into`, `picked` and `into` of the sources."""
    if (now := digest(infos)) == note:
        return [gr.skip()] * 5
    in_set = _any(language, [(name, f"={key}") for name, key in set_choices(infos, language)])
    into = gr.update(choices=into_choices(infos))
    return [now, gr.update(choices=in_set), into, gr.update(choices=manage_choices(infos)), into]


def _any(language: Language, named: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(text("every", language), ""), *named]
