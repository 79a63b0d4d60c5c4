"""Upkeep that nobody waits for: segments of postings become one, what is gone is cleared away, vectors are indexed."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import psycopg

from errors import StoreError
from schema import VectorIndexName
from stores.postgres import outbox
from stores.postgres.adapters import Connection
from stores.postgres.database import PostgresDatabase
from stores.postgres.postings import clear_dead, merge
from stores.postgres.tasks import clear_ends
from stores.postgres.vector_index import is_due, tend
from stores.tasks import UPKEEP

log = logging.getLogger(__name__)

_OFTEN = 600.0  # seconds between two looks for what nobody waits for any more


class Upkeep:
    """One thread, woken after changes; of all programs over one library, one does it."""

    def __init__(self, database: PostgresDatabase, wanted: VectorIndexName, hold: Callable[[str], bool]) -> None:
        """`hold`: whether this is the one program that does it."""
        self._database, self._wanted, self._hold = database, wanted, hold
        self._clear_at = 0.0
        self._thread = ThreadPoolExecutor(1, "upkeep")
        self._waiting: Future[None] | None = None
        self._closed = False
        self._alone: Connection | None = None

    def wake(self) -> None:
        if (self._waiting is None or self._waiting.done()) and not self._closed:
            self._waiting = self._thread.submit(self._tend)

    def settle(self) -> None:
        """Wait until there is nothing to do while nothing changes."""
        if not self._closed:
            self._thread.submit(self._tend).result()

    def close(self) -> None:
        self._closed = True
        if alone := self._alone:
            alone.cancel_safe()
        self._thread.shutdown(cancel_futures=True)

    def _tend(self) -> None:
        if not self._hold(UPKEEP):
            return
        try:
            for work in (merge, clear_dead):
                done = True
                while done and not self._closed:
                    with self._database.noting() as connection:
                        done = work(connection)
            self._index()
            if time.monotonic() > self._clear_at:
                with self._database.noting() as connection:
                    clear_ends(connection)
                    outbox.forget(connection)
                self._clear_at = time.monotonic() + _OFTEN
        except (StoreError, psycopg.Error) as error:  # the next change wakes it again
            log.warning("the upkeep of the database was cut short: %s", error)

    def _index(self) -> None:
        """On a connection beside the pool: it may take an hour."""
        with self._database.reading() as connection:
            if not is_due(connection, self._wanted):
                return
        with self._database.alone() as connection:
            self._alone = connection
            try:
                while not self._closed and tend(connection, self._wanted, lambda: not self._closed):
                    pass
            finally:
                self._alone = None
