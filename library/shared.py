"""What the sides of a library have in common: its parts, and how they change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from ingestion.maintenance import Maintenance
from ingestion.model_download import ModelDownload
from ingestion.page_worker import PageWorker
from ingestion.pipeline import Pipeline
from ingestion.queue import Queue
from ingestion.signals import Signals
from ingestion.spool import Spool
from ingestion.worker import WorkerPool
from providers.rerankers import Rerankers
from retrieval.catalogue import Catalogue
from retrieval.searcher import Searcher
from settings import Settings
from stores.base import Store
from stores.tasks import UPKEEP
from stores.vector_cache import VectorCache
from web.extracting.background import BackgroundExtraction

T = TypeVar("T")


class LibraryParts:
    """Made once, given to each other; `signals` tells who listens from outside what happens."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings, self.store = settings, store
        self._changes = 0
        self._pool, self._pages = WorkerPool(settings), PageWorker(settings)
        self._cache = VectorCache(Path(settings.data_dir) / "vectors.db", settings.embedding_cache_mb)
        self.signals = Signals()
        self._pipeline = Pipeline(store, settings, self._pool, self._cache, self.signals)
        self._spaces = self._pipeline.spaces
        spool, works = Spool(Path(settings.data_dir) / "incoming"), settings.ingest_here or not store.shared
        self._queue = Queue(store, self._pipeline, self._pool, spool, self.signals, works)
        self._threads = ThreadPoolExecutor(4, "library")
        self._rerankers = Rerankers()
        self._searcher = Searcher(store, settings, self._spaces.serving, self._rerankers.of)
        self._catalogue = Catalogue(store)
        self._keeper = Maintenance(
            settings, self._pipeline, self._pool, self._threads, self._queue.busy, self.signals,
            lambda: store.hold(UPKEEP),
        )  # fmt: skip
        self._extraction = BackgroundExtraction(
            store, lambda: self._queue.busy() or self._keeper.working or not self._keeper.leads
        )
        self._fetching_reranker = ModelDownload(self._pool, self._threads)

    @property
    def version(self) -> int:
        """Rises with every change of documents, sets and tasks."""
        return self._changes + self._queue.version

    def generation(self) -> int:
        """Higher after every change of documents or embedding space, and after every restart no lower."""
        return self.store.generation()

    async def _change(self, work: Callable[..., T], *arguments: object) -> T:
        changed = await asyncio.to_thread(work, *arguments)
        if changed:
            self._changes += 1
            self._keeper.changed.set()
        return changed

    def _listed(self) -> Catalogue:
        catalogue = self._catalogue  # another thread may put an older one in its place
        if catalogue.generation != self.store.generation():
            catalogue = self._catalogue = Catalogue(self.store, catalogue)
        return catalogue
