"""The System tab: how everything does, what it is set to, what it has cost by now, and the button that ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr

from errors import CitewiseError
from graph.metrics import RECENT, Figure, Share, Totals
from graph.turns import Assistant
from schema import Language, Message
from ui.caches import CacheSizes, caches_table
from ui.embeddings import EmbeddingsPanel, build_embeddings, connect_embeddings, embeddings_parts
from ui.events import PageEvent
from ui.page_notes import connect_clock, digest, note_box
from ui.reranker import RerankerPanel, build_reranker, connect_reranker, reranker_parts
from ui.scripted_html import scripted_html
from ui.settings_table import settings_table
from ui.status import sections
from ui.texts import corner_message, page_language, text
from ui.unanswered import unanswered_table
from ui.user import user_of

PACE = 2.0  # seconds between two looks at what has changed


@dataclass(frozen=True)
class SystemPage:
    shown: gr.HTML
    seen: gr.Textbox
    timer: gr.Timer
    embeddings: EmbeddingsPanel
    reranker: RerankerPanel

    @property
    def parts(self) -> list[gr.components.Component]:
        return [self.shown, self.seen, *self.embeddings.parts, *self.reranker.parts]

    @property
    def noted(self) -> list[gr.components.Component]:
        """What is shown already, of each part."""
        return [self.seen, self.embeddings.seen, self.reranker.seen]


def build_system(label: dict[str, Any]) -> SystemPage:
    with gr.Row(elem_id="local-models"):
        with gr.Column(min_width=280):
            embeddings = build_embeddings(label)
        with gr.Column(min_width=280):
            reranker = build_reranker(label)
    shown, timer = scripted_html("system", elem_id="system"), gr.Timer(PACE, active=False)
    return SystemPage(shown, note_box(), timer, embeddings, reranker)


def connect_system(page: SystemPage, assistant: Assistant, tab: gr.Tab) -> None:
    """Its own events. `page.timer` runs only while its tab is open."""

    sizes, library = CacheSizes(assistant.caches), assistant.library
    connect_embeddings(page.embeddings, library)
    connect_reranker(page.reranker, library)

    async def news(note: str, embedded: str, reranked: str, request: gr.Request) -> bool:
        return any(part != gr.skip() for part in await show(note, embedded, reranked, request))

    async def show(seen: str, embedded: str, reranked: str, request: gr.Request) -> list[Any]:
        language = page_language(request)
        value = await system_value(assistant, language, user_of(request) or None, sizes)
        now = digest(value)
        return [
            *([gr.skip(), gr.skip()] if now == seen else [value, now]),
            *embeddings_parts(await library.embedding_state(), language, embedded),
            *reranker_parts(await library.reranker_state(), language, reranked),
        ]

    async def clear_cache(event: PageEvent, request: gr.Request) -> list[Any]:
        return await clear(partial(sizes.clear, *([event.name] if event.name else [])), request)

    async def clear_unanswered(request: gr.Request) -> list[Any]:
        return await clear(partial(assistant.unanswered.clear, user_of(request) or None), request)

    async def clear(work: Callable[[], object], request: gr.Request) -> list[Any]:
        try:
            await asyncio.to_thread(work)
        except CitewiseError as error:
            gr.Warning(corner_message(error.in_full, request))
        return await show("", "", "", request)

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    tab.select(show, page.noted, page.parts, **quiet)
    connect_clock(page.timer, news, show, page.noted, page.parts)
    page.shown.cache_cleared(clear_cache, None, page.parts, trigger_mode="multiple", **quiet)
    page.shown.list_cleared(clear_unanswered, None, page.parts, trigger_mode="multiple", **quiet)


async def system_value(
    assistant: Assistant, language: Language, user: str | None = None, sizes: CacheSizes | None = None
) -> dict[str, Any]:
    """What system.js draws: plain words and numbers. With a login, of what was asked only what this user asked."""
    sizes = sizes or CacheSizes(assistant.caches)
    metrics, shares = assistant.metrics, [assistant.metrics.first_cited(), await _feedback(assistant)]
    return {
        "sections": await sections(assistant, language),
        "metrics": metrics_table(metrics.figures(), metrics.totals(), language, shares),
        "unanswered": await asyncio.to_thread(unanswered_table, assistant.unanswered, user, language),
        "caches": caches_table(await asyncio.to_thread(sizes.now), language),
        "settings": settings_table(assistant.settings, language),
    }


async def _feedback(assistant: Assistant) -> Share:
    store = assistant.feedback
    last, thumbs = await asyncio.to_thread(lambda: (store.last(RECENT), store.counts()))
    return Share.of("feedback", thumbs.up, thumbs.up + thumbs.down, last)


def metrics_table(
    figures: Sequence[Figure], totals: Totals, language: Language, shares: Sequence[Share] = ()
) -> dict[str, Any]:
    """A row a kind of time, with its last values for a small curve; the same of shares; then what is only counted."""
    named = {figure.name: text(f"m_{figure.name}", language) for figure in figures if f"m_{figure.name}" in _NAMED}
    return {
        "title": text("metrics", language),
        "about": text("metrics_about", language),
        "none": text("metrics_none", language),
        "head": [text(key, language) for key in ("m_what", "m_count", "m_last", "m_median", "m_p95", "m_recent")],
        "rows": [
            {
                "name": named.get(figure.name, figure.name),
                "cells": [f"{figure.count:,}", *map(seconds, (figure.recent[-1], figure.median, figure.p95))],
                "recent": [round(value, 6) for value in figure.recent],
            }
            for figure in figures
        ],
        "shares": {
            "head": [text(key, language) for key in ("m_share_of", "m_count", "m_well", "m_so_far", "m_recent")],
            "rows": [
                {
                    "name": text(f"m_{share.name}", language),
                    "cells": [f"{share.count:,}", f"{share.well:,}", f"{share.recent[-1]:.0%}"],
                    "recent": [round(value, 4) for value in share.recent],
                    "top": 1,
                }
                for share in shares
                if share.recent
            ],
        },
        "counted": [message.to(language) for message in count_rows(totals)],
    }


def count_rows(totals: Totals) -> list[Message]:
    rows = []
    if totals.turns:
        zh = "，".join(f"{text(f'o_{name}', 'zh')} {count:,}" for name, count in sorted(totals.turns.items()))
        en = ", ".join(f"{count:,} {text(f'o_{name}', 'en')}" for name, count in sorted(totals.turns.items()))
        rows.append(Message(zh=f"对话轮次：{zh}", en=f"Turns: {en}"))
    for provider, (asked, failed) in totals.calls.items():
        rows.append(
            Message(
                zh=f"{provider}：{asked:,} 次请求，{failed:,} 次失败",
                en=f"{provider}: {asked:,} request{'s' * (asked != 1)}, {failed:,} failed",
            )
        )
    if any(totals.tokens):
        zh, en = (f"{totals.tokens[0]:,}", f"{totals.tokens[1]:,}")
        rows.append(Message(zh=f"词元：输入 {zh}，输出 {en}", en=f"Tokens: {zh} in, {en} out"))
    if totals.embedded:
        rows.append(
            Message(
                zh=f"入库时嵌入的文本：{totals.embedded:,}", en=f"Texts embedded while storing: {totals.embedded:,}"
            )
        )
    return rows


def seconds(value: float) -> str:
    """As many digits as tell something: 12 s, 1.24 s, 87 ms, 0.42 ms."""
    if value >= 10:
        return f"{value:.0f} s"
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1000:.0f} ms" if value >= 0.01 else f"{value * 1000:.2f} ms"


_NAMED = {f"m_{name}" for name in (
    "turn", "first_token", "plan", "search", "hyde", "meaning", "rerank", "answer", "judge", "web", "embed"
)}  # fmt: skip
