"""What a queue knows of files that other programs work on as well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ingestion.shared_backlog import SharedBacklog
from ingestion.spool import Spool
from schema import Message, Task
from stores.tasks import TaskNews


@pytest.fixture
def backlog(tmp_path: Path) -> Iterator[SharedBacklog]:
    spool = Spool(tmp_path / "spool")
    yield SharedBacklog(spool, 1, lambda _: None)
    spool.close()


def tasks(count: int) -> list[Task]:
    return [Task(number, "add", f"{number}.md", "", "pending") for number in range(1, count + 1)]


def batches(backlog: SharedBacklog) -> list[list[int]]:
    taken = []
    while batch := backlog.take():
        taken.append([task.id for task in batch.tasks])
    return taken


def test_a_file_that_may_have_ended_a_program_goes_alone(backlog: SharedBacklog) -> None:
    first, second, *others = tasks(4)
    backlog.follow(TaskNews([first, replace(second, attempts=1), *others]))
    assert batches(backlog) == [[1], [2], [3, 4]]


def test_what_another_program_works_on_waits_with_all_of_its_name(backlog: SharedBacklog) -> None:
    first, second = tasks(2)
    cut = replace(first, id=3, job="rechunk")
    backlog.follow(TaskNews([replace(first, status="processing"), second, cut]))
    assert batches(backlog) == [[2]]
    version = backlog.version
    backlog.follow(TaskNews([replace(first, status="processing")]))
    assert backlog.version == version  # that is no news
    backlog.follow(TaskNews([], {1: None}))
    assert batches(backlog) == [[3]]


def test_what_another_program_was_faster_to_claim_is_as_it_says(backlog: SharedBacklog) -> None:
    backlog.follow(TaskNews(tasks(3)))
    batch = backlog.take()
    assert batch is not None
    backlog.follow(TaskNews([replace(batch.tasks[0], status="failed", problem=Message(zh="坏", en="bad"))]))
    backlog.refuse(batch, {1, 2})
    assert [task.id for task in batch.tasks] == [3]
    assert {task.id: task.status for task in backlog.listed()} == {1: "failed", 2: "processing", 3: "processing"}
    backlog.put_back(batch)
    assert batches(backlog) == [[3]]
    backlog.follow(TaskNews([replace(batch.tasks[0], id=2, name="2.md", status="pending")]))
    assert batches(backlog) == [[2]]
