"""The part of a store's contract about files on their way, and about the programs that work on them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from schema import Message, Stage, Status, StoreOutcome, Task

# What has become of a task that is no more: its document, the newer task of the same file, the tasks of the files that
# were in it; None: it was forgotten.
TaskEnd = StoreOutcome | int | tuple[int, ...] | None

UPKEEP, FEEDING = "upkeep", "feeding"  # works for `TaskStore.hold`
LEASE = 30.0  # seconds for which a claim holds
ATTEMPTS = 3  # programs that may end over a file until it counts as failed


DOCUMENT = ".citewise-document"  # ends the path of text that was read already
_BY_CHANCE = re.compile(rf"[0-9a-f]{{32}}({re.escape(DOCUMENT)})?")


def is_by_chance(path: str) -> bool:
    """Whether the name is one that bytes on their way are given, which no other file has."""
    return _BY_CHANCE.fullmatch(os.path.basename(path)) is not None


class TaskNews(NamedTuple):
    """What has changed since it was last asked for, by whichever program; the same may come twice."""

    tasks: Sequence[Task] = ()  # new ones, and others as they are by now, in the order of their ids
    ends: Mapping[int, TaskEnd] = {}
    library: bool = False  # whether documents, sets or the space may have changed, or `hold` may say otherwise


class TaskStore(Protocol):
    """What is pending or processing goes on after a restart, here or in another program.

    A program works on tasks that it has claimed, and says every `LEASE` / 3 seconds that it still does; whoever
    does not is taken to be gone, and his tasks are pending again. Where a store is of one program, that holds them all.
    The rules of `stores.base` hold here as well.
    """

    @property
    def shared(self) -> bool:
        """Whether other programs may change it meanwhile."""

    def add_tasks(self, tasks: Sequence[Task]) -> list[Task]:
        """Store them as they are, their ids given here, in one transaction. A task of the same job, name and set gives
        way to the newer one: what is made for it by then is refused (TaskGone). A shared store takes the bytes in."""

    def tasks(self) -> list[Task]:
        """All of them: by priority, highest first, then as they came in."""

    def note_tasks(self, task_ids: Sequence[int], status: Status, problem: Message | None = None) -> None:
        """What has become of them; ids that are gone, or claimed by another program, are left out."""

    def prioritise_tasks(self, task_ids: Sequence[int], priority: int) -> None: ...

    def drop_tasks(self, task_ids: Sequence[int], ends: Mapping[int, TaskEnd] | None = None) -> list[int]:
        """Forget them, also where another program works on one; ids that are gone are left out of those that are given
        back. `ends`: what other programs are told of it."""

    def upload(self, path: str) -> Iterator[bytes]:
        """The bytes of a task, by its path, where the store has taken them in; nothing where they are at their path."""

    # --- working on them ---

    def free_tasks(self) -> None:
        """What was claimed by programs that are gone is pending again, or failed where it has ended `ATTEMPTS` of
        them. To be called at opening and now and then."""

    def claim_tasks(self, task_ids: Sequence[int]) -> list[int]:
        """Those of them that nobody else works on; they are "processing" from now on, and this program's."""

    def keep_tasks(self, task_ids: Sequence[int], progress: Mapping[int, tuple[Stage, float]]) -> set[int]:
        """This program still works on them, and is so far; which of them are still its own."""

    def give_back_tasks(self, task_ids: Sequence[int]) -> None:
        """This program works on them no more, and others may."""

    # --- other programs ---

    def await_news(self, patience: float) -> None:
        """Return when there may be news, or after so many seconds."""

    def news(self) -> TaskNews:
        """All tasks when it is asked for the first time; then what has changed. For one caller at a time."""

    def hold(self, work: str) -> bool:
        """Whether this program is the one to do this work, which one at a time may do: from now on until `let_go`, or
        until it ends. Asked again, it may have changed, for a lost connection."""

    def let_go(self, work: str) -> None: ...


class TasksOfOneProgram:
    """What the contract asks of a store that no other program has open."""

    shared = False

    def upload(self, path: str) -> Iterator[bytes]:
        return iter(())

    def free_tasks(self: TaskStore) -> None:
        if left := [task.id for task in self.tasks() if task.status == "processing"]:
            self.note_tasks(left, "pending")

    def claim_tasks(self: TaskStore, task_ids: Sequence[int]) -> list[int]:
        self.note_tasks(task_ids, "processing")
        return list(task_ids)

    def keep_tasks(self, task_ids: Sequence[int], progress: Mapping[int, tuple[Stage, float]]) -> set[int]:
        return set(task_ids)

    def give_back_tasks(self, task_ids: Sequence[int]) -> None:
        """They are freed when it is opened again."""

    def await_news(self, patience: float) -> None:
        """There are none."""

    def news(self) -> TaskNews:
        return TaskNews()

    def hold(self, work: str) -> bool:
        return True

    def let_go(self, work: str) -> None:
        """Nobody waits for it."""
