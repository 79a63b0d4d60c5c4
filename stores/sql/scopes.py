"""What a scope comes to: the documents and chunks that meet its conditions, found once a generation."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from schema import Scope
from stores.sql.reading import chunk_ids, document_ids
from stores.sql.rows import last_generation
from stores.sql.sqlite import Database

_KEPT = 16  # scopes
_KEPT_IDS = 1_000_000  # of all of them together: 8 MB


class ScopeMembers(NamedTuple):
    """Ids in ascending order; nobody changes them."""

    documents: npt.NDArray[np.int64]
    chunks: npt.NDArray[np.int64]

    def hold(self, chunk_ids: Sequence[int]) -> list[bool]:
        """Which of them are in a scope that has chunks."""
        asked = np.array(chunk_ids, np.int64)
        places = np.searchsorted(self.chunks, asked)
        held: list[bool] = (self.chunks[np.minimum(places, len(self.chunks) - 1)] == asked).tolist()
        return held


class Scopes:
    """The last ones that were asked for, of one generation; from any thread. A conversation asks the same again."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._generation, self._kept = -1, OrderedDict[str, ScopeMembers]()
        self._forgotten = 0  # how often

    def within(self, scope: Scope) -> ScopeMembers:
        key = repr(scope)  # to Python, 1 and True are one
        with self._lock:
            if self._generation == self._database.generation and (known := self._kept.get(key)):
                self._kept.move_to_end(key)
                return known
            forgotten = self._forgotten
        with self._database.reading() as connection:
            generation = last_generation(connection)
            found = ScopeMembers(*(np.array(ids(connection, scope), np.int64) for ids in (document_ids, chunk_ids)))
        self._keep(generation, key, found, forgotten)
        return found

    def forget(self) -> None:
        """What documents say has changed, though no generation tells it."""
        with self._lock:
            self._forgotten += 1
            self._kept.clear()

    def _keep(self, generation: int, key: str, found: ScopeMembers, forgotten: int) -> None:
        with self._lock:
            if forgotten != self._forgotten:
                return
            if generation > self._generation:
                self._generation = generation
                self._kept.clear()
            if generation < self._generation:
                return  # read before a change that another thread has seen
            self._kept[key] = found
            while len(self._kept) > _KEPT or sum(len(one.chunks) for one in self._kept.values()) > _KEPT_IDS:
                self._kept.popitem(last=False)
