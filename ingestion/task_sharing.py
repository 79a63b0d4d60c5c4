"""A queue's dealings with the other programs that work on the same library: claims, what is heard and what is told."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace

from errors import StoreError
from ingestion.backlog import TaskBatch
from ingestion.shared_backlog import SharedBacklog
from ingestion.spool import Spool
from schema import Stage, Task
from stores.base import Store
from stores.tasks import LEASE

log = logging.getLogger(__name__)

_PATIENCE = 0.5  # seconds without a hint after which it is looked for news
_RHYTHM = 0.1  # seconds between two looks, however much is told
_OFTEN = 1.0  # seconds between two reports of how far the files are


class TaskSharing:
    """Its thread runs from `start` to `close`."""

    def __init__(
        self,
        store: Store,
        spool: Spool,
        backlog: SharedBacklog,
        locks: tuple[threading.RLock, threading.Condition],
        heard: Callable[[bool, Collection[Task]], object],
    ) -> None:
        """`locks`: of what is stored about tasks, and of the backlog. `heard` is told whether the library has changed,
        and of the tasks that have."""
        self._store, self._spool, self._backlog, self._heard = store, spool, backlog, heard
        self._changing, self._changed = locks
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="queue-watch", daemon=True)
        self._told: dict[int, tuple[Stage, float]] = {}
        self._told_at = self._kept_at = 0.0

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _watch(self) -> None:
        away = False
        while not self._ended.wait(_RHYTHM):
            self._store.await_news(_PATIENCE)
            try:
                self._keep()
                self.look()
                away = False
            except StoreError as error:
                if not away:
                    log.warning("nothing is heard of other programs: %s", error)
                away = True
            except Exception:  # the edge of a thread: without it nothing is heard any more
                log.exception("what other programs have done could not be followed")

    def look(self) -> None:
        """Take over what other programs have done. Raises StoreError."""
        with self._changing:  # what this program changes meanwhile is no news
            news = self._store.news()
            tasks = [replace(task, path=self._spool.located(task.path, anywhere=True)) for task in news.tasks]
            if not (tasks or news.ends or news.library):
                return
            with self._changed:
                tasks = self._backlog.follow(news._replace(tasks=tasks))
                self._changed.notify_all()
        self._heard(news.library, tasks)

    def _keep(self) -> None:
        """Say that what is worked on here still is, and how far it is."""
        now = time.monotonic()
        with self._changed:
            claimed = self._backlog.claimed()
        progress = {task_id: live for task_id, live in claimed.items() if live != self._told.get(task_id)}
        due = now > self._kept_at + LEASE / 3
        if claimed and (due or (progress and now > self._told_at + _OFTEN)):
            kept = self._store.keep_tasks(list(claimed), progress)
            self._told, self._told_at = claimed, now
            with self._changed:
                self._backlog.lose(claimed.keys() - kept)
        if due:
            self._store.free_tasks()
            self._kept_at = now

    def claim(self, batch: TaskBatch) -> None:
        """What other programs were faster to claim leaves the batch; the bytes of the others are here. Raises
        StoreError."""
        task_ids = {task.id for task in batch.tasks}
        claimed = set(self._store.claim_tasks(list(task_ids)))
        with self._changed:
            batch.claimed = True
            self._backlog.refuse(batch, task_ids - claimed)
        for task in batch.tasks:
            if task.job == "add":
                self._spool.fetch(task.path, self._store.upload(task.path))

    def give_back(self, batch: TaskBatch) -> None:
        """What is not done is anybody's."""
        with self._changed:
            left = self._backlog.unfinished(batch)
        if left:
            with suppress(StoreError):  # then they are free when the lease is over
                self._store.give_back_tasks(left)
