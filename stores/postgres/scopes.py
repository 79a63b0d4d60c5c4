"""What a scope comes to: the documents and chunks that meet its conditions, found once a state of the library."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from schema import Scope
from stores.postgres.database import PostgresDatabase
from stores.postgres.reading import document_ids, ordinals

_KEPT = 16  # scopes
_KEPT_IDS = 1_000_000  # of all of them together: 16 MB

Ids = npt.NDArray[np.int64]


class ScopeOrdinals(NamedTuple):
    """Nobody changes them."""

    documents: list[int]
    ordinals: Ids


class PostgresScopes:
    """The last ones that were asked for, of one state; from any thread. A conversation asks the same again."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database, self._lock = database, threading.Lock()
        self._state: Any = None  # generation, and how often it was noted what documents are about
        self._kept = OrderedDict[str, ScopeOrdinals]()

    def within(self, scope: Scope) -> ScopeOrdinals:
        key = repr(scope)  # to Python, 1 and True are one
        with self._database.reading(one_state=True) as connection:
            state = connection.execute("SELECT generation, said FROM library").fetchone()
            with self._lock:
                if self._state == state and (known := self._kept.get(key)):
                    self._kept.move_to_end(key)
                    return known
            documents = document_ids(connection, scope)
            found = ScopeOrdinals(documents, np.array(ordinals(connection, documents), np.int64))
        with self._lock:
            if self._state != state:
                self._state = state
                self._kept.clear()
            self._kept[key] = found
            while len(self._kept) > _KEPT or sum(len(one.ordinals) for one in self._kept.values()) > _KEPT_IDS:
                self._kept.popitem(last=False)
        return found
