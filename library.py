"""The library as one object: add, replace, delete, list, search, embed. Nodes, page, API and scripts use this."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from errors import CitewiseError
from ingestion.awaiting import finished, stored
from ingestion.embed_now import embed_now
from ingestion.keeper import Keeper
from ingestion.model_download import ModelDownload
from ingestion.pipeline import Pipeline
from ingestion.queue import AT_LEISURE, AWAITED, Queue
from ingestion.spool import Spool
from ingestion.worker import WorkerPool
from ingestion.workshop import Report
from providers import model_files
from providers.base import Embedder
from providers.llm import Model
from providers.rerankers import Rerankers, fetched_reranker
from retrieval.catalogue import Catalogue
from retrieval.passages import PassageCache
from retrieval.searcher import Searcher
from schema import (
    AS_USUAL,
    EVERYWHERE,
    UNTOLD,
    Chunk,
    Chunking,
    DocSetInfo,
    Document,
    DocumentInfo,
    EmbeddingReport,
    EmbeddingState,
    Evidence,
    Hit,
    Import,
    Incoming,
    Language,
    Message,
    Origin,
    RerankerState,
    Scope,
    Stored,
    StrategyName,
    Structured,
    Task,
    Vectors,
)
from settings import Settings
from stores.base import Store
from stores.caches import Cache, CacheName
from stores.embedded import EmbeddedStore
from stores.indexes.faiss_index import IndexInfo
from stores.vector_cache import VectorCache
from text import search_tokens
from web.extracting.leisure import Extraction

if TYPE_CHECKING:
    from retrieval.hyde import Hypothetical

log = logging.getLogger(__name__)
T = TypeVar("T")

Outcomes = dict[int, Stored | CitewiseError | None]  # by the id of the task; None: not done yet


class LibraryStats(NamedTuple):
    documents: int
    chunks: int
    tokens: int  # of a model, of the documents' texts
    bytes: int  # on disk
    space: str | None  # key of the embedding space
    waiting: int  # files on their way
    failed: int
    vector_index: IndexInfo | None = None  # where there are vectors


class Library:
    """Open it with `await Library.open(settings)`; close it with `await library.close()`, or use `async with`.

    Searches never wait for uploads: they have threads of their own, and the store lets readers pass.
    """

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings, self.store = settings, store
        self._changes = 0
        self._pool = WorkerPool(settings)
        self._cache = VectorCache(Path(settings.data_dir) / "vectors.db", settings.embedding_cache_mb)
        self._pipeline = Pipeline(store, settings, self._pool, self._cache)
        self._spaces = self._pipeline.spaces
        self._queue = Queue(store, self._pipeline, self._pool, Spool(Path(settings.data_dir) / "incoming"))
        self._threads = ThreadPoolExecutor(4, "library")
        self._rerankers = Rerankers()
        self._searcher = Searcher(store, settings, self._spaces.serving, self._rerankers.of)
        self._catalogue = Catalogue(store)
        self._keeper = Keeper(settings, self._pipeline, self._pool, self._threads, self._queue.busy)
        self._extraction = Extraction(store, lambda: self._queue.busy() or self._keeper.working)
        self._fetching_reranker = ModelDownload(self._pool, self._threads)

    @classmethod
    async def open(cls, settings: Settings, store: Store | None = None, *, warm: bool = True) -> Library:
        """With the embedded store in `settings.data_dir`, unless another one is given. Raises StoreError."""
        library = await asyncio.to_thread(cls._opened, settings, store)
        if warm:
            library.warm()
        library._keeper.start()
        loop = asyncio.get_running_loop()

        def stored() -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody keeps the space up any more
                loop.call_soon_threadsafe(library._keeper.changed.set)

        library._queue.on_stored = stored
        library._queue.start()
        library._extraction.start()
        return library

    @classmethod
    def _opened(cls, settings: Settings, store: Store | None) -> Library:
        used = EmbeddedStore(settings.data_dir, vector_index=settings.vector_index) if store is None else store
        try:
            library = cls(settings, used)
            if isinstance(used, EmbeddedStore):
                used.on_replaced = library._replaced
            return library
        except BaseException:
            if store is None:
                used.close()  # else nobody could try again: it holds the folder
            raise

    def _replaced(self) -> None:
        """A backup was brought back, by another program's request: from any thread."""
        self._queue.reload()
        if space := self.store.space():
            self._spaces.know(space)
        self._changes += 1
        self._queue.on_stored()

    async def close(self) -> None:
        """Files on their way stop, and go on when the library is opened again."""
        self._queue.stop()
        await self._extraction.close()
        await self._keeper.close()
        await self._fetching_reranker.close()
        await asyncio.to_thread(self._pool.close)
        await asyncio.to_thread(self._spaces.close)  # what waits for a network waits no longer
        await asyncio.to_thread(self._queue.join)
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        await asyncio.to_thread(self._pool.close)  # a process that was just being started
        self._rerankers.close()
        await asyncio.to_thread(self._cache.close)
        await asyncio.to_thread(self.store.close)

    async def __aenter__(self) -> Library:
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.close()

    # --- files on their way --------------------------------------------------------------------------------------

    async def submit(self, files: Sequence[Incoming], *, priority: int = AT_LEISURE, copy: bool = False) -> list[Task]:
        """Take files in and return at once; they are stored in the background, also after a restart. With `copy`,
        files given by a path need not stay there. A zip gives way to tasks of its files. Raises StoreError."""
        return await asyncio.to_thread(self._queue.submit, files, priority, copy)

    async def submit_rechunk(
        self, cuts: Sequence[tuple[str, str, Chunking]], *, priority: int = AT_LEISURE
    ) -> list[Task]:
        """Stored documents, by name and set, to be cut again in the background."""
        return await asyncio.to_thread(self._queue.rechunk, cuts, priority)

    async def add_documents(self, documents: Sequence[Document], *, chunking: Chunking = AS_USUAL) -> list[Task]:
        """Text that was read already, from the web say, to be stored in the background. Raises StoreError."""
        return await asyncio.to_thread(self._queue.submit_documents, documents, chunking, AT_LEISURE)

    async def store_import(self, given: Import) -> Stored:
        """A document that was read elsewhere, with what it brings: it can be found when this returns. Raises
        CitewiseError."""
        return await self._change(self._pipeline.store_import, given)

    async def add(
        self,
        name: str,
        data: bytes,
        *,
        chunking: Chunking = AS_USUAL,
        doc_set: str = "",
        progress: Report | None = None,
        origin: Origin = UNTOLD,
        metadata: Mapping[str, Any] | None = None,
    ) -> Stored:
        """A new document, or a new version of the one with this name. Raises FileError, StoreError, and CitewiseError
        for metadata that do not fit.

        Cancelled, it stops before its next stage; the document is then stored whole or not at all.
        """
        file = Incoming(name, data, doc_set=doc_set, chunking=chunking, origin=origin, metadata=metadata or {})
        done = await stored(self._queue, lambda tell: self._queue.submit([file], AWAITED, listener=tell), progress)
        return done._replace(document=self._keeper.explained([done.document])[0])

    async def rechunk(self, name: str, chunking: Chunking, doc_set: str = "", progress: Report | None = None) -> Stored:
        """The stored text cut in another way. Raises CitewiseError when there is no such document."""
        cut = (name, doc_set, chunking)
        return await stored(self._queue, lambda tell: self._queue.rechunk([cut], AWAITED, tell), progress)

    def tasks(self) -> list[Task]:
        """Files on their way and those that failed, by priority; with their live stage and fraction."""
        return self._queue.tasks()

    def waiting(self, scope: Scope = EVERYWHERE) -> list[str]:
        """Names of the files on their way within a scope."""
        return self._queue.waiting(scope)

    def progress(self) -> tuple[int, int]:
        """Files that are done, of how many since nothing was on its way."""
        return self._queue.progress()

    @property
    def problem(self) -> Message | None:
        """Why no file can be stored at the moment, and what to do; `retry` tries again."""
        return self._queue.problem

    async def finished(self, task_ids: Sequence[int], timeout: float | None = None) -> Outcomes:  # noqa: ASYNC109
        """Wait for tasks. None: not done in time. In place of a zip stand the files that were in it."""
        return await finished(self._queue, task_ids, timeout)

    async def cancel(self, task_ids: Sequence[int]) -> None:
        """Forget tasks. One that is being processed stops before its next stage."""
        await asyncio.to_thread(self._queue.cancel, task_ids)
        await self.finished(task_ids)

    async def retry(self, task_ids: Sequence[int]) -> None:
        """Try again what has failed."""
        await asyncio.to_thread(self._queue.retry, task_ids)

    async def hurry(self, task_ids: Sequence[int]) -> None:
        """Before everything else that waits."""
        await asyncio.to_thread(self._queue.hurry, task_ids)

    async def process(self, doc_set: str | None = None) -> Outcomes:
        """Hurry what waits, of one set or of all, and wait for it."""
        waiting = [task for task in self.tasks() if task.status in ("pending", "processing")]
        ids = [task.id for task in waiting if doc_set is None or task.doc_set == doc_set]
        await self.hurry(ids)
        return await self.finished(ids)

    # --- documents and sets --------------------------------------------------------------------------------------

    @property
    def version(self) -> int:
        """Rises with every change of documents, sets and tasks."""
        return self._changes + self._queue.version

    async def delete(self, name: str, doc_set: str = "") -> bool:
        """With what is on its way under this name. False when there is no such document."""
        return await self.delete_all([(name, doc_set)]) == 1

    async def delete_all(self, documents: Collection[tuple[str, str]]) -> int:
        """By name and set, with what is on its way under these names; how many documents there were."""
        named = set(documents)
        if tasks := [task.id for task in self.tasks() if (task.name, task.doc_set) in named]:
            await self.cancel(tasks)
        return await self._change(self.store.delete_all, named)

    async def move(self, name: str, doc_set: str, to: str) -> bool:
        """Into another set. False when there is no such document; StoreError when the set has one of this name."""
        return await self._change(self._queue.move, name, doc_set, to)

    async def add_doc_set(self, name: str) -> bool:
        """False when there is one of this name."""
        return await self._change(self.store.add_doc_set, name)

    async def rename_doc_set(self, name: str, to: str) -> bool:
        """False when there is no such set; raises StoreError when there is one of the new name."""
        return await self._change(self._queue.rename_doc_set, name, to)

    async def delete_doc_set(self, name: str) -> bool:
        """With all its documents and files on their way. False when there is no such set."""
        return await self._change(self._queue.delete_doc_set, name)

    async def _change(self, work: Callable[..., T], *arguments: object) -> T:
        changed = await asyncio.to_thread(work, *arguments)
        if changed:
            self._changes += 1
            self._keeper.changed.set()
        return changed

    def _listed(self) -> Catalogue:
        catalogue = self._catalogue  # another thread may put an older one in its place
        if catalogue.generation != self.store.generation():
            catalogue = self._catalogue = Catalogue(self.store)
        return catalogue

    def documents(self, scope: Scope = EVERYWHERE) -> list[DocumentInfo]:
        """Newest first; with the reason where one waits for its vectors."""
        return self._keeper.explained(self._listed().within(scope) if scope else self._listed().documents)

    def document(self, name: str, doc_set: str = "") -> Document | None:
        """With its text."""
        return self.store.document(name, doc_set)

    async def structured(self, name: str, doc_set: str = "") -> Structured | None:
        """What a document is about: title, keywords, entities, topics; None when there is no such document.

        A model says it of pages that are fetched, statistics of all others: at leisure, or now where nobody has yet."""
        return await asyncio.to_thread(self._extraction.of, name, doc_set)

    def all_structured(self, scope: Scope = EVERYWHERE) -> dict[tuple[str, str], Structured]:
        """What the documents in scope are about, by name and set: of those of which it is known by now."""
        return self.store.structured(scope)

    def complete_structured(self, most: int = 200) -> None:
        """Find out what documents are about of which it is not known yet, so that they can be selected by it. Blocks,
        some 20 ms for each."""
        self._extraction.complete(most)

    async def chunks(self, name: str, doc_set: str = "", first: int = 0, k: int = 50) -> list[Hit]:
        """k chunks of a document in reading order, from the one at position `first`."""
        return await asyncio.to_thread(self.store.chunks, name, doc_set, first, k)

    async def preview(
        self, name: str, doc_set: str = "", chunking: Chunking = AS_USUAL
    ) -> tuple[Chunking, list[Chunk]]:
        """How a document would be cut; nothing is stored. Raises CitewiseError when there is no such document."""
        return await asyncio.to_thread(self._pipeline.preview, name, doc_set, chunking)

    async def document_vector(self, name: str, doc_set: str = "") -> Vectors:
        """(dimensions,): what a document is about, of length 1; zeros where it has no vectors."""
        return await asyncio.to_thread(self.store.document_vector, name, doc_set)

    def names(self) -> list[str]:
        return list(self._listed().names)

    def chunk_count(self) -> int:
        return self._listed().chunks

    def doc_sets(self) -> list[str]:
        """The sets that have a name."""
        return sorted({info.name for info in self._listed().doc_sets} - {""})

    def doc_set_infos(self) -> list[DocSetInfo]:
        """Every set, empty ones as well; "" where documents are in none."""
        return list(self._listed().doc_sets)

    def languages(self, scope: Scope = EVERYWHERE) -> frozenset[Language]:
        """Of the documents in scope, those that are worth a translated question."""
        from retrieval.hyde import OTHER_SHARE

        counts = self._listed().languages(scope)
        return frozenset(language for language, count in counts.items() if count >= OTHER_SHARE * counts.total())

    def generation(self) -> int:
        """Higher after every change of documents or embedding space, and after every restart no lower."""
        return self.store.generation()

    def stats(self) -> LibraryStats:
        stored, states = self.store.stats(), Counter(task.status for task in self.tasks())
        waiting = states["pending"] + states["processing"]
        index = self.store.vector_index() if isinstance(self.store, EmbeddedStore) else None
        return LibraryStats(
            stored.documents, stored.chunks, stored.tokens, stored.bytes, stored.space, waiting, states["failed"], index
        )

    @property
    def reranker(self) -> str | None:
        """The name of the reranker that the settings ask for; None: hits keep the order of the search."""
        reranker = self._rerankers.of(self.settings)
        return reranker.name if reranker else None

    def caches(self) -> dict[CacheName, Cache]:
        """What is kept only to be faster: vectors of texts on disk, passages in memory. `Assistant.caches` has all."""
        return {"vectors": self._cache, "passages": PassageCache()}

    async def reranker_state(self) -> RerankerState:
        """What reranks, and whether the local reranker is here, on its way, or to be had."""
        return await asyncio.to_thread(self._reranker_state)

    def _reranker_state(self) -> RerankerState:
        model, fetching = fetched_reranker(self.settings), self._fetching_reranker
        if model is None:
            return RerankerState(self.reranker)
        megabytes, licence = model_files.facts(model) or (None, "")
        here = model_files.onnx_folder(model, self.settings) is not None
        return RerankerState(self.reranker, model, megabytes, licence, here, fetching.progress, fetching.problem)

    def download_reranker(self) -> None:
        """Begin to fetch the local reranker; it serves when it is here. `reranker_state` tells how far it is."""

        def here() -> None:
            self._rerankers.look_again()
            if reranker := self._rerankers.of(self.settings):
                reranker.warm()

        if model := fetched_reranker(self.settings):
            self._fetching_reranker.begin(model, here)

    def cancel_download(self) -> None:
        """Of a model, whichever is on its way; what has come stays for another attempt."""
        self._keeper.fetching.cancel()
        self._fetching_reranker.cancel()

    @property
    def notices(self) -> list[Message]:
        """What was lost, as it was found at opening, and is not made up for by now."""
        return self.store.notices if isinstance(self.store, EmbeddedStore) else []

    # --- searching -----------------------------------------------------------------------------------------------

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
        settings: Settings | None = None,
    ) -> Evidence:
        """What the library holds on a question, best first; the settings' strategy and top_k where none is given.
        `settings` are those of this search, where some differ from the library's.

        These are the ranked chunks; `in_context`, what is to be read of them: without those that nearly repeat a
        better one, and those that touch as one hit.

        `translated` is the question in the library's other language. With a model the strategy `hyde`, and the default
        where the first search is weak, imagine an answer to search by: one call, made at most once for all searches
        that are handed the same `hypothetical`. What a model fails at is a notice, never an exception.
        """
        self._extraction.used()
        return await self._searcher.search(
            question,
            strategy=strategy,
            scope=scope,
            top_k=top_k,
            extra_terms=extra_terms,
            translated=translated,
            model=model,
            hypothetical=hypothetical,
            in_context=in_context,
            settings=settings,
        )

    async def opening(self, scope: Scope, k: int) -> list[Hit]:
        """How the documents in scope begin: k chunks of each, in reading order."""
        return await asyncio.to_thread(self._searcher.opening, scope, k)

    async def in_sections(self, hits: Sequence[Hit], budget: int) -> list[Hit]:
        """The hits with what stands around them in their sections, as far as so many model tokens go."""
        return await asyncio.to_thread(self._searcher.in_sections, hits, budget)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dimensions): to be compared with each other, at once and on this machine; (n, 0) in a new library."""
        return await asyncio.to_thread(self._searcher.embed, texts)

    def embed_sync(self, texts: Sequence[str]) -> Vectors:
        return self._searcher.embed(texts)

    def question_vector(self, question: str) -> Vectors | None:
        """In the serving space, to be compared with `vectors`; None where nobody can embed it now."""
        return self._searcher.question_vector(question)

    def vectors(self, chunk_ids: Sequence[int]) -> Vectors:
        """Stored vectors of the serving space, in the order asked for."""
        return self.store.vectors(chunk_ids)

    def embedder(self, texts: Sequence[str] = ()) -> Embedder | None:
        """Of the serving space; None where nobody here can embed in it, and in a new library, unless texts are given
        that are about to be stored. Blocks. For programs that hand in vectors with their texts. Raises CitewiseError.
        """
        if texts:
            self._spaces.make_first(texts, texts[0][:40])
        return self._spaces.serving()

    # --- the embedding space -------------------------------------------------------------------------------------

    async def embedding_state(self) -> EmbeddingState:
        """What embeds the library, what is to come, and what stands in the way."""
        return await asyncio.to_thread(self._keeper.state)

    @property
    def why_missing(self) -> Message:
        """Why documents wait for their vectors, where some do, and since when."""
        return self._keeper.why_missing()

    async def embed_now(self) -> EmbeddingReport:
        """Give every chunk the vector it lacks, and trouble that was met a moment ago another try; what came of it."""
        return await embed_now(self.store, self._keeper)

    @property
    def on_embedded(self) -> Callable[[int, float], object]:
        """Told, from any thread, how many texts have got their vectors in how many seconds."""
        return self._spaces.on_embedded

    @on_embedded.setter
    def on_embedded(self, listener: Callable[[int, float], object]) -> None:
        self._spaces.on_embedded = listener

    def download_model(self) -> None:
        """Begin to fetch the local model; `embedding_state` tells how far it is."""
        self._keeper.download()

    async def settle(self) -> None:
        """Wait until the space suits what is stored, as it would by itself after a moment without changes.

        Raises CitewiseError when a model that is needed for that does not answer."""
        await self._keeper.settle()

    def warm(self) -> None:
        """Begin to load what the first upload and the first question will need; whoever is earlier waits for it."""
        self._threads.submit(self._warm)

    def _warm(self) -> None:
        if reranker := self._rerankers.of(self.settings):
            reranker.warm()
        self._pipeline.warm()
        if self._pool.closed:  # a short visit: nothing more is needed
            return
        self._spaces.serving()
        import retrieval.search  # noqa: F401

        search_tokens("预热 warm up")
