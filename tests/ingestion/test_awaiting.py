"""Files awaited from an event loop: in time, through what takes their place, at a cost that is linear in them."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import Any

from errors import CitewiseError
from ingestion.task_outcomes import task_outcomes
from schema import Message

GONE = CitewiseError("file", Message(zh="没有了。", en="It is gone."))


class CountedFuture(Future):
    """A future that counts who begins to wait for it."""

    waits = 0

    def add_done_callback(self, fn: Any) -> None:
        CountedFuture.waits += 1
        super().add_done_callback(fn)


class Outcomes:
    """The part of a queue that is asked what becomes of tasks."""

    def __init__(self, count: int) -> None:
        self.futures = {task_id: CountedFuture() for task_id in range(count)}
        for future in self.futures.values():
            future.set_running_or_notify_cancel()
        CountedFuture.waits = 0

    def outcome(self, task_id: int) -> Future:
        return self.futures[task_id]


async def test_many_looks_at_many_files_begin_few_waits():
    queue = Outcomes(500)
    for done in range(0, 500, 10):
        looked = await task_outcomes(queue, range(500), timeout=0.001)
        assert sum(outcome is None for outcome in looked.values()) == 500 - done
        for task_id in range(done, done + 10):
            queue.futures[task_id].set_result(GONE)
    assert set((await task_outcomes(queue, range(500))).values()) == {GONE}
    assert CountedFuture.waits <= 500 + 50


async def test_no_time_is_one_look():
    queue = Outcomes(3)
    queue.futures[2].set_result(GONE)
    assert await task_outcomes(queue, range(3), timeout=0.0) == {0: None, 1: None, 2: GONE}
    assert CountedFuture.waits == 0


async def test_what_takes_a_place_is_awaited_in_turn():
    queue = Outcomes(5)
    queue.futures[0].set_result(1)  # another task in its place
    queue.futures[1].set_result((2, 3))  # the files of an archive
    asyncio.get_running_loop().call_soon(queue.futures[3].set_result, GONE)
    asyncio.get_running_loop().call_soon(queue.futures[2].set_result, GONE)
    assert await task_outcomes(queue, [0]) == {2: GONE, 3: GONE}
