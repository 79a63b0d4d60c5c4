"""From bytes to stored chunks: read -> chunk -> embed -> store."""

from __future__ import annotations

import logging
from contextlib import suppress

import numpy as np

from errors import CitewiseError
from ingestion.spaces import Spaces, silent
from ingestion.upkeep import Upkeep
from ingestion.worker import WorkerDied, WorkerPool
from ingestion.workshop import Cut, Report
from providers.base import EmbeddingError
from schema import Chunking, Message, Scope, Stored, Vectors
from settings import Settings
from stores.base import Batch, SpaceChanged, Store
from stores.vector_cache import VectorCache

log = logging.getLogger(__name__)

_SWAPS = 5  # a space is not swapped more often than this while one file is stored


class Pipeline:
    """Blocking, to be called from threads, any number of them; a worker is held for a step, not for a file."""

    def __init__(self, store: Store, settings: Settings, pool: WorkerPool, cache: VectorCache) -> None:
        self._store, self._pool = store, pool
        self.spaces = Spaces(store, settings, pool, cache)
        self.upkeep = Upkeep(store, settings, pool, self.spaces, cache)

    def warm(self) -> None:
        """Start a worker, and let it load what the first file will need."""
        with self._pool.borrow() as worker, suppress(WorkerDied, EmbeddingError):  # the first file will try again
            worker.call("warm", self._store.space(), report=silent)

    def add(self, name: str, data: bytes, chunking: Chunking, doc_set: str, report: Report) -> Stored:
        """Raises FileError, StoreError. What `report` raises stops the work; nothing is stored then."""
        read = ("read", name, data, doc_set, chunking)
        return self._store_cut(self._pool.run(name, lambda worker: worker.call(*read, report=report)), report)

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
        recut = self._pool.run(name, lambda worker: worker.call(*cut, report=report))
        return self._store_cut(recut, report, replaces=document.digest)

    def _store_cut(self, cut: Cut, report: Report, replaces: str | None = None) -> Stored:
        document = cut.document
        old = self._store.documents(Scope(documents=(document.name,), doc_sets=(document.doc_set,)))
        if old and old[0].digest == document.digest and old[0].chunking == cut.chunking:
            return Stored("unchanged", old[0])
        for _ in range(_SWAPS):
            report("embed", 0.5)
            key = self.spaces.make_first(cut.texts, document.name)
            try:
                vectors, missing = self._vectors(cut, key, report)
                report("store", 0.9)
                batch = Batch(document, cut.chunking, cut.chunks, cut.terms, vectors, key, replaces, missing)
                stored = self._store.put(batch)
            except SpaceChanged as changed:
                log.info("the space changed while %s was embedded", document.name)
                last = changed
                continue
            if missing:
                self.upkeep.vectors_are_missing(len(missing))
            return stored._replace(missing_vectors=len(missing))
        raise last

    def _vectors(self, cut: Cut, space_key: str, report: Report) -> tuple[Vectors, frozenset[int]]:
        """Of every chunk, in order, and which of them have none. Embedded are only those whose texts the library has
        no vector of. A model that does not answer keeps no file from being stored: its vectors follow."""
        space = self.spaces.space(space_key)
        known = self._store.known_vectors(cut.texts)
        new = [text for text in dict.fromkeys(cut.texts) if text not in known]
        done = 0

        def tick(more: int) -> None:
            nonlocal done
            done += more
            report("embed", 0.5 + 0.4 * done / len(new))

        if new:
            try:
                known.update(self.spaces.embed(new, space, cut.document.name, tick))
            except EmbeddingError as error:
                self.spaces.note(error)
        nothing = np.zeros(space.dimensions, np.float32)
        vectors = np.stack([known.get(text, nothing) for text in cut.texts])
        return vectors, frozenset(place for place, text in enumerate(cut.texts) if text not in known)
