"""Programs that need not load what a hundred of them would load alike: this process has, and each program is a fork of
it that runs app.py. A line of standard input begins one, or waits for its end; a line of standard output answers."""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import sys
from typing import Any


def main() -> None:
    for name in ("graph.turns", "ui.site", "doors.request_timeouts", "uvicorn"):
        importlib.import_module(name)
    gc.freeze()  # what was loaded is shared by all, as long as nobody writes to it
    running: set[int] = set()
    for line in sys.stdin:
        order: dict[str, Any] = json.loads(line)
        if ended := order.get("wait"):
            running.remove(ended)
            print(os.waitstatus_to_exitcode(os.waitpid(ended, 0)[1]), flush=True)
        elif begun := os.fork():
            running.add(begun)
            print(begun, flush=True)
        else:
            _become(**order)
            return
    for left in running:  # whoever began them has been ended
        os.kill(left, signal.SIGTERM)


def _become(arguments: list[str], environment: dict[str, str], output: str, log: str) -> None:
    """The program, as its own process: with its output, errors and environment, and nothing of this one's input."""
    for number, (path, how) in enumerate([
        (os.devnull, os.O_RDONLY), (output, os.O_WRONLY), (log, os.O_WRONLY),
    ]):  # fmt: skip
        opened = os.open(path, how)
        os.dup2(opened, number)
        os.close(opened)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["app.py", *arguments]
    runpy.run_path("app.py", run_name="__main__")


if __name__ == "__main__":
    main()
