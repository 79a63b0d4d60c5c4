"""Files on their way: taken by priority in batches, worked on in threads, noted in the store; a kill loses nothing."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Literal

from errors import CitewiseError, FileError, StoreError
from ingestion.backlog import Backlog, Batch, Outcome, key_of, now
from ingestion.metadata import checked
from ingestion.pipeline import Pipeline
from ingestion.queue_problems import DEFECT, cancelled, defect, library_closing
from ingestion.readers.base import clean_path
from ingestion.signals import Signals
from ingestion.spool import Spool, holds_archive, task_of
from ingestion.worker import WorkerPool
from ingestion.workshop import Report
from schema import EVERYWHERE, UNTOLD, Chunking, Document, Incoming, Message, Scope, Stage, Stored, Task
from stores.base import Store
from stores.problems import Unusable

log = logging.getLogger(__name__)

AT_LEISURE, SOON, AWAITED = 0, 1, 10  # priorities: a folder; what came with a message; what somebody awaits
_PAUSE = 30.0  # seconds after which a store that could not be written is tried again
_POLITE = 2.0  # seconds that a batch that is to stop has for its stage, which may be a large file's
_PARTS = 20  # steps of a file's progress that a page is told of


class Queue:
    """Its threads begin with `start`. Every method may be called from any thread; none waits for a file.

    What is known of the tasks is held in memory, so that neither a page nor the next batch has to ask the store; the
    store is told first.
    """

    def __init__(self, store: Store, pipeline: Pipeline, pool: WorkerPool, spool: Spool, signals: Signals) -> None:
        """Goes on where a killed process has stopped: what was being processed is pending again. Raises StoreError."""
        self._store, self._pipeline, self._pool, self._spool, self._signals = store, pipeline, pool, spool, signals
        self._halted: StoreError | None = None
        self._resume_at = self._righted = 0.0
        self._changing = threading.RLock()  # one change of what is stored about tasks at a time
        self._changed = threading.Condition()  # guards the backlog
        self._listeners: dict[int, Report] = {}
        self._threads = [
            threading.Thread(target=self._work, name=f"queue-{n}", daemon=True) for n in range(len(pool) + 1)
        ]
        tasks = self._stored()
        spool.sweep({task.path for task in tasks})
        self._backlog = Backlog(spool, len(self._threads), self._press)
        self._backlog.hold(task.path for task in tasks)
        self._backlog.enter(tasks)

    def _stored(self) -> list[Task]:
        """What the store knows; nobody works on any of it."""
        tasks = [replace(task, path=self._spool.located(task.path)) for task in self._store.tasks()]
        again = [task.id for task in tasks if task.status == "processing"]
        with suppress(StoreError):  # a full disk: they are pending for us all the same
            self._store.note_tasks(again, "pending")
        return [replace(task, status="pending") if task.id in again else task for task in tasks]

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

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

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
        self._spool.close()

    # --- looking -------------------------------------------------------------------------------------------------

    @property
    def version(self) -> int:
        return self._backlog.version

    @property
    def problem(self) -> Message | None:
        """Why nothing can be stored at all, until it can."""
        halted = self._halted
        return halted.in_full if halted else None

    def tasks(self) -> list[Task]:
        """By priority, highest first, then as they came in; with their live stage and fraction."""
        with self._changed:
            return list(self._backlog.listed())

    def waiting(self, scope: Scope = EVERYWHERE) -> list[str]:
        """Names of the files on their way within a scope."""
        with self._changed:
            return self._backlog.waiting(scope)

    def busy(self) -> bool:
        return bool(self._backlog.open)

    def progress(self) -> tuple[int, int]:
        """Files that are done, of how many since nothing was on its way."""
        with self._changed:
            return self._backlog.done, self._backlog.total

    def outcome(self, task_id: int) -> Future[Outcome]:
        """What becomes of a task. An int is the task that has taken its place, a tuple are the files of an archive."""
        with self._changed:
            outcome = self._backlog.outcome(task_id)
            if self._halted and self._resume_at > time.monotonic():  # nobody is kept waiting until it is tried again
                self._backlog.tell_waiters(self._halted)
            return outcome

    # --- taking in -----------------------------------------------------------------------------------------------

    def submit(
        self,
        files: Sequence[Incoming],
        priority: int = AT_LEISURE,
        copy: bool = False,
        listener: Report | None = None,
    ) -> list[Task]:
        """One task each, on the disk when this returns. A file of a name and set that is on its way takes the place
        of the other. With `copy`, files given by a path need not stay there. Raises StoreError, and CitewiseError for
        metadata that do not fit; then none is taken."""
        files = [replace(file, metadata=checked(file.metadata)) if file.metadata else file for file in files]
        taken = self._spool.take(files, copy)
        return self._add(
            [
                _task("add", file.name, file.doc_set, file.chunking, priority, file, path, size)
                for file, (path, size) in zip(files, taken, strict=True)
            ],
            listener,
        )

    def submit_documents(self, documents: Sequence[Document], chunking: Chunking, priority: int) -> list[Task]:
        """Text that was read already."""
        tasks = []
        for document in documents:
            path, size = self._spool.take_document(document)
            file = Incoming(document.name, origin=document.origin)
            tasks.append(_task("add", document.name, document.doc_set, chunking, priority, file, path, size))
        return self._add(tasks)

    def rechunk(
        self, cuts: Sequence[tuple[str, str, Chunking]], priority: int, listener: Report | None = None
    ) -> list[Task]:
        """Stored documents, by name and set, to be cut again."""
        return self._add([_task("rechunk", name, doc_set, how, priority) for name, doc_set, how in cuts], listener)

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

    # --- steering ------------------------------------------------------------------------------------------------

    def cancel(self, task_ids: Sequence[int]) -> None:
        """Forget them with their bytes. One that is being processed stops before its next stage: its document is
        stored whole or not at all, and `outcome` tells when it is over."""
        with self._changing:
            with self._changed:
                known = [task_id for task_id in task_ids if task_id in self._backlog.tasks]
            self._store.drop_tasks(known)
            with self._changed:
                for task_id in known:
                    if task_id in self._backlog.tasks:  # else it was done just before
                        self._backlog.leave(task_id, cancelled())
                self._changed.notify_all()

    def retry(self, task_ids: Sequence[int]) -> None:
        """What has failed is pending again; a store that could not be written is tried again."""
        with self._changing:
            with self._changed:
                failed = [i for i in task_ids if (task := self._backlog.tasks.get(i)) and task.status == "failed"]
                self._go_on()
            if failed:
                self._store.note_tasks(failed, "pending")
            with self._changed:
                self._backlog.reopen(failed)
                self._changed.notify_all()

    def hurry(self, task_ids: Sequence[int]) -> None:
        """Above everything else."""
        with self._changing:
            with self._changed:
                known = [task_id for task_id in task_ids if task_id in self._backlog.open]
                top = self._backlog.top_priority() + 1
            if known:
                self._store.prioritise_tasks(known, top)
                with self._changed:
                    self._backlog.prioritise(known, top)

    def rename_doc_set(self, name: str, to: str) -> bool:
        """With its documents and tasks; what is being processed follows. False when there is no such set."""
        with self._changing:
            renamed = self._store.rename_doc_set(name, to)
            if renamed:
                with self._changed:
                    self._backlog.move([task for task in self._backlog.tasks.values() if task.doc_set == name], to)
            return renamed

    def delete_doc_set(self, name: str) -> bool:
        """With its documents and tasks. False when there is no such set."""
        with self._changing:
            deleted = self._store.delete_doc_set(name)
            with self._changed:
                for task_id in [task.id for task in self._backlog.tasks.values() if task.doc_set == name]:
                    self._backlog.leave(task_id, cancelled())
            return deleted

    def move(self, name: str, doc_set: str, to: str) -> bool:
        """A document into another set, with its cuts on their way. False when there is no such document."""
        with self._changing:
            moved = self._store.move(name, doc_set, to)
            if moved:
                with self._changed:
                    cuts = [t for t in self._backlog.tasks.values() if key_of(t) == ("rechunk", doc_set, name)]
                    self._backlog.move(cuts, to)
            return moved

    def _go_on(self) -> None:
        self._resume_at, self._righted = 0.0, time.monotonic()
        self._changed.notify_all()

    # --- working -------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while (batch := self._next()) is not None:
            self._handle(batch)

    def _handle(self, batch: Batch) -> None:
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
            with self._changed:
                self._backlog.put_back(batch)
                self._listeners = {i: tell for i, tell in self._listeners.items() if i in self._backlog.open}
                self._changed.notify_all()

    def _press(self, batch: Batch) -> None:
        """A batch that is to stop and does not, in time, loses its worker."""

        def end() -> None:
            with self._changed:
                if not self._backlog.is_running(batch):
                    return
            self._pool.interrupt(batch.thread)

        timer = threading.Timer(_POLITE, end)
        timer.daemon = True
        timer.start()

    def _next(self) -> Batch | None:
        with self._changed:
            while not self._backlog.closed:
                wait = self._resume_at - time.monotonic() if self._halted else 0.0
                if wait <= 0 and (batch := self._backlog.take()):
                    return batch
                self._changed.wait(max(wait, 0.0) or None)
            return None

    def _run(self, batch: Batch) -> None:
        self._store.note_tasks([task.id for task in batch.tasks], "processing")
        archives = [task for task in batch.tasks if holds_archive(task)]
        if files := [task for task in batch.tasks if task not in archives]:
            self._process(batch, files)
        for task in archives:
            try:
                self._unpack(batch, task)
            except FileError as error:
                self._note([(task, error)])

    def _process(self, batch: Batch, tasks: Sequence[Task]) -> None:
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

    def _unpack(self, batch: Batch, archive: Task) -> None:
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
            self._store.drop_tasks([archive.id])
            with self._changed:
                self._backlog.finish(archive.id, tuple(task.id for task in added))

    def _report(self, batch: Batch, task_id: int, stage: Stage, fraction: float) -> None:
        with self._changed:
            if batch.stopped or self._backlog.closed:
                raise asyncio.CancelledError
            news = self._backlog.note_live(task_id, stage, fraction, _PARTS)
            listener = self._listeners.get(task_id)
        if listener and news:
            listener(stage, fraction)

    def _note(self, outcomes: Sequence[tuple[Task, Stored | CitewiseError]]) -> None:
        """What has become of tasks. What is stored is a task no more in the store."""
        unusable = [what for _, what in outcomes if isinstance(what, Unusable)]  # the file is not to blame
        with self._changed:
            outcomes = [
                (task, what) for task, what in outcomes if isinstance(what, Stored) or self._is_told(task, what)
            ]
        for task, what in outcomes:
            if isinstance(what, CitewiseError):
                self._store.note_tasks([task.id], "failed", what.in_full)
        with self._changed:
            if not unusable:
                self._halted = None
            for task, what in outcomes:
                self._backlog.finish(task.id, what)
        if any(isinstance(what, Stored) and what.outcome != "unchanged" for _, what in outcomes):
            self._signals.changed()
        if unusable:
            raise unusable[0]

    def _is_told(self, task: Task, error: CitewiseError) -> bool:
        """Whether it is the file's fault, and not that the disk is full, the library is being closed, or the document
        went into another set before its text was looked for: then the task stays as it is."""
        now = self._backlog.tasks.get(task.id)
        moved = now is not None and task.job == "rechunk" and now.doc_set != task.doc_set
        return not (isinstance(error, Unusable) or self._backlog.closed or moved)

    def _note_stored(self, batch: Batch) -> None:
        """A batch that did not come to its end may be stored in part: those rows are gone."""
        with self._changed:
            unsure = [self._backlog.tasks[task.id] for task in batch.tasks if self._backlog.may_be_stored(task.id)]
        if unsure:
            left = {task.id for task in self._store.tasks()}
            for task in unsure:
                if task.id not in left:
                    scope = Scope(documents=(task.name,), doc_sets=(task.doc_set,))
                    self._note([(task, Stored("replaced", info)) for info in self._store.documents(scope)])

    def _halt(self, batch: Batch, error: StoreError) -> None:
        """Nothing can be stored: whoever waits is told, the tasks stay and are tried again. What began before somebody
        has put it right says nothing about now."""
        with self._changed:
            if not self._backlog.closed and batch.began >= self._righted:
                log.warning("%s", error)
                self._halted, self._resume_at = error, time.monotonic() + _PAUSE
                self._backlog.tell_waiters(error)


def _task(
    job: Literal["add", "rechunk"],
    name: str,
    doc_set: str,
    chunking: Chunking,
    priority: int,
    file: Incoming | None = None,
    path: str = "",
    size: int = 0,
) -> Task:
    origin = file.origin if file else UNTOLD
    if not origin.file_path.isascii():  # a name on a disk need not be text, and a page can show nothing else
        origin = replace(origin, file_path=origin.file_path.encode("utf-8", "replace").decode())
    return Task(
        0, job, clean_path(name), doc_set, "pending", chunking, origin, path, size, priority, updated=now(),
        metadata=file.metadata if file else {},
    )  # fmt: skip
