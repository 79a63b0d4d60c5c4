"""Files on their way, in PostgreSQL: what is to be done, who does it, what could not be done and why."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from schema import Message, Stage, Status, StoreOutcome, Task
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
from stores.tasks import ATTEMPTS, LEASE, TaskEnd

FIELDS = "job, name, doc_set, status, chunking, origin, path, size, priority, problem, updated, metadata"
SHOWN = f"id, {FIELDS}, attempts, stage, fraction"
# Whoever changes many tasks locks them in one order; and nobody who only tells how far he is waits for another.
_THESE = "id IN (SELECT id FROM tasks WHERE id = ANY(%(ids)s) ORDER BY id FOR UPDATE)"
_FREE_THESE = "id IN (SELECT id FROM tasks WHERE {} ORDER BY id FOR UPDATE SKIP LOCKED)"
_UNCLAIMED = "owner = NULL, lease = NULL, stage = NULL, fraction = 0"


def add_tasks(connection: Connection, tasks: Sequence[Task], uploads: Mapping[str, str]) -> list[Task]:
    """Their sets are made at once: a file that is waited for has its place. `uploads`: of their bytes, by path."""
    for name in {task.doc_set for task in tasks}:
        make_set(connection, name)
    numbers = "SELECT nextval(pg_get_serial_sequence('tasks', 'id')) FROM generate_series(1, %s)"
    ids = [row[0] for row in connection.execute(numbers, [len(tasks)]).fetchall()]
    at = now()
    added = [replace(task, id=task_id, updated=task.updated or at) for task, task_id in zip(tasks, ids, strict=True)]
    last = {(task.doc_set, task.name, task.job): task for task in added}  # of the same file the newest
    with connection.cursor() as cursor:
        cursor.executemany(
            """WITH older AS (DELETE FROM tasks WHERE doc_set = %s AND name = %s AND job = %s RETURNING id)
            INSERT INTO task_ends (id, tasks) SELECT id, ARRAY[%s]::bigint[] FROM older""",
            [(*key, task.id) for key, task in last.items()],
        )
        with cursor.copy(f"COPY tasks (id, {FIELDS}, upload) FROM STDIN") as copy:
            for task in last.values():
                copy.write_row((
                    task.id, task.job, task.name, task.doc_set, task.status, chunking_json(task.chunking),
                    json_value(origin_json(task.origin)), os.fsencode(task.path), task.size, task.priority,
                    message_json(task.problem), task.updated, strict_json(task.metadata), uploads.get(task.path, ""),
                ))  # fmt: skip
    return added


def tasks(connection: Connection) -> list[Task]:
    return [task_of(row) for row in connection.execute(f"SELECT {SHOWN} FROM tasks ORDER BY priority DESC, id")]


def task_of(row: Sequence[Any]) -> Task:
    (
        task_id, job, name, doc_set, status, chunking, origin, path, size, priority, problem, updated, metadata,
        attempts, stage, fraction,
    ) = row  # fmt: skip
    return Task(
        task_id, job, name, doc_set, status, chunking_of(chunking), origin_of(origin), os.fsdecode(path), size,
        priority, message_of(problem), updated, json.loads(metadata), stage, fraction, attempts,
    )  # fmt: skip


def note_tasks(
    connection: Connection, owner: str, task_ids: Sequence[int], status: Status, problem: Message | None
) -> None:
    connection.execute(
        f"""UPDATE tasks SET status = %(status)s, problem = %(problem)s, updated = %(at)s, attempts = 0, {_UNCLAIMED}
        WHERE {_THESE} AND (owner IS NULL OR owner = %(owner)s)""",
        {"status": status, "problem": message_json(problem), "at": now(), "ids": list(task_ids), "owner": owner},
    )


def prioritise_tasks(connection: Connection, task_ids: Sequence[int], priority: int) -> None:
    connection.execute(
        f"UPDATE tasks SET priority = %(priority)s WHERE {_THESE}", {"priority": priority, "ids": list(task_ids)}
    )


def drop_tasks(connection: Connection, task_ids: Sequence[int], ends: Mapping[int, TaskEnd]) -> list[int]:
    """Those that were there."""
    query = f"DELETE FROM tasks WHERE {_THESE} RETURNING id"
    gone = [row[0] for row in connection.execute(query, {"ids": list(task_ids)})]
    note_ends(connection, {task_id: ends[task_id] for task_id in gone if task_id in ends})
    return gone


def note_ends(connection: Connection, ends: Mapping[int, TaskEnd]) -> None:
    """Of tasks that go in this transaction."""
    rows: list[tuple[Any, ...]] = []
    for task_id, end in ends.items():
        if isinstance(end, StoreOutcome):
            rows.append((task_id, None, end.document.id, end.outcome, end.kept_vectors, end.missing_vectors))
        elif end is not None:
            rows.append((task_id, [end] if isinstance(end, int) else list(end), None, *[None] * 3))
    with connection.cursor() as cursor:
        cursor.executemany(
            """INSERT INTO task_ends (id, tasks, document_id, outcome, kept, without_vectors)
            VALUES (%s, %s::bigint[], %s, %s, %s, %s)""",
            rows,
        )


def finish_tasks(connection: Connection, owner: str, batches: Sequence[DocumentBatch]) -> list[DocumentBatch]:
    """Remove the tasks that the batches were made for. The batches, each in the set where its task is by now. Raises
    TaskGone where another program has claimed one meanwhile, as well."""
    task_ids = [batch.task for batch in batches if batch.task is not None]
    if not task_ids:
        return list(batches)
    query = f"DELETE FROM tasks WHERE {_THESE} AND (owner IS NULL OR owner = %(owner)s) RETURNING id, doc_set"
    sets: dict[int, str] = dict(connection.execute(query, {"ids": task_ids, "owner": owner}).fetchall())
    if gone := [task_id for task_id in task_ids if task_id not in sets]:
        raise TaskGone(gone)
    return [
        replace(batch, document=replace(batch.document, doc_set=sets[batch.task]))
        if batch.task is not None and sets[batch.task] != batch.document.doc_set
        else batch
        for batch in batches
    ]


# --- working on them ---------------------------------------------------------------------------------------------


def free_tasks(connection: Connection) -> None:
    expired = _FREE_THESE.format("status = 'processing' AND (lease IS NULL OR lease < now())")
    query = f"""UPDATE tasks SET status = 'pending', lease = NULL, stage = NULL, fraction = 0 WHERE {expired}
        RETURNING id, attempts, owner, stage"""
    freed = connection.execute(query).fetchall()
    for task_id, attempts, owner, _ in freed:
        if attempts >= ATTEMPTS:
            connection.execute(
                "UPDATE tasks SET status = 'failed', attempts = 0, problem = %s, updated = %s WHERE id = %s",
                [message_json(_deadly(attempts, owner or "")), now(), task_id],
            )
    connection.execute("UPDATE tasks SET owner = NULL WHERE id = ANY(%s)", [[row[0] for row in freed]])


def claim_tasks(connection: Connection, owner: str, task_ids: Sequence[int]) -> list[int]:
    free = _FREE_THESE.format(
        """id = ANY(%(ids)s) AND (status = 'pending' OR status = 'processing'
        AND (lease IS NULL OR lease < now() OR owner = %(owner)s))"""
    )
    claimed = connection.execute(
        f"""UPDATE tasks SET status = 'processing', owner = %(owner)s, lease = now() + make_interval(secs => %(lease)s),
        attempts = attempts + (owner IS DISTINCT FROM %(owner)s)::int, stage = NULL, fraction = 0, updated = %(at)s
        WHERE {free} RETURNING id""",
        {"owner": owner, "lease": LEASE, "ids": list(task_ids), "at": now()},
    )
    return [row[0] for row in claimed]


def keep_tasks(
    connection: Connection, owner: str, task_ids: Sequence[int], progress: Mapping[int, tuple[Stage, float]]
) -> set[int]:
    own = {"ids": list(task_ids), "owner": owner}
    free = _FREE_THESE.format("id = ANY(%(ids)s) AND owner = %(owner)s")
    connection.execute(
        f"UPDATE tasks SET lease = now() + make_interval(secs => %(lease)s) WHERE {free}", {**own, "lease": LEASE}
    )
    if progress:
        connection.execute(
            f"""UPDATE tasks SET stage = said.stage, fraction = said.fraction
            FROM unnest(%(now)s::bigint[], %(stages)s::text[], %(fractions)s::float8[]) AS said (task, stage, fraction)
            WHERE said.task = id AND {free}""",
            {
                **own, "now": list(progress), "stages": [stage for stage, _ in progress.values()],
                "fractions": [fraction for _, fraction in progress.values()],
            },
        )  # fmt: skip
    rows = connection.execute("SELECT id FROM tasks WHERE id = ANY(%(ids)s) AND owner = %(owner)s", own)
    return {row[0] for row in rows}


def give_back_tasks(connection: Connection, owner: str, task_ids: Sequence[int]) -> None:
    connection.execute(
        f"""UPDATE tasks SET status = 'pending', attempts = greatest(attempts - 1, 0), {_UNCLAIMED}
        WHERE {_THESE} AND owner = %(owner)s""",
        {"ids": list(task_ids), "owner": owner},
    )


def clear_ends(connection: Connection) -> None:
    """What nobody waits for any more, and bytes that a killed program has left."""
    connection.execute("DELETE FROM task_ends WHERE at < now() - interval '1 day'")
    connection.execute(
        """DELETE FROM uploads WHERE added < now() - interval '1 day'
        AND NOT EXISTS (SELECT 1 FROM tasks WHERE upload = uploads.name)"""
    )


def _deadly(attempts: int, owner: str) -> Message:
    return Message(
        zh=f"处理这个文件的程序已经 {attempts} 次意外终止（最后一次：{owner}），因此不再自动重试。"
        "原因可能是内存不足或文件损坏：请把文件拆小或另存后重新上传。",
        en=f"{attempts} programs ended unexpectedly while they worked on this file (the last one: {owner}), so it is "
        "not tried again by itself. Too little memory or a broken file may be the reason: split it, or save it anew, "
        "and upload it again.",
    )
