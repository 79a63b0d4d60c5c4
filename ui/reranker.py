"""What sorts the best candidates again, as the System tab shows it, and the button that fetches a local reranker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from library import Library
from schema import Language, RerankerState
from ui.markup import literal
from ui.page_notes import digest, note_box
from ui.texts import page_language, text


@dataclass(frozen=True)
class RerankerPanel:
    shown: gr.Markdown
    fetch: gr.Button
    cancel: gr.Button
    seen: gr.Textbox  # what is shown

    @property
    def parts(self) -> list[gr.components.Component]:
        return [self.shown, self.fetch, self.cancel, self.seen]


def build_reranker(label: dict[str, Any]) -> RerankerPanel:
    with gr.Accordion(label["y_reranker"], open=False, elem_id="reranker"):
        shown = gr.Markdown()
        fetch = gr.Button(label["rerank_fetch"], size="sm", visible=False, elem_id="fetch-reranker")
        cancel = gr.Button(label["cancel"], size="sm", visible=False, elem_id="cancel-reranker")
    return RerankerPanel(shown, fetch, cancel, note_box())


def connect_reranker(panel: RerankerPanel, library: Library) -> None:
    """Its own events: fetching a model, giving up. The System tab follows the library for it."""

    async def fetch(request: gr.Request) -> list[Any]:
        library.download_reranker()
        return reranker_parts(await library.reranker_state(), page_language(request), "")

    async def cancel(request: gr.Request) -> list[Any]:
        library.cancel_download()
        return reranker_parts(await library.reranker_state(), page_language(request), "")

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    panel.fetch.click(fetch, None, panel.parts, **quiet)
    panel.cancel.click(cancel, None, panel.parts, **quiet)


def reranker_parts(state: RerankerState, language: Language, note: str | None) -> list[Any]:
    """The parts of the panel; skipped where nothing has changed since it was seen."""
    shown, offered = reranker_markdown(state, language), bool(state.model) and not state.here and not state.download
    now = digest((shown, offered, state.download is None))
    if now == note:
        return [gr.skip()] * 4
    colon, size = "：" if language == "zh" else ": ", f" ({state.megabytes} MB)" if state.megabytes else ""
    button = f"{text('rerank_fetch', language)}{colon}{state.model.rpartition('/')[2]}{size}"
    return [shown, gr.update(visible=offered, value=button), gr.update(visible=state.download is not None), now]


def reranker_markdown(state: RerankerState, language: Language) -> str:
    """What serves; of what can be fetched its name, size and licence, how far it is, what went wrong."""
    serves = literal(state.model if state.here and state.name else state.name or "")
    lines = [f"**{serves}**" if serves else text("rerank_none", language)]
    if state.model and not state.here:
        size = f" · {state.megabytes} MB" if state.megabytes else ""
        licence = f" · {text('rerank_licence', language)} {literal(state.licence)}" if state.licence else ""
        lines.append(f"{text('rerank_about', language)}  \n{literal(state.model)}{size}{licence}")
    if state.download:
        done, total = state.download
        share = f" {done / 1e6:.0f}/{total / 1e6:.0f} MB ({done / total:.0%})" if total else ""
        lines.append(f"{text('fetching', language)}{share} …")
    if state.problem:
        lines.append(f"⚠ {literal(state.problem.to(language))}")
    return "\n\n".join(lines)
