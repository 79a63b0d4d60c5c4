"""Another chunking of a document, or two of them side by side, before one is used."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import gradio as gr

from errors import CitewiseError
from ingestion.queue import SOON
from library import Library
from schema import Chunk, Chunking, Document, Language
from ui.documents import RowKey
from ui.markup import literal
from ui.options import chunkers, read_chunking, short_chunking, unit_choice
from ui.pieces import build_pieces, lengths_markdown, previewed_pieces
from ui.texts import page_language, text

SHOWN = 40  # chunks a side


@dataclass(frozen=True)
class Side:
    """One of the two: what is wished, what came of it."""

    strategy: gr.Dropdown
    size: gr.Number
    overlap: gr.Number
    unit: gr.Dropdown
    lengths: gr.Markdown
    pieces: gr.HTML
    use: gr.Button

    @property
    def wish(self) -> list[gr.components.Component]:
        return [self.strategy, self.size, self.overlap, self.unit]

    @property
    def shown(self) -> list[gr.components.Component]:
        return [self.lengths, self.pieces, self.use]


@dataclass(frozen=True)
class Compare:
    a: Side
    b: Side
    preview: gr.Button

    @property
    def outputs(self) -> list[gr.components.Component]:
        return [*self.a.shown, *self.b.shown]


def build_compare(label: dict[str, Any]) -> Compare:
    with gr.Accordion(label["compare"], open=False, elem_id="compare"):
        gr.Markdown(label["compare_info"], elem_classes="hint")
        with gr.Row(equal_height=False):
            a, b = _side("a", label), _side("b", label)
        preview = gr.Button(label["preview"], variant="primary", size="sm", elem_id="preview")
        with gr.Row(equal_height=False):
            sides = [_result(name, wish, label) for name, wish in (("a", a), ("b", b))]
    return Compare(sides[0], sides[1], preview)


def _side(name: str, label: dict[str, Any]) -> list[Any]:
    with gr.Column(min_width=300), gr.Row():
        strategy = gr.Dropdown(
            choices("en", name), value="", label=name.upper(), min_width=140, elem_id=f"strategy-{name}"
        )
        size = gr.Number(
            0, precision=0, minimum=0, label=label["size"], info=label["zero_auto"], min_width=90,
            elem_id=f"size-{name}",
        )  # fmt: skip
        overlap = gr.Number(
            0, precision=0, minimum=0, label=label["overlap"], info=label["zero_auto"], min_width=90,
            elem_id=f"overlap-{name}",
        )  # fmt: skip
        unit = unit_choice(label, f"unit-{name}", info=label["unit_info"], min_width=110)
    return [strategy, size, overlap, unit]


def _result(name: str, wish: list[Any], label: dict[str, Any]) -> Side:
    with gr.Column(min_width=300):
        lengths = gr.Markdown(elem_id=f"lengths-{name}")
        use = gr.Button(label[f"use_{name}"], size="sm", visible=False, elem_id=f"use-{name}")
        pieces = build_pieces(f"pieces-{name}")
    strategy, size, overlap, unit = wish
    return Side(strategy, size, overlap, unit, lengths, pieces, use)


def choices(language: Language, side: str) -> list[tuple[str, str]]:
    """Of strategies: A is the usual one unless something is chosen, B is left out."""
    named = chunkers(language, "usual")
    return [(text("none_b", language), ""), *named[1:]] if side == "b" else named


def connect_compare(compare: Compare, library: Library, opened: gr.State) -> None:
    """Its own events: cutting for a look, and cutting for good."""

    async def preview(
        key: RowKey | None,
        strategy_a: str,
        size_a: float | None,
        overlap_a: float | None,
        unit_a: str | None,
        strategy_b: str,
        size_b: float | None,
        overlap_b: float | None,
        unit_b: str | None,
        request: gr.Request,
    ) -> list[Any]:
        language = page_language(request)
        document = await asyncio.to_thread(library.document, key.name, key.doc_set) if key else None
        if key is None or document is None:
            return compare_cleared()
        a, b = await asyncio.gather(
            _previewed(library, document, (strategy_a, size_a, overlap_a, unit_a), language),
            _previewed(library, document, (strategy_b, size_b, overlap_b, unit_b) if strategy_b else None, language),
        )
        return [*a, *b]

    async def use(
        key: RowKey | None, strategy: str, size: float | None, overlap: float | None, unit: str | None
    ) -> None:
        if key is not None:
            await library.submit_rechunk(
                [(key.name, key.doc_set, read_chunking(strategy, size, overlap, unit))], priority=SOON
            )

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    compare.preview.click(
        preview, [opened, *compare.a.wish, *compare.b.wish], compare.outputs,
        show_progress="minimal", show_progress_on=[compare.preview], api_visibility="private",
    )  # fmt: skip
    for side in (compare.a, compare.b):
        side.use.click(use, [opened, *side.wish], None, **quiet)


async def _previewed(library: Library, document: Document, wish: Any, language: Language) -> list[Any]:
    """What one side shows: lengths, chunks, the button."""
    if wish is None:
        return compare_cleared()[:3]
    try:
        used, chunks = await library.preview(document.name, document.doc_set, read_chunking(*wish))
    except CitewiseError as error:
        return [f"❌ {literal(error.in_full.to(language))}", {}, gr.update(visible=False)]
    return await asyncio.to_thread(_preview_updates, used, chunks, document, language)


def _preview_updates(used: Chunking, chunks: list[Chunk], document: Document, language: Language) -> list[Any]:
    how = f"**{short_chunking(used, language)}**" + (
        f" · {text('overlap', language)} {used.overlap}" if used.overlap else ""
    )
    return [
        f"{how}  \n{lengths_markdown(chunks, document, language)}",
        previewed_pieces(chunks, document, SHOWN, language),
        gr.update(visible=True),
    ]


def compare_cleared() -> list[Any]:
    """What `Compare.outputs` show before anything is compared."""
    return ["", {}, gr.update(visible=False)] * 2
