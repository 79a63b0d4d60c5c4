"""A process that says things until it ends or is killed."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from typing import Any

_PATIENCE = 60.0  # seconds of silence until it counts as hanging


class Process:
    """Forked from one that has only loaded the modules, so that it starts at once and knows nothing of others."""

    def __init__(self, function: Callable[..., None], *arguments: Any) -> None:
        """The function gets, after its arguments, a Connection to say things by."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["benchmarks.crash_work", "benchmarks.crash_look"])
        self._heard, said = context.Pipe(duplex=False)
        self._process = context.Process(target=function, args=(*arguments, said), daemon=True)
        self._process.start()
        said.close()

    def heard(self) -> Iterator[Any]:
        """What it says, until it ends. Raises TimeoutError."""
        while True:
            if not self._heard.poll(_PATIENCE):
                self.kill()
                raise TimeoutError(f"silent for {_PATIENCE:.0f} seconds")
            try:
                yield self._heard.recv()
            except (EOFError, OSError):
                return

    def kill(self) -> None:
        self._process.kill()

    def ended(self) -> int:
        """Its exit status: negative for a signal."""
        self._process.join()
        self._heard.close()
        return int(self._process.exitcode or 0)


def told(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns in a process of its own. Raises RuntimeError where it fails."""
    process = Process(answer, function, *arguments)
    said = list(process.heard())
    if status := process.ended():
        raise RuntimeError(f"{function.__name__} ended with {status}; its message is above")
    return said[-1]


def answer(function: Callable[..., Any], *arguments: Any) -> None:
    """For a process: say what the function returns."""
    *own, said = arguments
    said.send(function(*own))
