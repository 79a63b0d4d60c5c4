"""A pipeline over a store in memory, whose worker is watched."""

from __future__ import annotations

from processing import add

from ingestion.job_runner import JobRunner
from ingestion.pipeline import Pipeline
from ingestion.signals import Signals
from ingestion.worker import WorkerPool
from schema import Chunking, StoreOutcome
from settings import Settings
from stores.embedded import EmbeddedStore
from stores.vector_cache import VectorCache

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
