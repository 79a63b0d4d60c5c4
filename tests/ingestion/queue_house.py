"""A queue over a real store without an event loop, and files for it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingestion.outcomes import Outcome
from ingestion.pipeline import Pipeline
from ingestion.queue import Queue
from ingestion.signals import Signals
from ingestion.spool import Spool
from ingestion.worker import WorkerPool
from schema import IncomingFile, Message, StoreOutcome, Task
from settings import Settings
from stores.base import DocumentBatch
from stores.embedded import EmbeddedStore
from stores.problems import UnusableStoreError
from stores.vector_cache import VectorCache

LONG = 200.0  # seconds after which a test that hangs fails, on however slow a machine


def text(word: str) -> bytes:
    return f"# About {word}\n\nThe word here is {word}, and nothing else is said.\n".encode()


def files(*words: str, **fields: Any) -> list[IncomingFile]:
    return [IncomingFile(f"{word}.md", text(word), **fields) for word in words]


class Gated(Pipeline):
    """Notes what it is given, waits at a gate before every batch, and fails where it is told to."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.batches: list[list[str]] = []
        self.later: list[bool] = []
        self.gate, self.reached = threading.Event(), threading.Event()
        self.gate.set()
        self.defect = ""  # name of a file over which it breaks

    def process(self, tasks: Sequence[Task], report: Any, *, later: bool = False) -> Any:
        self.batches.append([task.name for task in tasks])
        self.later.append(later)
        self.reached.set()
        assert self.gate.wait(LONG)
        for task in tasks:
            report(task.id, "read", 0.0)
            if task.name == self.defect:
                raise RuntimeError("a defect")
        return super().process(tasks, report, later=later)


class FullStore(EmbeddedStore):
    """A store whose disk is full for a while."""

    full = False

    def put_all(self, batches: Sequence[DocumentBatch]) -> list[StoreOutcome]:
        if self.full:
            raise UnusableStoreError(Message(zh="磁盘已满。", en="The disk is full."))
        return super().put_all(batches)


class House:
    """A folder with a queue, as a library has them, without an event loop."""

    def __init__(self, folder: Path, workers: int = 0) -> None:
        settings = Settings.from_mapping({"CITEWISE_DATA_DIR": str(folder), "CITEWISE_INGEST_WORKERS": str(workers)})
        self.folder = folder
        self.store = FullStore(folder)
        self.pool = WorkerPool(settings)
        self.cache = VectorCache(folder / "vectors.db", 10)
        self.pipeline = Gated(self.store, settings, self.pool, self.cache, Signals())
        self.queue = Queue(self.store, self.pipeline, self.pool, Spool(folder / "incoming"), Signals())
        self.closed = False

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        self.pipeline.gate.set()
        self.queue.stop()
        self.pool.close()
        self.queue.join()
        self.cache.close()
        self.store.close()

    def outcomes(self, tasks: Sequence[Task]) -> list[Outcome]:
        futures = [self.queue.outcome(task.id) for task in tasks]
        return [future.result(LONG) for future in futures]

    def names(self) -> set[str]:
        return {info.name for info in self.store.documents()}

    def text_of(self, name: str, doc_set: str = "") -> str:
        document = self.store.document(name, doc_set)
        assert document is not None
        return document.text


def spooled(house: House) -> set[str]:
    house.queue._spool._remover.submit(lambda: None).result(LONG)  # it has removed what it is to remove
    return {str(path) for path in (house.folder / "incoming").iterdir()}
