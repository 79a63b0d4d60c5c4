"""The library managed from a terminal: document sets, moving, cutting, and files on their way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.ingest import Chunker, Unit
from commands.library_client import LibraryClient, message_of, with_client
from commands.terminal import print_message, show, show_table
from schema import Message

if TYPE_CHECKING:
    from doors.management import ChunkList

sets = typer.Typer(no_args_is_help=True)

_Set = Annotated[str | None, typer.Option("--set", help="Of this document set alone. / 只限这个文档集。")]
_Names = Annotated[list[str], typer.Argument(help="Documents, as `list` shows them. / 文件名，同 list 所列。")]
_Some = Annotated[list[str] | None, typer.Argument(help="Files; all if none. / 文件名；不写则全部。")]
_Name = Annotated[str, typer.Argument(help="A document, as `list` shows it. / 文件名，同 list 所列。")]
_SetName = Annotated[str, typer.Argument(help="A document set. / 文档集。")]
_Strategy = Annotated[Chunker | None, typer.Option("--chunker", help="How to cut them. / 切片策略。")]
_Size = Annotated[int | None, typer.Option(help="The most of a chunk. / 切片大小。")]
_Overlap = Annotated[int | None, typer.Option(help="How much chunks share. / 切片重叠。")]
_Unit = Annotated[Unit | None, typer.Option(help="What both are counted in. / 以上两项的单位。")]
_Limit = Annotated[int, typer.Option(help="How many chunks are shown. / 显示几个切片。", min=1, max=1000)]


def cut_as(chunker: Chunker | None, size: int | None, overlap: int | None, unit: Unit | None) -> dict[str, Any]:
    """The arguments of a service that cuts."""
    return {
        "chunker": chunker.value if chunker else None, "chunk_size": size, "chunk_overlap": overlap,
        "chunk_unit": unit.value if unit else None,
    }  # fmt: skip


@sets.callback()
def _of_sets() -> None:
    """Document sets: listed, made, renamed, deleted. / 文档集：列出、新建、改名、删除。"""


@sets.command(name="list")
@with_client()
async def list_sets(caller: LibraryClient) -> None:
    """Show the document sets. / 列出文档集。"""
    from doors.management import DocSetList

    found = DocSetList.model_validate(await caller.call("list_sets")).doc_sets
    rows = [(one.name or print_message(_NO_SET), f"{one.documents:,}", f"{one.chunks:,}") for one in found]
    show_table(_COLUMNS, rows, _EMPTY, right=(1, 2))


@sets.command(name="add")
@with_client()
async def add_set(caller: LibraryClient, name: _SetName) -> None:
    """Make an empty document set. / 新建一个空的文档集。"""
    await caller.call("make_set", name=name)
    show(_MADE, name=name)


@sets.command(name="rename")
@with_client()
async def rename_set(
    caller: LibraryClient, name: _SetName, to: Annotated[str, typer.Argument(help="Its new name. / 新名字。")]
) -> None:
    """Rename a document set; its documents and sources go with it. / 文档集改名，文件和来源随之改变。"""
    await caller.call("rename_set", name=name, to=to)
    show(f"{name} → {to}")


@sets.command(name="delete")
@with_client()
async def delete_set(
    caller: LibraryClient,
    name: _SetName,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask. / 不再确认。")] = False,
) -> int:
    """Delete a document set with its documents and sources. / 删除文档集和其中的文件、来源。"""
    from doors.management import DocSetList

    found = DocSetList.model_validate(await caller.call("list_sets")).doc_sets
    count = next((one.documents for one in found if one.name == name), 0)
    if count and not yes and not typer.confirm(print_message(_SURE).format(name=name, count=count)):
        return 1
    done = await caller.call("delete_set", name=name)
    show(_DELETED, name=name, count=done["deleted"])
    return 0


@with_client()
async def rechunk(
    caller: LibraryClient,
    names: _Names,
    doc_set: _Set = None,
    chunker: _Strategy = None,
    size: _Size = None,
    overlap: _Overlap = None,
    unit: _Unit = None,
) -> int:
    """Chunk stored documents again, and wait for it. / 重新切片，完成后返回。"""
    how = cut_as(chunker, size, overlap, unit)
    return _show_processing(await caller.call("rechunk", names=list(names), doc_set=doc_set, **how))


@with_client()
async def reread(caller: LibraryClient, names: _Some = None, doc_set: _Set = None) -> int:
    """Read documents again from their originals; without names, those that can now be read better.
    / 用保存的原件重新读取；不写文件名则读取现在能读得更好的文件。"""
    return _show_processing(await caller.call("reread", names=list(names or ()), doc_set=doc_set))


@with_client()
async def retry(caller: LibraryClient, names: _Some = None, doc_set: _Set = None) -> int:
    """Try again what has failed, and wait for it. / 重试失败的文件，完成后返回。"""
    return _show_processing(await caller.call("retry", names=list(names or ()), doc_set=doc_set))


@with_client()
async def cancel(caller: LibraryClient, names: _Some = None, doc_set: _Set = None) -> None:
    """Forget files that are on their way or have failed. / 取消正在处理或失败的文件。"""
    done = await caller.call("cancel", names=list(names or ()), doc_set=doc_set)
    show(_CANCELLED, count=done["count"])


@with_client()
async def process(caller: LibraryClient, doc_set: _Set = None) -> int:
    """Process what waits now, then make the vectors that are missing. / 立即处理等待的文件，并补上缺少的向量。"""
    return _show_processing(await caller.call("process", doc_set=doc_set))


@with_client()
async def preview(
    caller: LibraryClient,
    name: _Name, doc_set: _Set = None, chunker: _Strategy = None, size: _Size = None, overlap: _Overlap = None,
    unit: _Unit = None, limit: _Limit = 20,
) -> None:  # fmt: skip
    """Show how a stored document would be cut; nothing is changed. / 预览切片，不做任何改动。"""
    from doors.management import ChunkList

    how = cut_as(chunker, size, overlap, unit)
    _show(ChunkList.model_validate(await caller.call("preview", name=name, doc_set=doc_set, limit=limit, **how)))


@with_client()
async def chunks(
    caller: LibraryClient,
    name: _Name,
    doc_set: _Set = None,
    first: Annotated[int, typer.Option(help="From this chunk on, the first is 1. / 从第几个切片起。", min=1)] = 1,
    limit: _Limit = 20,
) -> None:
    """Show the chunks of a document. / 显示一个文件的切片。"""
    from doors.management import ChunkList

    found = await caller.call("chunks", name=name, doc_set=doc_set, first=first - 1, limit=limit)
    _show(ChunkList.model_validate(found))


def _show(cuts: ChunkList) -> None:
    how = cuts.chunking.model_dump(exclude_none=True) if cuts.chunking else {}
    show(_CUT, count=cuts.total, how=", ".join(f"{key}={value}" for key, value in how.items()))
    for one in cuts.chunks:
        where = " › ".join(one.headings)
        show(f"\n[{one.number}] {one.lines[0]}–{one.lines[1]}  {where}")
        show(one.text)


def _show_processing(found: dict[str, Any]) -> int:
    """Exit status: 1 when a file failed."""
    from doors.management import ProcessResult

    done = ProcessResult.model_validate(found)
    show(_DONE, count=len(done.stored))
    if done.embedded:
        show(_EMBEDDED, count=done.embedded)
    for name, error in done.failed.items():
        sentences = [print_message(message_of(one)) for one in (error.message, *error.suggestions)]
        show(f"✗ {name}  {' '.join(sentences)}")
    return 1 if done.failed else 0


_COLUMNS: Sequence[Message] = (
    Message(zh="文档集", en="document set"),
    Message(zh="文件", en="documents"),
    Message(zh="切片", en="chunks"),
)
_NO_SET = Message(zh="（不属于任何集）", en="(in none)")
_EMPTY = Message(
    zh="还没有文档集。用 cli.py sets add 新建，或在保存文件时用 --set 指定。",
    en="No document sets yet. Make one with: cli.py sets add NAME, or store files with --set NAME",
)
_MADE = Message(zh="已新建文档集“{name}”。", en="{name} was made.")
_SURE = Message(zh="删除文档集“{name}”和其中的 {count} 个文件？", en="Delete {name} with its {count} documents?")
_DELETED = Message(zh="已删除文档集“{name}”，连同 {count} 个文件。", en="{name} was deleted, with {count} documents.")
_CANCELLED = Message(zh="已取消 {count} 个文件。", en="{count} cancelled.")
_DONE = Message(zh="已处理 {count} 个文件。", en="{count} processed.")
_EMBEDDED = Message(zh="已补上 {count} 个切片的向量。", en="Missing vectors made: {count}.")
_CUT = Message(zh="共 {count} 个切片（{how}）", en="{count} chunks ({how})")
