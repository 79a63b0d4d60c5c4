"""What embeds the library, as the System tab shows it, and the button that fetches a local model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from library import Library
from schema import EmbeddingState, Language, Message
from ui.markup import literal
from ui.page_notes import digest, note_box
from ui.texts import page_language, text

_TOO_MUCH = {"unknown": 0.1, "cut": 0.3}  # shares from which on another model is advised
_LANGUAGES = {"zh": Message(zh="中文", en="Chinese"), "en": Message(zh="英文", en="English")}


@dataclass(frozen=True)
class EmbeddingsPanel:
    shown: gr.Markdown
    fetch: gr.Button
    cancel: gr.Button
    seen: gr.Textbox  # what is shown

    @property
    def parts(self) -> list[gr.components.Component]:
        return [self.shown, self.fetch, self.cancel, self.seen]


def build_embeddings(label: dict[str, Any]) -> EmbeddingsPanel:
    with gr.Accordion(label["embeddings"], open=False, elem_id="embeddings"):
        shown = gr.Markdown()
        fetch = gr.Button(label["fetch_model"], size="sm", visible=False, elem_id="fetch-model")
        cancel = gr.Button(label["cancel"], size="sm", visible=False, elem_id="cancel-model")
    return EmbeddingsPanel(shown, fetch, cancel, note_box())


def connect_embeddings(panel: EmbeddingsPanel, library: Library) -> None:
    """Its own events: fetching a model, giving up. The System tab follows the library for it."""

    async def fetch(request: gr.Request) -> list[Any]:
        library.download_model()
        return embeddings_parts(await library.embedding_state(), page_language(request), "")

    async def cancel(request: gr.Request) -> list[Any]:
        library.cancel_download()
        return embeddings_parts(await library.embedding_state(), page_language(request), "")

    for button, press in ((panel.fetch, fetch), (panel.cancel, cancel)):
        button.click(press, None, panel.parts, show_progress="hidden", api_visibility="private")


def embeddings_parts(state: EmbeddingState, language: Language, note: str | None) -> list[Any]:
    """The parts of the panel; skipped where nothing has changed since it was seen."""
    shown = embeddings_markdown(state, language)
    now = digest((shown, state.downloadable, state.download is None))
    if now == note:
        return [gr.skip()] * 4
    return [
        shown,
        gr.update(visible=state.downloadable is not None, value=_button(state, language)),
        gr.update(visible=state.download is not None),
        now,
    ]


def _button(state: EmbeddingState, language: Language) -> str:
    colon = "：" if language == "zh" else ": "
    return f"{text('fetch_model', language)}{colon}{(state.downloadable or '').rpartition('/')[2]}"


def embeddings_markdown(state: EmbeddingState, language: Language) -> str:
    """Which space serves, which is to come, what is missing, and how much of the library the model can read."""
    space, lines, colon = state.space, [], "：" if language == "zh" else ": "
    if space is None:
        lines.append(text("no_space", language))
    else:
        lines.append(
            f"**{literal(_name(space.provider, space.model))}** · {space.dimensions} {text('dimensions', language)}"
        )
    if (space is not None and (space.provider, space.model) != state.wanted) or state.coming:
        done, total = state.coming or (0, 0)
        share = f" {done}/{total} ({done / total:.0%})" if total else ""
        lines.append(f"{text('coming_space', language)}{colon}{literal(_name(*state.wanted))}{share}")
    if state.missing:
        lines.append(text("missing_vectors", language).format(state.missing))
    if state.download:
        done, total = state.download
        share = f" {done / 1e6:.0f}/{total / 1e6:.0f} MB" if total else ""
        lines.append(f"{text('fetching', language)}{share} …")
    if state.problem:
        lines.append(f"⚠ {literal(state.problem.to(language))}")
    learned = (space and space.calibration) or {}
    if rows := _rows(learned, language):
        head = [text(key, language) for key in ("e_language", "e_weight", "e_unknown", "e_cut")]
        lines.append("\n".join([_row(head), _row(["---"] * 4), *map(_row, rows)]))
    lines += [f"⚠ {advice.to(language)}" for advice in _advice(learned.get("reading", {}))]
    return "\n\n".join(lines)


def _name(provider: str, model: str) -> str:
    return provider if provider in ("tfidf", "hashing") else f"{provider}: {model}"


def _rows(learned: dict[str, Any], language: Language) -> list[list[str]]:
    """A row a language: the weight of the vectors beside the keywords, unknown tokens, texts not read to the end."""
    reading = learned.get("reading", {})
    rows = []
    for of, name in _LANGUAGES.items():
        weight, read = learned.get(of, {}).get("vector_weight"), reading.get(of, {})
        shares = (weight, read.get("unknown"), read.get("cut"))
        if any(share is not None for share in shares):
            rows.append([name.to(language), *map(_percent, shares)])
    return rows


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _advice(reading: dict[str, dict[str, float | None]]) -> list[Message]:
    """What to do about a model that cannot read the library."""
    advice = []
    for of, read in reading.items():
        name = _LANGUAGES.get(of, Message(zh=of, en=of))
        if (read.get("unknown") or 0) > _TOO_MUCH["unknown"]:
            advice.append(
                Message(
                    zh=f"这个模型读不懂很多{name.zh}文字，请换用多语言模型（例如 intfloat/multilingual-e5-small）。",
                    en=f"This model cannot read much of the {name.en} text: choose a multilingual one, "
                    "e.g. intfloat/multilingual-e5-small.",
                )
            )
        if (read.get("cut") or 0) > _TOO_MUCH["cut"]:
            advice.append(
                Message(
                    zh=f"很多{name.zh}切片比这个模型能读的长，后半部分没有进入向量：请把切片调小，或换用能读更长文本的模型。",
                    en=f"Many {name.en} chunks are longer than what this model reads; their ends are not in the "
                    "vectors: choose smaller chunks, or a model that reads longer texts.",
                )
            )
    return advice
