"""What is stored: listed, counted, deleted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated

import typer

from commands.library_client import LibraryClient, with_client
from commands.terminal import console, print_message, show, show_table
from schema import Message

if TYPE_CHECKING:
    from doors.result_forms import DocumentSummary


@with_client()
async def list_documents(
    caller: LibraryClient,
    doc_set: Annotated[str | None, typer.Option("--set", help="Of this document set alone. / 只列这个文档集。")] = None,
) -> None:
    """Show what is stored, and the files on their way. / 列出已保存的文件和正在处理的文件。"""
    from doors.management import TaskList

    documents = sorted([one async for one in all_documents(caller, doc_set)], key=lambda one: (one.doc_set, one.name))
    rows = [
        (
            one.name, one.doc_set, one.kind, f"{one.chunks}", f"{one.bytes:,}", one.updated[:16].replace("T", " "),
            _SIGN[one.status],
        )
        for one in documents
    ]  # fmt: skip
    show_table(_COLUMNS, rows, _EMPTY, right=(3, 4))
    for one in documents:
        if one.problem:
            show(f"{_SIGN[one.status]} {one.name}  {print_message(one.problem)}")
    for task in TaskList.model_validate(await caller.call("tasks", doc_set=doc_set)).tasks:
        problem = f"  {print_message(task.problem)}" if task.problem else ""
        show(f"{print_message(_STATES[task.status])}  {task.name}{problem}")


async def all_documents(caller: LibraryClient, doc_set: str | None) -> AsyncIterator[DocumentSummary]:
    """Page by page, newest first."""
    from doors.result_forms import DocumentList

    offset, total = 0, 1
    while offset < total:
        page = DocumentList.model_validate(
            await caller.call("list_documents", doc_set=doc_set, limit=_PAGE, offset=offset)
        )
        for one in page.documents:
            yield one
        offset, total = offset + _PAGE, page.total


@with_client()
async def stats(caller: LibraryClient) -> None:
    """Show how much is stored. / 显示知识库的总量。"""
    from doors.management import LibraryTotals

    totals = LibraryTotals.model_validate(await caller.call("stats"))
    for word, value in (
        (_COLUMNS[0], totals.documents), (_COLUMNS[1], totals.doc_sets), (_COLUMNS[3], totals.chunks),
        (_TOKENS, totals.tokens), (_COLUMNS[4], totals.bytes), (_WAITING, totals.waiting),
        (_STATES["failed"], totals.failed),
    ):  # fmt: skip
        console.print(f"{value:>14,}  {print_message(word)}")
    show(f"{print_message(_SPACE)}  {totals.space or '-'}")
    if totals.vector_index:
        show(f"{print_message(_INDEX)}  {totals.vector_index}, {print_message(_RECALL)} {totals.recall:.3f}")


@with_client()
async def delete(
    caller: LibraryClient,
    names: Annotated[list[str], typer.Argument(help="Documents, as `list` shows them. / 文件名，同 list 所列。")],
    doc_set: Annotated[
        str | None, typer.Option("--set", help="Of this document set alone. / 只删这个文档集里的。")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask. / 不再确认。")] = False,
) -> int:
    """Delete documents. / 删除文件。"""
    found = [one async for one in all_documents(caller, doc_set) if one.name in names]
    missing = [name for name in names if name not in {one.name for one in found}]
    for name in missing:
        show(_NOT_STORED, name=name)
    if missing:  # then none is deleted
        return 1
    for one in found:
        show(f"  {one.name}" + (f"  ({one.doc_set})" if one.doc_set else ""))
    if not yes and not typer.confirm(print_message(_SURE).format(count=len(found))):
        return 1
    done = await caller.call("delete", names=list(names), doc_set=doc_set)
    show(_DELETED, count=done["deleted"])
    return 0


_PAGE = 1_000  # documents that are asked for together
_COLUMNS = (
    Message(zh="文件", en="documents"), Message(zh="文档集", en="document sets"), Message(zh="类型", en="kind"),
    Message(zh="切片", en="chunks"), Message(zh="字节", en="bytes"), Message(zh="更新时间 (UTC)", en="updated (UTC)"),
    Message(zh="状态", en="state"),
)  # fmt: skip
_STATES = {
    "pending": Message(zh="🟡 等待处理", en="🟡 pending"),
    "processing": Message(zh="⏳ 处理中", en="⏳ processing"),
    "completed": Message(zh="✅ 已完成", en="✅ completed"),
    "failed": Message(zh="❌ 处理失败", en="❌ failed"),
    "skipped": Message(zh="⏭ 已跳过", en="⏭ skipped"),
}
_SIGN = {status: words.en.split()[0] for status, words in _STATES.items()}
_TOKENS = Message(zh="词元", en="tokens")
_WAITING = Message(zh="🟡 正在处理", en="🟡 on their way")
_SPACE = Message(zh="向量空间", en="embedding space")
_INDEX = Message(zh="向量索引", en="vector index")
_RECALL = Message(zh="召回率@10", en="recall@10")
_EMPTY = Message(
    zh="还没有文件。用 cli.py ingest 保存文件。", en="No documents yet. Store some with: cli.py ingest PATH"
)
_NOT_STORED = Message(zh="没有“{name}”。用 cli.py list 查看已有的文件。", en="There is no {name}. See: cli.py list")
_SURE = Message(zh="删除这 {count} 个文件？", en="Delete these {count}?")
_DELETED = Message(zh="已删除 {count} 个文件。", en="{count} deleted.")
