"""Files and folders into the library."""

from __future__ import annotations

import asyncio
import base64
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from commands.library_client import LibraryClient, running_program
from commands.terminal import (
    console,
    errors_without_trace,
    named_value,
    print_message,
    print_notices,
    read_settings,
    run_to_end,
    show,
)
from errors import CitewiseError
from schema import ChunkerName, Chunking, IncomingFile, Message, SizeUnit

if TYPE_CHECKING:
    from rich.progress import Progress

    from library import Library
    from schema import StoreOutcome
    from settings import Settings

    Outcomes = dict[int, StoreOutcome | CitewiseError | None]
    Tally = tuple[Counter[str], list[tuple[str, CitewiseError]]]

Chunker = StrEnum("Chunker", {name: name for name in get_args(ChunkerName)})  # type: ignore[misc]  # as typer wants it
Unit = StrEnum("Unit", {name: name for name in get_args(SizeUnit)})  # type: ignore[misc]

_AT_ONCE = 4  # files that are sent together
_LOOK = 0.3  # seconds between two looks at how far the files are
_MOST_LISTED = 20  # files that are left out on purpose


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders. / 文件和文件夹。")],
    doc_set: Annotated[str, typer.Option("--set", help="Document set to store them in. / 存入的文档集。")] = "",
    chunker: Annotated[Chunker | None, typer.Option(help="How to cut them. / 切片策略。")] = None,
    size: Annotated[int | None, typer.Option(help="The most of a chunk. / 切片大小。")] = None,
    overlap: Annotated[int | None, typer.Option(help="How much chunks share. / 切片重叠。")] = None,
    unit: Annotated[Unit | None, typer.Option(help="What both are counted in. / 以上两项的单位。")] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="What `ask --where` finds them by. / 元数据，提问时用 --where 查找。"),
    ] = None,
) -> None:
    """Store files and the files of folders; what is stored already and has not changed is left as it is.

    保存文件和文件夹；已保存且没有变化的会跳过。中断后重新运行即可继续。
    """
    chunking = Chunking(
        strategy=chunker.value if chunker else None, size=size, overlap=overlap, unit=unit.value if unit else None
    )
    with errors_without_trace():
        raise typer.Exit(run_to_end(_ingest(read_settings(), paths, doc_set, chunking, metadata_of(metadata or []))))


def metadata_of(given: Sequence[str]) -> dict[str, Any]:
    """Values are text as they are written: 1.10 is a version and 007 a code. A name that is given again has a list."""
    found: dict[str, list[str]] = {}
    for one in given:
        name, value = named_value("--metadata", one)
        found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


async def _ingest(
    settings: Settings, paths: Sequence[Path], doc_set: str, chunking: Chunking, metadata: Mapping[str, Any]
) -> int:
    """Exit status: 1 when a file failed."""
    from ingestion.folders import incoming_of
    from library import Library
    from stores.folder import FolderHeld

    found = await asyncio.to_thread(incoming_of, paths, doc_set, chunking, metadata)
    try:
        library = await Library.open(settings, warm=False)
    except FolderHeld as held:
        async with running_program(settings, held) as caller:
            counts, failed = await _send(caller, found.files)
    else:
        async with library:
            print_notices(library.notices)
            counts, failed = await _store_here(library, found.files)
    counts_in_words = [
        f"{counts[kind]} {print_message(word)}" for kind, word in _OUTCOMES.items() if counts[kind] or kind == "added"
    ]
    if failed:
        counts_in_words.append(f"{len(failed)} {print_message(_FAILED)}")
    console.print(print_message(_COMMA).join(counts_in_words))
    if found.skipped:
        show(_SKIPPED, count=len(found.skipped))
        for path, reason in found.skipped[:_MOST_LISTED]:
            show(f"  {path}  {print_message(reason)}")
        if len(found.skipped) > _MOST_LISTED:
            console.print("  …")
    for name, error in failed:
        show(f"✗ {name}  {print_message(error.in_full)}")
    return 1 if failed else 0


async def _store_here(library: Library, files: Sequence[IncomingFile]) -> Tally:
    """How many of them came to what, and those that failed."""
    from ingestion.folders import split_unchanged

    fresh, unchanged = split_unchanged(files, library.documents())
    outcomes = await _store(library, fresh)
    await embed_missing(library)
    names = {task.id: task.name for task in library.tasks()}
    counts: Counter[str] = Counter(
        what.outcome for what in outcomes.values() if not isinstance(what, CitewiseError | None)
    )
    counts["unchanged"] += len(unchanged)
    failed = [(names.get(task_id, ""), what) for task_id, what in outcomes.items() if isinstance(what, CitewiseError)]
    return counts, failed


async def _send(caller: LibraryClient, files: Sequence[IncomingFile]) -> Tally:
    """The same by the program that has the library open; it is handed the bytes, a few files at a time."""
    counts, failed, places = Counter[str](), list[tuple[str, CitewiseError]](), asyncio.Semaphore(_AT_ONCE)

    async def send(file: IncomingFile) -> None:
        async with places:
            try:
                data = await asyncio.to_thread(Path(file.path).read_bytes)
                done = await caller.call(
                    "add_document", name=file.name, base64=base64.b64encode(data).decode(), doc_set=file.doc_set,
                    chunker=file.chunking.strategy, chunk_size=file.chunking.size, chunk_overlap=file.chunking.overlap,
                    chunk_unit=file.chunking.unit,
                    metadata=dict(file.metadata),
                )  # fmt: skip
                counts[done["outcome"]] += 1
            except CitewiseError as error:
                failed.append((file.name, error))
            except OSError as error:
                failed.append((file.name, _unreadable(error)))
        bars.advance(bar)

    if files:
        with _bars() as bars:
            bar = bars.add_task(print_message(_FILES), total=len(files), stages="")
            async with asyncio.TaskGroup() as group:
                for file in files:
                    group.create_task(send(file))
    return counts, failed


def _unreadable(error: OSError) -> CitewiseError:
    return CitewiseError(
        "file",
        Message(zh=f"无法读取（{error.strerror}）。", en=f"It cannot be read ({error.strerror})."),
        Message(zh="请检查权限。", en="Check its permissions."),
    )


async def _store(library: Library, files: Sequence[IncomingFile]) -> Outcomes:
    """What became of each, while a bar shows how far they are."""
    if not files:
        return {}
    with _bars() as bars:
        bar = bars.add_task(print_message(_FILES), total=len(files), stages="")
        ids = [task.id for task in await library.submit(files)]
        work = asyncio.create_task(library.finished(ids))
        try:
            while not (await asyncio.wait([work], timeout=_LOOK))[0]:
                if library.problem:
                    raise CitewiseError("store", library.problem, _AGAIN)
                done, total = library.progress()
                stages: Counter[str] = Counter(task.stage for task in library.tasks() if task.stage)
                state = "  ".join(
                    f"{print_message(word)} {stages[stage]}" for stage, word in _STAGES.items() if stages[stage]
                )
                bars.update(bar, completed=done, total=max(total, len(files)), stages=state)
        finally:
            work.cancel()
        outcomes = work.result()
        total = max(library.progress()[1], len(outcomes))
        bars.update(bar, completed=total, total=total, stages="")
        return outcomes


async def embed_missing(library: Library) -> None:
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
                    bar = bars.add_task(print_message(_VECTORS), total=total, stages="") if bar is None else bar
                    bars.update(bar, completed=done, total=total)
            if bar is not None:
                bars.update(bar, completed=bars.tasks[bar].total)
        await work
    except CitewiseError as error:
        show(error.in_full)
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
_AGAIN = Message(zh="解决后重新运行同一条命令即可继续。", en="Then run the same command again: it goes on from here.")
