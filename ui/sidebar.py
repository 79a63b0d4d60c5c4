"""The side of the chat: the conversations, what is set for the next turns, what is stored, who computes."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import gradio as gr

from answering.origins import listed
from graph.turns import Assistant
from nodes.overrides import Overrides
from nodes.state import Controls
from schema import DocumentInfo, Language, Origin, Scope, WebPolicy
from settings import Settings
from ui.conversations import build_conversations
from ui.doc_sets import into_choices
from ui.drawn import drawn
from ui.embeddings import EmbeddingsPanel, build_embeddings, embeddings_parts
from ui.health import models_markdown, notices_markdown, web_markdown
from ui.markup import literal
from ui.options import chunkers, policies, read_chunking, short_chunking, strategies, unit_choice
from ui.person import build_logout
from ui.preferences import build_preferences
from ui.reranker import RerankerPanel, build_reranker, reranker_parts
from ui.scope_bar import ScopeBar, in_force, sets_of, sets_offered, still_there
from ui.seen import connect_clock, digest, seen_box
from ui.texts import page_language, text
from web.search import sources

LATEST = 5  # documents that are listed here; the library page shows all
OFFERED = 500  # names that the scope offers; any other one can be typed
_SEEN = 60  # characters of a name in the narrow list
# Goes to the other tab without asking the server; where the sidebar covers everything, it is folded.
TO_LIBRARY = """() => {
    if (innerWidth <= 768) document.querySelector('.sidebar.open .toggle-button')?.click();
    document.querySelector('#library-view-button')?.click();
}"""


@dataclass(frozen=True)
class Sidebar:
    """Its components. Events take `controls`; `listing` is what changes with the library and the models."""

    conversations: gr.HTML
    strategy: gr.Dropdown
    answers_in: gr.Dropdown
    web: gr.Dropdown
    chunker: gr.Dropdown
    size: gr.Number
    overlap: gr.Number
    unit: gr.Dropdown
    scope: gr.Dropdown
    sets: gr.Dropdown  # beside the message box, as the next one
    in_force: gr.Markdown
    into: gr.Dropdown
    counts: gr.Markdown
    files: gr.HTML
    to_library: gr.Button
    models: gr.Markdown
    seen: gr.Textbox  # of the library, what is shown
    health: gr.Textbox  # the state of the models that is shown
    embeddings: EmbeddingsPanel
    reranker: RerankerPanel

    @property
    def controls(self) -> list[gr.components.Component]:
        """In the order in which `read_controls` takes their values."""
        return [
            self.strategy, self.web, self.chunker, self.size, self.overlap, self.scope, self.sets, self.into,
            self.answers_in, self.unit,
        ]  # fmt: skip

    @property
    def listing(self) -> list[gr.components.Component]:
        """In the order in which `SidebarHandlers.listing` gives their values."""
        return [self.files, self.counts, self.scope, self.sets, self.into, self.seen, self.models, self.health]

    @property
    def followed(self) -> list[gr.components.Component]:
        """In the order in which `SidebarHandlers.follow` and `news` take their values."""
        return [self.seen, self.scope, self.sets, self.health, self.embeddings.seen, self.reranker.seen]


def build_sidebar(label: dict[str, Any], settings: Settings, bar: ScopeBar) -> Sidebar:
    seen, health = seen_box(), seen_box()
    with gr.Sidebar(width=320, elem_id="side"):
        gr.Markdown("## Citewise")
        conversations = build_conversations()
        with gr.Row(elem_classes="section-row"):
            gr.Markdown(label["library"], elem_classes="section")
            to_library = gr.Button(label["to_library"], size="sm", scale=0, min_width=0, elem_id="to-library")
        counts = gr.Markdown(elem_id="counts")
        files = drawn("latest", elem_id="files")
        with gr.Column(min_width=0, elem_id="folds"):
            with gr.Accordion(label["options"], open=False, elem_id="options"):
                scope = gr.Dropdown(
                    [], multiselect=True, allow_custom_value=True, label=label["scope"], info=label["scope_info"],
                    elem_id="scope",
                )  # fmt: skip
                strategy = gr.Dropdown(strategies("en"), value="", label=label["strategy"], elem_id="strategy")
                answers_in = gr.Dropdown(
                    [(label["auto"], ""), ("中文", "zh"), ("English", "en")], value="", filterable=False,
                    label=label["answers_in"], info=label["answers_in_info"], elem_id="answers-in",
                )  # fmt: skip
                web = gr.Dropdown(
                    policies("en"),
                    value=settings.web,
                    label=label["web"],
                    info=label["web_info"],
                    filterable=False,
                    interactive=settings.web != "never",
                    elem_id="web",
                )
            with gr.Accordion(label["saving"], open=False, elem_id="saving"):
                into = gr.Dropdown(
                    [], value="", allow_custom_value=True, label=label["into_set"], info=label["into_set_info"],
                    elem_id="save-into",
                )  # fmt: skip
                chunker = gr.Dropdown(chunkers("en"), value="", label=label["chunker"], elem_id="chunker")
                size = gr.Number(
                    0, precision=0, minimum=0, label=label["size"], info=label["zero_auto"], elem_id="size"
                )
                overlap = gr.Number(0, precision=0, minimum=0, label=label["overlap"], elem_id="overlap")
                unit = unit_choice(label, "unit", "auto", info=label["unit_info"])
            with gr.Accordion(label["models"], open=False, elem_id="models"):
                models = gr.Markdown()
            embeddings = build_embeddings(label)
            reranker = build_reranker(label)
        build_preferences()
        if settings.users:
            build_logout(label)
    return Sidebar(
        conversations, strategy, answers_in, web, chunker, size, overlap, unit, scope, bar.sets, bar.in_force, into,
        counts, files, to_library, models, seen, health, embeddings, reranker,
    )  # fmt: skip


def connect_sidebar(side: Sidebar, handlers: SidebarHandlers) -> None:
    """Its own events: following the library and the models."""
    shown = [*side.listing, *side.embeddings.parts, *side.reranker.parts]
    # the only clock that runs all the time: each request costs an open page processor
    connect_clock(gr.Timer(2), handlers.news, handlers.follow, side.followed, shown)
    for changed in (side.sets.change, side.scope.change, side.seen.change):
        changed(
            handlers.in_force, [side.sets, side.scope], side.in_force,
            trigger_mode="always_last", show_progress="hidden", api_visibility="private",
        )  # fmt: skip
    side.to_library.click(None, js=TO_LIBRARY)


class SidebarHandlers:
    """What its events do."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self._searched = [source.name for source in sources(assistant.settings, [])]

    async def news(
        self,
        seen: str,
        scope: list[str] | None,
        sets: list[str] | None,
        health: str,
        embedded: str,
        reranked: str,
        request: gr.Request,
    ) -> bool:
        """Whether `follow` has anything to show."""
        library, language = self._assistant.library, page_language(request)
        if seen != self._now() or health != self._models(language)[1]:
            return True
        panels = [
            *embeddings_parts(await library.embedding_state(), language, embedded),
            *reranker_parts(await library.reranker_state(), language, reranked),
        ]
        return any(part != gr.skip() for part in panels)

    async def follow(
        self,
        seen: str,
        scope: list[str] | None,
        sets: list[str] | None,
        health: str,
        embedded: str,
        reranked: str,
        request: gr.Request,
    ) -> list[Any]:
        """What has changed since it was shown, in the listing and in the panels of the models that search."""
        library, language = self._assistant.library, page_language(request)
        return [
            *await asyncio.to_thread(self.refresh, seen, scope, sets, health, request),
            *embeddings_parts(await library.embedding_state(), language, embedded),
            *reranker_parts(await library.reranker_state(), language, reranked),
        ]

    def refresh(
        self, seen: str, scope: list[str] | None, sets: list[str] | None, health: str, request: gr.Request
    ) -> list[Any]:
        """What has changed since it was shown."""
        language = page_language(request)
        models = self._models(language)
        files = [gr.skip()] * 6 if seen == self._now() else self._files(language, scope or [], sets)
        return [*files, *([gr.skip()] * 2 if models[1] == health else models)]

    def listing(self, language: Language, scope: list[str]) -> list[Any]:
        return [*self._files(language, scope, None), *self._models(language)]

    def in_force(self, sets: list[str] | None, files: list[str] | None, request: gr.Request) -> str:
        return in_force(self._assistant.library, sets_of(sets), files or [], page_language(request))

    def _models(self, language: Language) -> list[Any]:
        models = models_markdown(self._assistant.chain.health(), language)
        shown = f"{models}\n\n{web_markdown(self._assistant.settings.web, self._searched, language)}"
        return [shown, digest(shown)]

    def _now(self) -> str:
        library = self._assistant.library
        # a change is counted before or after it can be read: what was read in between is not the last that is shown
        return digest((library.version, library.generation(), library.progress(), library.notices))

    def _files(self, language: Language, scope: Sequence[str], sets: Sequence[str] | None) -> list[Any]:
        """The newest documents and the counts, and the choices of the controls that name documents and sets."""
        library, now = self._assistant.library, self._now()
        documents, infos = library.documents(), library.doc_set_infos()
        in_sets = {name for name in sets_of(sets) if any(info.name == name for info in infos)}
        names = {one.name: one.origin for one in documents if not in_sets or one.doc_set in in_sets}
        offered = [(" · ".join(_lines(name, names[name])), name) for name in islice(names, OFFERED)]
        rows = [
            ["\n".join(_lines(one.name, one.origin)), f"{one.chunks:,}", short_chunking(one.chunking, language)]
            for one in documents[:LATEST]
        ]
        heads = [text(key, language) for key in ("file", "chunks", "how")]
        empty = "" if rows else text("empty_library", language)
        said = [notices_markdown(library.notices, language), _counts(documents, library.progress(), language)]
        return [
            {"heads": heads, "rows": rows, "empty": empty},
            "\n\n".join(filter(None, said)),
            gr.update(choices=offered, **_without(scope, names)),
            gr.update(choices=sets_offered(infos, language), **still_there(sets, infos)),
            gr.update(choices=into_choices(infos)),
            now,
        ]


def _lines(name: str, origin: Origin) -> list[str]:
    """A page's title and its address, neither longer than is seen; of anything else the name, whole."""
    if origin.source_type != "website":
        return [name]
    return [part if len(part) <= _SEEN else f"{part[: _SEEN - 1]}…" for part in listed(name, origin) if part]


def _without(chosen: Sequence[str], there: Collection[str]) -> dict[str, Any]:
    """What is chosen, where some of it is gone. Else it is not sent: it may have changed on the page meanwhile."""
    left = [name for name in chosen if name in there]
    return {"value": left} if left != list(chosen) else {}


def _counts(documents: Sequence[DocumentInfo], progress: tuple[int, int], language: Language) -> str:
    """“128 个文档 · 3,400 片”, and how far the files on their way are."""
    zh, (done, total) = language == "zh", progress
    chunks = sum(one.chunks for one in documents)
    count = len(documents)
    said = (
        f"{count:,} 个文档 · {chunks:,} 片"
        if zh
        else f"{count:,} document{'s' * (count != 1)} · {chunks:,} chunk{'s' * (chunks != 1)}"
    )
    if done < total:
        said += f"  \n⏳ {done:,} / {total:,}" + (" 已处理" if zh else " processed")
    if count > LATEST:
        said += f"  \n{'最近的' if zh else 'The latest'} {LATEST}{' 个：' if zh else ':'}"
    return literal(said) if not documents and not total else said


def read_controls(
    language: Language,
    strategy: str,
    web: WebPolicy | None,
    chunker: str,
    size: float | None,
    overlap: float | None,
    scope: list[str] | None,
    sets: list[str] | None,
    into: str | None,
    answers_in: str | None = None,
    unit: str | None = None,
) -> Controls:
    return Controls(
        strategy=strategy or None,
        chunking=read_chunking(chunker, size, overlap, unit),
        scope=Scope(documents=tuple(scope or ()), doc_sets=sets_of(sets)),
        doc_set=(into or "").strip() or None,
        language=language,
        web=web or None,
        overrides=Overrides.model_validate({"language": answers_in}),
    )
