"""What other programs have done to the library: they tell by NOTIFY, which may be lost, and the tables know."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import psycopg

from errors import StoreError
from schema import StoreOutcome
from stores.postgres.adapters import Connection
from stores.postgres.rows import INFO, number
from stores.postgres.tasks import SHOWN, task_of
from stores.sql.rows import document_info
from stores.tasks import TaskEnd, TaskNews

log = logging.getLogger(__name__)

_ENDS = f"""SELECT e.id, e.tasks, e.outcome, e.kept, e.without_vectors, {INFO.replace("id,", "d.id,", 1)}
    FROM task_ends AS e LEFT JOIN documents AS d ON d.id = e.document_id WHERE e.changed >= %s::xid8"""


class News:
    """What has changed since the last look: all that was written by a transaction which it may not have seen."""

    def __init__(self) -> None:
        self._since, self._generation = "0", -1

    def look(self, connection: Connection) -> TaskNews:
        """In a transaction with one view of the library."""
        [(oldest,)] = connection.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text").fetchall()
        query = f"SELECT {SHOWN} FROM tasks WHERE changed >= %s::xid8 ORDER BY id"
        tasks = [task_of(row) for row in connection.execute(query, [self._since])]
        ends = connection.execute(_ENDS, [self._since]).fetchall() if self._since != "0" else []
        generation = number(connection, "SELECT generation FROM library", [])
        before, self._since, self._generation = self._generation, oldest, generation
        return TaskNews(tasks, {row[0]: _end_of(row) for row in ends}, generation != before)


def _end_of(row: Sequence[Any]) -> TaskEnd:
    _, tasks, outcome, kept, missing, *document = row
    if outcome and document[0] is not None:
        return StoreOutcome(outcome, document_info(tuple(document)), kept, missing)
    if tasks is None:
        return None
    return tuple(tasks) if len(tasks) != 1 else int(tasks[0])


class Listener:
    """A connection of its own, on which the server tells that something has changed."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._connection: Connection | None = None
        self._lock = threading.Lock()  # of the one who listens

    def wait(self, patience: float) -> None:
        """Until something is told, or for so long; without a server, for so long."""
        until = time.monotonic() + patience
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = self._connect()
                    self._connection.execute("LISTEN citewise")
                    return  # what was told meanwhile is lost
                for _ in self._connection.notifies(timeout=patience, stop_after=1):
                    pass
                return
            except (psycopg.OperationalError, StoreError) as error:
                log.warning("nothing is heard from the database: %s", error)
                self._drop()
        time.sleep(max(0.0, until - time.monotonic()))

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None

    def close(self) -> None:
        with self._lock:
            self._drop()
