"""Many files at a time: they share their steps, and a bad one fails alone."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from errors import CitewiseError, FileError
from ingestion.worker import WorkerDied, WorkerThread
from schema import Chunking, Origin, Task
from tests.ingestion.pipeline_cases import FIXED, Bench, config, text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for topic in ("river", "bridge", "harbour", "garden", "winter"):
        (tmp_path / f"{topic}.md").write_bytes(text(topic, f"{topic} in two"))
    return tmp_path


def tasks_of(bench: Bench, folder: Path, **values: Any) -> list[Task]:
    paths = sorted(folder.iterdir())
    stamps = [f"{path.stat().st_mtime_ns}-{path.stat().st_size}" for path in paths]
    return bench.store.add_tasks(
        [
            Task(0, "add", path.name, "", "pending", FIXED, Origin(stamp=stamp), str(path), **values)
            for path, stamp in zip(paths, stamps, strict=True)
        ]
    )


def test_a_folder_is_stored_and_its_tasks_are_gone(bench, folder):
    told = []
    tasks = tasks_of(bench, folder)
    outcomes = bench.pipeline.process(tasks, lambda *what: told.append(what))
    assert [task.id for task, _ in outcomes] == [task.id for task in tasks]
    assert [outcome.document.name for _, outcome in outcomes] == sorted(path.name for path in folder.iterdir())
    assert bench.store.tasks() == []
    assert bench.store.without_vectors() == []
    for task in tasks:
        stages = list(dict.fromkeys(stage for of, stage, _ in told if of == task.id))
        assert stages == ["read", "chunk", "embed", "store"]
    origin = bench.store.documents()[0].origin
    assert origin.doc_type == "markdown"
    assert origin.stamp


def test_a_bad_file_fails_alone(bench, folder):
    (folder / "bad.md").write_bytes(bytes(range(256)) * 20)
    (folder / "garden.md").unlink()
    (folder / "garden.md").symlink_to(folder / "nowhere")
    tasks = [Task(0, "add", path.name, "", "pending", FIXED, path=str(path)) for path in sorted(folder.iterdir())]
    tasks.append(Task(0, "rechunk", "nobody.md", "", "pending", FIXED))
    outcomes = {task.name: what for task, what in bench.pipeline.process(tasks, lambda *_: None)}
    failed = {name for name, what in outcomes.items() if isinstance(what, CitewiseError)}
    assert failed == {"bad.md", "garden.md", "nobody.md"}
    assert all(outcomes[name].suggestions for name in failed)
    assert {info.name for info in bench.store.documents()} == {"bridge.md", "harbour.md", "river.md", "winter.md"}


def test_what_ends_the_worker_is_found_among_others(bench, folder):
    class Dying(WorkerThread):
        def call(self, job, *arguments, report):
            if job == "read_many" and any(one.name == "harbour.md" for one in arguments[0]):
                raise WorkerDied(job)
            return super().call(job, *arguments, report=report)

    bench.pool._free.get()
    bench.pool._free.put(Dying(config()))
    outcomes = bench.pipeline.process(tasks_of(bench, folder), lambda *_: None)
    assert [task.name for task, what in outcomes if isinstance(what, CitewiseError)] == ["harbour.md"]
    assert len(bench.store.documents()) == 4
    assert [task.name for task in bench.store.tasks()] == ["harbour.md"]


def test_what_ends_the_worker_of_the_upkeep_is_tried_again(bench, folder):
    class Dying(WorkerThread):
        def call(self, job, *arguments, report):
            if job == "fit":
                raise WorkerDied(job)
            return super().call(job, *arguments, report=report)

    bench.add("first.md", text("bridge"))
    bench.pipeline.process(tasks_of(bench, folder), lambda *_: None, later=True)
    upkeep = bench.pipeline.upkeep
    assert upkeep.due(resting=True)
    well = bench.pool._free.get()
    bench.pool._free.put(Dying(config()))
    with pytest.raises(FileError, match="died"):
        upkeep.run()
    assert "died" in upkeep.problem.en
    assert upkeep.wait() is not None  # it is tried again by itself
    bench.pool._free.get()
    bench.pool._free.put(well)
    while upkeep.due(resting=True):
        upkeep.run()
    assert upkeep.problem is upkeep.wait() is None
    assert bench.store.without_vectors() == []


def test_unchanged_files_are_not_read(bench, folder):
    bench.pipeline.process(tasks_of(bench, folder), lambda *_: None)
    (folder / "river.md").write_bytes(text("river", "and a mountain"))
    again = tasks_of(bench, folder)
    for path in folder.iterdir():
        if path.name != "river.md":
            path.write_bytes(b"")  # whoever reads it now finds it empty
    outcomes = {task.name: what.outcome for task, what in bench.pipeline.process(again, lambda *_: None)}
    assert outcomes.pop("river.md") == "replaced"
    assert set(outcomes.values()) == {"unchanged"}
    assert bench.store.tasks() == []


def test_an_unchanged_file_that_is_to_be_cut_in_another_way_is_read(bench, folder):
    bench.pipeline.process(tasks_of(bench, folder), lambda *_: None)
    other = [dataclasses.replace(task, chunking=Chunking(size=60)) for task in tasks_of(bench, folder)]
    assert {what.outcome for _, what in bench.pipeline.process(other, lambda *_: None)} == {"replaced"}


def test_vectors_that_are_left_for_later_are_made_once(bench, folder):
    bench.add("first.md", text(*(f"topic{n}" for n in range(20))))
    bench.workshop.embedded.clear()
    outcomes = bench.pipeline.process(tasks_of(bench, folder), lambda *_: None, later=True)
    missing = bench.store.without_vectors()
    assert len(missing) == sum(what.missing_vectors for _, what in outcomes) == bench.pipeline.upkeep.missing > 0
    assert bench.workshop.embedded == []
    assert not bench.pipeline.upkeep.due(resting=False)  # more of them may come
    while bench.pipeline.upkeep.due(resting=True):
        bench.pipeline.upkeep.run()
    assert bench.store.without_vectors() == []
    assert len(bench.workshop.embedded) == bench.store.stats().chunks == bench.store.space().fitted_on
    assert bench.pipeline.upkeep.missing == 0


def test_vectors_that_are_missing_after_a_restart_are_found_out(bench, folder):
    bench.pipeline.process(tasks_of(bench, folder), lambda *_: None, later=True)
    restarted = Bench(config(), bench.store)
    while restarted.pipeline.upkeep.due(resting=True):
        restarted.pipeline.upkeep.run()
    assert bench.store.without_vectors() == []


def test_a_large_library_gets_only_what_is_missing(bench, folder, monkeypatch):
    monkeypatch.setattr("ingestion.space_maintenance.SMALL", 0)
    bench.add("first.md", text(*(f"topic{n}" for n in range(99))))
    key = bench.store.space_key()
    bench.workshop.embedded.clear()
    bench.pipeline.process(tasks_of(bench, folder), lambda *_: None, later=True)
    missing = dict(bench.store.indexed_texts(bench.store.without_vectors()))
    bench.pipeline.upkeep.run()
    assert sorted(bench.workshop.embedded) == sorted(missing.values())
    assert bench.store.space_key() == key
    assert bench.store.without_vectors() == []


def test_a_task_that_is_cancelled_meanwhile_stores_nothing(bench, folder):
    tasks = tasks_of(bench, folder)

    def report(task_id: int, stage: str, share: float) -> None:
        if stage == "store":
            bench.store.drop_tasks([tasks[0].id])

    outcomes = bench.pipeline.process(tasks, report)
    assert [task.name for task, what in outcomes if isinstance(what, CitewiseError)] == [tasks[0].name]
    assert len(bench.store.documents()) == len(tasks) - 1


def test_the_files_of_a_batch_go_to_the_worker_together(bench, folder):
    calls = []
    call = bench.pool._workers[0].call
    bench.pool._workers[0].call = lambda job, *rest, **more: (calls.append((job, rest)), call(job, *rest, **more))[1]
    tasks = tasks_of(bench, folder)
    outcomes = bench.pipeline.process(tasks, lambda *_: None)
    assert {what.outcome for _, what in outcomes} == {"added"}
    assert [len(rest[0]) for job, rest in calls if job == "read_many"] == [len(tasks)]
