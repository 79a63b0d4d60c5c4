"""Files on their way in the store in PostgreSQL, which many programs work on."""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar, TypeVarTuple

from schema import Message, Stage, Status, Task
from stores.postgres import tasks as task_rows
from stores.postgres.adapters import Connection
from stores.postgres.database import PostgresDatabase
from stores.postgres.news import Listener, News
from stores.postgres.reader import PostgresReader
from stores.postgres.uploads import parts, take_uploads
from stores.postgres.work_locks import WorkLocks
from stores.tasks import TaskEnd, TaskNews

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class PostgresTasks(PostgresReader):
    """This program works under a name of its own, by which a claim is its own."""

    shared = True

    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(database)
        self.owner = f"{socket.gethostname()}, pid {os.getpid()}, {uuid.uuid4().hex[:6]}"
        self._news, self._listener = News(), Listener(database.alone)
        self._holdings = WorkLocks(database.alone)

    def _close_tasks(self) -> None:
        self._listener.close()
        self._holdings.close()

    def _change(self, work: Callable[[Connection, *Ts], T], *given: *Ts) -> T:
        with self._database.changing() as connection:
            return work(connection, *given)

    def _note(self, work: Callable[[Connection, *Ts], T], *given: *Ts) -> T:
        with self._database.noting() as connection:
            return work(connection, *given)

    def add_tasks(self, tasks: Sequence[Task]) -> list[Task]:
        uploads = self._note(take_uploads, [task.path for task in tasks])  # before: nobody waits for a large file
        return self._change(task_rows.add_tasks, tasks, uploads)

    def tasks(self) -> list[Task]:
        return self._read(task_rows.tasks)

    def note_tasks(self, task_ids: Sequence[int], status: Status, problem: Message | None = None) -> None:
        self._note(task_rows.note_tasks, self.owner, task_ids, status, problem)

    def prioritise_tasks(self, task_ids: Sequence[int], priority: int) -> None:
        self._note(task_rows.prioritise_tasks, task_ids, priority)

    def drop_tasks(self, task_ids: Sequence[int], ends: Mapping[int, TaskEnd] | None = None) -> list[int]:
        return self._note(task_rows.drop_tasks, task_ids, ends or {})

    def upload(self, path: str) -> Iterator[bytes]:
        with self._database.reading() as connection:
            yield from parts(connection, path)

    def free_tasks(self) -> None:
        self._note(task_rows.free_tasks)

    def claim_tasks(self, task_ids: Sequence[int]) -> list[int]:
        return self._note(task_rows.claim_tasks, self.owner, task_ids)

    def keep_tasks(self, task_ids: Sequence[int], progress: Mapping[int, tuple[Stage, float]]) -> set[int]:
        return self._note(task_rows.keep_tasks, self.owner, task_ids, progress)

    def give_back_tasks(self, task_ids: Sequence[int]) -> None:
        self._note(task_rows.give_back_tasks, self.owner, task_ids)

    def await_news(self, patience: float) -> None:
        self._listener.wait(patience)

    def news(self) -> TaskNews:
        return self._read_at_once(self._news.look)

    def hold(self, work: str) -> bool:
        return self._holdings.hold(work)

    def let_go(self, work: str) -> None:
        self._holdings.let_go(work)
