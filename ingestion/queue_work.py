"""The working side of a queue: its threads take batches, process them, and note what has become of each file."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from errors import CitewiseError, FileError, StoreError
from ingestion.backlog import Backlog, TaskBatch, key_of
from ingestion.job_runner import Report
from ingestion.pipeline import Pipeline
from ingestion.queue_problems import DEFECT, cancelled, defect, is_no_fault, library_closing
from ingestion.shared_backlog import SharedBacklog
from ingestion.signals import Signals
from ingestion.spool import Spool, holds_archive, task_of
from ingestion.task_sharing import TaskSharing
from ingestion.worker import WorkerPool
from schema import Scope, Stage, StoreOutcome, Task
from stores.base import Store
from stores.problems import UnusableStoreError

log = logging.getLogger(__name__)

_PAUSE = 30.0  # seconds after which a store that could not be written is tried again
_PAUSE_OF_SERVER = 3.0  # the same of a server, which may only have been started anew
_SHARES = 4  # parts of what a program could take at once, which leave something to others
_POLITE = 2.0  # seconds that a batch that is to stop has for its stage, which may be a large file's
_PARTS = 20  # steps of a file's progress that a page is told of


class QueueWork:
    """What a queue does by itself, from `start` to `join`."""

    def __init__(
        self, store: Store, pipeline: Pipeline, pool: WorkerPool, spool: Spool, signals: Signals, works: bool = True
    ) -> None:
        """Goes on where a killed process has stopped: what was being processed is pending again. It `works`, or other
        programs do. Raises StoreError."""
        self._store, self._pipeline, self._pool, self._spool, self._signals = store, pipeline, pool, spool, signals
        self._halted: StoreError | None = None
        self._resume_at = self._righted = 0.0
        self._changing = threading.RLock()  # one change of what is stored about tasks at a time
        self._changed = threading.Condition()  # guards the backlog
        self._listeners: dict[int, Report] = {}
        self._threads = [
            threading.Thread(target=self._work, name=f"queue-{n}", daemon=True) for n in range(works and len(pool) + 1)
        ]
        tasks = self._stored()
        spool.sweep({task.path for task in tasks})
        hands = len(self._threads) or 1
        self._sharing: TaskSharing | None = None
        if store.shared:
            self._backlog: Backlog = SharedBacklog(spool, hands * _SHARES, self._press)
            self._sharing = TaskSharing(store, spool, self._backlog, (self._changing, self._changed), self._heard)
        else:
            self._backlog = Backlog(spool, hands, self._press)
        self._backlog.hold(task.path for task in tasks)
        self._backlog.enter(tasks)

    def _stored(self) -> list[Task]:
        """What the store knows; what nobody works on is pending, also where a full disk cannot be told so."""
        with suppress(StoreError):
            self._store.free_tasks()
        shared = self._store.shared
        stored = self._store.news().tasks if shared else self._store.tasks()
        tasks = [replace(task, path=self._spool.located(task.path, anywhere=shared)) for task in stored]
        if shared:
            return tasks
        return [replace(task, status="pending") if task.status == "processing" else task for task in tasks]

    def reload(self) -> None:
        """The store has another content, with tasks of its own: those that were known are forgotten, and what is made
        for them by then is refused."""
        with self._changing:
            tasks = self._stored()
            with self._changed:
                self._backlog.hold(task.path for task in tasks)
                for task_id in list(self._backlog.tasks):
                    self._backlog.leave(task_id, cancelled())
                self._backlog.enter(tasks)
                self._go_on()

    def _heard(self, library: bool, tasks: Collection[Task]) -> None:
        """What other programs have done."""
        if library:
            self._signals.changed()
        for task in tasks:
            if task.stage and (listener := self._listeners.get(task.id)):
                listener(task.stage, task.fraction)

    def start(self) -> None:
        for thread in self._threads:
            thread.start()
        if self._sharing:
            self._sharing.start()

    def stop(self) -> None:
        """Nothing more is begun, and what is on its way stops before its next stage. All of it goes on when the
        library is opened again. Whoever waits for a file is told so."""
        with self._changed:
            self._backlog.close(library_closing())
            self._changed.notify_all()

    def join(self) -> None:
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()
        if self._sharing:
            self._sharing.close()
        self._spool.close()

    def _go_on(self) -> None:
        self._resume_at, self._righted = 0.0, time.monotonic()
        self._changed.notify_all()

    def _add(self, new: list[Task], listener: Report | None = None) -> list[Task]:
        last = {key_of(task): task for task in new}
        with self._changing:
            with self._changed:
                wanted = [self._backlog.over_older(task) for task in last.values()]
                self._backlog.hold(task.path for task in [*wanted, *new])
            try:
                if self._backlog.closed:
                    raise library_closing()
                stored = self._store.add_tasks(wanted) if wanted else []
            except BaseException:
                with self._changed:
                    self._backlog.release(task.path for task in [*wanted, *new])
                raise
            with self._changed:
                if listener:
                    self._listeners.update((task.id, listener) for task in stored)
                self._backlog.enter(stored)
                self._backlog.release(task.path for task in new)
                self._go_on()
        there = dict(zip(last, stored, strict=True))
        return [there[key_of(task)] for task in new]

    # --- working -------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while (batch := self._next()) is not None:
            self._handle(batch)

    def _handle(self, batch: TaskBatch) -> None:
        batch.thread = threading.get_ident()
        try:
            try:
                self._run(batch)
            except (asyncio.CancelledError, StoreError):
                self._note_stored(batch)
                raise
        except asyncio.CancelledError:
            pass
        except StoreError as error:
            self._halt(batch, error)
        except Exception:  # the edge of a thread: the others must go on
            log.exception("a batch of files could not be processed")
            self._halt(batch, StoreError(DEFECT))
        finally:
            if self._sharing:
                self._sharing.give_back(batch)
            with self._changed:
                self._backlog.put_back(batch)
                self._listeners = {i: tell for i, tell in self._listeners.items() if i in self._backlog.open}
                self._changed.notify_all()

    def _press(self, batch: TaskBatch) -> None:
        """A batch that is to stop and does not, in time, loses its worker."""

        def end() -> None:
            with self._changed:
                if not self._backlog.is_running(batch):
                    return
            if not self._pool.interrupt(batch.thread):  # it may be lent one yet
                self._press(batch)

        timer = threading.Timer(_POLITE, end)
        timer.daemon = True
        timer.start()

    def _next(self) -> TaskBatch | None:
        with self._changed:
            while not self._backlog.closed:
                wait = self._resume_at - time.monotonic() if self._halted else 0.0
                if wait <= 0 and (batch := self._backlog.take()):
                    return batch
                self._changed.wait(max(wait, 0.0) or None)
            return None

    def _run(self, batch: TaskBatch) -> None:
        if self._sharing:
            self._sharing.claim(batch)
        else:
            self._store.claim_tasks([task.id for task in batch.tasks])
        archives = [task for task in batch.tasks if holds_archive(task)]
        if files := [task for task in batch.tasks if task not in archives]:
            self._process(batch, files)
        for task in archives:
            try:
                self._unpack(batch, task)
            except FileError as error:
                self._note([(task, error)])

    def _process(self, batch: TaskBatch, tasks: Sequence[Task]) -> None:
        try:
            outcomes = self._pipeline.process(tasks, partial(self._report, batch), later=batch.later)
        except StoreError:
            raise
        except Exception as error:  # a defect over one file, or a crash: the others must not suffer for it
            self._note_stored(batch)
            if len(tasks) > 1:
                for task in tasks:
                    if task.id in self._backlog.open:
                        self._process(batch, [task])
                return
            log.warning("%s could not be processed", tasks[0].name, exc_info=error)
            outcomes = [(tasks[0], error if isinstance(error, CitewiseError) else defect(tasks[0].name, error))]
        self._note(outcomes)

    def _unpack(self, batch: TaskBatch, archive: Task) -> None:
        """Its files are tasks of their own, those that cannot be read are skipped."""
        self._report(batch, archive.id, "read", 0.0)
        folder, report = str(self._spool.folder), partial(self._report, batch, archive.id)
        call = ("unpack", archive.name, archive.path, folder)
        members = self._pool.run(archive.name, lambda worker: worker.call(*call, report=report))
        with self._changing:  # its set must not be renamed or deleted before they are in it
            with self._changed:
                now = self._backlog.tasks.get(archive.id)
                if now is None or batch.stopped:
                    for member in members:
                        self._spool.remove(member.path)
                    raise asyncio.CancelledError
            added = self._add([task_of(member, now) for member in members])
            self._store.drop_tasks([archive.id], {archive.id: tuple(task.id for task in added)})
            with self._changed:
                self._backlog.finish(archive.id, tuple(task.id for task in added))

    def _report(self, batch: TaskBatch, task_id: int, stage: Stage, fraction: float) -> None:
        with self._changed:
            if batch.stopped or self._backlog.closed:
                raise asyncio.CancelledError
            news = self._backlog.note_live(task_id, stage, fraction, _PARTS)
            listener = self._listeners.get(task_id)
        if listener and news:
            listener(stage, fraction)

    def _note(self, outcomes: Sequence[tuple[Task, StoreOutcome | CitewiseError]]) -> None:
        """What has become of tasks. What is stored is a task no more in the store."""
        unusable = [what for _, what in outcomes if isinstance(what, UnusableStoreError)]  # the file is not to blame
        with self._changed:
            outcomes = [
                (task, what)
                for task, what in outcomes
                if isinstance(what, StoreOutcome)
                or not (self._backlog.closed or is_no_fault(task, self._backlog.tasks.get(task.id), what))
            ]
        for task, what in outcomes:
            if isinstance(what, CitewiseError):
                self._store.note_tasks([task.id], "failed", what.in_full)
        with self._changed:
            if not unusable:
                self._halted = None
            for task, what in outcomes:
                self._backlog.finish(task.id, what)
        if any(isinstance(what, StoreOutcome) and what.outcome != "unchanged" for _, what in outcomes):
            self._signals.changed()
        if unusable:
            raise unusable[0]

    def _note_stored(self, batch: TaskBatch) -> None:
        """A batch that did not come to its end may be stored in part: those rows are gone."""
        with self._changed:
            unsure = [self._backlog.tasks[task.id] for task in batch.tasks if self._backlog.may_be_stored(task.id)]
        if unsure and self._sharing:
            self._sharing.look()
        elif unsure:
            left = {task.id for task in self._store.tasks()}
            for task in unsure:
                if task.id not in left:
                    scope = Scope(documents=(task.name,), doc_sets=(task.doc_set,))
                    self._note([(task, StoreOutcome("replaced", info)) for info in self._store.documents(scope)])

    def _halt(self, batch: TaskBatch, error: StoreError) -> None:
        """Nothing can be stored: whoever waits is told, the tasks stay and are tried again. What began before somebody
        has put it right says nothing about now."""
        with self._changed:
            if not self._backlog.closed and batch.began >= self._righted:
                log.warning("%s", error)
                pause = _PAUSE_OF_SERVER if self._sharing else _PAUSE
                self._halted, self._resume_at = error, time.monotonic() + pause
                self._backlog.tell_waiters(error)
