"""Files on their way, in PostgreSQL: what is to be done, what could not be done and why."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace

from schema import Message, Status, Task
from stores.base import DocumentBatch
from stores.postgres.adapters import Connection, json_value
from stores.postgres.doc_sets import make_set
from stores.problems import TaskGone
from stores.sql.rows import (
    chunking_json,
    chunking_of,
    message_json,
    message_of,
    now,
    origin_json,
    origin_of,
    strict_json,
)

_FIELDS = "job, name, doc_set, status, chunking, origin, path, size, priority, problem, updated, metadata"


def add_tasks(connection: Connection, tasks: Sequence[Task]) -> list[Task]:
    """Their sets are made at once: a file that is waited for has its place."""
    for name in {task.doc_set for task in tasks}:
        make_set(connection, name)
    numbers = "SELECT nextval(pg_get_serial_sequence('tasks', 'id')) FROM generate_series(1, %s)"
    ids = [row[0] for row in connection.execute(numbers, [len(tasks)]).fetchall()]
    at = now()
    added = [replace(task, id=task_id, updated=task.updated or at) for task, task_id in zip(tasks, ids, strict=True)]
    last = {(task.doc_set, task.name, task.job): task for task in added}  # of the same file the newest
    with connection.cursor() as cursor:
        cursor.executemany("DELETE FROM tasks WHERE doc_set = %s AND name = %s AND job = %s", list(last))
        with cursor.copy(f"COPY tasks (id, {_FIELDS}) FROM STDIN") as copy:
            for task in last.values():
                copy.write_row((
                    task.id, task.job, task.name, task.doc_set, task.status, chunking_json(task.chunking),
                    json_value(origin_json(task.origin)), os.fsencode(task.path), task.size, task.priority,
                    message_json(task.problem), task.updated, strict_json(task.metadata),
                ))  # fmt: skip
    return added


def tasks(connection: Connection) -> list[Task]:
    query = f"SELECT id, {_FIELDS} FROM tasks ORDER BY priority DESC, id"
    return [
        Task(
            task_id, job, name, doc_set, status, chunking_of(chunking), origin_of(origin), os.fsdecode(path), size,
            priority, message_of(problem), updated, json.loads(metadata),
        )
        for task_id, job, name, doc_set, status, chunking, origin, path, size, priority, problem, updated,
        metadata in connection.execute(query)
    ]  # fmt: skip


def note_tasks(connection: Connection, task_ids: Sequence[int], status: Status, problem: Message | None) -> None:
    connection.execute(
        "UPDATE tasks SET status = %s, problem = %s, updated = %s WHERE id = ANY(%s)",
        [status, message_json(problem), now(), list(task_ids)],
    )


def prioritise_tasks(connection: Connection, task_ids: Sequence[int], priority: int) -> None:
    connection.execute("UPDATE tasks SET priority = %s WHERE id = ANY(%s)", [priority, list(task_ids)])


def drop_tasks(connection: Connection, task_ids: Sequence[int]) -> None:
    connection.execute("DELETE FROM tasks WHERE id = ANY(%s)", [list(task_ids)])


def finish_tasks(connection: Connection, batches: Sequence[DocumentBatch]) -> list[DocumentBatch]:
    """Remove the tasks that the batches were made for. The batches, each in the set where its task is by now."""
    task_ids = [batch.task for batch in batches if batch.task is not None]
    if not task_ids:
        return list(batches)
    removed = connection.execute("DELETE FROM tasks WHERE id = ANY(%s) RETURNING id, doc_set", [task_ids])
    sets: dict[int, str] = dict(removed.fetchall())
    if gone := [task_id for task_id in task_ids if task_id not in sets]:
        raise TaskGone(gone)
    return [
        replace(batch, document=replace(batch.document, doc_set=sets[batch.task]))
        if batch.task is not None and sets[batch.task] != batch.document.doc_set
        else batch
        for batch in batches
    ]
