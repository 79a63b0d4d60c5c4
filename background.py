"""Work beside the work that is waited for: what goes on later, and one event loop for code that is not asynchronous."""

from __future__ import annotations

import asyncio
import concurrent.futures.thread  # noqa: F401  # before us among what runs at the end, see below
import logging
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Protocol, TypeVar
from weakref import WeakSet

T = TypeVar("T")
log = logging.getLogger(__name__)

Work = Callable[[], Coroutine[Any, Any, None]]
Later = Callable[[Work], None]  # takes work that nobody waits for

_PATIENCE = 5.0  # seconds for what is stopped to come to its end


class Closable(Protocol):
    def close(self) -> None: ...


async def on(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T]) -> T:
    """Its result, awaited on any event loop; the work is done on this one."""
    if asyncio.get_running_loop() is loop:
        return await work
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))


class Jobs:
    """Work that whoever began it does not wait for; of one event loop."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, work: Work) -> None:
        task = asyncio.create_task(work())
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (defect := task.exception()):  # nobody else would hear of it
            log.error("work in the background failed", exc_info=defect)

    @property
    def running(self) -> bool:
        return bool(self._tasks)

    async def done(self) -> None:
        """Wait for what has begun by now."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """Stop what goes on, and wait until it has stopped."""
        for task in self._tasks:
            task.cancel()
        await self.done()


class Background:
    """One event loop in a thread of its own, for all libraries: what a library caches belongs to the loop it was
    opened on. Begun when it is first needed; ends with the program."""

    def __init__(self) -> None:
        self.open: WeakSet[Closable] = WeakSet()
        self._starting = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Its result. Whoever stops waiting (Ctrl-C, say) stops the work."""
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("called from Citewise's own event loop: use citewise.aopen there")
        ended = threading.Event()

        async def noted() -> T:
            try:
                return await work
            finally:
                ended.set()

        future = asyncio.run_coroutine_threadsafe(noted(), self._running())
        try:
            return future.result()
        except BaseException:
            if future.cancel():  # it was still going on
                ended.wait(_PATIENCE)
            raise

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._serve, args=(self._loop,), name="citewise", daemon=True)
                self._thread.start()
                # Not `atexit`: by then no executor takes work any more, and closing needs some. Private, but the only
                # hook before that; the import above makes ours run before the executors' own.
                getattr(threading, "_register_atexit", lambda _: None)(self._end)
            return self._loop

    @staticmethod
    def _serve(loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.run_forever()
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    def _end(self) -> None:
        """At the program's end: close what was left open, then the loop."""
        for library in list(self.open):
            with suppress(Exception):  # nobody is left to be told; what is stored is whole in any case
                library.close()
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=_PATIENCE)


SHARED = Background()
