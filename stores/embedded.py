"""The embedded store: SQLite is the truth; FAISS and tantivy are derived from it and healed when they are not right."""

from __future__ import annotations

import logging
import tempfile
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from errors import StoreError
from schema import EVERYWHERE, Document, DocumentInfo, Hit, Message, Scope, Space, Stored, Vectors
from stores.base import Batch, Ranked, SpaceChanged, StoreStats
from stores.faiss_index import VectorIndex
from stores.folder import FolderLock
from stores.problems import unwritable
from stores.sqlite import Change, Database
from stores.tantivy_index import Damaged, TermIndex

log = logging.getLogger(__name__)

_REBUILD_AT_ONCE = 5_000  # chunks between two commits of a rebuild
_SAVE_AFTER = 1_000  # changed vectors, or a quarter of the index where that is more


class EmbeddedStore:
    """A library in a folder, for one process at a time; without a folder, one that is gone when it is closed."""

    def __init__(self, folder: Path | None = None) -> None:
        """Raises StoreError when the folder cannot be used, is held by another process, or SQLite's file is damaged.
        Whatever is wrong with the derived indexes is repaired, with a line in the log."""
        self._temporary = (
            None if folder else tempfile.TemporaryDirectory(prefix="citewise-", ignore_cleanup_errors=True)
        )
        self._folder = folder or Path(self._temporary.name)  # type: ignore[union-attr]
        self._held = FolderLock(self._folder)
        self._write_lock = threading.Lock()
        self._terms_lock = threading.Lock()  # taken before the write lock where both are
        self._unindexed: deque[Change] = deque()  # committed, in order, and not yet in the term index
        self._indexed = 0  # generation up to which the term index has followed
        self._unsaved = 0
        self._stats: tuple[tuple[int, str | None], StoreStats] | None = None  # and when: generation, space
        try:
            self._database = Database(self._folder / "library.db", durable=folder is not None)
            self._terms = self._open_terms()
            self._nearest = self._open_nearest()
        except OSError as error:
            self._held.close()
            raise unwritable(self._folder, error) from error
        except BaseException:
            self._held.close()
            raise

    def close(self) -> None:
        with self._terms_lock, self._write_lock:
            self._save_nearest()
            self._terms.close()
            self._database.close()
            self._held.close()
        if self._temporary:
            self._temporary.cleanup()

    # --- writing -------------------------------------------------------------------------------------------------

    def put(self, batch: Batch) -> Stored:
        with self._write_lock:
            stored, change = self._database.put(batch)
            self._follow(change)
        self._index_terms(change)
        return stored

    def delete(self, name: str, doc_set: str = "") -> bool:
        with self._write_lock:
            change = self._database.delete(name, doc_set)
            if change is None:
                return False
            self._follow(change)
        self._index_terms(change)
        return True

    def swap_space(self, space: Space, chunk_ids: Sequence[int], vectors: Vectors, partial: bool = False) -> None:
        with self._write_lock:
            self._database.swap_space(space, chunk_ids, vectors, partial)
            self._nearest = self._rebuilt_nearest(space.key, space.dimensions)
            self._save_nearest()

    def add_vectors(self, space_key: str, chunk_ids: Sequence[int], vectors: Vectors) -> None:
        with self._write_lock:
            # The index on disk knows these ids as well, without vectors: it must not be taken for right.
            (self._folder / "vectors.faiss").unlink(missing_ok=True)
            self._unsaved += len(chunk_ids)
            added = self._database.add_vectors(space_key, chunk_ids, vectors)
            if self._nearest is not None:
                self._nearest.apply(added, self._database.vectors(added), added)

    def note_learned(self, space: Space) -> None:
        with self._write_lock:
            self._database.note_learned(space)

    def _follow(self, change: Change) -> None:
        """Bring the vector index up to a change that SQLite has committed, and let the term index know of it."""
        if not (change.added or change.removed):
            return
        self._unindexed.append(change)
        if self._nearest is not None:
            self._nearest.apply(change.added, self._database.vectors(change.added), change.removed)
            self._unsaved += len(change.added) + len(change.removed)
            if self._unsaved > max(_SAVE_AFTER, len(self._nearest) // 4):
                self._save_nearest()

    def _index_terms(self, change: Change) -> None:
        """Returns when a search can find the change. A commit of tantivy waits for the disk several times, so writers
        that come in meanwhile share the next one."""
        with self._terms_lock:
            changes = [] if change.generation <= self._indexed else list(self._unindexed)
            if not changes:  # nothing to index, or another writer has taken it along
                return
            for _ in changes:
                self._unindexed.popleft()
            added = [chunk_id for change in changes for chunk_id in change.added]
            removed = [chunk_id for change in changes for chunk_id in change.removed]
            try:  # a chunk that is gone again by now has no terms in SQLite and so is not added
                self._terms.apply(self._database.indexed(added), removed, changes[-1].generation)
            except Damaged as error:
                log.warning("the term index could not follow a change (%s); it is built anew", error)
                self._repair_terms()
            self._indexed = changes[-1].generation

    # --- reading -------------------------------------------------------------------------------------------------

    def documents(self, scope: Scope = EVERYWHERE) -> list[DocumentInfo]:
        return self._database.documents(scope)

    def document(self, name: str, doc_set: str = "") -> Document | None:
        return self._database.document(name, doc_set)

    def search_terms(self, terms: Sequence[str], k: int, scope: Scope = EVERYWHERE) -> list[Ranked]:
        conditions: list[tuple[str, Sequence[Any]]] = []
        if scope.documents:
            conditions.append(("document", self._database.document_ids(scope)))
        elif scope.doc_sets:
            conditions.append(("doc_set", scope.doc_sets))
        return self._terms.search(terms, k, conditions)

    def document_frequencies(self, terms: Sequence[str]) -> list[int]:
        return self._terms.frequencies(terms)

    def search_vector(self, vector: Vectors, k: int, scope: Scope = EVERYWHERE) -> list[Ranked]:
        nearest = self._nearest
        if nearest is None:
            return []
        if vector.shape != (nearest.dimensions,):
            raise SpaceChanged(nearest.space_key)
        within = np.array(self._database.chunk_ids(scope), np.int64) if scope else None
        return nearest.search(vector, k, within)

    def hits(self, chunk_ids: Sequence[int]) -> list[Hit]:
        return self._database.hits(chunk_ids)

    def terms(self, chunk_ids: Sequence[int]) -> dict[int, list[str]]:
        return self._database.terms(chunk_ids)

    def opening(self, scope: Scope, k: int) -> list[int]:
        return self._database.opening(scope, k)

    def vectors(self, chunk_ids: Sequence[int]) -> Vectors:
        return self._database.vectors(chunk_ids)

    def known_vectors(self, indexed_texts: Sequence[str]) -> dict[str, Vectors]:
        return self._database.known_vectors(indexed_texts)

    def without_vectors(self) -> list[int]:
        return self._database.without_vectors()

    def space(self) -> Space | None:
        return self._database.space()

    def space_key(self) -> str | None:
        return None if self._nearest is None else self._nearest.space_key

    def indexed_texts(self, chunk_ids: Sequence[int] | None = None) -> Iterator[tuple[int, str]]:
        return self._database.indexed_texts(chunk_ids)

    def generation(self) -> int:
        return self._database.generation()

    def stats(self) -> StoreStats:
        """Counted once after each change: every question asks for it. The size is as of then."""
        state = self._database.generation(), self.space_key()
        if self._stats is None or self._stats[0] != state:
            self._stats = state, self._counted()
        return self._stats[1]

    def _counted(self) -> StoreStats:
        documents, chunks = self._database.counts()
        size = 0
        for path in self._folder.rglob("*"):
            with suppress(FileNotFoundError):  # tantivy has just merged it away
                size += path.stat().st_size
        return StoreStats(documents, chunks, size, self.space_key())

    # --- the derived indexes -------------------------------------------------------------------------------------

    def _open_terms(self) -> TermIndex:
        folder = None if self._temporary else self._folder / "terms"
        new = not (folder and folder.exists())
        try:
            index = TermIndex(folder)
            self._catch_up_terms(index, logging.INFO if new else logging.WARNING)
        except Damaged as error:
            log.warning("the term index is damaged (%s); it is built anew", error)
            index = self._rebuilt_terms(folder)
        return index

    def _rebuilt_terms(self, folder: Path | None) -> TermIndex:
        TermIndex.discard(folder)
        try:
            index = TermIndex(folder)
            self._catch_up_terms(index, logging.INFO)
        except Damaged as error:
            raise StoreError(
                Message(
                    zh=f"知识库完好，但关键词索引无法写入（{error}）。",
                    en=f"The library is whole, but its keyword index cannot be written ({error}).",
                ),
                Message(
                    zh="请检查磁盘空间和权限后重新启动程序，索引会自动重建。",
                    en="Check disk space and permissions, then restart the program: the index is rebuilt by itself.",
                ),
            ) from error
        return index

    def _catch_up_terms(self, index: TermIndex, level: int) -> None:
        generation, chunks = self._database.generation(), self._database.counts()[1]
        if index.generation == generation and len(index) == chunks:
            return
        stored, indexed = set(self._database.chunk_ids()), set(index.chunk_ids())
        added, removed = sorted(stored - indexed), indexed - stored
        if added or removed:
            log.log(level, "the term index catches up: %d chunks to add, %d to remove", len(added), len(removed))
        for place in range(0, len(added) or 1, _REBUILD_AT_ONCE):
            index.apply(self._database.indexed(added[place : place + _REBUILD_AT_ONCE]), removed, generation)
        if len(index) != chunks:
            raise Damaged(f"it holds {len(index)} chunks, not {chunks}")

    def _repair_terms(self) -> None:
        try:
            self._terms.close()
        except (OSError, ValueError, RuntimeError) as error:
            log.warning("the damaged term index did not close: %s", error)
        self._terms = self._rebuilt_terms(None if self._temporary else self._folder / "terms")

    def _open_nearest(self) -> VectorIndex | None:
        space = self._database.space()
        if space is None:
            return None
        path = self._folder / "vectors.faiss"
        try:
            index, generation = VectorIndex.load(path, space.key, space.dimensions)
        except Damaged as error:
            log.log(
                logging.WARNING if path.exists() else logging.INFO,
                "the vector index is built from the library: %s", error,
            )  # fmt: skip
            return self._rebuilt_nearest(space.key, space.dimensions)
        if generation != self._database.generation() or len(index) != self._database.counts()[1]:
            stored, indexed = self._database.chunk_ids(), index.chunk_ids()
            added, removed = np.setdiff1d(stored, indexed), np.setdiff1d(indexed, stored)
            log.info("the vector index catches up: %d chunks to add, %d to remove", len(added), len(removed))
            index.apply(added.tolist(), self._database.vectors(added.tolist()), removed.tolist())
            self._unsaved = len(added) + len(removed)
        return index

    def _rebuilt_nearest(self, space_key: str, dimensions: int) -> VectorIndex:
        index = VectorIndex(space_key, dimensions)
        chunk_ids = self._database.chunk_ids()
        index.apply(chunk_ids, self._database.vectors(chunk_ids), ())
        self._unsaved = len(chunk_ids)
        return index

    def _save_nearest(self) -> None:
        """So that the next opening need not read every vector out of SQLite. Without it nothing is lost."""
        if self._nearest is None or not self._unsaved or self._temporary:
            return
        try:
            self._nearest.save(self._folder / "vectors.faiss", self._database.generation())
            self._unsaved = 0
        except OSError as error:
            log.warning("the vector index could not be saved: %s", error)
