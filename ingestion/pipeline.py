"""From bytes to stored chunks: read -> chunk -> embed -> store, and the upkeep of the embedding space."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import numpy as np

from errors import CitewiseError, FileError, StoreError
from ingestion.worker import Worker, WorkerDied, WorkerPool
from ingestion.workshop import Cut, Report, UnknownSpace
from providers import embeddings
from schema import Chunking, Message, Scope, Space, Stored, Vectors
from settings import Settings
from stores.base import Batch, SpaceChanged, Store, VectorsMissing

log = logging.getLogger(__name__)
T = TypeVar("T")

SMALL = 1_000  # chunks; a library up to this is fitted again whenever it has changed and rests, later at doublings
_SWAPS = 5  # a space is not swapped more often than this while one file is stored


class Pipeline:
    """Blocking, to be called from threads, any number of them; a worker is held for a step, not for a file."""

    def __init__(self, store: Store, settings: Settings, pool: WorkerPool) -> None:
        self._store, self._settings, self._pool = store, settings, pool
        self._first_space = threading.Lock()
        space = store.space()
        self._fitted_on = space.fitted_on if space else 0
        self._outdated = space is not None and not _serves(space, settings)

    def warm(self) -> None:
        """Start a worker, and let it load what the first file will need."""
        with self._pool.borrow() as worker, suppress(WorkerDied):  # the first file will try again
            worker.call("warm", self._store.space_key() is None, report=_silent)

    def add(self, name: str, data: bytes, chunking: Chunking, doc_set: str, report: Report) -> Stored:
        """Raises FileError, StoreError. What `report` raises stops the work; nothing is stored then."""
        read = ("read", name, data, doc_set, chunking)
        return self._store_cut(self._with_worker(name, lambda worker: worker.call(*read, report=report)), report)

    def rechunk(self, name: str, chunking: Chunking, doc_set: str, report: Report) -> Stored:
        """The stored text again, cut in another way; what is left open stays as it was or takes its default."""
        document = self._store.document(name, doc_set)
        if document is None:
            raise CitewiseError(
                "not_found",
                Message(zh=f"知识库里没有 {name}。", en=f"{name} is not in the library."),
                [Message(zh="请先上传这个文件，或检查文件名。", en="Upload it first, or check the name.")],
            )
        [info] = self._store.documents(Scope(documents=(name,), doc_sets=(doc_set,)))
        cut = ("cut", document, chunking.over(Chunking(strategy=info.chunking.strategy)))
        recut = self._with_worker(name, lambda worker: worker.call(*cut, report=report))
        return self._store_cut(recut, report, replaces=document.digest)

    def _with_worker(self, name: str, work: Callable[[Worker], T]) -> T:
        """Once more when the worker process dies; a file that ends it twice is refused."""
        for last_try in (False, True):
            try:
                with self._pool.borrow() as worker:
                    return work(worker)
            except WorkerDied as error:
                if self._pool.closed:
                    raise StoreError(Message(zh="知识库正在关闭。", en="The library is being closed.")) from error
                log.warning("the worker process died over %s", name)
                if last_try:
                    raise FileError(
                        Message(zh=f"处理 {name} 时工作进程意外终止。", en=f"The worker process died over {name}."),
                        Message(
                            zh="请把文件拆小后再试；内存不足时请先关闭其他程序。",
                            en="Split the file and try again; if memory is short, close other programs first.",
                        ),
                    ) from error
        raise AssertionError("unreachable")

    def _store_cut(self, cut: Cut, report: Report, replaces: str | None = None) -> Stored:
        document = cut.document
        old = self._store.documents(Scope(documents=(document.name,), doc_sets=(document.doc_set,)))
        if old and old[0].digest == document.digest and old[0].chunking == cut.chunking:
            return Stored("unchanged", old[0])
        for _ in range(_SWAPS):
            report("embed", 0.5)
            space_key = self._serving_space(cut)
            try:
                vectors = self._vectors(cut, space_key)
                report("store", 0.9)
                batch = Batch(document, cut.chunking, cut.chunks, cut.terms, vectors, space_key, replaces)
                return self._store.put(batch)
            except SpaceChanged as changed:
                log.info("the space changed while %s was embedded", document.name)
                last = changed
        raise last

    def _serving_space(self, cut: Cut) -> str:
        """Its key; the first document of a library makes the first space."""
        with self._first_space:
            key = self._store.space_key()
            if key is None:
                fit = ("fit", cut.texts)
                space, vectors = self._with_worker(cut.document.name, lambda worker: worker.call(*fit, report=_silent))
                self._store.swap_space(space, [], vectors[:0])
                self._fitted_on, key = space.fitted_on, space.key
        return key

    def _vectors(self, cut: Cut, space_key: str) -> Vectors:
        """Of every chunk, in order; embedded are only those whose texts the library has no vector of."""
        known = self._store.known_vectors(cut.texts)
        new = [text for text in dict.fromkeys(cut.texts) if text not in known]
        if new:
            vectors = self._with_worker(cut.document.name, lambda worker: self._embed(new, space_key, worker))
            known.update(zip(new, vectors, strict=True))
        return np.stack([known[text] for text in cut.texts])

    def _embed(self, texts: list[str], space_key: str, worker: Worker) -> Vectors:
        try:
            vectors: Vectors = worker.call("embed", space_key, texts, report=_silent)
        except UnknownSpace:
            space = self._store.space()
            if space is None or space.key != space_key:
                raise SpaceChanged(space.key if space else None) from None
            worker.call("learn", space, report=_silent)
            vectors = worker.call("embed", space_key, texts, report=_silent)
        return vectors

    # --- the space -----------------------------------------------------------------------------------------------

    def refit_due(self, resting: bool) -> bool:
        """Whether the library has outgrown its space, or, when it is small and rests, differs from what was fitted."""
        if self._store.space_key() is None:
            return False
        chunks = self._store.stats().chunks
        if not chunks or not (self._fitted_on or self._outdated):
            return False
        if self._outdated:
            return True
        if resting:  # texts newer than the space are found less well
            return chunks != self._fitted_on if chunks <= SMALL else chunks >= 1.25 * self._fitted_on
        return chunks >= 2 * self._fitted_on

    def refit(self) -> None:
        """Fit a new space to all that is stored, embed it, and swap; searches and uploads go on with the old one."""
        stored = list(self._store.indexed_texts())
        if not stored:
            return
        with self._pool.borrow() if len(stored) <= SMALL else self._pool.extra() as worker:
            space, vectors = worker.call("fit", [text for _, text in stored], report=_silent)
            self._swap(space, [chunk_id for chunk_id, _ in stored], vectors, worker)
        log.info("the library has a new space, fitted on %d chunks", len(stored))

    def _swap(self, space: Space, chunk_ids: list[int], vectors: Vectors, worker: Worker) -> None:
        while True:
            try:
                self._store.swap_space(space, chunk_ids, vectors)
                self._fitted_on, self._outdated = space.fitted_on, False
                return
            except VectorsMissing as missing:
                late = list(self._store.indexed_texts(missing.chunk_ids))
                more = worker.call("embed", space.key, [text for _, text in late], report=_silent)
                chunk_ids = [*chunk_ids, *(chunk_id for chunk_id, _ in late)]
                vectors = np.vstack([vectors, more])


def _serves(space: Space, settings: Settings) -> bool:
    """Whether the stored space is what the settings ask for, and this program can embed in it."""
    try:
        embeddings.restore(space, settings)
    except StoreError as error:
        log.warning("%s", error)
        return False
    return embeddings.serves(space, settings)


def _silent(stage: str, fraction: float) -> None:
    """What is done by the way is not a stage of a file."""
