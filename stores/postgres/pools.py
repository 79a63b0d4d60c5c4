"""Pools of connections that soon say when the server is away, and give out none that it has dropped."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg_pool import AsyncConnectionPool, ConnectionPool, PoolTimeout

from stores.postgres.adapters import Connection

_SOON = 1.0  # seconds, after which it is asked whether there is a server: a pool would go on trying to reach it


class Pool(ConnectionPool[Connection]):
    def getconn(self, timeout: float | None = None) -> Connection:
        try:
            return super().getconn(_SOON)
        except PoolTimeout:
            assert isinstance(self.conninfo, str)
            psycopg.connect(self.conninfo, connect_timeout=2).close()
            return super().getconn(timeout)


class AsyncPool(AsyncConnectionPool[psycopg.AsyncConnection[Any]]):
    async def getconn(self, timeout: float | None = None) -> psycopg.AsyncConnection[Any]:  # noqa: ASYNC109 - the pool's
        try:
            return await super().getconn(_SOON)
        except PoolTimeout:
            assert isinstance(self.conninfo, str)
            await (await psycopg.AsyncConnection.connect(self.conninfo, connect_timeout=2)).close()
            return await super().getconn(timeout)
