"""The door for a terminal: files and folders into the library, answers out of it."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections import Counter
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer
from rich.console import Console
from rich.text import Text

from errors import CitewiseError
from schema import ChunkerName, Chunking, Incoming, Language, Message, Scope

if TYPE_CHECKING:
    from rich.progress import Progress

    from library import Library
    from schema import Answer, Stored
    from settings import Settings

    Outcomes = dict[int, Stored | CitewiseError | None]

cli = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
console = Console(highlight=False)
Chunker = StrEnum("Chunker", {name: name for name in get_args(ChunkerName)})  # type: ignore[misc]  # as typer wants it

_LOOK = 0.3  # seconds between two looks at how far the files are
_UNFOLDED = 4000  # columns
_MOST_LISTED = 20  # files that are left out on purpose


@cli.callback()
def _of_all() -> None:
    """Chat with your documents, and see why each answer holds. / 与你的文件对话，看清每个答案的依据。"""


@cli.command()
def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders. / 文件和文件夹。")],
    doc_set: Annotated[str, typer.Option("--set", help="Document set to store them in. / 存入的文档集。")] = "",
    chunker: Annotated[Chunker | None, typer.Option(help="How to cut them. / 切片策略。")] = None,
    size: Annotated[int | None, typer.Option(help="Most characters of a chunk. / 切片大小。")] = None,
    overlap: Annotated[int | None, typer.Option(help="Characters that chunks share. / 切片重叠。")] = None,
) -> None:
    """Store files and the files of folders; what is stored already and has not changed is left as it is.

    保存文件和文件夹；已保存且没有变化的会跳过。中断后重新运行即可继续。
    """
    chunking = Chunking(strategy=chunker.value if chunker else None, size=size, overlap=overlap)
    with _told_errors():
        raise typer.Exit(run_to_end(_ingest(read_settings(), paths, doc_set, chunking)))


async def _ingest(settings: Settings, paths: Sequence[Path], doc_set: str, chunking: Chunking) -> int:
    """Exit status: 1 when a file failed."""
    from ingestion.folders import incoming_of, split_unchanged
    from library import Library

    found = await asyncio.to_thread(incoming_of, paths, doc_set, chunking)
    async with await Library.open(settings) as library:
        fresh, unchanged = split_unchanged(found.files, library.documents())
        outcomes = await _stored(library, fresh)
        await _embedded(library)
        names = {task.id: task.name for task in library.tasks()}
    counts: Counter[str] = Counter(
        what.outcome for what in outcomes.values() if not isinstance(what, CitewiseError | None)
    )
    failed = {task_id: what for task_id, what in outcomes.items() if isinstance(what, CitewiseError)}
    counts["unchanged"] += len(unchanged)
    said = [f"{counts[kind]} {say(word)}" for kind, word in _OUTCOMES.items() if counts[kind] or kind == "added"]
    if failed:
        said.append(f"{len(failed)} {say(_FAILED)}")
    console.print(say(_COMMA).join(said))
    if found.skipped:
        console.print(say(_SKIPPED).format(count=len(found.skipped)))
        for path, reason in found.skipped[:_MOST_LISTED]:
            console.print(f"  {path}  {say(reason)}", markup=False, soft_wrap=True)
        if len(found.skipped) > _MOST_LISTED:
            console.print("  …")
    for task_id, error in failed.items():
        console.print(f"✗ {names.get(task_id, '')}  {say(error.in_full)}", markup=False, soft_wrap=True)
    return 1 if failed else 0


async def _stored(library: Library, files: Sequence[Incoming]) -> Outcomes:
    """What became of each, while a bar shows how far they are."""
    if not files:
        return {}
    with _bars() as bars:
        bar = bars.add_task(say(_FILES), total=len(files), stages="")
        ids = [task.id for task in await library.submit(files)]
        while True:
            outcomes = await library.finished(ids, timeout=_LOOK)
            done, total = library.progress()
            stages: Counter[str] = Counter(task.stage for task in library.tasks() if task.stage)
            state = "  ".join(f"{say(word)} {stages[stage]}" for stage, word in _STAGES.items() if stages[stage])
            if None not in outcomes.values():
                bars.update(bar, completed=max(total, len(outcomes)), total=max(total, len(outcomes)), stages="")
                return outcomes
            if library.problem:
                raise CitewiseError("store", library.problem, [_AGAIN])
            bars.update(bar, completed=done, total=max(total, len(files)), stages=state)


async def _embedded(library: Library) -> None:
    """Make the vectors that are missing by now; where their model does not answer, they follow another time."""
    work = asyncio.create_task(library.settle())
    try:
        with _bars() as bars:
            bar = None
            while not work.done():
                await asyncio.wait([work], timeout=_LOOK)
                state = await library.embedding_state()
                if state.coming or state.missing:
                    done, total = state.coming or (0, state.missing)
                    bar = bars.add_task(say(_VECTORS), total=total, stages="") if bar is None else bar
                    bars.update(bar, completed=done, total=total)
            if bar is not None:
                bars.update(bar, completed=bars.tasks[bar].total)
        await work
    except CitewiseError as error:
        console.print(say(error.in_full), markup=False, soft_wrap=True)
    finally:
        work.cancel()


@contextmanager
def _bars() -> Iterator[Progress]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        TextColumn("{task.fields[stages]}"),
    )  # fmt: skip
    with Progress(*columns, console=console) as bars:
        yield bars


# --- what is stored ----------------------------------------------------------------------------------------------


@cli.command(name="list")
def list_documents(
    doc_set: Annotated[str | None, typer.Option("--set", help="Of this document set alone. / 只列这个文档集。")] = None,
) -> None:
    """Show what is stored, and the files on their way. / 列出已保存的文件和正在处理的文件。"""
    with _told_errors():
        raise typer.Exit(run_to_end(_list(read_settings(), doc_set)))


async def _list(settings: Settings, doc_set: str | None) -> int:
    from rich.table import Table

    from library import Library

    async with await Library.open(settings) as library:
        documents = library.documents(Scope() if doc_set is None else Scope(doc_sets=(doc_set,)))
        tasks = [task for task in library.tasks() if doc_set is None or task.doc_set == doc_set]
    table = Table(box=None, pad_edge=False)
    for heading in _COLUMNS:
        table.add_column(say(heading), overflow="fold", justify="right" if heading in _COLUMNS[3:5] else "left")
    for one in sorted(documents, key=lambda one: (one.doc_set, one.name)):
        cells = (
            one.name,
            one.doc_set,
            one.origin.doc_type,
            f"{one.chunks}",
            f"{one.size:,}",
            one.updated[:16].replace("T", " "),
        )
        table.add_row(*map(Text, cells))
    # In a pipe or a file each document is one line, whatever its name.
    wide = console if console.is_terminal else Console(highlight=False, width=_UNFOLDED)
    wide.print(table if documents else say(_EMPTY))
    for task in tasks:
        problem = f"  {say(task.problem)}" if task.problem else ""
        console.print(f"{say(_STATES[task.status])}  {task.name}{problem}", markup=False, soft_wrap=True)
    return 0


@cli.command()
def stats() -> None:
    """Show how much is stored. / 显示知识库的总量。"""
    with _told_errors():
        raise typer.Exit(run_to_end(_stats(read_settings())))


async def _stats(settings: Settings) -> int:
    from library import Library

    async with await Library.open(settings) as library:
        totals = library.stats()
        sets = len(library.doc_sets())
    for word, value in (
        (_COLUMNS[0], totals.documents), (_COLUMNS[1], sets), (_COLUMNS[3], totals.chunks), (_TOKENS, totals.tokens),
        (_COLUMNS[4], totals.bytes), (_WAITING, totals.waiting), (_STATES["failed"], totals.failed),
    ):  # fmt: skip
        console.print(f"{value:>14,}  {say(word)}")
    console.print(f"{say(_SPACE)}  {totals.space or '-'}", markup=False)
    return 0


@cli.command()
def delete(
    names: Annotated[list[str], typer.Argument(help="Documents, as `list` shows them. / 文件名，同 list 所列。")],
    doc_set: Annotated[
        str | None, typer.Option("--set", help="Of this document set alone. / 只删这个文档集里的。")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask. / 不再确认。")] = False,
) -> None:
    """Delete documents. / 删除文件。"""
    with _told_errors():
        raise typer.Exit(run_to_end(_delete(read_settings(), names, doc_set, yes)))


async def _delete(settings: Settings, names: Sequence[str], doc_set: str | None, yes: bool) -> int:
    """Exit status: 1 when one of them is not there, and then none is deleted."""
    from library import Library

    async with await Library.open(settings) as library:
        scope = Scope(documents=tuple(names), doc_sets=() if doc_set is None else (doc_set,))
        found = library.documents(scope)
        if missing := [name for name in names if name not in {one.name for one in found}]:
            for name in missing:
                console.print(say(_NOT_STORED).format(name=name), markup=False, soft_wrap=True)
            return 1
        for one in found:
            console.print(f"  {one.name}" + (f"  ({one.doc_set})" if one.doc_set else ""), markup=False)
        if not yes and not typer.confirm(say(_SURE).format(count=len(found))):
            return 1
        for one in found:
            await library.delete(one.name, one.doc_set)
    console.print(say(_DELETED).format(count=len(found)))
    return 0


# --- questions ---------------------------------------------------------------------------------------------------


@cli.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question. / 问题。")],
    doc_sets: Annotated[
        list[str] | None, typer.Option("--set", help="In these sets alone. / 只在这些文档集里查。")
    ] = None,
    documents: Annotated[list[str] | None, typer.Option("--file", help="In these alone. / 只在这些文件里查。")] = None,
    strategy: Annotated[str | None, typer.Option(help="Retrieval strategy. / 检索策略。")] = None,
) -> None:
    """Answer a question from what is stored, with its sources. / 根据已保存的文件回答，并列出来源。"""
    with _told_errors():
        raise typer.Exit(run_to_end(_ask(read_settings(), question, doc_sets or (), documents or (), strategy)))


async def _ask(
    settings: Settings, question: str, doc_sets: Sequence[str], documents: Sequence[str], strategy: str | None
) -> int:
    from contextlib import aclosing
    from uuid import uuid4

    from graph.asking import controls_for
    from graph.turns import Assistant, Request
    from nodes.events import Answered, Failed, PlanMade, Replied, Reset, Token

    assistant = await Assistant.open(settings)
    thread = f"once-{uuid4().hex}"
    try:
        controls = controls_for(assistant.library, doc_sets, documents, strategy, evaluate=False)
        async with aclosing(assistant.run_turn(Request(thread, question, controls=controls))) as events:
            async for event in events:
                match event:
                    case Token(text) | Replied(text):
                        sys.stdout.write(text)
                        sys.stdout.flush()
                    case Reset(reason):
                        console.print(f"\n… {say(reason)}", markup=False, soft_wrap=True)
                    case PlanMade(_, notices):
                        _tell(notices)
                    case Answered(answer):
                        print()
                        _tell(answer.notices)
                        _show_sources(answer)
                    case Failed(error):
                        raise error
    finally:
        await assistant.forget(thread)
        await assistant.close()
    print()
    return 0


def _show_sources(answer: Answer) -> None:
    """Where each cited source stands, and its address; what its lines do not support is said."""
    from answering.places import link_to, place_of

    cited = [citation for statement in answer.statements for citation in statement.citations]
    for number, hit in enumerate(answer.sources, 1):
        if here := [citation for citation in cited if citation.marker == number]:
            path = " › ".join(filter(None, [hit.doc_set, hit.document, *hit.headings]))
            line = f"[{number}] {path} ({say(place_of(hit, here))})  {link_to(hit, here)}".rstrip()
            console.print(line, markup=False, soft_wrap=True)
    doubtful = [one.text for one in answer.statements if one.checkable and one.comparable and not one.supported]
    for text in doubtful:
        console.print(f"⚠ {say(_DOUBTFUL)} {text}", markup=False, soft_wrap=True)


def _tell(notices: Sequence[Message]) -> None:
    for notice in notices:
        console.print(f"⚠ {say(notice)}", markup=False, soft_wrap=True)


# --- what commands share -----------------------------------------------------------------------------------------


def run_to_end(work: Coroutine[None, None, int]) -> int:
    """The exit status of a command's coroutine; Ctrl-C ends it in order and says how to go on."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        console.print(say(_STOPPED), markup=False)
        return 130


def read_settings() -> Settings:
    """Raises CitewiseError where they cannot be read."""
    from pydantic import ValidationError

    from settings import Settings

    try:
        return Settings()
    except (ValidationError, UnicodeDecodeError) as error:
        raise CitewiseError(
            "settings",
            Message(zh=f"设置有误：{error}", en=f"The settings are wrong: {error}"),
            [
                Message(
                    zh="请检查 .env（须为 UTF-8）、config.yaml 和环境变量。",
                    en="Check .env (it must be UTF-8), config.yaml and the environment.",
                )
            ],
        ) from error


@contextmanager
def _told_errors() -> Iterator[None]:
    """What a person can do something about is said without a trace."""
    try:
        yield
    except CitewiseError as error:
        for line in (error.message, *error.suggestions):
            print(say(line), file=sys.stderr)
        raise typer.Exit(1) from error


def say(message: Message) -> str:
    return message.to(language())


def language() -> Language:
    """Of the terminal."""
    told = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    return "zh" if told.lower().startswith("zh") else "en"


_OUTCOMES = {
    "added": Message(zh="个新增", en="added"),
    "replaced": Message(zh="个更新", en="replaced"),
    "unchanged": Message(zh="个没有变化", en="unchanged"),
}
_STAGES = {
    "read": Message(zh="读取", en="reading"),
    "chunk": Message(zh="切片", en="chunking"),
    "embed": Message(zh="向量", en="embedding"),
    "store": Message(zh="写入", en="storing"),
}
_FAILED = Message(zh="个失败", en="failed")
_COMMA = Message(zh="，", en=", ")
_FILES = Message(zh="文件", en="files")
_VECTORS = Message(zh="向量", en="vectors")
_SKIPPED = Message(zh="跳过 {count} 个：", en="{count} skipped:")
_COLUMNS = (
    Message(zh="文件", en="documents"), Message(zh="文档集", en="document sets"), Message(zh="类型", en="kind"),
    Message(zh="切片", en="chunks"), Message(zh="字节", en="bytes"), Message(zh="更新时间 (UTC)", en="updated (UTC)"),
)  # fmt: skip
_STATES = {
    "pending": Message(zh="🟡 等待处理", en="🟡 pending"),
    "processing": Message(zh="⏳ 处理中", en="⏳ processing"),
    "completed": Message(zh="✅ 已完成", en="✅ completed"),
    "failed": Message(zh="❌ 处理失败", en="❌ failed"),
    "skipped": Message(zh="⏭ 已跳过", en="⏭ skipped"),
}
_TOKENS = Message(zh="词元", en="tokens")
_WAITING = Message(zh="🟡 正在处理", en="🟡 on their way")
_SPACE = Message(zh="向量空间", en="embedding space")
_EMPTY = Message(
    zh="还没有文件。用 cli.py ingest 保存文件。", en="No documents yet. Store some with: cli.py ingest PATH"
)
_NOT_STORED = Message(zh="没有“{name}”。用 cli.py list 查看已有的文件。", en="There is no {name}. See: cli.py list")
_SURE = Message(zh="删除这 {count} 个文件？", en="Delete these {count}?")
_DELETED = Message(zh="已删除 {count} 个文件。", en="{count} deleted.")
_DOUBTFUL = Message(zh="引用的原文不支持：", en="The cited lines do not support:")
_AGAIN = Message(zh="解决后重新运行同一条命令即可继续。", en="Then run the same command again: it goes on from here.")
_STOPPED = Message(
    zh="已停止，保存过的都在。重新运行同一条命令即可继续。",
    en="Stopped; what was stored is safe. Run the same command again to go on.",
)


if __name__ == "__main__":
    cli()
