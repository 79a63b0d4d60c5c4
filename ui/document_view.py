"""A document opened: what is known of it, why it failed, its chunks with their lines."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import Any

import gradio as gr

from answering.document_titles import list_labels
from answering.places import link_target
from doors.originals import original_address
from library import Library
from planning.chunking_words import describe_chunking
from schema import UNTOLD, Document, DocumentInfo, Language, Message, StructuredSummary, Task
from ui.chunking_comparison import Compare, build_compare, compare_cleared, connect_compare
from ui.documents import SIGNS, RowKey, human_size, kind_name, state_of
from ui.forest_view import ForestPanel, build_tree, connect_tree, tree_cleared
from ui.markup import literal
from ui.page_notes import digest, note_box
from ui.pieces import build_pieces, stored_pieces
from ui.texts import page_language, text

SHOWN = 20  # chunks a page
_LANGUAGES = {"zh": Message(zh="中文", en="Chinese"), "en": Message(zh="英文", en="English")}
_NAMES = {  # of what readers note; anything else they note is shown under its own name
    "title": Message(zh="标题", en="Title"),
    "author": Message(zh="作者", en="Author"),
    "encoding": Message(zh="编码", en="Encoding"),
    "date": Message(zh="日期", en="Date"),
    "tags": Message(zh="标签", en="Tags"),
    "created": Message(zh="创建时间", en="Created"),
    "modified": Message(zh="修改时间", en="Modified"),
    "language": Message(zh="标注语言", en="Declared language"),
    "pages": Message(zh="页数", en="Pages"),
    "pages_without_text": Message(zh="没有文字的页", en="Pages without text"),
    "delimiter": Message(zh="分隔符", en="Delimiter"),
    "note": Message(zh="说明", en="Note"),
}
_INNER = {"body_start"}  # for the program, not for a person
_LONGEST = 120  # characters of what the reader noted


@dataclass(frozen=True)
class DocumentView:
    panel: gr.Column
    facts: gr.Markdown
    pager: gr.Row
    position: gr.Markdown
    before: gr.Button
    next: gr.Button
    pieces: gr.HTML
    close: gr.Button
    compare: Compare
    tree: ForestPanel
    opened: gr.State  # Key or None
    first: gr.State  # position of the first chunk shown
    seen: gr.Textbox  # what was shown of it, so that a change is noticed

    @property
    def parts(self) -> list[Any]:
        return [self.panel, self.facts, self.pager, self.position, self.before, self.next, self.pieces, self.first,
                self.seen]  # fmt: skip

    @property
    def made(self) -> list[Any]:
        """What is made of the document on request."""
        return [*self.tree.outputs, *self.compare.outputs]


def build_document_view(label: dict[str, Any]) -> DocumentView:
    opened, first, note = gr.State(None), gr.State(0), note_box()
    with gr.Column(visible=False, elem_id="document") as panel:
        with gr.Row(elem_classes="document-head"):
            facts = gr.Markdown(elem_id="facts")
            close = gr.Button(label["close"], size="sm", elem_id="close-document", scale=0, min_width=80)
        compare, tree = build_compare(label), build_tree(label)
        with gr.Row(elem_classes="pager-row", elem_id="pager") as pager:
            before = gr.Button(label["before"], size="sm", elem_id="chunks-before", scale=0, min_width=90)
            position = gr.Markdown(elem_id="position")
            next = gr.Button(label["next"], size="sm", elem_id="chunks-next", scale=0, min_width=90)
        pieces = build_pieces("pieces")
    return DocumentView(panel, facts, pager, position, before, next, pieces, close, compare, tree, opened, first, note)


class DocumentHandlers:
    """What its events do."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def made(self, same: bool) -> list[Any]:
        """What `DocumentView.made` shows of a document that is opened, unless it is the `same` as before: it is cleared
        with that event. A change of the opened one is told late, and what was asked for since would be lost."""
        cleared = [*tree_cleared(), *compare_cleared()]
        return [gr.skip() for _ in cleared] if same else cleared

    async def show(self, key: RowKey | None, first: int, language: Language, note: str | None = None) -> list[Any]:
        """The parts of the view; skipped where nothing has changed since it was seen."""
        if key is None:
            return _closed() if note != "" else [gr.skip()] * 9
        info = next((one for one in await asyncio.to_thread(self._library.documents) if _is(one, key)), None)
        task = next((one for one in await asyncio.to_thread(self._library.tasks) if _is(one, key)), None)
        if info is None and task is None:
            return _closed()
        now = digest((key, first, language, info, task))
        if now == note:
            return [gr.skip()] * 9
        document = await asyncio.to_thread(self._library.document, key.name, key.doc_set) if info else None
        about = await self._library.structured(key.name, key.doc_set) if document else None
        chunks = info.chunks if info else 0
        first = max(0, min(first, (chunks - 1) // SHOWN * SHOWN))
        hits = await self._library.chunks(key.name, key.doc_set, first, SHOWN) if document else []
        kept = await asyncio.to_thread(self._library.original_info, key.name, key.doc_set) if document else None
        file = f"[⬇ {text('r_download', language)}]({original_address(key.name, key.doc_set)})" if kept else ""
        drawn = await asyncio.to_thread(stored_pieces, hits, document.text, language) if document else {}
        place = text("position", language).format(first + 1, first + len(hits), chunks) if hits else ""
        return [
            gr.update(visible=True),
            "\n\n".join(
                filter(
                    None, [facts_markdown(key, info, document, task, language), file, about_markdown(about, language)]
                )
            ),
            gr.update(visible=bool(hits)),
            place,
            gr.update(interactive=first > 0),
            gr.update(interactive=first + SHOWN < chunks),
            drawn,
            first,
            now,
        ]


def connect_document_view(view: DocumentView, library: Library) -> DocumentHandlers:
    handlers = DocumentHandlers(library)

    async def turn(key: RowKey | None, first: int, request: gr.Request) -> list[Any]:
        return await handlers.show(key, first, page_language(request))

    async def forward(key: RowKey | None, first: int, request: gr.Request) -> list[Any]:
        return await turn(key, first + SHOWN, request)

    async def back(key: RowKey | None, first: int, request: gr.Request) -> list[Any]:
        return await turn(key, max(0, first - SHOWN), request)

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    view.next.click(forward, [view.opened, view.first], view.parts, **quiet)
    view.before.click(back, [view.opened, view.first], view.parts, **quiet)
    connect_compare(view.compare, library, view.opened)
    connect_tree(view.tree, library, view.opened)
    return handlers


def _is(one: DocumentInfo | Task, key: RowKey) -> bool:
    return one.name == key.name and one.doc_set == key.doc_set


def _closed() -> list[Any]:
    return [gr.update(visible=False), "", gr.update(visible=False), "", gr.skip(), gr.skip(), {}, 0, ""]


def facts_markdown(
    key: RowKey, info: DocumentInfo | None, document: Document | None, task: Task | None, language: Language
) -> str:
    """Name, state, what the reader and the chunker know; every word of the file escaped."""
    zh = language == "zh"
    origin = info.origin if info else task.origin if task else UNTOLD
    lines = [f"### {literal(list_labels(key.name, origin)[0][:_LONGEST])}"]
    if task is not None:
        lines.append(state_of(task.status, task, language))
        if task.problem is not None:
            lines.append(f"> {literal(task.problem.to(language))}")
    elif info is not None and info.problem is not None:
        lines.append(f"> {SIGNS[info.status]} {literal(info.problem.to(language))}")
    if info is not None:
        if info.origin.url:
            lines.append(_line(_from_the_web(info, document, language), language))
        facts = [
            (text("t_name", language), key.name if info.origin.title else ""),
            (text("set", language), key.doc_set or text("no_set", language)),
            (text("kind", language), " · ".join(filter(None, [kind_name(info.origin.doc_type, language),
                                                              info.origin.code_language]))),
            ("语言" if zh else "Language", _LANGUAGES[info.language].to(language)),
            ("大小" if zh else "Size", human_size(info.size)),
            (text("chunks", language), f"{info.chunks:,}"),
            ("词元" if zh else "Tokens", f"{info.tokens:,}"),
            (text("how", language), describe_chunking(info.chunking).to(language)),
            *_reader_notes(document, language, _INNER | ({"title"} if info.origin.url else set())),
            ("路径" if zh else "Path", info.origin.file_path),
            ("仓库" if zh else "Repository", " @ ".join(filter(None, [info.origin.repo, info.origin.commit_id[:12]]))),
            ("原件时间" if zh else "Of the original", "" if info.origin.url else _moment(info.origin.timestamp)),
            ("SHA-256", info.digest[:16] + "…"),
        ]  # fmt: skip
        lines.append(_line([(name, literal(value)) for name, value in facts], language))
    return "\n\n".join(lines)


def about_markdown(about: StructuredSummary | None, language: Language) -> str:
    """Keywords, entities and topics, and who found them; "" where there are none."""
    if about is None:
        return ""
    parts = [
        (text(name, language), ("、" if language == "zh" else ", ").join(map(literal, found)))
        for name, found in (("keywords", about.keywords), ("entities", about.entities), ("topics", about.topics))
    ]
    line = _line(parts, language)
    return f"{line}*{text(f'about_by_{about.made_by}', language)}*" if line else ""


def _line(facts: list[tuple[str, str]], language: Language) -> str:
    """Of names and Markdown."""
    colon = "：" if language == "zh" else ": "
    return "  ".join(f"**{name}**{colon}{value}　" for name, value in facts if value)


def _from_the_web(info: DocumentInfo, document: Document | None, language: Language) -> list[tuple[str, str]]:
    """Title, address, when it was fetched; an address that is none of the web stays text."""
    origin, title = info.origin, document.metadata.get("title", "") if document and not info.origin.title else ""
    words, link = literal(origin.url), link_target(origin.url)
    return [
        (_NAMES["title"].to(language), literal(str(title)[:_LONGEST])),
        (text("address", language), f"[{words}]({link})" if link else words),
        (text("fetched" if origin.source_type == "website" else "committed", language),
         literal(_moment(origin.timestamp))),
    ]  # fmt: skip


def _reader_notes(document: Document | None, language: Language, left_out: set[str]) -> list[tuple[str, str]]:
    """What the reader noted, as far as it is short."""
    if document is None:
        return []
    noted = {key: _worded(value, language) for key, value in document.metadata.items() if key not in left_out}
    names = {key: _NAMES[key].to(language) if key in _NAMES else literal(str(key)) for key in noted}
    return [(names[key], value[:_LONGEST]) for key, value in noted.items() if value.strip()]


def _worded(value: Any, language: Language) -> str:
    """ "" for what is no plain fact."""
    match value:
        case str():
            return _moment(value)
        case int() | float():
            return str(value)
        case {"zh": str(zh), "en": str(en)}:
            return Message(zh=zh, en=en).to(language)
        case [*parts] if all(isinstance(part, str | int) for part in parts):
            return ", ".join(map(str, parts[:30]))
        case _:
            return ""


def _moment(value: str) -> str:
    """2026-11-22T05:37:35+00:00 -> 2026-11-22 05:37 UTC; anything else as it is."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?", value)
    if found is None:
        return value
    day, minute, zone = found.groups()
    return f"{day} {minute}" + ("" if zone is None else " UTC" if zone in ("Z", "+00:00") else f" UTC{zone}")
