"""Conversations in PostgreSQL, which all instances of a library share."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from psycopg.rows import DictRow, dict_row, tuple_row
from psycopg.types.json import set_json_dumps, set_json_loads

from errors import StoreError
from graph.checkpoints import ONCE, Checkpoints, checkpointed_types
from graph.conversations import Conversations
from graph.monitoring import Spans
from graph.problems import turn_elsewhere
from graph.titles import Titles
from graph.turn_locks import LocalTurnLocks
from stores.postgres.adapters import json_text, json_value, register_text
from stores.postgres.locks import CHECKPOINTS
from stores.postgres.pools import AsyncPool
from stores.postgres.problems import explaining_errors, shown_address
from stores.reserve import Reserve

log = logging.getLogger(__name__)

_CONNECTIONS = 4
_PATIENCE = 5.0  # seconds for a connection
_PAUSE, _TRIES = 0.05, 20  # a second, in which the turn before at another instance may come to its end


async def open_in_database(url: str, spans: Spans | None) -> Conversations:
    """Raises StoreError where the server does not answer."""
    place = shown_address(url)
    pool = AsyncPool(
        url, min_size=1, max_size=_CONNECTIONS, timeout=_PATIENCE, open=False, name="citewise-conversations",
        kwargs={"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row},
        configure=_prepare, check=AsyncPool.check_connection,
    )  # fmt: skip
    try:
        with explaining_errors(place):
            await pool.open(wait=True, timeout=_PATIENCE)
        saver = PostgresCheckpoints(pool, JsonPlusSerializer(allowed_msgpack_modules=checkpointed_types()), place)
        await saver.make_tables()
    except BaseException:
        await pool.close()
        raise
    return Conversations(saver, TitleTable(pool, place), PostgresTurnLocks(url, place), Reserve(None), spans)


async def _prepare(connection: psycopg.AsyncConnection[Any]) -> None:
    register_text(connection.adapters)
    set_json_dumps(lambda value: json_value(json.dumps(value)), connection)
    set_json_loads(lambda written: json.loads(json_text(written)), connection)


class PostgresCheckpoints(Checkpoints, AsyncPostgresSaver):
    """In PostgreSQL. What goes wrong with the server is a StoreError."""

    def __init__(self, pool: AsyncPool, serde: SerializerProtocol, place: str) -> None:
        super().__init__(pool, serde=serde)
        self.remember(serde)
        self._pool, self._place = pool, place

    async def make_tables(self) -> None:
        """Of instances that start together one does, and the others do not wait within a statement: the indexes are
        made beside whatever runs, and so would wait for them."""
        with explaining_errors(self._place):
            async with self._pool.connection() as connection:
                while not await _is_locked(connection, CHECKPOINTS):  # noqa: ASYNC110 - another process tells nobody
                    await asyncio.sleep(_PAUSE)
                try:
                    await self.setup()
                finally:
                    await connection.execute("SELECT pg_advisory_unlock(%s)", [CHECKPOINTS])

    async def keep_latest(self, thread_id: str) -> None:
        if thread_id not in self.unwritten:
            await self.aprune([thread_id])

    async def close(self) -> None:
        await self._pool.close()

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[psycopg.AsyncCursor[DictRow]]:
        with explaining_errors(self._place):
            async with super()._cursor(pipeline=pipeline) as cursor:
                yield cursor


class TitleTable(Titles):
    """In PostgreSQL; shares the connections of the checkpoints."""

    SAYS = "strpos(said, ?) > 0"

    def __init__(self, pool: AsyncPool, place: str) -> None:
        self._pool, self._place = pool, place

    async def _rows(self, query: str, values: Sequence[object]) -> list[Any]:
        with explaining_errors(self._place):
            async with self._pool.connection() as connection, connection.cursor(row_factory=tuple_row) as cursor:
                await cursor.execute(query.replace("?", "%s"), values)
                return await cursor.fetchall()

    async def _write(self, statement: str, values: Sequence[object]) -> None:
        try:
            with explaining_errors(self._place):
                async with self._pool.connection() as connection:
                    await connection.execute(statement.replace("?", "%s"), values)
        except StoreError as error:
            log.warning("the list of conversations could not be written: %s", error.message.en)


class PostgresTurnLocks:
    """Over all instances: advisory locks by thread, on one connection, which the server lets go of when it ends.

    Where the connection is lost, what runs here is locked anew with the next turn.
    """

    def __init__(self, url: str, place: str) -> None:
        self._url, self._place = url, place
        self._here, self._using, self._held = LocalTurnLocks(), asyncio.Lock(), set[int]()
        self._connection: psycopg.AsyncConnection[Any] | None = None

    @asynccontextmanager
    async def of(self, thread_id: str) -> AsyncIterator[None]:
        async with self._here.of(thread_id):
            if ONCE.fullmatch(thread_id):  # nobody else knows of it
                yield
                return
            key = int.from_bytes(hashlib.blake2b(thread_id.encode(), digest_size=8).digest(), signed=True)
            try:
                await self._take(key)
                yield
            finally:
                await asyncio.shield(self._let_go(key))

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.close()

    async def _take(self, key: int) -> None:
        for _ in range(_TRIES):
            with explaining_errors(self._place):
                async with self._using:
                    try:
                        taken = await self._is_taken(key)
                    except psycopg.OperationalError as error:
                        log.warning("the connection to the database was lost: %s", error)
                        taken = await self._is_taken(key)
                    if taken:
                        return
            await asyncio.sleep(_PAUSE)
        raise turn_elsewhere()

    async def _is_taken(self, key: int) -> bool:
        """Whoever is stopped in the middle of it may have the lock."""
        connection = await self._connected()
        self._held.add(key)
        try:
            taken = await _is_locked(connection, key)
        except psycopg.OperationalError:
            self._held.discard(key)
            raise
        if not taken:
            self._held.discard(key)
        return taken

    async def _connected(self) -> psycopg.AsyncConnection[Any]:
        if self._connection is None or self._connection.closed:
            self._connection = await psycopg.AsyncConnection.connect(self._url, autocommit=True, connect_timeout=5)
            # whoever is cut off from the server loses its locks soon, and not after the two hours of the system
            await self._connection.execute("SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5")
            for key in self._held:
                if not await _is_locked(self._connection, key):
                    log.warning("another instance has begun a turn of a conversation that one runs of here")
        return self._connection

    async def _let_go(self, key: int) -> None:
        async with self._using:
            if key not in self._held:
                return
            self._held.discard(key)
            with suppress(psycopg.OperationalError):  # then the server has let go
                if self._connection is not None:
                    await self._connection.execute("SELECT pg_advisory_unlock(%s)", [key])


async def _is_locked(connection: psycopg.AsyncConnection[Any], key: int) -> bool:
    """Whether the connection has the lock now."""
    async with connection.cursor(row_factory=tuple_row) as cursor:
        await cursor.execute("SELECT pg_try_advisory_lock(%s)", [key])
        row = await cursor.fetchone()
    return bool(row and row[0])
