"""Document sets: chosen in selectors, made, renamed, deleted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from errors import CitewiseError
from library import Library
from schema import DocSetInfo, Language, Message, Source
from ui.texts import corner_message, page_language, text
from web.problems import shown as printable

_NAMED = 5  # websites and repositories that go with their set; of more the number is told


@dataclass(frozen=True)
class DocSetPanel:
    picked: gr.Dropdown
    name: gr.Textbox
    create: gr.Button
    rename: gr.Button
    delete: gr.Button
    question: gr.Textbox  # what is to be deleted and what that means, as JSON


def build_doc_sets(label: dict[str, Any]) -> DocSetPanel:
    with gr.Accordion(label["doc_sets"], open=False, elem_id="doc-sets-panel"), gr.Row(elem_classes="controls"):
        picked = gr.Dropdown([], value=None, label=label["pick_set"], elem_id="picked-set", min_width=160)
        name = gr.Textbox(label=label["set_name"], max_lines=1, max_length=200, elem_id="set-name", min_width=160)
        with gr.Row(elem_classes="buttons"):
            create = gr.Button(label["create_set"], size="sm", elem_id="create-set", min_width=90)
            rename = gr.Button(label["rename_set"], size="sm", elem_id="rename-set", min_width=90)
            delete = gr.Button(label["delete_set"], size="sm", variant="stop", elem_id="delete-set", min_width=90)
    return DocSetPanel(picked, name, create, rename, delete, gr.Textbox("", max_lines=1, visible="hidden"))


def connect_doc_sets(sets: DocSetPanel, library: Library, into: gr.Dropdown) -> None:
    """Its own events. The page's timer shows what has come of them. `into` is the set that the next files go to."""

    async def create(name: str, request: gr.Request) -> tuple[Any, str]:
        name = (name or "").strip()
        if not name:
            raise _refused(NAMELESS, request)
        if not await _attempt(library.add_doc_set(name), request):
            raise _refused(THERE_ALREADY, request)
        return await asyncio.to_thread(_managed, library, name), ""

    async def rename(picked: str | None, name: str, chosen: str | None, request: gr.Request) -> tuple[Any, str, Any]:
        name = (name or "").strip()
        if not picked or not name:
            raise _refused(NAMELESS, request)
        await _attempt(library.rename_doc_set(picked, name), request)
        follows = gr.update(value=name) if chosen == picked else gr.skip()  # else the next file makes the old set anew
        return await asyncio.to_thread(_managed, library, name), "", follows

    async def ask(picked: str | None, request: gr.Request) -> str:
        return await asyncio.to_thread(deletion_asked, library, picked, page_language(request))

    async def delete(agreed: str | None, request: gr.Request) -> tuple[Any, str]:
        if agreed:
            await _attempt(library.delete_doc_set(agreed), request)
        return await asyncio.to_thread(_managed, library, None), ""

    shown: list[Any] = [sets.picked, sets.name]
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    sets.create.click(create, sets.name, shown, **quiet)
    sets.name.submit(create, sets.name, shown, **quiet)
    sets.rename.click(rename, [sets.picked, sets.name, into], [*shown, into], **quiet)
    sets.delete.click(ask, sets.picked, sets.question, **quiet).success(delete, sets.question, shown, js=_ASK, **quiet)


# Deleted is what was asked about, whatever has been picked meanwhile.
_ASK = """question => {
    const [name, words] = JSON.parse(question);
    return [name && confirm(words) ? name : null];
}"""

NAMELESS = Message(zh="请先选择文档集，并写出名字。", en="Choose a set and write a name first.")
THERE_ALREADY = Message(zh="已经有这个名字的文档集。", en="There is a set of this name already.")


def deletion_asked(library: Library, name: str | None, language: Language) -> str:
    """The name of the set, and the question whether to delete it, as JSON; both empty where there is none."""
    info = next((info for info in library.doc_set_infos() if name and info.name == name), None)
    if info is None:
        return json.dumps(["", ""])
    return json.dumps([name, deletion_question(info, library.store.sources(name)).to(language)])


def deletion_question(info: DocSetInfo, sources: Sequence[Source]) -> Message:
    """With its websites and repositories, which go too."""
    name, count, number = printable(info.name), f"{info.documents:,}", len(sources)
    zh = f"要删除文档集“{name}”和其中的 {count} 个文件吗？"
    en = f"Delete the set “{name}” with its {count} document{'s' * (info.documents != 1)}?"
    if not sources:
        return Message(zh=zh, en=en)
    named = "".join(f"\n- {printable(one.address)}" for one in sources[:_NAMED])
    named += "\n…" * (number > _NAMED)
    return Message(
        zh=f"{zh}\n\n它的 {number} 个网站或仓库来源也会一并删除，不再刷新：{named}",
        en=f"{en}\n\n{f'Its {number} websites or repositories go' if number > 1 else 'Its website or repository goes'} "
        f"too, and will not be refreshed any more:{named}",
    )


async def _attempt(work: Any, request: gr.Request) -> Any:
    """A refusal of the library becomes a word on the page."""
    try:
        return await work
    except CitewiseError as error:
        raise _refused(error.in_full, request) from error


def _refused(message: Message, request: gr.Request) -> gr.Error:
    return gr.Error(corner_message(message, request), print_exception=False)


def set_choices(infos: Sequence[DocSetInfo], language: Language) -> list[tuple[str, str]]:
    """Name and count; the documents that are in no set come last."""
    named = [(f"{info.name} ({info.documents:,})", info.name) for info in infos if info.name]
    rest = [(f"{text('no_set', language)} ({info.documents:,})", "") for info in infos if not info.name]
    return [*named, *rest]


def into_choices(infos: Sequence[DocSetInfo]) -> list[str]:
    """Where files can be saved or moved: any set; nothing is the set of those that are in none."""
    return [info.name for info in infos if info.name]


def manage_choices(infos: Sequence[DocSetInfo]) -> list[tuple[str, str]]:
    return [(f"{info.name} ({info.documents:,})", info.name) for info in infos if info.name]


def _managed(library: Library, picked: str | None) -> Any:
    choices = manage_choices(library.doc_set_infos())
    return gr.update(choices=choices, value=picked if any(picked == name for _, name in choices) else None)
