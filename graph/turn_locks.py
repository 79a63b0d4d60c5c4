"""One turn at a time of each conversation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol
from weakref import WeakValueDictionary


class TurnLocks(Protocol):
    """Of one event loop."""

    def of(self, thread_id: str) -> AbstractAsyncContextManager[None]:
        """A turn waits for the one before it at this instance. Raises CitewiseError where another instance is at one,
        or cannot be asked."""

    async def close(self) -> None: ...


class LocalTurnLocks:
    """Of one program."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # there while one holds them

    @asynccontextmanager
    async def of(self, thread_id: str) -> AsyncIterator[None]:
        lock = self._locks.get(thread_id) or asyncio.Lock()
        self._locks[thread_id] = lock
        async with lock:
            yield

    async def close(self) -> None:
        """Nothing is held beyond the program."""
