"""Work that one program at a time may do: who holds its lock does it, until the connection of its own is lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

import psycopg

from errors import StoreError
from stores.postgres.adapters import Connection
from stores.postgres.locks import HOLDING

_FRESH = 1.0  # seconds for which a lost connection may stay unnoticed


class WorkLocks:
    """The locks of this program, on one connection. From any thread."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._connection: Connection | None = None
        self._works: set[str] = set()
        self._lock = threading.Lock()
        self._looked = 0.0

    def hold(self, work: str) -> bool:
        """False also where the server is not reached."""
        with self._lock:
            try:
                connection = self._alive()
                if work not in self._works:
                    query = "SELECT pg_try_advisory_lock(%s, hashtext(%s))"
                    row = connection.execute(query, [HOLDING, work]).fetchone()
                    if row and row[0]:
                        self._works.add(work)
                return work in self._works
            except (psycopg.OperationalError, StoreError):
                self._drop()
                return False

    def let_go(self, work: str) -> None:
        with self._lock, suppress(psycopg.OperationalError):
            if work in self._works and self._connection is not None:
                self._works.discard(work)
                self._connection.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", [HOLDING, work])

    def _alive(self) -> Connection:
        if self._connection is None:
            self._connection = self._connect()
            # whoever is cut off from the server loses its locks soon, and not after the two hours of the system
            self._connection.execute("SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5")
        elif time.monotonic() > self._looked + _FRESH:
            self._connection.execute("SELECT 1")
        self._looked = time.monotonic()
        return self._connection

    def _drop(self) -> None:
        self._works.clear()
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None

    def close(self) -> None:
        with self._lock:
            self._drop()
