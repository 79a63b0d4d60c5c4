"""Files on their way, in SQLite: what is to be done, what could not be done and why."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from schema import Message, Status, Task
from stores.base import DocumentBatch
from stores.problems import TaskGone
from stores.sql.doc_sets import make_set
from stores.sql.rows import (
    chunking_json,
    chunking_of,
    ids_json,
    message_json,
    message_of,
    now,
    origin_json,
    origin_of,
    strict_json,
)
from stores.sql.sqlite import Change

_FIELDS = "job, name, doc_set, status, chunking, origin, path, size, priority, problem, updated, metadata"
_MARKS = ", ".join("?" * 12)
_THESE = "id IN (SELECT value FROM json_each(?))"


def add_tasks(connection: sqlite3.Connection, tasks: Sequence[Task]) -> tuple[list[Task], Change]:
    """Their sets are made at once: a file that is waited for has its place."""
    at, added, generation = now(), [], 0
    for name in {task.doc_set for task in tasks}:
        generation = make_set(connection, name) or generation
    for task in tasks:
        row = (
            task.job, task.name, task.doc_set, task.status, chunking_json(task.chunking), origin_json(task.origin),
            _path_told(task.path), task.size, task.priority, message_json(task.problem), task.updated or at,
            strict_json(task.metadata),
        )  # fmt: skip
        done = connection.execute(f"INSERT OR REPLACE INTO tasks ({_FIELDS}) VALUES ({_MARKS})", row)
        added.append(replace(task, id=int(done.lastrowid or 0), updated=task.updated or at))
    log_rows = [("waiting", task.doc_set, task.name) for task in added]
    return added, Change(generation, told=log_rows, task=max((task.id for task in added), default=0))


def tasks(connection: sqlite3.Connection) -> list[Task]:
    query = f"SELECT id, {_FIELDS} FROM tasks ORDER BY priority DESC, id"
    return [
        Task(
            task_id, job, name, doc_set, status, chunking_of(chunking), origin_of(origin), _path_read(path), size,
            priority, message_of(problem), updated, json.loads(metadata),
        )
        for task_id, job, name, doc_set, status, chunking, origin, path, size, priority, problem, updated,
        metadata in connection.execute(query)
    ]  # fmt: skip


def note_tasks(
    connection: sqlite3.Connection, task_ids: Sequence[int], status: Status, problem: Message | None
) -> None:
    connection.execute(
        f"UPDATE tasks SET status = ?, problem = ?, updated = ? WHERE {_THESE}",
        [status, message_json(problem), now(), ids_json(task_ids)],
    )


def prioritise_tasks(connection: sqlite3.Connection, task_ids: Sequence[int], priority: int) -> None:
    connection.execute(f"UPDATE tasks SET priority = ? WHERE {_THESE}", [priority, ids_json(task_ids)])


def drop_tasks(connection: sqlite3.Connection, task_ids: Sequence[int]) -> list[int]:
    """Those that were there."""
    given = [ids_json(task_ids)]
    found = [row[0] for row in connection.execute(f"SELECT id FROM tasks WHERE {_THESE}", given)]
    connection.execute(f"DELETE FROM tasks WHERE {_THESE}", given)
    return found


def finish_tasks(connection: sqlite3.Connection, batches: Sequence[DocumentBatch]) -> list[DocumentBatch]:
    """Remove the tasks that the batches were made for. The batches, each in the set where its task is by now."""
    task_ids = [batch.task for batch in batches if batch.task is not None]
    if not task_ids:
        return list(batches)
    query = f"SELECT id, doc_set FROM tasks WHERE {_THESE}"
    sets = dict(connection.execute(query, [ids_json(task_ids)]).fetchall())
    if gone := [task_id for task_id in task_ids if task_id not in sets]:
        raise TaskGone(gone)
    drop_tasks(connection, task_ids)
    return [
        replace(batch, document=replace(batch.document, doc_set=sets[batch.task]))
        if batch.task is not None and sets[batch.task] != batch.document.doc_set
        else batch
        for batch in batches
    ]


def _path_told(path: str) -> str | bytes:
    """A name on a disk need not be text: then it is kept as the bytes that it is."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path)
    return path


def _path_read(path: str | bytes) -> str:
    return path if isinstance(path, str) else os.fsdecode(path)
