"""A queue's files awaited from an event loop."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable, Iterable

from errors import CitewiseError
from ingestion.job_runner import Report
from ingestion.queue import Queue
from schema import Stage, StoreOutcome, Task

_AT_ONCE = 300  # tasks: to ask for thousands of them would hold up the loop


async def task_outcomes(
    queue: Queue,
    task_ids: Iterable[int],
    timeout: float | None = None,  # noqa: ASYNC109
) -> dict[int, StoreOutcome | CitewiseError | None]:
    """What has become of tasks; None: not done in time. In place of an archive stand the files that were in it."""
    loop = asyncio.get_running_loop()
    deadline = None if timeout is None else loop.time() + timeout
    now = {task_id: task_id for task_id in task_ids}  # by the id that was asked for, the one that counts by now
    found: dict[int, StoreOutcome | CitewiseError | None] = {}
    while now:
        futures = {}
        for asked, task_id in now.items():
            futures[asked] = queue.outcome(task_id)  # of all, before the first is awaited: outcomes are forgotten
            if len(futures) % _AT_ONCE == 0:
                await asyncio.sleep(0)
        for future in futures.values():
            if not future.done():
                wait = None if deadline is None else deadline - loop.time()
                if wait is not None and wait <= 0:
                    break
                await asyncio.wait([asyncio.wrap_future(future)], timeout=wait)
        now = {}
        for asked, future in futures.items():
            outcome = future.result() if future.done() else None
            if isinstance(outcome, int):
                now[asked] = outcome
            elif isinstance(outcome, tuple) and not isinstance(outcome, StoreOutcome):
                now.update((member, member) for member in outcome)
            else:
                found[asked] = outcome
    return found


async def store_file(
    queue: Queue, submit: Callable[[Report | None], list[Task]], progress: Report | None
) -> StoreOutcome:
    """One file that somebody waits for. Raises why it could not be stored; who stops waiting cancels the file."""
    loop, context = asyncio.get_running_loop(), contextvars.copy_context()

    def tell(stage: Stage, fraction: float) -> None:
        if progress:
            loop.call_soon_threadsafe(progress, stage, fraction, context=context)

    submitting = asyncio.ensure_future(asyncio.to_thread(submit, tell if progress else None))
    try:
        tasks = await asyncio.shield(submitting)
        outcomes = [
            one for one in (await task_outcomes(queue, [task.id for task in tasks])).values() if one is not None
        ]
    except asyncio.CancelledError:
        submitting.add_done_callback(lambda _: _cancel(queue, submitting))
        raise
    for outcome in sorted(
        outcomes, key=lambda one: not isinstance(one, StoreOutcome)
    ):  # of an archive: what was stored
        if isinstance(outcome, StoreOutcome):
            return outcome
        raise outcome
    raise AssertionError("a task without an outcome")


def _cancel(queue: Queue, submitted: asyncio.Future[list[Task]]) -> None:
    if not submitted.cancelled() and submitted.exception() is None:
        ids = [task.id for task in submitted.result()]
        asyncio.get_running_loop().run_in_executor(None, queue.cancel, ids)
