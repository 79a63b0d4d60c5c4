"""Upkeep of the postings, which nobody waits for: many segments become one, and what is gone is cleared away."""

from __future__ import annotations

import logging
from concurrent.futures import Future, ThreadPoolExecutor

from errors import StoreError
from stores.postgres.database import PostgresDatabase
from stores.postgres.postings import clear_dead, merge

log = logging.getLogger(__name__)


class Upkeep:
    """One thread, woken after changes."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._thread = ThreadPoolExecutor(1, "upkeep")
        self._waiting: Future[None] | None = None
        self._closed = False

    def wake(self) -> None:
        if (self._waiting is None or self._waiting.done()) and not self._closed:
            self._waiting = self._thread.submit(self._tend)

    def settle(self) -> None:
        """Wait until there is nothing to do while nothing changes."""
        if not self._closed:
            self._thread.submit(self._tend).result()

    def close(self) -> None:
        self._closed = True
        self._thread.shutdown(cancel_futures=True)

    def _tend(self) -> None:
        try:
            for work in (merge, clear_dead):
                done = True
                while done and not self._closed:
                    with self._database.noting() as connection:
                        done = work(connection)
        except StoreError as error:  # the next change wakes it again
            log.warning("the upkeep of the database was cut short: %s", error)
