"""What commands share: the terminal, its language, settings, errors that are told without a trace.

Ctrl-C where it is ignored from the beginning: a shell without job control begins what a script puts in the background
(`cli.py ingest docs &`) with SIGINT ignored, so that a Ctrl-C meant for what runs in front leaves it alone. By the old
convention a command leaves it so, and ends by SIGTERM. A question at a terminal is the exception: whoever sees it sits
in front of it, and Ctrl-C ends it (`interruptible`). The page's program does as a command does (`app.py`).
"""

from __future__ import annotations

import asyncio
import logging
import os
import select
import signal
import socket
import sys
from collections.abc import Container, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from errors import CitewiseError
from schema import Language, Message
from schema.names import language_code

if TYPE_CHECKING:
    from doors.result_forms import Problem
    from settings import Settings

console = Console(highlight=False)
_UNFOLDED = 4000  # columns


def run_to_end(work: Coroutine[None, None, int]) -> int:
    """The exit status of a command's coroutine; Ctrl-C ends it in order and says how to go on."""
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        show(_STOPPED)
        return 130


def read_settings() -> Settings:
    """Of the process, for the library that is meant. Raises CitewiseError, also where each user has one and none is
    named."""
    from stores.user_libraries import own_settings

    return own_settings(program_settings())


def program_settings() -> Settings:
    """Of the process, for no library; what is logged is as they say, warnings where they say nothing. Raises
    CitewiseError."""
    import settings
    from logs import begin_logging

    found = settings.read_settings()
    settings.hand_on()
    begin_logging(found.log_level if "log_level" in found.model_fields_set else logging.WARNING)
    return found


def data_folder(given: Path | None) -> Path:
    """That which is given, else that of the settings, which say in any case what is logged. Raises CitewiseError.

    With a folder, settings that do not fit are no obstacle: these commands are there for when something is broken.
    """
    if given is None:
        return Path(read_settings().data_dir)
    with suppress(CitewiseError):
        program_settings()
    return given


def kept_folder(given: Path, file: str) -> Path:
    """The data folder that is given, for what stands in its `file`. Raises CitewiseError for a folder that has neither
    this nor a library."""
    from stores.safety.backup import LIBRARY, no_library

    folder = data_folder(given)
    if not any((folder / name).exists() for name in (file, LIBRARY)):
        raise no_library(folder)
    return folder


@contextmanager
def errors_without_trace() -> Iterator[None]:
    """What a person can do something about is said without a trace."""
    try:
        yield
    except CitewiseError as error:
        for line in (error.message, *error.suggestions):
            print(print_message(line), file=sys.stderr)
        raise typer.Exit(1) from error


def named_value(option: str, given: str) -> tuple[str, str]:
    """The two sides of NAME=VALUE. Raises CitewiseError for what has none."""
    name, equals, value = given.partition("=")
    if not (name and equals):
        raise CitewiseError(
            "settings",
            Message(zh=f"{option} {given} 不是“名称=值”。", en=f"{option} {given} is no NAME=VALUE."),
            Message(zh="请写成 名称=值，如 author=Li。", en="Write NAME=VALUE, such as author=Li."),
        )
    return name, value


def print_message(message: Message | Problem) -> str:
    return message.zh if language() == "zh" else message.en


def language() -> Language:
    """Of the terminal."""
    locale = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    return "zh" if language_code(locale) == "zh" else "en"


def show(what: Message | Problem | str, **values: object) -> None:
    """Print a line with these values in it; nothing in it is markup."""
    text = what if isinstance(what, str) else print_message(what)
    console.print(text.format(**values) if values else text, markup=False, soft_wrap=True)


def show_table(
    headings: Sequence[Message], rows: Iterable[Sequence[str]], empty: Message, right: Container[int]
) -> None:
    """Print a table, with these columns to the right; where it has no rows, what it says instead."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for nth, heading in enumerate(headings):
        table.add_column(print_message(heading), overflow="fold", justify="right" if nth in right else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    wide().print(table if table.row_count else print_message(empty))


def print_notices(notices: Sequence[Message | Problem]) -> None:
    for notice in notices:
        show(f"⚠ {print_message(notice)}")


@contextmanager
def without_event_loop() -> Iterator[None]:
    """For commands without an event loop: warnings are shown, Ctrl-C ends without a trace."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        yield
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


@contextmanager
def interruptible() -> Iterator[None]:
    """While a question waits at the terminal, Ctrl-C raises KeyboardInterrupt, also where it was ignored. For the main
    thread."""
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if ignored:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if ignored:
            signal.signal(signal.SIGINT, signal.SIG_IGN)


@interruptible()
def read_line(prompt: str) -> str:
    """What a person types at it. Raises EOFError, KeyboardInterrupt.

    `input` misses a Ctrl-C that comes after its words are shown and before it waits: waiting for the signal's own
    socket beside the terminal misses none.
    """
    if os.name != "posix":
        return input(prompt)
    print(prompt, end="", flush=True)
    receiver, signalled = socket.socketpair()
    with receiver, signalled:
        signalled.setblocking(False)
        before = signal.set_wakeup_fd(signalled.fileno())
        try:
            select.select([sys.stdin, receiver], [], [])
        finally:
            signal.set_wakeup_fd(before)
    if line := sys.stdin.readline():
        return line.rstrip("\n")
    raise EOFError


def wide() -> Console:
    """In a pipe or a file each row of a table is one line, whatever stands in it."""
    return console if console.is_terminal else Console(highlight=False, width=_UNFOLDED)


_STOPPED = Message(
    zh="已停止，保存过的都在。重新运行同一条命令即可继续。",
    en="Stopped; what was stored is safe. Run the same command again to go on.",
)
