"""Processes of `cli.py worker` over one database, and a library that takes files in and works on none itself."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path

from benchmarks.program import ROOT, cpu_of
from library import Library
from settings import Settings

_STILL, _PATIENCE = 1.0, 60.0  # seconds with hardly any work after which a worker has loaded what it needs; at most


def environment(url: str, folder: Path, **more: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("CITEWISE_")}
    ours = {"CITEWISE_DATABASE_URL": url, "CITEWISE_DATA_DIR": str(folder), "CITEWISE_OLLAMA": "false"}
    ours["CITEWISE_EMBEDDING"] = "hashing"  # it is fitted to nothing, which one worker would do for both
    return {**own, **ours, "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1", **more}


class Worker:
    """Its own folder is made below the one that is given."""

    def __init__(self, url: str, folder: Path, processes: int = 1) -> None:
        options = ["--log-level", "ERROR", "worker", "--processes", str(processes)]
        command = [sys.executable, str(ROOT / "cli.py"), *options]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment(url, folder), stdout=subprocess.PIPE, text=True
        )

    def wait(self) -> None:
        """Until it has told that it waits for files. Raises RuntimeError."""
        assert self.process.stdout
        if not self.process.stdout.readline():
            raise RuntimeError("the worker did not start; what it said is above")

    def rest(self) -> None:
        end, before = time.monotonic() + _PATIENCE, cpu_of(self.process.pid)
        while time.monotonic() < end:
            time.sleep(_STILL)
            now = cpu_of(self.process.pid)
            if now - before < _STILL / 10:
                return
            before = now

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self) -> None:
        with suppress(ProcessLookupError):
            self.process.terminate()
        self.process.wait()


@contextmanager
def workers(url: str, folder: Path, count: int, processes: int = 1) -> Iterator[list[Worker]]:
    with ExitStack() as stack:
        started = [Worker(url, folder, processes) for _ in range(count)]
        for worker in started:
            stack.callback(worker.end)
        for worker in started:
            worker.wait()
        for worker in started:
            worker.rest()
        yield started


@asynccontextmanager
async def page(url: str, folder: Path) -> AsyncIterator[Library]:
    """As a page has it that leaves its files to workers."""
    values = environment(url, folder, CITEWISE_INGEST_HERE="false", CITEWISE_INGEST_WORKERS="0")
    async with await Library.open(Settings.from_mapping(values), warm=False) as library:
        yield library
