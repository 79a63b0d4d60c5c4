"""What is done with files: upload them, and with those that are chosen in the table anything else."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr

from errors import CitewiseError
from library import Library
from schema import EmbeddingReport, IncomingFile, Message, Status, Task
from ui.documents import RowKey
from ui.events import unreadable
from ui.gradio_internals.uploads import drop_gradio_copies
from ui.markup import literal
from ui.options import chunkers, read_chunking, unit_choice
from ui.texts import TEXTS, corner_message, page_language

_ON_ITS_WAY: tuple[Status, ...] = ("pending", "processing")
_CHOSEN = "(_, ...rest) => [chosenDocuments(), ...rest]"
_CONFIRMED = f"""() => {{
    const keys = chosenDocuments(), zh = navigator.language.startsWith('zh');
    if (!keys.length) return [keys];
    const names = keys.slice(0, 10).map(key => JSON.parse(key)[1]);
    if (keys.length > names.length) names.push('…');
    const asked = (zh ? '{TEXTS["js_delete"].zh}' : '{TEXTS["js_delete"].en}').replace('{{}}', keys.length);
    return [confirm(`${{asked}}\\n\\n${{names.join('\\n')}}`) ? keys : null];
}}"""
_CANCEL_ALL = f"""() => [confirm(navigator.language.startsWith('zh') ? '{TEXTS["js_cancel"].zh}'
    : '{TEXTS["js_cancel"].en}') ? [] : null]"""

NONE_CHOSEN = Message(zh="请先在表格里选择文件。", en="Choose files in the table first.")
EMBEDDING = Message(zh="正在嵌入……聊天不受影响。", en="Embedding … the chat goes on meanwhile.")
NOT_KEPT = Message(
    zh="有的文件没有保存原件，不能重新读取；请重新上传。",
    en="Some files cannot be read again, since their originals are not kept: upload them again.",
)
NOTHING_FAILED = Message(zh="所选文件里没有失败的。", en="None of the chosen files has failed.")


@dataclass(frozen=True)
class Actions:
    upload: gr.File
    into: gr.Dropdown
    chunker: gr.Dropdown
    size: gr.Number
    overlap: gr.Number
    unit: gr.Dropdown
    refresh: gr.Button
    embed: gr.Button
    rechunk: gr.Button
    reread: gr.Button
    move: gr.Button
    retry: gr.Button
    cancel: gr.Button
    cancel_all: gr.Button
    delete: gr.Button
    done: gr.Markdown  # what became of the last embedding by hand
    chosen: gr.JSON  # what js hands over: the keys that are chosen at the moment of a click

    @property
    def how(self) -> list[gr.components.Component]:
        return [self.chunker, self.size, self.overlap, self.unit]


class UploadPanel(NamedTuple):
    """Where files come in, and what becomes of them."""

    upload: gr.File
    into: gr.Dropdown
    chunker: gr.Dropdown
    size: gr.Number
    overlap: gr.Number
    unit: gr.Dropdown


def build_uploads(label: dict[str, Any]) -> UploadPanel:
    with gr.Row(elem_id="bring", equal_height=False):
        with gr.Column(min_width=280, scale=2):
            upload = gr.File(file_count="multiple", label=label["drop"], height=120, elem_id="upload")
        with gr.Column(min_width=280, scale=3, elem_id="how"):
            with gr.Row(elem_classes="controls"):
                into = gr.Dropdown(
                    [], value="", allow_custom_value=True, label=label["set"], min_width=130, elem_id="into"
                )
                chunker = gr.Dropdown(
                    chunkers("en", "usual"), value="", label=label["chunker"], min_width=130, elem_id="lib-chunker"
                )
                size = gr.Number(0, precision=0, minimum=0, label=label["size"], min_width=90, elem_id="lib-size")
                overlap = gr.Number(
                    0, precision=0, minimum=0, label=label["overlap"], min_width=90, elem_id="lib-overlap"
                )
                unit = unit_choice(label, "lib-unit", min_width=110)
            gr.Markdown(label["how_info"], elem_classes="hint")
    return UploadPanel(upload, into, chunker, size, overlap, unit)


def build_actions(label: dict[str, Any], bringing: UploadPanel, cancel_all: gr.Button) -> Actions:
    chosen = gr.JSON(visible=False)
    with gr.Row(elem_id="actions", elem_classes="buttons"):
        buttons: dict[str, Any] = {
            name: gr.Button(label[name], size="sm", min_width=80, elem_id=name.replace("_", "-"),
                            variant="stop" if name == "delete" else "secondary")
            for name in ("refresh", "embed_now", "rechunk", "reread", "move", "retry", "cancel", "delete")
        }  # fmt: skip
    buttons["embed"] = buttons.pop("embed_now")
    done = gr.Markdown(visible=False, elem_id="embedded")
    return Actions(*bringing, cancel_all=cancel_all, chosen=chosen, done=done, **buttons)


def connect_actions(actions: Actions, library: Library) -> None:
    """Its own events. The page's timer shows what has come of them."""
    handlers = ActionHandlers(library)
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    chosen = actions.chosen
    actions.upload.upload(
        handlers.upload, [actions.upload, actions.into, *actions.how], actions.upload,
        concurrency_limit=4, **quiet,
    )  # fmt: skip
    actions.embed.click(handlers.embed, None, actions.done, concurrency_limit=4, **quiet)
    actions.rechunk.click(handlers.rechunk, [chosen, *actions.how], None, js=_CHOSEN, **quiet)
    actions.reread.click(handlers.reread, chosen, None, js=_CHOSEN, **quiet)
    actions.move.click(handlers.move, [chosen, actions.into], None, js=_CHOSEN, **quiet)
    actions.retry.click(handlers.retry, chosen, None, js=_CHOSEN, **quiet)
    actions.cancel.click(handlers.cancel, chosen, None, js=_CHOSEN, **quiet)
    actions.cancel_all.click(handlers.cancel_all, chosen, None, js=_CANCEL_ALL, **quiet)
    actions.delete.click(handlers.delete, chosen, None, js=_CONFIRMED, **quiet)


class ActionHandlers:
    """What its events do."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._embedding: asyncio.Task[EmbeddingReport] | None = None  # for all who press the button meanwhile

    async def upload(
        self,
        paths: list[str] | None,
        into: str | None,
        strategy: str,
        size: float | None,
        overlap: float | None,
        unit: str | None,
        request: gr.Request,
    ) -> None:
        """Hand the files over: nobody waits until they are stored. Copied, since those of the page are swept away."""
        chunking, doc_set = read_chunking(strategy, size, overlap, unit), (into or "").strip()
        files = [IncomingFile(Path(path).name, path=path, doc_set=doc_set, chunking=chunking) for path in paths or []]
        try:
            await _attempt(self._library.submit(files, copy=True), request)
        finally:
            await asyncio.to_thread(drop_gradio_copies, paths or [])

    async def embed(self, request: gr.Request) -> AsyncGenerator[Any]:
        """What is done by hand goes on when the page is left; who stays is told what came of it."""
        language = page_language(request)
        yield gr.update(value=EMBEDDING.to(language), visible=True)
        if self._embedding is None or self._embedding.done():
            self._embedding = asyncio.create_task(self._library.embed_now())
        report = await asyncio.shield(self._embedding)
        tasks = Counter(task.status for task in self._library.tasks())
        report_text = embedding_report(report, tasks["pending"] + tasks["processing"], tasks["failed"])
        yield gr.update(value=literal(report_text.to(language)), visible=True)

    async def rechunk(
        self,
        chosen: Any,
        strategy: str,
        size: float | None,
        overlap: float | None,
        unit: str | None,
        request: gr.Request,
    ) -> None:
        chunking = read_chunking(strategy, size, overlap, unit)
        cuts = [(key.name, key.doc_set, chunking) for key in _keys(chosen, request)]
        await _attempt(self._library.submit_rechunk(cuts), request)

    async def reread(self, chosen: Any, request: gr.Request) -> None:
        documents = [(key.name, key.doc_set) for key in _keys(chosen, request)]
        tasks = await _attempt(self._library.submit_reread(documents), request)
        if tasks is not None and len(tasks) < len(documents):
            gr.Info(corner_message(NOT_KEPT, request))

    async def move(self, chosen: Any, to: str | None, request: gr.Request) -> None:
        for key in _keys(chosen, request):
            await _attempt(self._library.move(key.name, key.doc_set, (to or "").strip()), request)

    async def retry(self, chosen: Any, request: gr.Request) -> None:
        failed = self._tasks(_keys(chosen, request), ("failed", "skipped"))
        if chosen and not failed:
            gr.Info(corner_message(NOTHING_FAILED, request))
        await _attempt(self._library.retry([task.id for task in failed]), request)

    async def cancel(self, chosen: Any, request: gr.Request) -> None:
        found = self._tasks(_keys(chosen, request), _ON_ITS_WAY)
        await _attempt(self._library.cancel([task.id for task in found]), request)

    async def cancel_all(self, confirmed: Any) -> None:
        if confirmed is not None:
            await self._library.cancel([task.id for task in self._library.tasks() if task.status in _ON_ITS_WAY])

    async def delete(self, chosen: Any, request: gr.Request) -> None:
        """Documents, and what is on its way or failed under their names."""
        if chosen is None:  # asked back, and not confirmed
            return
        for key in _keys(chosen, request):
            await _attempt(self._library.delete(key.name, key.doc_set), request)

    def _tasks(self, keys: Sequence[RowKey], states: tuple[Status, ...]) -> list[Task]:
        wanted = set(keys)
        return [
            task
            for task in self._library.tasks()
            if RowKey(task.doc_set, task.name) in wanted and task.status in states
        ]


def embedding_report(report: EmbeddingReport, waiting: int, failed: int) -> Message:
    """What was done, what failed, what is left to do."""
    left, problem = report.left_documents, report.problem
    zh, en = [], []
    if report.documents:
        zh.append(f"✅ 已为 {report.documents:,} 个文档的 {report.chunks:,} 个切片生成向量。")
        en.append(f"✅ Embedded: {_count(report.chunks, 'chunk')} of {_count(report.documents, 'document')}.")
    elif not left and not problem:
        zh.append("✅ 所有文档都已有向量，没有需要嵌入的内容。")
        en.append("✅ Every document has its vectors: there was nothing to embed.")
    if left:
        zh.append(f"🟡 还有 {left:,} 个文档的 {report.left_chunks:,} 个切片没有向量，目前只能按关键词找到。")
        en.append(
            f"🟡 Left: {_count(report.left_chunks, 'chunk')} of {_count(left, 'document')} without vectors, found by "
            "keywords alone."
        )
    if problem:
        zh.append(f"❌ {problem.zh}")
        en.append(f"❌ {problem.en}")
    if waiting:
        zh.append(f"⏳ 另有 {waiting:,} 个文件正在处理，完成后自动嵌入。")
        en.append(f"⏳ {_count(waiting, 'file')} on the way, embedded when read.")
    if failed:
        zh.append(f"❌ {failed:,} 个文件处理失败：在表格里选中后点“重试”。")
        en.append(f"❌ {_count(failed, 'file')} failed: choose them in the table and press Retry.")
    return Message(zh="".join(zh), en=" ".join(en))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


async def _attempt(work: Coroutine[Any, Any, Any], request: gr.Request) -> Any:
    """What comes of it; a refusal of the library becomes a word on the page, and None."""
    try:
        return await work
    except CitewiseError as error:
        gr.Warning(corner_message(error.in_full, request))
        return None


def _keys(chosen: Any, request: gr.Request) -> list[RowKey]:
    """As the table handed them over; a word to the person where there are none."""
    if not chosen:
        gr.Info(corner_message(NONE_CHOSEN, request))
    elif not isinstance(chosen, list):
        raise unreadable()
    return [RowKey.of(value) for value in chosen or []]
