"""A local model on its way to this machine, in a process of its own that can be ended at any moment."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from errors import CitewiseError
from ingestion.spaces import silent
from ingestion.worker import Worker, WorkerDied, WorkerPool
from providers import model_files
from schema import Message

log = logging.getLogger(__name__)


class ModelDownload:
    """One at a time, of one event loop."""

    def __init__(self, pool: WorkerPool, threads: ThreadPoolExecutor) -> None:
        self._pool, self._threads = pool, threads
        self._plan: model_files.Download | Path | None = None  # Path: the hub is being asked
        self._worker: Worker | None = None
        self._task: asyncio.Task[None] | None = None
        self._given_up = False
        self.problem: Message | None = None  # why the last one came to nothing

    @property
    def progress(self) -> tuple[int, int] | None:
        """Bytes here, of how many; (0, 0) while the hub is asked; None when nothing is on its way. Reads a folder."""
        if isinstance(plan := self._plan, model_files.Download):
            return min(model_files.size(plan.folder), plan.size), plan.size
        return None if plan is None else (0, 0)

    @property
    def running(self) -> bool:
        return self._plan is not None

    def begin(self, model: str, done: Callable[[], object]) -> None:
        """`done` is called when it is here, whole. Does nothing while one is on its way."""
        if self._plan is None:
            self._plan, self.problem, self._given_up = Path(), None, False
            self._task = asyncio.create_task(self._fetch(model, done))

    def cancel(self) -> None:
        """What has come by now stays for another attempt."""
        if self._plan is not None:
            self._given_up = True
            if self._worker is not None:
                self._worker.close()

    async def close(self) -> None:
        self.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _fetch(self, model: str, done: Callable[[], object]) -> None:
        def run() -> None:
            with self._pool.extra() as self._worker:
                if not self._given_up:
                    self._plan = self._worker.call("plan_download", model, report=silent)
                    self._worker.call("fetch", self._plan, report=silent)

        try:
            await asyncio.wrap_future(self._threads.submit(run))
            if not self._given_up:
                done()
        except CitewiseError as error:
            self.problem = error.in_full
        except WorkerDied:
            log.warning("the download of %s was given up", model)
        finally:
            self._plan = self._worker = None
