"""Programs that need not load what a hundred of them would load alike: this process has, and each program is a fork of
it: `tests/forked.py`. A line of standard input begins one, or asks how it ended; a line of standard output answers."""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import signal
import sys
import threading
from typing import Any, NoReturn

# At once, and with the first document or question.
_EACH_LOADS = ("graph.turns", "ui.site", "doors.request_timeouts", "uvicorn",
               "rjieba", "faiss", "tantivy", "opencc", "retrieval.search", "ingestion.chunking")  # fmt: skip


def main() -> None:
    gc.disable()  # as the program does while it loads
    for name in _EACH_LOADS:
        importlib.import_module(name)
    gc.freeze()  # what was loaded is shared by all, as long as nobody writes to it
    gc.enable()
    running: set[int] = set()
    for line in sys.stdin:
        order: dict[str, Any] = json.loads(line)
        if asked := order.get("ended"):
            pid, status = os.waitpid(asked, os.WNOHANG)
            running -= {pid}
            print(json.dumps(os.waitstatus_to_exitcode(status) if pid else None), flush=True)
        elif begun := os.fork():
            running.add(begun)
            print(begun, flush=True)
        else:
            _become(**order)
            return
    for left in running:  # whoever began them has been ended
        os.kill(left, signal.SIGTERM)


def _become(command: list[str], environment: dict[str, str], folder: str, files: list[str], terminal: bool) -> None:
    """The program, as its own process: with its files as input, output and errors, its folder and its environment."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if terminal:
        os.setsid()  # the first terminal that is opened now is the one that Ctrl-C is pressed at
    for number, path in enumerate(files):
        opened = os.open(path, os.O_WRONLY | os.O_APPEND if number else os.O_RDONLY)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - these stay open to the end
    sys.stdout = open(1, "w", 1 if terminal else -1, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    status: object = None
    try:
        if command[0] == "-m":
            sys.argv = command[1:]
            runpy.run_module(command[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = command
            runpy.run_path(command[0], run_name="__main__")
    except SystemExit as end:
        status = end.code
    _end(status)


def _end(status: object) -> NoReturn:
    """As Python ends a program, but what was loaded is not taken apart: all of it would be copied for that, which takes
    longer than many a program itself."""
    threading._shutdown()  # type: ignore[attr-defined]  # waits for the threads that a program may leave
    atexit._run_exitfuncs()
    if isinstance(status, str):
        print(status, file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status if isinstance(status, int) else int(status is not None))


if __name__ == "__main__":
    main()
