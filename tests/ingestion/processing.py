"""One file through a pipeline, as the queue hands it over."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from errors import CitewiseError
from ingestion.job_runner import Report
from ingestion.pipeline import Pipeline
from ingestion.spaces import silent
from schema import Chunking, StoreOutcome, Task


def add(
    pipeline: Pipeline, name: str, data: bytes, chunking: Chunking, doc_set: str = "", report: Report = silent
) -> StoreOutcome:
    """Raises CitewiseError."""
    with TemporaryDirectory(prefix="citewise-tests-") as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        return _processed(pipeline, Task(0, "add", name, doc_set, "pending", chunking, path=str(path)), report)


def rechunk(pipeline: Pipeline, name: str, chunking: Chunking, doc_set: str = "") -> StoreOutcome:
    """Raises CitewiseError."""
    return _processed(pipeline, Task(0, "rechunk", name, doc_set, "pending", chunking), silent)


def _processed(pipeline: Pipeline, task: Task, report: Report) -> StoreOutcome:
    [(_, what)] = pipeline.process([task], lambda _, stage, share: report(stage, share))
    if isinstance(what, CitewiseError):
        raise what
    return what
