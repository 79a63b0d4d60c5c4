"""The library as one object: add, replace, delete, list, search, embed. Nodes, page, API and scripts use this."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ingestion.keeper import Keeper
from ingestion.pipeline import Pipeline
from ingestion.worker import WorkerPool
from ingestion.workshop import Report
from providers import embeddings
from providers.base import Embedder, EmbeddingError
from providers.llm import Model
from providers.rerankers import open_reranker
from schema import (
    AS_USUAL,
    EVERYWHERE,
    Chunking,
    Document,
    DocumentInfo,
    EmbeddingState,
    Evidence,
    Hit,
    Language,
    Scope,
    Stage,
    Stored,
    StrategyName,
    Vectors,
)
from settings import Settings
from stores.base import SpaceChanged, Store, StoreStats
from stores.embedded import EmbeddedStore
from stores.vector_cache import VectorCache
from text import search_tokens

if TYPE_CHECKING:
    from retrieval.hyde import Hypothetical

log = logging.getLogger(__name__)
T = TypeVar("T")

_WRITING = 6  # files that may wait for the disk together, and a refit
_TRIES = 3  # searches, when the space is swapped in the middle of one


class Library:
    """Open it with `await Library.open(settings)`; close it with `await library.close()`, or use `async with`.

    Searches never wait for uploads: they have threads of their own, and the store lets readers pass. `version` rises
    with every change.
    """

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings, self.store = settings, store
        self.version = 0
        self._versions = count(1)
        self._pool = WorkerPool(settings)
        self._cache = VectorCache(Path(settings.data_dir) / "vectors.db", settings.embedding_cache_mb)
        self._pipeline = Pipeline(store, settings, self._pool, self._cache)
        self._spaces = self._pipeline.spaces
        # More than workers: files that are being written share a commit while the next ones are read.
        self._threads = ThreadPoolExecutor(len(self._pool) + _WRITING, "ingest")
        self._reranker = open_reranker(settings)
        self._documents: tuple[int, list[DocumentInfo]] = (-1, [])  # of which generation
        self._keeper = Keeper(settings, self._pipeline, self._pool, self._threads)

    @classmethod
    async def open(cls, settings: Settings, store: Store | None = None) -> Library:
        """With the embedded store in `settings.data_dir`, unless another one is given. Raises StoreError."""
        if store is None:
            store = await asyncio.to_thread(EmbeddedStore, settings.data_dir)
        library = await asyncio.to_thread(cls, settings, store)
        library._threads.submit(library._warm)
        library._keeper.start()
        return library

    async def close(self) -> None:
        """Files on their way are given up, whole or not at all; the next opening finds everything else."""
        await self._keeper.close()
        await asyncio.to_thread(self._pool.close)
        await asyncio.to_thread(self._spaces.close)  # what waits for a network waits no longer
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        await asyncio.to_thread(self._pool.close)  # a process that was just being started
        if self._reranker:
            self._reranker.close()
        await asyncio.to_thread(self._cache.close)
        await asyncio.to_thread(self.store.close)

    async def __aenter__(self) -> Library:
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.close()

    # --- changing ------------------------------------------------------------------------------------------------

    async def add(
        self,
        name: str,
        data: bytes,
        *,
        chunking: Chunking = AS_USUAL,
        doc_set: str = "",
        progress: Report | None = None,
    ) -> Stored:
        """A new document, or a new version of the one with this name. Raises FileError, StoreError.

        Cancelled, it stops before its next stage; the document is then stored whole or not at all.
        """
        return await self._ingest(progress, lambda report: self._pipeline.add(name, data, chunking, doc_set, report))

    async def rechunk(self, name: str, chunking: Chunking, doc_set: str = "", progress: Report | None = None) -> Stored:
        """The stored text cut in another way. Raises CitewiseError when there is no such document."""
        return await self._ingest(progress, lambda report: self._pipeline.rechunk(name, chunking, doc_set, report))

    async def delete(self, name: str, doc_set: str = "") -> bool:
        """False when there is no such document."""
        deleted = await asyncio.wrap_future(self._threads.submit(self.store.delete, name, doc_set))
        if deleted:
            self._note_change()
        return deleted

    async def _ingest(self, progress: Report | None, work: Callable[[Report], Stored]) -> Stored:
        loop, context, cancelled = asyncio.get_running_loop(), contextvars.copy_context(), threading.Event()

        def report(stage: Stage, fraction: float) -> None:
            if cancelled.is_set():
                raise asyncio.CancelledError
            if progress:
                loop.call_soon_threadsafe(progress, stage, fraction, context=context)

        def run() -> Stored:
            stored = work(report)
            if stored.outcome != "unchanged":
                loop.call_soon_threadsafe(self._note_change)
            return stored

        future: Future[Stored] = self._threads.submit(run)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def _note_change(self) -> None:
        self.version = next(self._versions)
        self._keeper.changed.set()

    # --- looking -------------------------------------------------------------------------------------------------

    def documents(self, scope: Scope = EVERYWHERE) -> list[DocumentInfo]:
        """Newest first. Read once a generation: every turn asks several times."""
        generation = self.store.generation()
        if self._documents[0] != generation:
            self._documents = generation, self.store.documents()
        return [
            info
            for info in self._documents[1]
            if (not scope.documents or info.name in scope.documents)
            and (not scope.doc_sets or info.doc_set in scope.doc_sets)
        ]

    def document(self, name: str, doc_set: str = "") -> Document | None:
        """With its text."""
        return self.store.document(name, doc_set)

    def names(self) -> list[str]:
        return list(dict.fromkeys(info.name for info in self.documents()))

    def doc_sets(self) -> list[str]:
        """The sets that have a name."""
        return sorted({info.doc_set for info in self.documents()} - {""})

    def languages(self, scope: Scope = EVERYWHERE) -> frozenset[Language]:
        """Of the documents in scope, those that are worth a translated question."""
        from retrieval.hyde import OTHER_SHARE

        documents = self.documents(scope)
        counts = Counter(info.language for info in documents)
        return frozenset(language for language, count in counts.items() if count >= OTHER_SHARE * len(documents))

    def generation(self) -> int:
        """Higher after every change of documents or embedding space, and after every restart no lower."""
        return self.store.generation()

    def stats(self) -> StoreStats:
        return self.store.stats()

    async def search(
        self,
        question: str,
        *,
        strategy: StrategyName | None = None,
        scope: Scope = EVERYWHERE,
        top_k: int | None = None,
        extra_terms: Sequence[str] = (),
        translated: str | None = None,
        model: Model | None = None,
        hypothetical: Hypothetical | None = None,
        in_context: bool = False,
    ) -> Evidence:
        """What the library holds on a question, best first; the settings' strategy and top_k where none is given.

        These are the ranked chunks; `in_context`, what is to be read of them: without those that nearly repeat a
        better one, and those that touch as one hit.

        `translated` is the question in the library's other language. With a model the strategy `hyde`, and the default
        where the first search is weak, imagine an answer to search by: one call, made at most once for all searches
        that are handed the same `hypothetical`. What a model fails at is a notice, never an exception.
        """
        from retrieval.hyde import Hypothetical
        from retrieval.search import Parts, search

        imagining = hypothetical or Hypothetical()
        try:
            return await self._in_one_space(
                lambda embedder: search(
                    question,
                    Parts(self.store, embedder, self.settings, model, self._reranker, imagining),
                    strategy=strategy,
                    scope=scope,
                    top_k=top_k,
                    extra_terms=extra_terms,
                    translated=translated,
                    in_context=in_context,
                )
            )
        finally:
            if hypothetical is None:
                imagining.cancel()

    async def opening(self, scope: Scope, k: int) -> list[Hit]:
        """How the documents in scope begin: k chunks of each, in reading order."""
        return await asyncio.to_thread(lambda: self.store.hits(self.store.opening(scope, k)))

    async def in_sections(self, hits: Sequence[Hit], budget: int) -> list[Hit]:
        """The hits with what stands around them in their sections, as far as so many model tokens go."""
        from retrieval.sections import grown

        return list(await asyncio.to_thread(grown, hits, self.store, budget))

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dimensions): to be compared with each other, at once and on this machine; (n, 0) in a new library."""
        return await asyncio.to_thread(self.embed_sync, texts)

    def embed_sync(self, texts: Sequence[str]) -> Vectors:
        embedder = self._spaces.serving()
        if embedder is None or embedder.space.provider in embeddings.MODELLESS:
            return embedder.embed(texts) if embedder else self.store.vectors([-1] * len(texts))
        from providers.hashing import HashingEmbedder

        return HashingEmbedder(self.settings.hashing_dimensions).embed(texts)

    def question_vector(self, question: str) -> Vectors | None:
        """In the serving space, to be compared with `vectors`; None where nobody can embed it now."""
        embedder = self._spaces.serving()
        try:
            return embedder.embed_question(question) if embedder else None
        except EmbeddingError:
            return None

    def vectors(self, chunk_ids: Sequence[int]) -> Vectors:
        """Stored vectors of the serving space, in the order asked for."""
        return self.store.vectors(chunk_ids)

    # --- the embedding space -------------------------------------------------------------------------------------

    async def _in_one_space(self, work: Callable[[Embedder | None], Awaitable[T]]) -> T:
        """Work that compares vectors, again if the space was swapped in the middle of it."""
        for _ in range(_TRIES):
            embedder = await asyncio.to_thread(self._spaces.serving)
            key = embedder and embedder.space.key
            try:
                result = await work(embedder)
            except SpaceChanged:
                continue
            if embedder is None or await asyncio.to_thread(self.store.space_key) == key:
                return result
        return await work(None)  # it is swapped faster than we search: keywords alone need no space

    async def embedding_state(self) -> EmbeddingState:
        """What embeds the library, what is to come, and what stands in the way."""
        return await asyncio.to_thread(self._keeper.state)

    def download_model(self) -> None:
        """Begin to fetch the local model; `embedding_state` tells how far it is."""
        self._keeper.download()

    async def settle(self) -> None:
        """Wait until the space suits what is stored, as it would by itself after a moment without changes.

        Raises CitewiseError when a model that is needed for that does not answer."""
        await self._keeper.settle()

    def _warm(self) -> None:
        """Load what the first upload and the first question will need."""
        if self._reranker:
            self._reranker.warm()
        self._pipeline.warm()
        self._spaces.serving()
        import retrieval.search  # noqa: F401

        search_tokens("预热 warm up")
