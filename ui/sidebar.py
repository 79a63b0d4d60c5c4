"""The side of the page: what is set for the next turns, what is stored, who computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from graph.turns import Assistant
from nodes.state import Controls
from schema import Chunking, Language, Scope
from ui.embeddings import EmbeddingsPanel, build_embeddings
from ui.health import models_markdown
from ui.texts import TEXTS, page_language, text

STRATEGIES = ["default", "keyword", "vector", "hybrid", "hyde", "rm3", "abstract"]
CHUNKERS = ["semantic", "fixed", "recursive", "markdown", "code"]


@dataclass(frozen=True)
class Sidebar:
    """Its components. Events take `controls`; `listing` is what changes with the library and the models."""

    strategy: gr.Dropdown
    chunker: gr.Dropdown
    size: gr.Number
    overlap: gr.Number
    scope: gr.Dropdown
    files: gr.Dataframe
    doomed: gr.Dropdown
    remove: gr.Button
    models: gr.Markdown
    seen: gr.State  # the library's version that is shown
    health: gr.State  # the state of the models that is shown
    embeddings: EmbeddingsPanel

    @property
    def controls(self) -> list[gr.components.Component]:
        """In the order in which `read_controls` takes their values."""
        return [self.strategy, self.chunker, self.size, self.overlap, self.scope]

    @property
    def listing(self) -> list[gr.components.Component]:
        """In the order in which `SidebarHandlers.listing` gives their values."""
        return [self.files, self.scope, self.doomed, self.seen, self.models, self.health]


def build_sidebar(label: dict[str, Any]) -> Sidebar:
    seen, health = gr.State(-1), gr.State("")
    with gr.Sidebar(width=360):
        gr.Markdown("## Citewise")
        with gr.Group():
            scope = gr.Dropdown([], multiselect=True, label=label["scope"], info=label["scope_info"], elem_id="scope")
            strategy = gr.Dropdown(strategies("en"), value="", label=label["strategy"], elem_id="strategy")
        with gr.Accordion(label["saving"], open=False):
            chunker = gr.Dropdown(chunkers("en"), value="", label=label["chunker"], elem_id="chunker")
            size = gr.Number(0, precision=0, minimum=0, label=label["size"], info=label["zero_auto"], elem_id="size")
            overlap = gr.Number(0, precision=0, minimum=0, label=label["overlap"], elem_id="overlap")
        gr.Markdown(label["library"], elem_classes="section")
        files = gr.Dataframe(
            headers=["", "", ""], datatype="str", interactive=False, elem_id="files", show_label=False, wrap=True,
            column_widths=["44%", "24%", "32%"], buttons=[],
        )  # fmt: skip
        with gr.Accordion(label["remove"], open=False):
            doomed = gr.Dropdown([], multiselect=True, label=label["remove_which"], elem_id="doomed")
            remove = gr.Button(label["remove_button"], variant="stop", size="sm", elem_id="remove")
        with gr.Accordion(label["models"], open=False, elem_id="models"):
            models = gr.Markdown()
        embeddings = build_embeddings(label)
    return Sidebar(strategy, chunker, size, overlap, scope, files, doomed, remove, models, seen, health, embeddings)


def connect_sidebar(side: Sidebar, handlers: SidebarHandlers) -> None:
    """Its own events: following the library, deleting files."""
    gr.Timer(1.5).tick(
        handlers.refresh, [side.seen, side.scope, side.health], side.listing,
        show_progress="hidden", api_visibility="private",
    )  # fmt: skip
    side.remove.click(
        handlers.remove, [side.doomed, side.scope], side.listing, api_visibility="private",
        js=f"(names, scope) => [confirm(navigator.language.startsWith('zh') ? '{TEXTS['confirm'].zh}' : "
        f"'{TEXTS['confirm'].en}') ? names : [], scope]",
    )  # fmt: skip


class SidebarHandlers:
    """What its events do."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant

    def refresh(self, seen: int, scope: list[str], health: str, request: gr.Request) -> list[Any]:
        """What has changed since it was shown."""
        language = page_language(request)
        models = self._models(language)
        files = [gr.skip()] * 4 if seen == self._assistant.library.version else self._files(language, scope or [])
        return [*files, *([gr.skip()] * 2 if models[1] == health else models)]

    async def remove(self, names: list[str], scope: list[str], request: gr.Request) -> list[Any]:
        for name in names or []:
            await self._assistant.library.delete(name)
        return self.listing(page_language(request), scope or [])

    def listing(self, language: Language, scope: list[str]) -> list[Any]:
        return [*self._files(language, scope), *self._models(language)]

    def _models(self, language: Language) -> list[Any]:
        shown = models_markdown(self._assistant.chain.health(), language)
        return [shown, shown]

    def _files(self, language: Language, scope: list[str]) -> list[Any]:
        """The table of files, and the choices of the controls that name files."""
        version = self._assistant.library.version
        documents = self._assistant.library.documents()
        names = [document.name for document in documents]
        rows = [[d.name, d.chunks, _how(d.chunking, language)] for d in documents]
        headers = [text(key, language) for key in ("file", "chunks", "how")]
        empty = [[text("empty_library", language), "", ""]]
        return [
            gr.update(value={"headers": headers, "data": rows or empty}),
            gr.update(choices=names, value=[name for name in scope if name in names]),
            gr.update(choices=names, value=[]),
            version,
        ]


def read_controls(
    strategy: str, chunker: str, size: float | None, overlap: float | None, scope: list[str] | None, language: Language
) -> Controls:
    return Controls(
        strategy=strategy or None,
        chunking=Chunking(strategy=chunker or None, size=_number(size), overlap=_number(overlap)),
        scope=Scope(documents=tuple(scope or ())),
        language=language,
    )


def strategies(language: Language) -> list[tuple[str, str]]:
    return [(text("auto", language), ""), *((text(f"s_{name}", language), name) for name in STRATEGIES)]


def chunkers(language: Language) -> list[tuple[str, str]]:
    return [(text("auto", language), ""), *((text(f"c_{name}", language), name) for name in CHUNKERS)]


def _how(chunking: Chunking, language: Language) -> str:
    """Short enough for a table: “递归 300”."""
    return f"{text(f'c_{chunking.strategy}', language)} {chunking.size or ''}".strip()


def _number(value: float | None) -> int | None:
    return int(value) if value else None
