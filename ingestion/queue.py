"""Files on their way: taken by priority in batches, worked on in threads, noted in the store; a kill loses nothing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Literal

from errors import CitewiseError
from ingestion.backlog import key_of, now
from ingestion.job_runner import Report
from ingestion.outcomes import Outcome
from ingestion.picture_tasks import with_pictures_to_read
from ingestion.queue_problems import cancelled
from ingestion.queue_work import QueueWork
from ingestion.readers.base import clean_path
from schema import EVERYWHERE, UNTOLD, Chunking, Document, IncomingFile, Message, Scope, StoreOutcome, Task
from stores.metadata import checked

AT_LEISURE, SOON, AWAITED = 0, 1, 10  # priorities: a folder; what came with a message; what somebody awaits


class Queue(QueueWork):
    """Its threads begin with `start`. Every method may be called from any thread; none waits for a file.

    What is known of the tasks is held in memory, so that neither a page nor the next batch has to ask the store; the
    store is told first.
    """

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
        files: Sequence[IncomingFile],
        priority: int = AT_LEISURE,
        copy: bool = False,
        listener: Report | None = None,
    ) -> list[Task]:
        """One task each, on the disk when this returns. A file of a name and set that is on its way takes the place
        of the other. With `copy`, files given by a path need not stay there. Raises StoreError, and CitewiseError for
        metadata that do not fit; then none is taken."""
        files = [replace(file, metadata=checked(file.metadata)) if file.metadata else file for file in files]
        taken = self._spool.take(files, copy or self._store.shared)  # of a disk that others may not see
        return self._add(
            [
                _task("add", file.name, file.doc_set, file.chunking, priority, file, path, size)
                for file, (path, size) in zip(files, taken, strict=True)
            ],
            listener,
        )

    def _note(self, outcomes: Sequence[tuple[Task, StoreOutcome | CitewiseError]]) -> None:
        """Pictures within what was stored are read next: whoever is told that it is stored finds that on its way."""
        files = list(with_pictures_to_read(self._store, outcomes))
        if not files or self._backlog.closed:
            super()._note(outcomes)
            return
        with self._changing, self._changed:
            super()._note(outcomes)
            self.submit(files)

    def submit_documents(self, documents: Sequence[Document], chunking: Chunking, priority: int) -> list[Task]:
        """Text that was read already."""
        tasks = []
        for document in documents:
            path, size = self._spool.take_document(document)
            file = IncomingFile(document.name, origin=document.origin)
            tasks.append(_task("add", document.name, document.doc_set, chunking, priority, file, path, size))
        return self._add(tasks)

    def rechunk(
        self, cuts: Sequence[tuple[str, str, Chunking]], priority: int, listener: Report | None = None
    ) -> list[Task]:
        """Stored documents, by name and set, to be cut again."""
        return self._add([_task("rechunk", name, doc_set, how, priority) for name, doc_set, how in cuts], listener)

    # --- steering ------------------------------------------------------------------------------------------------

    def cancel(self, task_ids: Sequence[int]) -> None:
        """Forget them with their bytes. One that is being processed stops before its next stage: its document is
        stored whole or not at all, and `outcome` tells when it is over."""
        with self._changing:
            with self._changed:
                known = [task_id for task_id in task_ids if task_id in self._backlog.tasks]
            dropped = self._store.drop_tasks(known)  # of any other its document has just been stored: that is noted
            if self._sharing:
                self._sharing.look()  # another program may have stored one just before
            with self._changed:
                for task_id in dropped:
                    if task_id in self._backlog.tasks:  # else another program's end of it was heard just before
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

    def prioritise(self, task_ids: Sequence[int]) -> None:
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


def _task(
    job: Literal["add", "rechunk"],
    name: str,
    doc_set: str,
    chunking: Chunking,
    priority: int,
    file: IncomingFile | None = None,
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
