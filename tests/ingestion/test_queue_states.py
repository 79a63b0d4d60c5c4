"""Whatever is done to a queue in any order: store, memory and spool tell the same, and no accepted file is lost."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from errors import StoreError
from ingestion.backlog import key_of
from ingestion.pipeline import Pipeline
from ingestion.queue import Queue
from ingestion.signals import Signals
from ingestion.spool import Spool
from ingestion.worker import WorkerPool
from schema import Chunking, IncomingFile
from settings import Settings
from stores.embedded import EmbeddedStore
from stores.vector_cache import VectorCache

NAMES, SETS = st.sampled_from(["a.md", "b.md", "in/c.txt"]), st.sampled_from(["", "s", "t"])
WORDS = st.sampled_from(["apple", "pear", "plum", ""])  # an empty file is refused
TASKS = st.integers(0, 5)  # which of those there are


class QueueMachine(RuleBasedStateMachine):
    """The queue's threads are not started: a step of theirs is a rule."""

    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="citewise-queue-"))
        values = {"CITEWISE_DATA_DIR": str(self.folder), "CITEWISE_INGEST_WORKERS": "0"}
        self.settings = Settings.from_mapping({**values, "CITEWISE_EMBEDDING": "hashing"})
        self.store = EmbeddedStore(self.folder)
        self.pool = WorkerPool(self.settings)
        self.cache = VectorCache(self.folder / "vectors.db", 0)
        self.wanted: dict[tuple[str, str], str] = {}  # the newest text of each file that was accepted
        self.reopen()

    @rule()
    def reopen(self) -> None:
        """As after a kill: whatever was being processed is given up where it is."""
        pipeline = Pipeline(self.store, self.settings, self.pool, self.cache, Signals())
        self.queue = Queue(self.store, pipeline, self.pool, Spool(self.folder / "incoming"), Signals())

    @rule(name=NAMES, doc_set=SETS, word=WORDS)
    def submit(self, name: str, doc_set: str, word: str) -> None:
        self.queue.submit([IncomingFile(name, word.encode(), doc_set=doc_set)])
        self.wanted[doc_set, name] = word

    @rule(name=NAMES, doc_set=SETS, size=st.sampled_from([50, 90]))
    def rechunk(self, name: str, doc_set: str, size: int) -> None:
        self.queue.rechunk([(name, doc_set, Chunking(strategy="fixed", size=size))], 0)

    @rule(which=TASKS)
    def cancel(self, which: int) -> None:
        for task in self.queue.tasks()[which : which + 1]:
            self.queue.cancel([task.id])
            if task.job == "add":
                del self.wanted[task.doc_set, task.name]

    @rule(which=TASKS)
    def hurry(self, which: int) -> None:
        tasks = self.queue.tasks()[which : which + 1]
        self.queue.prioritise([task.id for task in tasks])
        for task in tasks:
            if task.status == "pending":
                assert self.queue.tasks()[0].id == task.id

    @rule()
    def retry(self) -> None:
        self.queue.retry([task.id for task in self.queue.tasks()])
        assert not any(task.status == "failed" for task in self.queue.tasks())

    @rule()
    def work(self) -> None:
        if batch := self.queue._backlog.take():
            self.queue._handle(batch)

    @rule()
    def begin_and_be_killed(self) -> None:
        if batch := self.queue._backlog.take():
            self.store.note_tasks([task.id for task in batch.tasks], "processing")
        self.reopen()

    @rule(name=SETS, to=SETS)
    def rename_set(self, name: str, to: str) -> None:
        if not name or not to or any(info.name == to for info in self.store.doc_sets()):
            return
        if any(task.doc_set == to for task in self.queue.tasks()):
            return
        if self.queue.rename_doc_set(name, to):
            self.wanted = {((to if of == name else of), file): word for (of, file), word in self.wanted.items()}

    @rule(name=NAMES, doc_set=SETS, to=SETS)
    def move(self, name: str, doc_set: str, to: str) -> None:
        try:
            moved = self.queue.move(name, doc_set, to)
        except StoreError:  # there is one of this name
            assert self.store.document(name, to) is not None
            return
        if moved and doc_set != to and not any(key_of(t) == ("add", doc_set, name) for t in self.queue.tasks()):
            word = self.wanted.pop((doc_set, name), None)
            if word is not None and not any(
                key_of(t) == ("add", to, name) for t in self.queue.tasks()
            ):  # else that is newer
                self.wanted[to, name] = word

    @rule(name=SETS)
    def delete_set(self, name: str) -> None:
        if name and self.queue.delete_doc_set(name):
            self.wanted = {key: word for key, word in self.wanted.items() if key[0] != name}

    @invariant()
    def all_tell_the_same(self) -> None:
        def told(tasks: list[Any]) -> list[tuple[Any, ...]]:
            return [(t.id, t.job, t.doc_set, t.name, t.priority, t.path, t.status == "failed") for t in tasks]

        tasks = self.queue.tasks()
        assert told(tasks) == told(self.store.tasks())
        assert len({(task.job, task.doc_set, task.name) for task in tasks}) == len(tasks)
        self.queue._spool._remover.submit(lambda: None).result()
        assert {str(path) for path in self.queue._spool.folder.iterdir()} == {task.path for task in tasks} - {""}
        done, total = self.queue.progress()
        assert total - done == len(self.queue.waiting()) == sum(task.status == "pending" for task in tasks)

    def teardown(self) -> None:
        while batch := self.queue._backlog.take():
            self.queue._handle(batch)
        self.all_tell_the_same()
        failed = {(task.doc_set, task.name) for task in self.queue.tasks() if task.job == "add"}
        for (doc_set, name), word in self.wanted.items():
            if word:
                document = self.store.document(name, doc_set)
                assert document is not None
                assert document.text == word
            else:
                assert (doc_set, name) in failed
        self.cache.close()
        self.store.close()
        shutil.rmtree(self.folder)


TestQueueStates = QueueMachine.TestCase
TestQueueStates.settings = settings(max_examples=15, stateful_step_count=25, suppress_health_check=list(HealthCheck))
