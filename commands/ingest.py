"""Files and folders into the library."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from commands.terminal import console, read_settings, run_to_end, say, tell, told_errors
from errors import CitewiseError
from schema import ChunkerName, Chunking, Incoming, Message

if TYPE_CHECKING:
    from rich.progress import Progress

    from library import Library
    from schema import Stored
    from settings import Settings

    Outcomes = dict[int, Stored | CitewiseError | None]

Chunker = StrEnum("Chunker", {name: name for name in get_args(ChunkerName)})  # type: ignore[misc]  # as typer wants it

_LOOK = 0.3  # seconds between two looks at how far the files are
_MOST_LISTED = 20  # files that are left out on purpose


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
    with told_errors():
        raise typer.Exit(run_to_end(_ingest(read_settings(), paths, doc_set, chunking)))


async def _ingest(settings: Settings, paths: Sequence[Path], doc_set: str, chunking: Chunking) -> int:
    """Exit status: 1 when a file failed."""
    from ingestion.folders import incoming_of, split_unchanged
    from library import Library

    found = await asyncio.to_thread(incoming_of, paths, doc_set, chunking)
    async with await Library.open(settings) as library:
        tell(library.notices)
        fresh, unchanged = split_unchanged(found.files, library.documents())
        outcomes = await _stored(library, fresh)
        await embedded(library)
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


async def embedded(library: Library) -> None:
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
