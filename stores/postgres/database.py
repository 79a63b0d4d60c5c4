"""Connections to PostgreSQL: a pool for readers and writers, and others for what takes long."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar, TypeVarTuple

import psycopg

from stores.postgres.adapters import Connection, register
from stores.postgres.locks import CHANGING
from stores.postgres.migrations import MIGRATIONS, version_of
from stores.postgres.pools import Pool
from stores.postgres.problems import explaining_errors, other_version, shown_address
from stores.problems import closed

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
log = logging.getLogger(__name__)

_CONNECTIONS = 8
_PATIENCE = 10.0  # seconds for a connection
_ONE_STATE = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class PostgresDatabase:
    """Any thread may read and change; changes wait for each other at one lock, in whatever program."""

    def __init__(self, url: str) -> None:
        """Raises StoreError when the server is not reached, or has another version's tables."""
        self.place = shown_address(url)
        self._url, self._closed = url, False
        with explaining_errors(self.place), psycopg.connect(url, connect_timeout=int(_PATIENCE)) as connection:
            if (found := version_of(connection)) != len(MIGRATIONS):
                raise other_version(self.place, found, len(MIGRATIONS))
        self._pool = Pool(
            url, min_size=1, max_size=_CONNECTIONS, timeout=_PATIENCE, configure=_prepare, open=True,
            kwargs={"autocommit": True}, name="citewise",
        )  # fmt: skip

    @contextmanager
    def reading(self, one_state: bool = False) -> Iterator[Connection]:
        """A connection of one's own; with one unchanging view of the library for all that is asked, where that is
        wanted. Readers wait for no writer. Raises StoreError when the library is closed, as `changing` does."""
        with explaining_errors(self.place), self._connection(_ONE_STATE if one_state else "") as connection:
            try:
                yield connection
            finally:
                if one_state and not connection.closed:
                    connection.execute("ROLLBACK")

    def read(self, work: Callable[[Connection, *Ts], T], *given: *Ts) -> T:
        """Asked once more where the connection turns out to be lost, or another space has just begun to serve."""
        with explaining_errors(self.place):
            try:
                with self._connection("") as connection:
                    return work(connection, *given)
            except (psycopg.OperationalError, psycopg.errors.UndefinedTable) as error:
                log.warning("a search is repeated: %s", error)
                self._pool.check()
            with self._connection("") as connection:
                return work(connection, *given)

    @contextmanager
    def changing(self) -> Iterator[Connection]:
        """A transaction that may change the library: durable when it is left, or nothing where something is raised.
        The one before it has ended."""
        with self.noting() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [CHANGING])
            yield connection

    @contextmanager
    def noting(self) -> Iterator[Connection]:
        """A transaction over what no search is made of."""
        with explaining_errors(self.place), self._connection("BEGIN") as connection:
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if not connection.closed:
                    with suppress(psycopg.OperationalError):
                        connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _connection(self, opening: str) -> Iterator[Connection]:
        """After a server's restart the idle ones are dead, which the first statement tells, if there is one."""
        if self._closed:
            raise closed(self.place)
        connection = self._pool.getconn()
        try:
            if opening:
                connection.execute(opening)
        except psycopg.OperationalError as error:
            self._pool.putconn(connection)
            log.warning("the connection to the database was lost: %s", error)
            self._pool.check()
            connection = self._pool.getconn()
            try:
                connection.execute(opening)
            except BaseException:
                self._pool.putconn(connection)
                raise
        try:
            yield connection
        finally:
            self._pool.putconn(connection)

    def alone(self) -> Connection:
        """A connection beside the pool, for what takes long; the caller closes it."""
        if self._closed:
            raise closed(self.place)
        connection = psycopg.connect(self._url, autocommit=True, connect_timeout=int(_PATIENCE))
        _prepare(connection)
        return connection

    @contextmanager
    def held(self, lock: int) -> Iterator[None]:
        """One at a time, of all programs; given back however this one ends."""
        with explaining_errors(self.place), self.alone() as connection:
            connection.execute("SELECT pg_advisory_lock(%s)", [lock])
            yield

    def close(self) -> None:
        self._closed = True
        self._pool.close()


def _prepare(connection: Connection) -> None:
    register(connection)
    connection.execute("SET jit = off")  # it takes longer than the searches do
