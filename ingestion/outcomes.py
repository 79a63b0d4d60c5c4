"""What has become of tasks, kept for whoever asks, and told to whoever waits. In memory, not locked."""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Future

from errors import CitewiseError, FileError
from schema import Message, StoreOutcome, Task

Outcome = StoreOutcome | CitewiseError | int | tuple[int, ...]  # an int: another task in its place; a tuple: its files

_REMEMBERED = 20_000  # outcomes


class TaskOutcomes:
    """By the id of the task."""

    def __init__(self) -> None:
        self._waiters: dict[int, Future[Outcome]] = {}
        self._known: OrderedDict[int, Outcome] = OrderedDict()

    def waiter(self, task_id: int) -> Future[Outcome]:
        """Of a task that is not done."""
        if task_id not in self._waiters:
            self._waiters[task_id] = _shared()
        return self._waiters[task_id]

    def of(self, task_id: int, task: Task | None) -> Future[Outcome]:
        """Of one that is done: as it is known, else as the stored task says."""
        if task_id in self._known:
            return settled(self._known[task_id])
        return settled(why_not_stored(task) if task else _unknown())

    def settle(self, task_id: int, what: Outcome) -> None:
        self._known[task_id] = what
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        if waiter := self._waiters.pop(task_id, None):
            waiter.set_result(what)

    def knows(self, task_id: int) -> bool:
        return task_id in self._known

    def forget(self, task_id: int) -> None:
        self._known.pop(task_id, None)

    def tell_waiters(self, error: CitewiseError) -> None:
        """That it cannot be said what becomes of their files."""
        waiters, self._waiters = self._waiters, {}
        for waiter in waiters.values():
            waiter.set_result(error)


def settled(outcome: Outcome) -> Future[Outcome]:
    """A future that is done."""
    future = _shared()
    future.set_result(outcome)
    return future


def _shared() -> Future[Outcome]:
    """A future that many may wait by: none of them can cancel it."""
    future: Future[Outcome] = Future()
    future.set_running_or_notify_cancel()
    return future


class SkippedFile(FileError):
    """A file that was left out on purpose."""


def why_not_stored(task: Task) -> CitewiseError:
    problem = task.problem or Message(zh="文件没有保存。", en="The file was not stored.")
    return SkippedFile(problem) if task.status == "skipped" else CitewiseError("file", problem)


def _unknown() -> CitewiseError:
    return CitewiseError(
        "not_found",
        Message(zh="这个文件已不在队列中。", en="This file is no longer in the queue."),
        Message(zh="如果仍然需要，请重新上传。", en="Upload it again if you still need it."),
    )
