"""Small tables beside the library in PostgreSQL, which all its instances share."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import psycopg

from errors import StoreError
from stores.postgres.adapters import Connection, register_text
from stores.postgres.migrations import MIGRATIONS, version_of
from stores.postgres.pools import Pool
from stores.postgres.problems import explaining_errors, other_version, shown_address
from stores.problems import closed
from stores.side_database import SideConnection, SideRows

log = logging.getLogger(__name__)
T = TypeVar("T")

_CONNECTIONS = 3
_PATIENCE = 5.0  # seconds for a connection


class SideTables:
    """Connections beside those of the library, opened when they are first needed. Each work is a transaction."""

    def __init__(self, url: str) -> None:
        self.place = shown_address(url)
        self._lock, self._opened, self._closed = threading.Lock(), False, False
        self._pool = Pool(
            url, min_size=0, max_size=_CONNECTIONS, timeout=_PATIENCE, open=False, name="citewise-side",
            configure=lambda connection: register_text(connection.adapters), check=Pool.check_connection,
        )  # fmt: skip

    def is_begun(self) -> bool:
        return True

    def read(self, work: Callable[[SideConnection], T], otherwise: T) -> T:
        try:
            return self.write(work)
        except StoreError as error:
            log.warning("%s", error.message.en)
            return otherwise

    def write(self, work: Callable[[SideConnection], T]) -> T:
        return self.run(lambda connection: work(_WithQuestionMarks(connection)))

    def run(self, work: Callable[[Connection], T]) -> T:
        """With PostgreSQL's own SQL. Raises StoreError."""
        with self._lock:
            if self._closed:
                raise closed(self.place)
            if not self._opened:
                self._pool.open()
                self._opened = True
        with explaining_errors(self.place), self._pool.connection() as connection:
            return work(connection)

    def check(self) -> None:
        """Raises StoreError where the server does not answer, or the tables are of another version."""
        if (found := self.run(version_of)) != len(MIGRATIONS):
            raise other_version(self.place, found, len(MIGRATIONS))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._pool.close()


class _WithQuestionMarks:
    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> SideRows:
        return self._connection.execute(sql.replace("?", "%s"), values)
