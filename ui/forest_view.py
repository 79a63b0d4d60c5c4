"""Names on the library page: those that connect most, and each document as a tree; a click asks about one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import gradio as gr

from entities import ConnectedName
from library import Library
from schema import Language
from stores.forest import ROOT, DocumentTree, document_tree, written_in
from ui.documents import RowKey
from ui.scripted_html import scripted_html
from ui.texts import page_language, text

_NAMES = 24
_NODES = 400  # of a tree that are sent
_DEEPEST = 12


@dataclass(frozen=True)
class ForestPanel:
    """Folded until it is wanted; only then something is read."""

    panel: gr.Accordion
    drawn: gr.HTML

    @property
    def outputs(self) -> list[Any]:
        return [self.panel, self.drawn]


def build_names(label: dict[str, Any]) -> ForestPanel:
    return _built(label["names"], "names")


def build_tree(label: dict[str, Any]) -> ForestPanel:
    return _built(label["tree"], "tree")


def _built(title: Any, name: str) -> ForestPanel:
    with gr.Accordion(title, open=False, elem_id=f"{name}-panel") as panel:
        drawn = scripted_html("forest", elem_id=name, elem_classes="forest")
    return ForestPanel(panel, drawn)


def connect_names(panel: ForestPanel, library: Library) -> None:
    async def show(request: gr.Request) -> dict[str, Any]:
        return await asyncio.to_thread(names_value, library, page_language(request))

    panel.panel.expand(show, None, panel.drawn, show_progress="hidden", api_visibility="private")


def connect_tree(panel: ForestPanel, library: Library, opened: gr.State) -> None:
    async def show(key: RowKey | None, request: gr.Request) -> dict[str, Any]:
        language = page_language(request)
        return await asyncio.to_thread(tree_value, library, key, language) if key else {}

    panel.panel.expand(show, opened, panel.drawn, show_progress="hidden", api_visibility="private")


def tree_cleared() -> list[Any]:
    """What `ForestPanel.outputs` show of a document that nobody has asked about yet."""
    return [gr.update(open=False), {}]


def names_value(library: Library, language: Language) -> dict[str, Any]:
    """What forest.js draws. Blocks."""
    connected = library.store.connected_names(_NAMES)
    homes = {hit.chunk_id: hit for hit in library.store.hits([one.home for one in connected])}
    names = [
        {"name": written_in(homes[one.home], one.name), "count": _counts(one, language)}
        for one in connected
        if one.home in homes
    ]
    return {"names": names, "note": text("names_about" if names else "no_names", language), "say": _say(language)}


def _counts(one: ConnectedName, language: Language) -> str:
    asked = [text("n_asked", language).format(one.asked)] if one.asked else []
    return " · ".join([*asked, text("n_places", language).format(one.chunks)])


def tree_value(library: Library, key: RowKey, language: Language) -> dict[str, Any]:
    """The same of a document. Blocks."""
    found = document_tree(library.store, key.name, key.doc_set)
    nodes, left = _nodes(found)
    note = text("tree_cut", language).format(_NODES) if left else "" if nodes else text("no_tree", language)
    return {"tree": nodes, "note": note, "say": _say(language)}


def _say(language: Language) -> dict[str, str]:
    return {"ask": text("ask_about", language), "short": text("ask_short", language)}


def _nodes(tree: DocumentTree) -> tuple[list[dict[str, Any]], bool]:
    """Level by level, and whether some are left out. A name that stands beneath several others is there each time."""
    children, roots = tree.children(), list[dict[str, Any]]()
    level, room = [(ROOT, roots)], _NODES
    for depth in range(_DEEPEST):
        below: list[tuple[str, list[dict[str, Any]]]] = []
        for parent, nodes in level:
            for name in children.get(parent, ())[:room]:
                beneath: list[dict[str, Any]] = []
                written, heading = tree.written.get(name, name), name in tree.headings
                nodes.append({"name": written, "heading": heading, "open": depth == 0, "children": beneath})
                below.append((name, beneath))
                room -= 1
            if room <= 0:
                return roots, True
        level = below
    return roots, False
