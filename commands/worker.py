"""A program that works on the files which others have taken into a library in PostgreSQL."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.terminal import errors_without_trace, print_message, read_settings, run_to_end
from errors import CitewiseError
from schema import Message

if TYPE_CHECKING:
    from library import Library
    from settings import Settings

log = logging.getLogger("citewise.worker")

_MOST = 64  # workers of one data folder
_RHYTHM = 5.0  # seconds between two lines about how far the files are


def worker(
    processes: Annotated[
        int | None, typer.Option(help="Before CITEWISE_INGEST_WORKERS. / 工作进程数。", min=0, max=8)
    ] = None,
) -> None:
    """Work on the files of the library in CITEWISE_DATABASE_URL until SIGTERM or Ctrl-C. As many of these run as are
    wanted, on any machine. What one holds when it ends is given back, and what a killed one held is taken again.

    处理 CITEWISE_DATABASE_URL 知识库里待处理的文件，直到收到 SIGTERM 或 Ctrl-C。可以在任意机器上同时运行多个；
    退出时会交还没处理完的文件，被强制终止的程序留下的文件会由别的程序接手。
    """
    from stores.selection import database_url

    with errors_without_trace():
        settings = read_settings()
        if not database_url(settings):
            raise CitewiseError("settings", _NO_DATABASE)
        raise typer.Exit(run_to_end(_work(settings, processes)))


async def _work(settings: Settings, processes: int | None) -> int:
    if "log_level" not in settings.model_fields_set:
        logging.getLogger().setLevel(logging.INFO)
    changed = {"ingest_here": True, "ingest_workers": settings.ingest_workers if processes is None else processes}
    with _ending() as ended:
        library = await _opened(settings.model_copy(update=changed))
        async with library:
            print(print_message(_READY), flush=True)
            await _report(library, ended)
    return 0


async def _report(library: Library, ended: asyncio.Event) -> None:
    """Log how far the files are, until it has ended."""
    known = library.progress()
    while not ended.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), _RHYTHM)
        if (progress := library.progress()) != known:
            known = progress
            log.info("%d of %d files are done", *progress)
    log.info("it ends; %d files are left", len(library.waiting()))


async def _opened(settings: Settings) -> Library:
    """With a folder of its own for what is only on its way, below the data folder. Raises CitewiseError."""
    from library import Library
    from stores.folder import FolderHeld

    for number in range(1, _MOST + 1):
        folder = Path(settings.data_dir) / f"worker-{number}"
        try:
            return await Library.open(settings.model_copy(update={"data_dir": folder}))
        except FolderHeld:  # by another worker of this machine
            continue
    raise CitewiseError("settings", _TOO_MANY)


@contextmanager
def _ending() -> Iterator[asyncio.Event]:
    """Set by SIGTERM and Ctrl-C, unless that was ignored from the beginning; whoever sends it again does not wait."""
    ended, loop = asyncio.Event(), asyncio.get_running_loop()

    def end(number: int, _: object) -> None:
        loop.call_soon_threadsafe(ended.set)
        signal.signal(number, before[signal.Signals(number)])

    ending = [number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, end) for number in ending}
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_READY = Message(
    zh=f"正在等待文件（结束：Ctrl+C 或 kill {os.getpid()}）。",
    en=f"Waiting for files (to end it: Ctrl+C, or kill {os.getpid()}).",
)
_NO_DATABASE = Message(
    zh="没有设置 CITEWISE_DATABASE_URL：知识库在数据文件夹里，由打开它的程序自己处理文件。",
    en="CITEWISE_DATABASE_URL is not set: the library is in the data folder, and the program that has it open works on "
    "its files itself.",
)
_TOO_MANY = Message(
    zh="这个数据文件夹已经有太多处理程序在运行；请用 CITEWISE_DATA_DIR 换一个文件夹。",
    en="Too many workers run in this data folder; choose another one with CITEWISE_DATA_DIR.",
)
