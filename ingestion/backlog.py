"""What a queue knows of its files: who is next, who is being worked on, who waits for whom. In memory, not locked."""

from __future__ import annotations

import heapq
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from errors import CitewiseError
from ingestion.outcomes import Outcome, TaskOutcomes, settled
from ingestion.spool import Spool
from schema import Scope, Stage, Task
from stores.problems import TaskGone

Key = tuple[str, str, str]  # job, document set and name: one of each at a time

_FILES, _BYTES = 48, 2_000_000  # of one batch, unless a single file is larger
_MANY = 30  # files waiting, from which on they are stored without vectors, which follow when all is in


@dataclass(eq=False, slots=True)
class TaskBatch:
    """Files that are worked on together."""

    tasks: list[Task]
    later: bool = False  # their vectors follow
    stopped: bool = False  # it is to end before its next stage
    began: float = field(default_factory=time.monotonic)
    thread: int = 0  # that works on it
    claimed: bool = False  # in the store, by this program


class Backlog:
    """The tasks by id, with everything that follows from them kept up to date."""

    def __init__(self, spool: Spool, hands: int, stopped: Callable[[TaskBatch], object]) -> None:
        """`hands`: into how many batches what waits is divided. `stopped` is told of one that is to end."""
        self._spool, self._hands, self._stopped = spool, hands, stopped
        self.tasks: dict[int, Task] = {}
        self.open: dict[int, None] = {}  # pending or processing, as they came in
        self.version = self.done = self.total = 0
        self._closing: CitewiseError | None = None  # why nothing more is begun
        self._by_key: dict[Key, int] = {}
        self._uses: Counter[str] = Counter()  # of files in the spool
        self._order: list[tuple[int, int]] = []  # heap of (-priority, id); what is no longer so is passed over
        self._running: dict[int, TaskBatch] = {}
        self._live: dict[int, tuple[Stage, float]] = {}
        self._going: dict[int, tuple[Task, Outcome]] = {}  # forgotten, but still being worked on
        self._outcomes = TaskOutcomes()
        self._listed: tuple[int, list[Task]] = (-1, [])  # of which version

    # --- looking -------------------------------------------------------------------------------------------------

    def listed(self) -> list[Task]:
        if self._listed[0] != self.version:
            tasks = [self._with_progress(task) for task in self.tasks.values()]
            self._listed = self.version, sorted(tasks, key=lambda task: (-task.priority, task.id))
        return self._listed[1]

    def _with_progress(self, task: Task) -> Task:
        live = self._live.get(task.id)
        return replace(task, stage=live[0], fraction=live[1]) if live else task

    def waiting(self, scope: Scope) -> list[str]:
        return [
            task.name
            for task in map(self.tasks.__getitem__, self.open)
            if (not scope.documents or task.name in scope.documents)
            and (not scope.doc_sets or task.doc_set in scope.doc_sets)
        ]

    def outcome(self, task_id: int) -> Future[Outcome]:
        if task_id not in self.open and task_id not in self._going:
            return self._outcomes.of(task_id, self.tasks.get(task_id))
        return self._outcomes.waiter(task_id) if self._closing is None else settled(self._closing)  # nobody works on it

    def is_running(self, batch: TaskBatch) -> bool:
        return any(batch is one for one in self._running.values())

    def may_be_stored(self, task_id: int) -> bool:
        return task_id in self.open and task_id in self._live and self._live[task_id][0] == "store"

    def top_priority(self) -> int:
        return max((task.priority for task in self.tasks.values()), default=0)

    # --- coming in -----------------------------------------------------------------------------------------------

    def hold(self, paths: Iterable[str]) -> None:
        """Files that must stay until they are released as often."""
        self._uses.update(path for path in paths if path)

    def release(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._uses[path] -= 1
            if self._uses[path] <= 0:
                del self._uses[path]
                self._spool.remove(path)

    def over_older(self, task: Task) -> Task:
        """A cut of a document whose newer version is on its way is a cut of that one: its bytes must not be lost."""
        older = self.tasks.get(self._by_key.get(("add", *key_of(task)[1:]), -1))
        if task.job != "rechunk" or older is None or older.id not in self.open:
            return task
        chunking, priority = task.chunking.over(older.chunking), max(task.priority, older.priority)
        return replace(older, id=0, status="pending", chunking=chunking, priority=priority)

    def enter(self, tasks: Sequence[Task]) -> None:
        """Stored tasks, whose files are held."""
        for task in tasks:
            if (older := self._by_key.get(key_of(task))) is not None:
                self.leave(older, task.id)
            self.tasks[task.id] = task
            self._by_key[key_of(task)] = task.id
            if task.status in ("pending", "processing"):
                self._begin(task)
            self.version += 1

    def _begin(self, task: Task) -> None:
        if not self.open:
            self.done = self.total = 0
        self.total += 1
        self.open[task.id] = None
        heapq.heappush(self._order, (-task.priority, task.id))

    # --- being worked on -----------------------------------------------------------------------------------------

    def take(self) -> TaskBatch | None:
        """The next files, of one priority, none of whose name and set is being worked on."""
        busy = self._busy()
        pending = len(self.open) - len(self._running)
        most, size = min(_FILES, max(1, -(-pending // self._hands))), 0
        taken: list[Task] = []
        aside: list[tuple[int, int]] = []
        while self._order and len(taken) < most:
            entry = heapq.heappop(self._order)
            task = self.tasks.get(entry[1])
            if task is None or task.status != "pending" or task.priority != -entry[0] or task in taken:
                continue
            if key_of(task)[1:] in busy:
                aside.append(entry)
                continue
            alone = task.attempts or (taken and taken[0].attempts)  # it may have ended the program that began it
            if taken and (alone or task.priority != taken[0].priority or size + task.size > _BYTES):
                aside.append(entry)
                break
            taken.append(task)
            size += task.size
        for entry in aside:
            heapq.heappush(self._order, entry)
        return self._started(taken) if taken else None

    def _busy(self) -> set[tuple[str, str]]:
        """Sets and names of what is being worked on."""
        return {key_of(task)[1:] for batch in self._running.values() for task in batch.tasks}

    def _started(self, tasks: list[Task]) -> TaskBatch:
        beside = sum(self.tasks[task_id].priority >= tasks[0].priority for task_id in self.open)
        batch = TaskBatch([replace(task, status="processing") for task in tasks], later=beside > _MANY)
        for task in batch.tasks:
            self.tasks[task.id] = task
            self._running[task.id] = batch
        self.version += 1
        return batch

    def note_live(self, task_id: int, stage: Stage, fraction: float, parts: int) -> bool:
        """Whether it is new. The version rises at every stage, and `parts` times from the first to the last."""
        before = self._live.get(task_id)
        self._live[task_id] = stage, fraction
        if before is None or before[0] != stage or int(before[1] * parts) != int(fraction * parts):
            self.version += 1
        return before != (stage, fraction)

    def finish(self, task_id: int, what: Outcome) -> None:
        """Stored, unpacked or failed; nothing where the task was forgotten meanwhile."""
        task = self.tasks.get(task_id)
        if task is None or task_id not in self.open:
            return
        if isinstance(what, TaskGone):
            self.leave(task_id, what)
            return
        self._close(task_id)
        if isinstance(what, CitewiseError):
            self.tasks[task_id] = replace(task, status="failed", problem=what.in_full, updated=now())
        else:
            self._remove(task)
            self.release([task.path] if task.path else [])
        self._settle(task_id, what)

    def put_back(self, batch: TaskBatch) -> None:
        """The batch is over: what is not done is pending again, what was forgotten meanwhile is gone now."""
        for task in batch.tasks:
            self._running.pop(task.id, None)
            self._live.pop(task.id, None)
            if (current := self.tasks.get(task.id)) and current.status == "processing":
                self._resume(current)
            self._settle_forgotten(task.id)

    def _resume(self, task: Task) -> None:
        """It is not done, and not worked on any more."""
        self.tasks[task.id] = replace(task, status="pending")
        heapq.heappush(self._order, (-task.priority, task.id))
        self.version += 1

    def _settle_forgotten(self, task_id: int) -> None:
        if task_id in self._going:
            gone, what = self._going.pop(task_id)
            self.release([gone.path] if gone.path else [])
            self._settle(task_id, what)

    def leave(self, task_id: int, what: Outcome) -> None:
        """Forgotten: at once, or when its batch has stopped."""
        task = self.tasks[task_id]
        self._close(task_id)
        self._remove(task)
        if batch := self._running.get(task_id):
            if not batch.stopped:
                self._stopped(batch)
            batch.stopped = True
            self._going[task_id] = task, what
        else:
            self.release([task.path] if task.path else [])
            self._settle(task_id, what)
        self.version += 1

    def _close(self, task_id: int) -> None:
        if task_id in self.open:
            del self.open[task_id]
            self.done += 1

    def _remove(self, task: Task) -> None:
        del self.tasks[task.id]
        if self._by_key.get(key_of(task)) == task.id:
            del self._by_key[key_of(task)]

    def _settle(self, task_id: int, what: Outcome) -> None:
        self.version += 1
        self._outcomes.settle(task_id, what)

    def tell_waiters(self, error: CitewiseError) -> None:
        """That it cannot be said what becomes of their files."""
        self._outcomes.tell_waiters(error)

    # --- steering ------------------------------------------------------------------------------------------------

    def reopen(self, task_ids: Iterable[int]) -> None:
        """What had failed is pending again."""
        for task_id in task_ids:
            if (task := self.tasks.get(task_id)) and task_id not in self.open:
                self._outcomes.forget(task_id)
                self.tasks[task_id] = task = replace(task, status="pending", problem=None, updated=now())
                self._begin(task)
        self.version += 1

    def prioritise(self, task_ids: Iterable[int], priority: int) -> None:
        for task_id in task_ids:
            if task := self.tasks.get(task_id):
                self.tasks[task_id] = replace(task, priority=priority)
                heapq.heappush(self._order, (-priority, task_id))
        self.version += 1

    def move(self, tasks: Iterable[Task], to: str) -> None:
        """Into another document set."""
        for task in tasks:
            self._by_key.pop(key_of(task), None)
            moved = replace(task, doc_set=to)
            if (older := self._by_key.get(key_of(moved), task.id)) != task.id:
                self.leave(older, task.id)
            self.tasks[task.id] = moved
            self._by_key[key_of(moved)] = task.id
        self.version += 1

    @property
    def closed(self) -> bool:
        return self._closing is not None

    def close(self, error: CitewiseError) -> None:
        self._closing = error
        for batch in self._running.values():
            batch.stopped = True
        self.tell_waiters(error)


def key_of(task: Task) -> Key:
    return task.job, task.doc_set, task.name


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
