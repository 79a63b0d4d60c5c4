"""The vector index of a library: it follows SQLite's changes, and is healed when it is not right."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

import numpy as np

from stores.faiss_index import VectorIndex
from stores.problems import Damaged
from stores.reading import counts
from stores.spaces import serving, vectors, with_vectors
from stores.sqlite import Change, Database

log = logging.getLogger(__name__)

_VECTORS_AT_ONCE = 1_000  # that are read into the vector index
_SAVE_AFTER = 10_000  # changed vectors, or half of the index where that is more


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
