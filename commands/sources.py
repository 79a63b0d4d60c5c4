"""Websites and repositories as sources of document sets: added, listed, refreshed, removed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from commands.ingest import Chunker, Unit, embed_missing, metadata_of
from commands.library_client import LibraryClient, LocalClient, with_client
from commands.manage import cut_as
from commands.terminal import console, print_message, show, show_table
from errors import CitewiseError
from schema import Message

if TYPE_CHECKING:
    from doors.result_forms import Problem
    from doors.sources import SourceInfo

_LOOK = 0.5  # seconds between two looks at how far a refresh is

source = typer.Typer(no_args_is_help=True)

_Set = Annotated[str | None, typer.Option("--set", help="Of this document set alone. / 只限这个文档集。")]
_Which = Annotated[list[str], typer.Argument(help="Addresses or ids, as `source list` shows them. / 网址或编号。")]


@source.callback()
def _of_sources() -> None:
    """Websites and GitHub repositories that document sets have pages from. / 文档集的网站和 GitHub 仓库来源。"""


@source.command()
@with_client(with_sources=True)
async def add(
    caller: LibraryClient,
    address: Annotated[str, typer.Argument(help="Of a website or a repository (owner/name). / 网址或 owner/name。")],
    doc_set: Annotated[str, typer.Option("--set", help="Document set to store it in. / 存入的文档集。")],
    prefix: Annotated[str, typer.Option(help="What its pages' addresses begin with. / 网页网址的前缀。")] = "",
    pattern: Annotated[list[str] | None, typer.Option(help="Files of a repository. / 仓库的文件模式。")] = None,
    ref: Annotated[str, typer.Option(help="Branch, tag or commit. / 分支、标签或提交。")] = "",
    chunker: Annotated[Chunker | None, typer.Option(help="How to cut them. / 切片策略。")] = None,
    size: Annotated[int | None, typer.Option(help="The most of a chunk. / 切片大小。")] = None,
    overlap: Annotated[int | None, typer.Option(help="How much chunks share. / 切片重叠。")] = None,
    unit: Annotated[Unit | None, typer.Option(help="What both are counted in. / 以上两项的单位。")] = None,
    metadata: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Of each of its documents. / 每个文件的元数据。")
    ] = None,
) -> int:
    """Add a website or a repository to a document set, and fetch it. / 把网站或仓库加入文档集并抓取。"""
    from doors.sources import SourceInfo

    given = {"address": address, "doc_set": doc_set, "prefix": prefix, "patterns": pattern or [], "ref": ref}
    cut = cut_as(chunker, size, overlap, unit)
    said = {"metadata": metadata_of(metadata)} if metadata else {}
    added = SourceInfo.model_validate(await caller.call("add_source", **given, **cut, **said))
    return await _refresh(caller, [added])


@source.command(name="list")
@with_client(with_sources=True)
async def list_sources(caller: LibraryClient, doc_set: _Set = None) -> None:
    """Show the sources. / 列出来源。"""
    sources, rows = await _select(caller, (), doc_set), []
    for one in sources:
        when = one.refreshed_at[:16].replace("T", " ") or print_message(_NEVER)
        said = print_message(_COMMA).join(f"{name}={value}" for name, value in one.metadata.items())
        rows.append((one.address, one.doc_set, str(one.pages), when, one.commit[:12], str(one.id), said))
    show_table(_COLUMNS, rows, _EMPTY, right=(2,))
    for one in sources:
        _warn(one.problem, one.address)


@source.command()
@with_client(with_sources=True)
async def refresh(
    caller: LibraryClient,
    which: _Which = [],  # noqa: B006  # typer reads it once
    doc_set: _Set = None,
) -> int:
    """Bring all of them, or these, up to date; what has not changed costs nothing. / 刷新来源，没有变化的不再处理。"""
    return await _refresh(caller, await _select(caller, which, doc_set))


@source.command()
@with_client(with_sources=True)
async def remove(
    caller: LibraryClient,
    which: _Which,
    doc_set: _Set = None,
    documents: Annotated[
        bool, typer.Option("--documents", help="Delete what came from it, too. / 同时删除由它得到的文件。")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask. / 不再确认。")] = False,
) -> int:
    """Remove sources; what came from them stays, unless told otherwise. / 移除来源，默认保留已有文件。"""
    chosen = await _select(caller, which, doc_set)
    for one in chosen:
        show(f"  {one.address}  ({one.doc_set}, {one.pages})")
    if documents and not yes and not typer.confirm(print_message(_SURE).format(count=sum(one.pages for one in chosen))):
        return 1
    for one in chosen:
        await caller.call("remove_source", id=one.id, documents=documents)
    show(_REMOVED, count=len(chosen))
    return 0


async def _select(caller: LibraryClient, which: Sequence[str], doc_set: str | None) -> list[SourceInfo]:
    """Those that are named, or all. Raises CitewiseError for a name that none has."""
    from doors.sources import SourceList

    sources = SourceList.model_validate(await caller.call("list_sources", doc_set=doc_set)).sources
    if not which:
        return sources
    if missing := [name for name in which if not any(name in (one.address, str(one.id)) for one in sources)]:
        raise _no_source(", ".join(missing))
    return [one for one in sources if {one.address, str(one.id)} & {*which}]


async def _refresh(caller: LibraryClient, sources: Sequence[SourceInfo]) -> int:
    """Exit status: 1 when one of them came to nothing."""
    from doors.sources import RefreshResult

    failed = False
    unread: dict[str, Problem] = {}
    for one in sources:
        show(f"{one.address} → {one.doc_set}")
        done = RefreshResult.model_validate(await _with_progress(caller, one))
        for change in done.changes:
            problem = f"  {print_message(change.problem)}" if change.problem else ""
            show(f"  {_MARKS[change.state]} {change.url}{problem}")
        if done.ok:
            counts = {name: getattr(done, name) for name in _COUNTS}
            counts_in_words = [f"{count} {print_message(_COUNTS[name])}" for name, count in counts.items() if count]
            console.print(print_message(_COMMA).join(counts_in_words) or print_message(_NOTHING))
            _warn(done.problem)
        elif done.problem:
            show(f"✗ {print_message(done.problem)}")
        failed |= not done.ok
        unread |= done.unread
    if isinstance(caller, LocalClient):
        await embed_missing(caller.library)
    for name, why in unread.items():
        show(f"✗ {name}  {print_message(why)}")
    return 1 if failed else 0


async def _with_progress(caller: LibraryClient, source: SourceInfo) -> dict[str, Any]:
    """The result of its refresh; meanwhile a line tells how many pages were looked at."""
    from doors.sources import SourceList

    refreshing = asyncio.create_task(caller.call("refresh_source", id=source.id))
    try:
        with console.status("…") as line:
            while not (await asyncio.wait([refreshing], timeout=_LOOK))[0]:
                now = SourceList.model_validate(await caller.call("list_sources", doc_set=source.doc_set)).sources
                looked = next((one.looked for one in now if one.id == source.id), None)
                line.update(print_message(_LOOKED).format(count=looked or 0))
        return await refreshing
    finally:
        refreshing.cancel()


def _warn(problem: Problem | None, of: str = "") -> None:
    if problem:
        show("  ".join(filter(None, [f"⚠ {of}".strip(), print_message(problem)])))


def _no_source(name: str) -> CitewiseError:
    return CitewiseError(
        "not_found",
        Message(zh=f"没有来源“{name}”。", en=f"There is no source {name}."),
        Message(zh="用 cli.py source list 查看已有的来源。", en="See: cli.py source list"),
    )


_COLUMNS = (
    Message(zh="来源", en="source"), Message(zh="文档集", en="document set"), Message(zh="文件", en="documents"),
    Message(zh="上次刷新 (UTC)", en="refreshed (UTC)"), Message(zh="提交", en="commit"), Message(zh="编号", en="id"),
    Message(zh="元数据", en="metadata"),
)  # fmt: skip
_MARKS = {"page": "+", "gone": "-", "skipped": "⏭", "failed": "✗"}
_COUNTS = {
    "stored": Message(zh="个新增或更新", en="new or changed"),
    "unchanged": Message(zh="个没有变化", en="unchanged"),
    "gone": Message(zh="个已不存在", en="gone"),
    "failed": Message(zh="个没有读到", en="could not be read"),
    "skipped": Message(zh="个跳过", en="skipped"),
}
_COMMA = Message(zh="，", en=", ")
_LOOKED = Message(zh="已查看 {count} 页", en="{count} looked at")
_NEVER = Message(zh="从未", en="never")
_NOTHING = Message(zh="里面没有文件。", en="There is nothing in it.")
_EMPTY = Message(
    zh="还没有来源。用 cli.py source add 添加网站或仓库。",
    en="No sources yet. Add a website or a repository with: cli.py source add ADDRESS --set NAME",
)
_SURE = Message(zh="删除由它们得到的 {count} 个文件？", en="Delete the {count} documents that came from them?")
_REMOVED = Message(zh="已移除 {count} 个来源。", en="{count} removed.")
