"""The vector index of a library: it follows SQLite's changes, is healed when it is not right, and made anew behind the
searches when the library has outgrown it."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from errors import StoreError
from schema import VectorIndexName, Vectors
from stores.indexes.faiss_index import VectorIndex
from stores.indexes.layouts import Ids, Kind
from stores.indexes.vector_fitting import FittingStoppedError, fit_index
from stores.problems import DamagedFileError
from stores.search_contract import IndexInfo
from stores.sql.reading import counts
from stores.sql.rows import ids_json, last_generation
from stores.sql.spaces import serving, vectors, with_vectors
from stores.sql.sqlite import Change, Database

log = logging.getLogger(__name__)

_AT_ONCE = 1_000  # vectors that are read out of SQLite
_SAVE_AFTER = 10_000  # changed vectors, or half of the index where that is more
_LARGE = 20_000  # vectors: from here on "auto" does not compare with all of them; that takes 2 ms of 384 dimensions
_SOME = 1_000  # from here on an index that was asked for by name is made: below, there is nothing to gain
_ENOUGH = 0.99  # recall at 10
_MOST_WORK = 1 / 3  # of the lists: with more to look through, comparing with all is as fast


class LibraryVectorIndex:
    """The vector index of the serving space. The store calls `follow`, `rebuild`, `save` and `close` one at a time;
    what goes on in the background is this class's own, one job at a time."""

    def __init__(self, database: Database, path: Path | None, choice: VectorIndexName = "auto") -> None:
        """Without a path it is never saved."""
        self._database, self._path, self._choice = database, path, choice
        self._lock = threading.RLock()  # held while the index changes or is replaced
        self._saving = threading.Lock()
        self._job: threading.Thread | None = None
        self._stop = threading.Event()  # the job's
        self._missed: list[Change] = []  # by the index that is in the making
        self._unsaved, self._patience = 0, _SAVE_AFTER
        self._followed = database.generation
        self._closed = False
        self.index: VectorIndex | None = None
        with database.reading() as connection:
            space = serving(connection)
        if space is None:
            return
        try:
            if path is None:
                raise DamagedFileError("it is not kept")
            self.index, generation = VectorIndex.load(path, space.key, space.dimensions, self._exact)
        except DamagedFileError as error:
            level = logging.WARNING if path and path.exists() else logging.INFO
            log.log(level, "the vector index is built from the library: %s", error)
            self.rebuild(space.key, space.dimensions)
        else:
            if choice != "auto":  # who asks for a kind asks for a new trial
                self.index.fit = replace(self.index.fit, refused=0)
            self._catch_up(self.index, generation)
            with self._lock:
                self._see_to()

    def info(self) -> IndexInfo | None:
        with self._lock:
            return None if self.index is None else self.index.info()._replace(settling=self._job is not None)

    def follow(self, change: Change) -> None:
        with self._lock:
            if change.generation <= self._followed:
                return  # the index was made of a library that had it already
            self._followed = change.generation
            if self.index is None or not (len(change.embedded) or len(change.removed)):
                return
            rows = np.zeros((0, self.index.dimensions), np.float32) if change.vectors is None else change.vectors
            self.index.apply(change.embedded, rows, change.removed)
            if self._job:
                self._missed.append(change)
            self._unsaved += len(change.embedded) + len(change.removed)
            self._see_to()

    def rebuild(self, space_key: str, dimensions: int) -> None:
        """From what SQLite has."""
        with self._database.reading() as connection:
            index = self.made(connection, space_key, dimensions)
        self.serve(index)

    def made(self, connection: sqlite3.Connection, space_key: str, dimensions: int) -> VectorIndex:
        """Of a space's vectors as this connection has them. Every vector is compared at first; what suits a large
        library is made behind that."""
        index = VectorIndex.flat(space_key, dimensions, self._exact)
        ids = with_vectors(connection)
        for place in range(0, len(ids), _AT_ONCE):
            some = ids[place : place + _AT_ONCE]
            index.apply(some, vectors(connection, some), ())
        return index

    def serve(self, index: VectorIndex) -> None:
        """It holds what SQLite has now."""
        with self._lock:
            self._stop.set()
            self.index, self._unsaved, self._followed = index, max(len(index), 1), self._database.generation
            self._see_to()

    def clear(self) -> None:
        """No space serves."""
        with self._lock:
            self._stop.set()
            self.index, self._unsaved = None, 0

    def save(self) -> None:
        """So that the next opening need not read every vector out of SQLite. Without it nothing is lost."""
        with self._saving:
            with self._lock:
                index, generation, unsaved = self.index, self._followed, self._unsaved
            if index is None or not unsaved or self._path is None:
                return
            try:
                index.save(self._path, generation)
            except OSError as error:
                log.warning("the vector index could not be saved: %s", error)
                self._patience = 2 * unsaved
                return
            with self._lock:
                self._patience = _SAVE_AFTER
                if self.index is index:
                    self._unsaved -= unsaved

    def settle(self) -> None:
        """Wait until nothing is going on in the background, and nothing is due."""
        while job := self._current_job():
            job.join()

    def _current_job(self) -> threading.Thread | None:
        """Which has started: whoever begins one holds the lock until it has."""
        with self._lock:
            return self._job

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._stop.set()
        self.settle()
        self.save()

    # --- SQLite -----------------------------------------------------------------------------------------------------

    def _exact(self, space_key: str, chunk_ids: Ids) -> tuple[Ids, Vectors] | None:
        ids = chunk_ids.tolist()
        with self._database.reading() as connection:
            if connection.execute("SELECT key FROM spaces WHERE serving").fetchone() != (space_key,):
                return None
            rows = vectors(connection, ids)
            if not (there := rows.any(axis=1)).all():  # gone, or a text with nothing known in it
                query = "SELECT chunk_id FROM vectors WHERE chunk_id IN (SELECT value FROM json_each(?))"
                stored = [row[0] for row in connection.execute(query, [ids_json(chunk_ids[~there].tolist())])]
                there |= np.isin(chunk_ids, stored)
        return chunk_ids[there], rows[there]

    def _catch_up(self, index: VectorIndex, generation: int) -> None:
        with self._database.reading() as connection:
            if generation == self._database.generation and len(index) == counts(connection)[1]:
                return
            stored = np.array(with_vectors(connection), np.int64)
        added, removed = np.setdiff1d(stored, index.chunk_ids()), np.setdiff1d(index.chunk_ids(), stored)
        if len(added) or len(removed):
            log.info("the vector index catches up: %d vectors to add, %d to remove", len(added), len(removed))
            self._bring(index, added, removed)
            self._unsaved = len(added) + len(removed)

    def _bring(self, index: VectorIndex, added: Ids, removed: Ids) -> None:
        index.apply([], np.zeros((0, index.dimensions), np.float32), removed.tolist())
        for place in range(0, len(added), _AT_ONCE):
            known = self._exact(index.space_key, added[place : place + _AT_ONCE])
            if known is None:
                raise FittingStoppedError
            index.apply(known[0].tolist(), known[1], ())

    # --- in the background --------------------------------------------------------------------------------------------

    def _see_to(self) -> None:
        """Start what is due. The lock is held."""
        if self._job or self._closed or self.index is None:
            return
        stop = self._stop = threading.Event()
        if kind := _due(self.index, self._choice):
            self._start(lambda: self._refit(kind, stop))
        elif self._path and self._unsaved > max(self._patience, len(self.index) // 2):
            self._start(self.save)

    def _start(self, work: Callable[[], None]) -> None:
        self._missed = []
        self._job = threading.Thread(target=self._run, args=[work], name="vector index", daemon=True)
        self._job.start()

    def _run(self, work: Callable[[], None]) -> None:
        try:
            work()
        except FittingStoppedError:
            pass
        finally:
            with self._lock:
                self._job, self._missed = None, []
                self._see_to()

    def _refit(self, kind: Kind, stop: threading.Event) -> None:
        """Raises Stopped."""

        def go_on() -> None:
            if stop.is_set():
                raise FittingStoppedError

        with self._lock:
            old, self._missed = self.index, []
        assert old is not None
        with self._database.reading() as connection:
            generation, ids = last_generation(connection), np.array(with_vectors(connection), np.int64)
        try:
            log.info("an index of %d vectors is made in the background: %s", len(ids), kind)
            most_work = _MOST_WORK if self._choice == "auto" else 1.0
            fresh = fit_index(kind, old.space_key, old.dimensions, ids, self._exact, go_on, most_work)
            if not _good(fresh, self._choice):
                log.info("too little is found that way (%s): every vector goes on being compared", fresh.info())
                flat = (
                    old
                    if old.layout.exact
                    else fit_index("flat", old.space_key, old.dimensions, ids, self._exact, go_on)
                )
                flat.fit = replace(flat.fit, refused=len(ids))
                fresh = flat
            if fresh is not old:
                self._replace(fresh, generation, go_on)
        except FittingStoppedError:
            raise
        except Exception as error:  # whatever it is: begun again at once, it would fail again without an end
            expected = isinstance(error, StoreError | RuntimeError | MemoryError)
            log.warning("the vector index could not be made anew, and stays as it is: %s", error, exc_info=not expected)
            old.fit = replace(old.fit, refused=len(ids))

    def _replace(self, fresh: VectorIndex, generation: int, go_on: Callable[[], None]) -> None:
        """What came meanwhile is made up for, the last of it while nothing more can come."""
        while True:
            with self._lock:
                go_on()
                missed, self._missed = self._missed, []
                if last := sum(len(change.embedded) for change in missed) <= _AT_ONCE:
                    self._make_up(fresh, missed)
                    self.index, self._unsaved = fresh, max(len(fresh), 1)
                    self._followed = max(self._followed, generation)
            if last:
                break
            self._make_up(fresh, missed)
        log.info("the new vector index serves: %s", fresh.info())
        self.save()

    def _make_up(self, index: VectorIndex, missed: Sequence[Change]) -> None:
        removed = np.array([one for change in missed for one in change.removed], np.int64)
        embedded = np.array([one for change in missed for one in change.embedded], np.int64)
        self._bring(index, np.setdiff1d(embedded, np.concatenate([removed, index.chunk_ids()])), removed)


def _good(index: VectorIndex, choice: VectorIndexName) -> bool:
    """Whether it finds what is near, and with less work than a comparison with every vector."""
    found = index.fit.recall >= _ENOUGH
    return found and (choice != "auto" or index.layout.exact or index.fit.efforts[0] <= _MOST_WORK * index.layout.most)


def _due(index: VectorIndex, choice: VectorIndexName) -> Kind | None:
    """The kind that this index should be made anew as."""
    kind, fit, count = index.layout.kind, index.fit, len(index)
    wanted: Kind = "ivf" if choice == "auto" else choice
    least = _LARGE if choice == "auto" else _SOME
    if count < (least // 2 if kind == wanted else least):  # not to and fro
        wanted = "flat"
    if fit.refused // 4 < count < 2 * fit.refused:
        return None
    outgrown = index.newcomers > max(least, count // 4) or count <= fit.count // 4 or index.layout.dead > count // 3
    return wanted if kind != wanted or (outgrown and kind != "flat") else None
