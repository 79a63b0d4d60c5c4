"""The worker process does what a thread does, tells its errors, and is replaced when it dies."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest
from openpyxl import Workbook

from errors import FileError
from ingestion.job_runner import JobRunner
from ingestion.spaces import silent
from ingestion.worker import WorkerDied, WorkerProcess, WorkerThread
from schema import Origin
from tests.ingestion.pipeline_cases import FIXED, config, text


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
