"""What a scope comes to: the documents and chunks that meet its conditions, found once a state of the library."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from schema import Scope
from stores.postgres.adapters import Connection
from stores.postgres.database import PostgresDatabase
from stores.postgres.reading import chunk_ordinals, document_ids

_KEPT = 16  # scopes
_KEPT_IDS = 1_000_000  # of all of them together: 16 bytes each

Ids = npt.NDArray[np.int64]


class PostgresScope(NamedTuple):
    """Nobody changes them."""

    documents: list[int]
    chunks: Ids  # their ids
    ordinals: Ids


class PostgresScopes:
    """The last ones that were asked for, of one state; from any thread. A conversation asks the same again."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database, self._lock = database, threading.Lock()
        self._state: Any = None  # generation, and how often it was noted what documents are about
        self._kept = OrderedDict[str, PostgresScope]()

    def within(self, scope: Scope) -> PostgresScope:
        key = repr(scope)  # to Python, 1 and True are one
        now = self._database.read(_state)
        with self._lock:
            if self._state == now and (known := self._kept.get(key)):
                self._kept.move_to_end(key)
                return known
        with self._database.reading(one_state=True) as connection:
            state = _state(connection)
            documents = document_ids(connection, scope)
            rows = chunk_ordinals(connection, documents)
        chunks, ordinals = np.array(rows, np.int64).reshape(-1, 2).T
        found = PostgresScope(documents, chunks, ordinals)
        with self._lock:
            if self._state != state:
                self._state = state
                self._kept.clear()
            self._kept[key] = found
            while len(self._kept) > _KEPT or sum(len(one.ordinals) for one in self._kept.values()) > _KEPT_IDS:
                self._kept.popitem(last=False)
        return found


def _state(connection: Connection) -> Any:
    return connection.execute("SELECT generation, said FROM library").fetchone()
