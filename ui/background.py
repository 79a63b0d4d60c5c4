"""Work that a click starts and that no click waits for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from errors import CitewiseError

log = logging.getLogger(__name__)


class Background:
    """Keeps the tasks it starts until they have ended; what a person should know of a failure stands in the table."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(self._run(work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    @staticmethod
    async def _run(work: Coroutine[Any, Any, Any]) -> None:
        try:
            await work
        except CitewiseError as error:
            log.warning("%s", error.message.en)
