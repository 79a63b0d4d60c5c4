"""Moving documents into another set, or the whole library into PostgreSQL and back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import SecretStr

from commands.library_client import LibraryClient, with_client
from commands.terminal import console, errors_without_trace, print_message, read_settings, show, without_event_loop
from errors import CitewiseError
from schema import Message

if TYPE_CHECKING:
    from settings import Settings


def move(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Documents, as `list` shows them; none: the library. / 文件名；不写：整个知识库。"),
    ] = None,
    to: Annotated[
        str,
        typer.Option(
            help="A document set, made where there is none; of the library: postgresql://… or a data folder. / "
            "移入的文档集，没有就新建；整个知识库则是 postgresql://… 或数据文件夹。"
        ),
    ] = ...,  # type: ignore[assignment]  # typer's way to ask for an option
    doc_set: Annotated[str | None, typer.Option("--set", help="Of this document set alone. / 只限这个文档集。")] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Delete what the library there holds beside it. / 删除目标里别的内容。")
    ] = False,
) -> None:
    """Move documents into another document set; without names, copy the whole library into a PostgreSQL database or
    into another data folder, and verify the copy. What was interrupted goes on when it is run again.

    把文件移到另一个文档集；不写文件名则把整个知识库复制到 PostgreSQL 数据库或另一个数据文件夹，并逐一核对。
    中断后再次运行即可继续。
    """
    if names:
        _move_documents(names, to, doc_set)
    else:
        with errors_without_trace(), without_event_loop():
            if doc_set is not None:  # it is all that would go
                raise CitewiseError("settings", _UNCLEAR, _WHAT_TO_NAME)
            _copy_library(read_settings(), to, overwrite)


@with_client()
async def _move_documents(caller: LibraryClient, names: list[str], to: str, doc_set: str | None) -> None:
    done = await caller.call("move", names=names, to=to, doc_set=doc_set)
    show(_MOVED, count=done["count"])


def _copy_library(settings: Settings, to: str, overwrite: bool) -> None:
    """With everything beside the documents that a backup has as well."""
    from stores.selection import open_shared, open_store
    from stores.transfer import transfer, transfer_shared

    there = _settings_there(settings, to)
    with (
        closing(open_store(settings)) as source,
        closing(open_store(there, for_copy=True)) as target,
        _bars() as progress,
    ):
        report = transfer(source, target, progress, overwrite)
        sets = [one.name for one in source.doc_sets()]
        with closing(open_shared(settings)) as shared, closing(open_shared(there)) as shared_there:
            transfer_shared(shared, shared_there, sets)
        conversations = asyncio.run(_copy_conversations(settings, there))
    show(_COPIED, documents=report.documents, chunks=report.chunks, copied=report.copied, conversations=conversations)
    show(_USE_DATABASE if there.database_url else _USE_FOLDER, to=to)


async def _copy_conversations(settings: Settings, there: Settings) -> int:
    from graph.conversation_selection import open_conversations

    async with AsyncExitStack() as stack:
        source = await open_conversations(settings, None)
        stack.push_async_callback(source.close)
        target = await open_conversations(there, None)
        stack.push_async_callback(target.close)
        return await source.copy_to(target)


def _settings_there(settings: Settings, to: str) -> Settings:
    """Raises CitewiseError for what is no place of a library, or this one."""
    if not to.startswith(("postgresql://", "postgres://")):
        if not {"/", "\\"} & {*to}:  # else a set meant for documents that were left out would be made a folder
            raise CitewiseError("settings", _UNCLEAR, _WHAT_TO_NAME)
        there = settings.model_copy(update={"database_url": None, "data_dir": Path(to), "libraries": "shared"})
    else:
        there = settings.model_copy(update={"database_url": SecretStr(to), "libraries": "shared"})
    here = settings.database_url or settings.data_dir.resolve()
    if here == (there.database_url or there.data_dir.resolve()):
        raise CitewiseError("settings", _SAME_PLACE, _ANOTHER_PLACE)
    return there


@contextmanager
def _bars() -> Iterator[Callable[[str, int, int], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console) as bars:
        known: dict[str, TaskID] = {}

        def progress(stage: str, done: int, total: int) -> None:
            if stage not in known:
                known[stage] = bars.add_task(print_message(_STAGES[stage]))
            bars.update(known[stage], completed=done, total=total)

        yield progress


_STAGES = {"copy": Message(zh="复制", en="copying"), "compare": Message(zh="核对", en="verifying")}
_MOVED = Message(zh="已移动 {count} 个文件。", en="{count} moved.")
_COPIED = Message(
    zh="知识库已复制并核对：{documents} 个文件，{chunks} 个切片，本次写入 {copied} 个文件、{conversations} 段对话。"
    "原来的知识库没有改动。",
    en="The library was copied and verified: {documents} documents, {chunks} chunks. Written now: {copied} documents, "
    "{conversations} conversations. The one here is unchanged.",
)
_USE_DATABASE = Message(
    zh="设置 CITEWISE_DATABASE_URL 为这个数据库的地址，再启动程序即可使用。",
    en="Set CITEWISE_DATABASE_URL to this database, and start the program to use it.",
)
_USE_FOLDER = Message(
    zh="设置 CITEWISE_DATA_DIR={to}，去掉 CITEWISE_DATABASE_URL，再启动程序即可使用。",
    en="Set CITEWISE_DATA_DIR={to} and leave CITEWISE_DATABASE_URL out, then start the program to use it.",
)
_UNCLEAR = Message(zh="不清楚要移动什么。", en="It is not clear what to move.")
_WHAT_TO_NAME = Message(
    zh="移到文档集时请写出文件名；移动整个知识库时，--to 请写 postgresql://… 或带斜杠的文件夹，如 ./copy。",
    en="For a document set name the documents; for the whole library give --to a postgresql://… address, or a folder "
    "with a slash, such as ./copy.",
)
_SAME_PLACE = Message(zh="目标就是现在的知识库。", en="The library is there already.")
_ANOTHER_PLACE = Message(zh="请用 --to 写另一个位置。", en="Name another place with --to.")
