"""What a queue knows of files that other programs take in and work on as well."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from ingestion.backlog import Backlog, TaskBatch, key_of
from ingestion.outcomes import Outcome, why_not_stored
from ingestion.queue_problems import cancelled
from schema import Stage, Task
from stores.tasks import TaskNews


class SharedBacklog(Backlog):
    """It follows the store, which is right where they differ. "processing" is also what another program works on."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self._noted: dict[int, Task] = {}  # as the store has by now what is being worked on here

    def follow(self, news: TaskNews) -> list[Task]:
        """The tasks that are not worked on here. Whatever is known already changes nothing."""
        for task in news.tasks:
            self._take_over(task)
        for task_id, end in news.ends.items():
            self._end(task_id, cancelled() if end is None else end)
        self.version += news.library
        return [task for task in news.tasks if task.id not in self._running]

    def _take_over(self, task: Task) -> None:
        known = self.tasks.get(task.id)
        if known is None:
            self.hold([task.path])
            self.enter([task])
            return
        if known.doc_set != task.doc_set:
            self.move([known], task.doc_set)
        if task.id in self._running:
            self._noted[task.id] = task
        elif replace(task, path=known.path, updated=known.updated) != self.tasks[task.id]:
            self._change(replace(task, path=known.path))

    def _change(self, task: Task) -> None:
        self.tasks[task.id] = task
        if task.status in ("pending", "processing"):
            if task.id in self.open:
                heapq.heappush(self._order, (-task.priority, task.id))
            else:
                self._outcomes.forget(task.id)
                self._begin(task)
        elif task.id in self.open:
            self._close(task.id)
            self._outcomes.settle(task.id, why_not_stored(task))
        self.version += 1

    def _end(self, task_id: int, what: Outcome) -> None:
        """The store has it no more."""
        if task_id in self.open and isinstance(what, tuple):
            self.finish(task_id, what)
        elif task_id in self.tasks:
            self.leave(task_id, what)
        elif not self._outcomes.knows(task_id):  # it came and went between two looks
            self._settle(task_id, what)

    # --- what this program works on ------------------------------------------------------------------------------

    def _busy(self) -> set[tuple[str, str]]:
        working = (task for task in map(self.tasks.__getitem__, self.open) if task.status == "processing")
        return super()._busy() | {key_of(task)[1:] for task in working}

    def refuse(self, batch: TaskBatch, task_ids: Collection[int]) -> None:
        """Another program was faster to claim these; news tell what becomes of them."""
        for task_id in task_ids:
            self._running.pop(task_id, None)
            self._settle_forgotten(task_id)
            if (noted := self._noted.pop(task_id, None)) and task_id in self.tasks:
                self._take_over(noted)
        batch.tasks = [task for task in batch.tasks if task.id not in task_ids]

    def claimed(self) -> dict[int, tuple[Stage, float]]:
        """What is being worked on here, and how far it is."""
        running = [task_id for task_id, batch in self._running.items() if batch.claimed and task_id in self.open]
        return {task_id: self._live.get(task_id, ("read", 0.0)) for task_id in running}

    def unfinished(self, batch: TaskBatch) -> list[int]:
        return [task.id for task in batch.tasks if task.id in self.open]

    def lose(self, task_ids: Iterable[int]) -> None:
        """Another program works on them by now: what is made of them here is refused."""
        for task_id in task_ids:
            if (batch := self._running.get(task_id)) and not batch.stopped:
                self._stopped(batch)
                batch.stopped = True

    def _resume(self, task: Task) -> None:
        noted = self._noted.pop(task.id, None)
        if noted and noted.status in ("failed", "skipped"):  # by another program, which had it meanwhile
            self._change(replace(noted, path=task.path))
        else:
            super()._resume(task)
