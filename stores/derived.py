"""The indexes that are derived from SQLite: they follow its changes, and are healed when they are not right."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import deque
from pathlib import Path

import numpy as np

from errors import StoreError
from schema import Message
from stores.faiss_index import VectorIndex
from stores.reading import chunks_by_set, counts, indexed
from stores.spaces import serving, vectors, with_vectors
from stores.sqlite import Change, Database, Indexed
from stores.tantivy_index import Damaged, TermIndex

log = logging.getLogger(__name__)

_REBUILD_AT_ONCE = 5_000  # chunks between two commits of a rebuild
_VECTORS_AT_ONCE = 1_000  # that are read into the vector index
_SAVE_AFTER = 10_000  # changed vectors, or half of the index where that is more


class Terms:
    """The term index of a library."""

    def __init__(self, database: Database, folder: Path | None) -> None:
        """Without a folder in memory. Raises StoreError when it cannot be written."""
        self._database, self._folder = database, folder
        self.lock = threading.Lock()  # taken before the store's write lock where both are
        self._changes: deque[Change] = deque()  # committed, in order, and not yet here
        self._indexed = 0  # generation up to which the index has followed
        new = not (folder and folder.exists())
        try:
            self.index = TermIndex(folder)
            self._catch_up(logging.INFO if new else logging.WARNING)
        except Damaged as error:
            log.warning("the term index is damaged (%s); it is built anew", error)
            self._rebuild()

    def note(self, change: Change) -> None:
        """Called in the order of the changes."""
        self._changes.append(change)

    def follow(self, change: Change) -> None:
        """Returns when a search can find the change. A commit of tantivy waits for the disk several times, so writers
        that come in meanwhile share the next one."""
        with self.lock:
            changes = [] if change.generation <= self._indexed else list(self._changes)
            if not changes:  # another writer has taken it along
                return
            for _ in changes:
                self._changes.popleft()
            wanted = {chunk_id for one in changes for ids in (one.added, one.moved) for chunk_id in ids}
            removed = [chunk_id for one in changes for chunk_id in one.removed]
            try:  # a chunk that is gone again by now has no terms in SQLite and so is not added
                self.index.apply(self._of(sorted(wanted)), removed, changes[-1].generation)
            except Damaged as error:
                log.warning("the term index could not follow a change (%s); it is built anew", error)
                self._repair()
            self._indexed = changes[-1].generation

    def close(self) -> None:
        self.index.close()

    def _of(self, wanted: list[int]) -> list[Indexed]:
        with self._database.reading() as connection:
            return list(indexed(connection, wanted))

    def _catch_up(self, level: int) -> None:
        """What is not here, or in another document set than in the library, is indexed; what is gone goes."""
        generation = self._database.generation
        with self._database.reading() as connection:
            chunks = counts(connection)[1]
            if self.index.generation == generation and len(self.index) == chunks:
                return
            stored = chunks_by_set(connection)
        known = self.index.chunks_by_set()
        added = sorted(chunk_id for chunk_id, set_id in stored.items() if known.get(chunk_id) != set_id)
        removed = sorted(known.keys() - stored.keys())
        if added or removed:
            log.log(level, "the term index catches up: %d chunks to add, %d to remove", len(added), len(removed))
        for place in range(0, len(added) or 1, _REBUILD_AT_ONCE):
            self.index.apply(self._of(added[place : place + _REBUILD_AT_ONCE]), removed, generation)
        if len(self.index) != chunks:
            raise Damaged(f"it holds {len(self.index)} chunks, not {chunks}")

    def _repair(self) -> None:
        try:
            self.index.close()
        except (OSError, ValueError, RuntimeError) as error:
            log.warning("the damaged term index did not close: %s", error)
        self._rebuild()

    def _rebuild(self) -> None:
        TermIndex.discard(self._folder)
        try:
            self.index = TermIndex(self._folder)
            self._catch_up(logging.INFO)
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


class Nearest:
    """The vector index of the serving space. Its methods, but for reading `index`, are called by one thread at a time
    (the store's lock)."""

    def __init__(self, database: Database, path: Path | None) -> None:
        """Without a path it is never saved."""
        self._database, self._path = database, path
        self._unsaved = 0
        self.index: VectorIndex | None = None
        with database.reading() as connection:
            space = serving(connection)
        if space is None:
            return
        try:
            if path is None:
                raise Damaged("it is not kept")
            self.index, generation = VectorIndex.load(path, space.key, space.dimensions)
        except Damaged as error:
            level = logging.WARNING if path and path.exists() else logging.INFO
            log.log(level, "the vector index is built from the library: %s", error)
            self.rebuild(space.key, space.dimensions)
        else:
            self._catch_up(self.index, generation)

    def follow(self, change: Change) -> None:
        if self.index is None or not (change.embedded or change.removed):
            return
        rows = np.zeros((0, self.index.dimensions), np.float32) if change.vectors is None else change.vectors
        self.index.apply(change.embedded, rows, change.removed)
        self._unsaved += len(change.embedded) + len(change.removed)
        if self._unsaved > max(_SAVE_AFTER, len(self.index) // 2):
            self.save()

    def rebuild(self, space_key: str, dimensions: int) -> None:
        index = VectorIndex(space_key, dimensions)
        with self._database.reading() as connection:
            ids = with_vectors(connection)
            _fill(connection, index, ids)
        self.index, self._unsaved = index, len(ids)

    def save(self) -> None:
        """So that the next opening need not read every vector out of SQLite. Without it nothing is lost."""
        if self.index is None or not self._unsaved or self._path is None:
            return
        try:
            self.index.save(self._path, self._database.generation)
            self._unsaved = 0
        except OSError as error:
            log.warning("the vector index could not be saved: %s", error)

    def _catch_up(self, index: VectorIndex, generation: int) -> None:
        with self._database.reading() as connection:
            if generation == self._database.generation and len(index) == counts(connection)[1]:
                return
            stored, known = with_vectors(connection), index.chunk_ids()
            added, removed = np.setdiff1d(stored, known), np.setdiff1d(known, stored)
            if not len(added) and not len(removed):
                return
            log.info("the vector index catches up: %d vectors to add, %d to remove", len(added), len(removed))
            index.apply([], np.zeros((0, index.dimensions), np.float32), removed.tolist())
            _fill(connection, index, added.tolist())
            self._unsaved = len(added) + len(removed)


def _fill(connection: sqlite3.Connection, index: VectorIndex, ids: list[int]) -> None:
    for place in range(0, len(ids), _VECTORS_AT_ONCE):
        some = ids[place : place + _VECTORS_AT_ONCE]
        index.apply(some, vectors(connection, some), ())
