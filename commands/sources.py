"""Websites and repositories as sources of document sets: added, listed, refreshed, removed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from commands.ingest import Chunker, embedded
from commands.terminal import console, read_settings, run_to_end, say, tell, told_errors, wide
from errors import CitewiseError
from schema import Chunking, Message, Source

if TYPE_CHECKING:
    from graph.turns import Assistant
    from settings import Settings
    from web.sources import SourceEvent

source = typer.Typer(no_args_is_help=True)

_Set = Annotated[str | None, typer.Option("--set", help="Of this document set alone. / 只限这个文档集。")]
_Which = Annotated[list[str], typer.Argument(help="Addresses or ids, as `source list` shows them. / 网址或编号。")]


@source.callback()
def _of_sources() -> None:
    """Websites and GitHub repositories that document sets have pages from. / 文档集的网站和 GitHub 仓库来源。"""


@source.command()
def add(
    address: Annotated[str, typer.Argument(help="Of a website or a repository (owner/name). / 网址或 owner/name。")],
    doc_set: Annotated[str, typer.Option("--set", help="Document set to store it in. / 存入的文档集。")],
    prefix: Annotated[str, typer.Option(help="What its pages' addresses begin with. / 网页网址的前缀。")] = "",
    pattern: Annotated[list[str] | None, typer.Option(help="Files of a repository. / 仓库的文件模式。")] = None,
    ref: Annotated[str, typer.Option(help="Branch, tag or commit. / 分支、标签或提交。")] = "",
    chunker: Annotated[Chunker | None, typer.Option(help="How to cut them. / 切片策略。")] = None,
    size: Annotated[int | None, typer.Option(help="Most characters of a chunk. / 切片大小。")] = None,
    overlap: Annotated[int | None, typer.Option(help="Characters that chunks share. / 切片重叠。")] = None,
) -> None:
    """Add a website or a repository to a document set, and fetch it. / 把网站或仓库加入文档集并抓取。"""
    chunking = Chunking(strategy=chunker.value if chunker else None, size=size, overlap=overlap)

    async def work(assistant: Assistant) -> int:
        added = await assistant.sources.add(
            address, doc_set=doc_set, prefix=prefix, patterns=pattern or (), ref=ref, chunking=chunking
        )
        return await _refreshed(assistant, [added])

    with told_errors():
        raise typer.Exit(run_to_end(_with(read_settings(), work)))


@source.command(name="list")
def list_sources(doc_set: _Set = None) -> None:
    """Show the sources. / 列出来源。"""

    async def work(assistant: Assistant) -> int:
        from rich.table import Table

        table = Table(box=None, pad_edge=False)
        for heading in _COLUMNS:
            table.add_column(say(heading), overflow="fold", justify="right" if heading is _COLUMNS[2] else "left")
        sources = assistant.sources.list(doc_set)
        for one in sources:
            when = one.refreshed_at[:16].replace("T", " ") or say(_NEVER)
            cells = one.address, one.doc_set, str(one.pages), when, one.commit[:12], str(one.id)
            table.add_row(*map(Text, cells))
        wide().print(table if sources else say(_EMPTY))
        for one in sources:
            if one.problem:
                console.print(f"⚠ {one.address}  {say(one.problem)}", markup=False, soft_wrap=True)
        return 0

    with told_errors():
        raise typer.Exit(run_to_end(_with(read_settings(), work)))


@source.command()
def refresh(which: _Which = [], doc_set: _Set = None) -> None:  # noqa: B006  # typer reads it once
    """Bring all of them, or these, up to date; what has not changed costs nothing. / 刷新来源，没有变化的不再处理。"""

    async def work(assistant: Assistant) -> int:
        return await _refreshed(assistant, _chosen(assistant, which, doc_set))

    with told_errors():
        raise typer.Exit(run_to_end(_with(read_settings(), work)))


@source.command()
def remove(
    which: _Which,
    doc_set: _Set = None,
    documents: Annotated[
        bool, typer.Option("--documents", help="Delete what came from it, too. / 同时删除由它得到的文件。")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask. / 不再确认。")] = False,
) -> None:
    """Remove sources; what came from them stays, unless told otherwise. / 移除来源，默认保留已有文件。"""

    async def work(assistant: Assistant) -> int:
        chosen = _chosen(assistant, which, doc_set)
        for one in chosen:
            console.print(f"  {one.address}  ({one.doc_set}, {one.pages})", markup=False, soft_wrap=True)
        if documents and not yes and not typer.confirm(say(_SURE).format(count=sum(one.pages for one in chosen))):
            return 1
        for one in chosen:
            await assistant.sources.remove(one.id, documents=documents)
        console.print(say(_REMOVED).format(count=len(chosen)))
        return 0

    with told_errors():
        raise typer.Exit(run_to_end(_with(read_settings(), work)))


async def _with(settings: Settings, work: Callable[[Assistant], Awaitable[int]]) -> int:
    """The exit status of what is done with an open library."""
    from graph.turns import Assistant

    assistant = await Assistant.open(settings)
    try:
        tell(assistant.library.notices)
        return await work(assistant)
    finally:
        await assistant.close()


def _chosen(assistant: Assistant, which: Sequence[str], doc_set: str | None) -> list[Source]:
    """Those that are named, or all. Raises CitewiseError for a name that none has."""
    sources = assistant.sources.list(doc_set)
    if not which:
        return sources
    if missing := [name for name in which if not any(name in (one.address, str(one.id)) for one in sources)]:
        raise _no_source(", ".join(missing))
    return [one for one in sources if {one.address, str(one.id)} & {*which}]


async def _refreshed(assistant: Assistant, sources: Sequence[Source]) -> int:
    """Exit status: 1 when one of them came to nothing."""
    failed = False
    for one in sources:
        console.print(f"{one.address} → {one.doc_set}", markup=False, soft_wrap=True)
        async with aclosing(assistant.sources.refresh(one.id)) as events:
            async for event in events:
                _told(event)
        failed |= event.state == "failed"
    await assistant.library.process()
    await embedded(assistant.library)
    for task in assistant.library.tasks():
        if task.origin.source in {one.id for one in sources} and task.problem:
            console.print(f"✗ {task.name}  {say(task.problem)}", markup=False, soft_wrap=True)
    return 1 if failed else 0


def _told(event: SourceEvent) -> None:
    """A line for what is new, gone or missing; at the end the counts."""
    if event.url and event.state != "unchanged":
        problem = f"  {say(event.problem)}" if event.problem else ""
        console.print(f"  {_MARKS[event.state]} {event.url}{problem}", markup=False, soft_wrap=True)
    elif event.state == "failed" and event.problem:
        console.print(f"✗ {say(event.problem)}", markup=False, soft_wrap=True)
    elif event.state == "done":
        counts = {name: getattr(event.progress, name) for name in _COUNTS}
        said = [f"{count} {say(_COUNTS[name])}" for name, count in counts.items() if count]
        console.print(say(_COMMA).join(said) or say(_NOTHING))
        if event.problem:
            console.print(f"⚠ {say(event.problem)}", markup=False, soft_wrap=True)


def _no_source(name: str) -> CitewiseError:
    return CitewiseError(
        "not_found",
        Message(zh=f"没有来源“{name}”。", en=f"There is no source {name}."),
        [Message(zh="用 cli.py source list 查看已有的来源。", en="See: cli.py source list")],
    )


_COLUMNS = (
    Message(zh="来源", en="source"), Message(zh="文档集", en="document set"), Message(zh="文件", en="documents"),
    Message(zh="上次刷新 (UTC)", en="refreshed (UTC)"), Message(zh="提交", en="commit"), Message(zh="编号", en="id"),
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
_NEVER = Message(zh="从未", en="never")
_NOTHING = Message(zh="里面没有文件。", en="There is nothing in it.")
_EMPTY = Message(
    zh="还没有来源。用 cli.py source add 添加网站或仓库。",
    en="No sources yet. Add a website or a repository with: cli.py source add ADDRESS --set NAME",
)
_SURE = Message(zh="删除由它们得到的 {count} 个文件？", en="Delete the {count} documents that came from them?")
_REMOVED = Message(zh="已移除 {count} 个来源。", en="{count} removed.")
