"""The pipeline over a throw-away store: what is embedded, what is kept, and what happens when things go wrong."""

from __future__ import annotations

import dataclasses
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openpyxl import Workbook
from processing import add, rechunk

from errors import CitewiseError, FileError
from ingestion.job_runner import FileJob, JobRunner
from ingestion.pipeline import Pipeline
from ingestion.signals import Signals
from ingestion.space_maintenance import SMALL
from ingestion.spaces import silent
from ingestion.worker import WorkerDied, WorkerPool, WorkerProcess, WorkerThread
from schema import EVERYWHERE, Chunking, Origin, Space, StoreOutcome, Task
from settings import Settings
from stores.base import DocumentBatch
from stores.embedded import EmbeddedStore
from stores.vector_cache import VectorCache
from text import search_tokens

FIXED = Chunking(strategy="fixed", size=100)


def config(**values: str) -> Settings:
    return Settings.from_mapping({"CITEWISE_INGEST_WORKERS": "0", **values})


def text(*topics: str) -> bytes:
    """One paragraph of some 90 characters a topic."""
    return "\n\n".join(
        f"The {topic} is described here at the length of a line, nothing but {topic}." for topic in topics
    ).encode()


class RecordingWorkshop(JobRunner):
    """Remembers what was embedded; `before_fit_returns` is something that happens meanwhile."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.embedded: list[str] = []
        self.before_fit_returns = lambda: None

    def embed_indexed(self, space_key, texts, terms, report):
        vectors = super().embed_indexed(space_key, texts, terms, report)
        self.embedded += texts
        return vectors

    def fit(self, texts, terms, report):
        fitted = super().fit(texts, terms, report)
        self.before_fit_returns()
        return fitted


class Bench:
    """A pipeline with its store and its workshop."""

    def __init__(self, settings: Settings, store: EmbeddedStore | None = None) -> None:
        self.store = store or EmbeddedStore()
        self.pool = WorkerPool(settings)
        self.workshop = RecordingWorkshop(settings)
        self.pool._workers[0]._workshop = self.workshop
        self.cache = VectorCache(None, 100)
        self.pipeline = Pipeline(self.store, settings, self.pool, self.cache, Signals())
        self.stages: list[tuple[str, float]] = []

    def add(self, name: str, data: bytes, chunking: Chunking = FIXED, doc_set: str = "") -> StoreOutcome:
        return add(self.pipeline, name, data, chunking, doc_set, lambda *stage: self.stages.append(stage))

    def close(self) -> None:
        self.pool.close()
        self.cache.close()
        self.store.close()


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench(config())
    yield bench
    bench.close()


@pytest.fixture
def job(tmp_path: Path) -> Callable[..., FileJob]:
    """A file to read."""

    def job(name: str, data: bytes, doc_set: str = "") -> FileJob:
        path = tmp_path / f"job {name}"
        path.write_bytes(data)
        return FileJob(name, FIXED, doc_set, path=str(path))

    return job


def test_a_file_becomes_searchable_chunks_with_vectors(bench):
    stored = bench.add("a.md", text("river", "bridge", "harbour"))
    assert stored.outcome == "added"
    assert stored.document.chunking.strategy == "fixed"
    chunk_ids = bench.store.opening(EVERYWHERE, 99)
    assert len(chunk_ids) == stored.document.chunks >= 3
    assert np.allclose(np.linalg.norm(bench.store.vectors(chunk_ids), axis=1), 1, atol=1e-3)
    [ranked, *_] = bench.store.search_terms(search_tokens("bridges"), 5)
    assert "bridge" in bench.store.hits([ranked.chunk_id])[0].text
    assert list(dict.fromkeys(stage for stage, _ in bench.stages)) == ["read", "chunk", "embed", "store"]
    assert [share for _, share in bench.stages] == sorted(share for _, share in bench.stages)
    assert bench.store.space().fitted_on == stored.document.chunks


def test_the_same_file_again_costs_no_embedding(bench):
    bench.add("a.md", text("river", "bridge"))
    bench.workshop.embedded.clear()
    assert bench.add("a.md", text("river", "bridge")).outcome == "unchanged"
    assert bench.workshop.embedded == []


def test_only_what_is_new_is_embedded(bench):
    topics = ["river", "bridge", "harbour", "garden"]
    first = bench.add("a.md", text(*topics), Chunking(strategy="markdown", size=100))
    bench.workshop.embedded.clear()
    second = bench.add("a.md", text(*topics, "winter"), Chunking(strategy="markdown", size=100))
    assert second.outcome == "replaced"
    assert second.kept_vectors > 0
    assert len(bench.workshop.embedded) == second.document.chunks - second.kept_vectors
    bench.workshop.embedded.clear()
    copy = bench.add("copy.md", text(*topics, "winter"), Chunking(strategy="markdown", size=100))
    assert copy.outcome == "added"
    assert bench.workshop.embedded == []  # known from the other document
    assert first.document.id == second.document.id != copy.document.id


def test_rechunking_reads_the_stored_text(bench):
    bench.add("a.md", text("river", "bridge", "harbour"), Chunking(strategy="fixed", size=200), "set")
    done = rechunk(bench.pipeline, "a.md", Chunking(size=80), "set")
    assert done.outcome == "replaced"
    assert (done.document.chunking.strategy, done.document.chunking.size) == ("fixed", 80)
    again = rechunk(bench.pipeline, "a.md", Chunking(strategy="fixed", size=80), "set")
    assert again.outcome == "unchanged"
    other = rechunk(bench.pipeline, "a.md", Chunking(strategy="recursive"), "set")
    assert other.document.chunking.strategy == "recursive"
    with pytest.raises(CitewiseError) as error:
        rechunk(bench.pipeline, "a.md", Chunking(size=80))
    assert error.value.kind == "not_found"


@pytest.mark.parametrize("data", [b"", b"  \n ", bytes(range(256)) * 20])
def test_unreadable_files_store_nothing(bench, data):
    with pytest.raises(FileError) as error:
        bench.add("bad.md", data)
    assert "bad.md" in error.value.message.zh
    assert "bad.md" in error.value.message.en
    assert error.value.suggestions
    assert bench.store.documents() == []


def test_a_space_swapped_meanwhile_is_noticed():
    class SwappingStore(EmbeddedStore):
        swaps = 1

        def put_all(self, batches: Sequence[DocumentBatch]) -> list[StoreOutcome]:
            if self.swaps:
                self.swaps -= 1
                Bench(config(), self).pipeline.upkeep.refit()
            return super().put_all(batches)

    bench = Bench(config(), SwappingStore())
    bench.store.swaps = 0
    bench.add("a.md", text("river", "bridge"))
    old = bench.store.space_key()
    bench.add("b.md", text("harbour"))
    bench.store.swaps = 1
    assert bench.add("c.md", text("garden", "winter")).outcome == "added"
    assert bench.store.space_key() != old
    assert len(bench.store.documents()) == 3
    bench.close()


def test_chunks_that_come_in_during_a_refit_get_their_vectors(bench, job):
    bench.add("a.md", text("river", "bridge"))

    def meanwhile() -> None:
        bench.workshop.before_fit_returns = lambda: None
        late_file = job("late.md", text("harbour", "garden"))
        document = bench.workshop.read(late_file, lambda *stage: None)
        vectors = np.ones((len(document.chunks), bench.store.space().dimensions), np.float32)
        late = DocumentBatch(document.document, document.chunking, document.chunks, document.joined_terms, vectors, old)
        assert bench.store.put(late).outcome == "added"
        bench.store.delete("gone.md")

    bench.add("gone.md", text("silver"))
    old = bench.store.space_key()
    bench.workshop.before_fit_returns = meanwhile
    bench.pipeline.upkeep.refit()
    assert bench.store.space_key() != old
    assert {info.name for info in bench.store.documents()} == {"a.md", "late.md"}
    chunk_ids = bench.store.opening(EVERYWHERE, 99)
    texts = dict(bench.store.indexed_texts())
    expected = bench.workshop.embed(bench.store.space_key(), [texts[i] for i in chunk_ids], lambda *stage: None)
    assert np.allclose(bench.store.vectors(chunk_ids), expected, atol=1e-3)


def test_when_a_refit_is_due(bench):
    assert not bench.pipeline.upkeep.due(resting=True)
    bench.add("a.md", text("river", "bridge", "harbour", "garden"))
    fitted = bench.store.space().fitted_on
    assert not bench.pipeline.upkeep.due(resting=True)
    bench.add("b.md", text("winter"))
    assert bench.store.stats().chunks < 2 * fitted
    assert not bench.pipeline.upkeep.due(resting=False)
    assert bench.pipeline.upkeep.due(resting=True)
    bench.add("c.md", text(*(f"topic{n}" for n in range(9))))
    assert bench.pipeline.upkeep.due(resting=False)
    bench.pipeline.upkeep.refit()
    assert bench.store.space().fitted_on == bench.store.stats().chunks
    assert not bench.pipeline.upkeep.due(resting=True)
    assert bench.store.stats().chunks < SMALL


def test_a_restarted_pipeline_goes_on_with_the_stored_space(bench):
    bench.add("a.md", text("river", "bridge", "harbour"))
    key = bench.store.space_key()
    later = Bench(config(), bench.store)
    assert later.add("b.md", text("harbour")).outcome == "added"
    assert bench.store.space_key() == key
    assert not later.pipeline.upkeep.due(resting=False)


def test_other_settings_ask_for_another_space(bench):
    bench.add("a.md", text("river", "bridge"))
    other = Bench(config(CITEWISE_EMBEDDING="hashing"), bench.store)
    assert other.pipeline.upkeep.due(resting=False)
    other.pipeline.upkeep.run()
    assert bench.store.space().provider == "hashing"
    assert not other.pipeline.upkeep.due(resting=False)
    other.pipeline.upkeep.run()  # how far to trust it here
    assert bench.store.space().calibration is not None
    assert not other.pipeline.upkeep.due(resting=True)
    assert other.add("b.md", text("harbour")).outcome == "added"


def test_a_space_that_only_another_version_knows_is_replaced(bench):
    bench.add("a.md", text("river", "bridge"))
    stored = list(bench.store.indexed_texts())
    foreign = Space("foreign", "model", "1", 3)
    bench.store.swap_space(foreign, [i for i, _ in stored], np.ones((len(stored), 3), np.float32))
    later = Bench(config(), bench.store)
    assert later.pipeline.upkeep.due(resting=False)
    later.pipeline.upkeep.refit()
    assert bench.store.space().provider == "tfidf"
    assert not later.pipeline.upkeep.due(resting=False)


def test_whoever_gives_up_finds_nothing_stored(bench):
    class GaveUp(Exception):
        pass

    def report(stage: str, fraction: float) -> None:
        if stage == "store":
            raise GaveUp

    with pytest.raises(GaveUp):
        add(bench.pipeline, "a.md", text("river"), FIXED, report=report)
    assert bench.store.documents() == []
    assert bench.add("a.md", text("river")).outcome == "added"


# --- many files at a time ----------------------------------------------------------------------------------------


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


# --- the worker process ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def worker() -> Iterator[WorkerProcess]:
    worker = WorkerProcess(config(CITEWISE_INGEST_WORKERS="1"))
    yield worker
    worker.close()


def test_the_process_does_the_same_as_the_thread(worker, job):
    stages: list[tuple[str, float]] = []
    file = job("a.md", text("river", "桥梁"), "set")
    cut = worker.call("read", file, report=lambda *stage: stages.append(stage))
    assert cut == JobRunner(config()).read(file, lambda *stage: None)
    assert [stage for stage, _ in stages] == ["read", "chunk"]


def test_a_page_has_its_title_and_was_fetched_when_it_was(job):
    book, data, told = Workbook(), io.BytesIO(), "2001-02-03T00:00:00+00:00"
    book.properties.title = "Tides"
    book.active.append(["spring", "neap"])
    book.save(data)  # which notes when
    for source_type, title, kept in (("website", "Tides", True), ("github", "", True), ("file", "", False)):
        file = job("t.xlsx", data.getvalue())._replace(origin=Origin(source_type=source_type, timestamp=told))
        origin = JobRunner(config()).read(file, lambda *stage: None).document.origin
        assert (origin.doc_type, origin.source_type, origin.title) == ("xlsx", source_type, title)
        assert (origin.timestamp == told) == kept


def test_errors_for_a_person_come_back_whole(worker, job):
    with pytest.raises(FileError) as error:
        worker.call("read", job("空.md", b""), report=lambda *stage: None)
    assert "空.md" in error.value.message.zh
    assert error.value.suggestions


def test_defects_come_back_with_their_trace(worker, job):
    with pytest.raises(RuntimeError, match="cut"):
        worker.call("cut", None, FIXED, report=lambda *stage: None)
    assert worker.call("read", job("a.md", text("river")), report=silent).document.name == "a.md"


def test_a_dead_process_is_replaced(worker, job):
    long = text(*(f"topic{n}" for n in range(3000)))  # the answer does not fit into the pipe before the kill

    def kill(stage: str, fraction: float) -> None:
        with suppress(ProcessLookupError):  # what it reported before the kill is still read
            os.kill(worker._process.pid, signal.SIGKILL)
        worker._process.wait()

    with pytest.raises(WorkerDied):
        worker.call("read", job("a.md", long), report=kill)
    assert worker.call("read", job("a.md", long), report=silent).document.name == "a.md"


def test_a_file_that_ends_the_process_twice_is_refused(bench):
    class Dying(WorkerThread):
        deaths = 0

        def call(self, job, *arguments, report):
            if self.deaths:
                self.deaths -= 1
                raise WorkerDied(job)
            return super().call(job, *arguments, report=report)

    bench.pool._free.get()
    bench.pool._free.put(dying := Dying(config()))
    dying.deaths = 1
    assert bench.add("a.md", text("river")).outcome == "added"
    dying.deaths = 2
    with pytest.raises(FileError, match=r"b\.md"):
        bench.add("b.md", text("bridge"))
    assert [info.name for info in bench.store.documents()] == ["a.md"]


def test_the_worker_is_light():
    heavy = {"gradio", "langgraph", "langchain", "langchain_core", "faiss", "tantivy", "sklearn", "fastapi"}
    code = f"import sys, ingestion.worker; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
