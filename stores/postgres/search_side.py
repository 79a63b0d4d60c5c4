"""Milvus as the search side of a library in PostgreSQL: it is fed from there, and asked for the nearest vectors.

PostgreSQL stays the truth, and Milvus holds ids and vectors. A library that has few of them is not fed to it, and a
search of a narrow scope never asks it: to compare what is in scope is quicker. Of a wide scope, which PostgreSQL
resolves to documents, Milvus is told their ids, or finds so many chunks that enough of them are in scope. Where it
cannot be reached, is being fed, or may have missed some, the vectors in PostgreSQL are searched.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import psycopg

from errors import StoreError
from schema import Message, Vectors
from stores.postgres import outbox
from stores.postgres.database import PostgresDatabase
from stores.postgres.milvus import MOST_FOUND, PATIENCE, SEARCH_PATIENCE, Milvus, MilvusAddress, MilvusError
from stores.postgres.scopes import PostgresScope
from stores.postgres.trial import ENOUGH, least_effort, trial_questions
from stores.postgres.vector_index import GROWN, MANY
from stores.search_contract import RankedChunk
from stores.tasks import FEEDING

log = logging.getLogger(__name__)

_PATIENCE = 5.0  # seconds for the thread to end; it ends with the program in any case
_OFTEN, _AGAIN = 1.0, 5.0  # seconds between two looks at the outbox, and after a failure
_HEALTHY = 30.0  # seconds after which it is seen that the collection is there still
_FRESH = 20_000  # rows of the outbox, whose chunks are compared beside what Milvus finds
_LISTED = 4_000  # documents that a filter of Milvus names
EFFORTS = (100, 200, 400, 800, 1_600, 3_200)  # neighbours that a search keeps in view


class SearchSide:
    """One thread, which feeds Milvus where this program is the one to do it; searches in any."""

    def __init__(self, database: PostgresDatabase, address: MilvusAddress, hold: Callable[[str], bool]) -> None:
        """`hold`: whether this is the one program that does a work."""
        self._database, self._address, self._hold = database, address, hold
        self._milvus: Milvus | None = None
        self._problem: Message | None = None
        self._side: outbox.FeedState | None = None  # that was seen to be there, and to be whole
        self._checked = False  # whether Milvus has as many vectors as PostgreSQL
        self._seen = time.monotonic()  # that the collection is there
        self._try_at = 0.0  # by when every server of Milvus shows what was copied
        self._awake, self._closed = threading.Event(), threading.Event()
        self._fed = threading.Condition()
        self._rounds = 0
        self._thread = threading.Thread(target=self._run, name="search side", daemon=True)
        self._thread.start()

    @property
    def notices(self) -> list[Message]:
        return [self._problem] if self._problem else []

    def wake(self) -> None:
        self._awake.set()

    def settle(self) -> None:
        """Wait until Milvus has all that there is by now, or cannot be reached."""
        for _ in range(2):  # the round that is under way may have begun before
            with self._fed:
                before = self._rounds
                self.wake()
                while self._rounds == before and self._goes_on():
                    self._fed.wait()

    def close(self) -> None:
        self._closed.set()
        self._awake.set()
        if self._milvus:
            self._milvus.close()  # whatever it is waiting for
        self._thread.join(_PATIENCE)

    # --- searching ---------------------------------------------------------------------------------------------------

    def search(self, vector: Vectors, k: int, within: PostgresScope | None) -> list[RankedChunk] | None:
        """Best first; None where PostgreSQL is to be searched."""
        milvus, narrow = self._milvus, within is not None and len(within.chunks) < MANY
        if milvus is None or self._problem or narrow or k < 1 or not vector.any():
            return None
        side = self._database.read(outbox.fed)
        if side is None or not side.serves or vector.shape != (side.dimensions,):
            return None
        documents = None if within is None else within.documents
        fresh = self._database.read(outbox.fresh, side, vector, k, documents, _FRESH)
        if fresh is None:
            return None
        try:
            found = _asked(milvus, side, vector, k + fresh.gone, within)
        except MilvusError as error:
            self._failed(milvus, error)
            return None
        known = dict(fresh.nearest)
        ids = [one for one in found if one not in known]
        try:
            known |= dict(self._database.read(outbox.still_there, side, vector, ids))
        except psycopg.errors.UndefinedTable:  # another space serves
            return None
        best = sorted(known.items(), key=lambda one: (-one[1], one[0]))[:k]
        return [RankedChunk(*one) for one in best] if len(best) == k else None

    def serving(self) -> outbox.FeedState | None:
        """How Milvus is searched, where it is."""
        side = self._database.read(outbox.fed)
        return side if side and side.serves and self._milvus and not self._problem else None

    # --- feeding -----------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        self._awake.wait(_OFTEN)  # a command that is done by then needs no Milvus
        while self._goes_on():
            self._awake.clear()
            try:
                self._reach()
                more = self._hold(FEEDING) and self._feed()
            except MilvusError as error:
                more = False
                self._failed(self._milvus, error)
            except (StoreError, psycopg.Error) as error:
                more = False
                if not self._closed.is_set():
                    log.warning("Milvus could not be fed: %s", error)
            if not more:
                with self._fed:
                    self._rounds += 1
                    self._fed.notify_all()
                self._awake.wait(_AGAIN if self._problem else _OFTEN)
        with self._fed:
            self._fed.notify_all()

    def _reach(self) -> None:
        """A connection, made anew after a failure: a server that was started again has its collections to load."""
        if self._milvus and not self._problem:
            return
        if self._milvus:
            with suppress(MilvusError):
                self._milvus.close()
        milvus = Milvus(self._address)
        side = self._database.read(outbox.fed)
        if side and side.name in milvus.collections():
            milvus.load(side.name)
            start = np.full(side.dimensions, side.dimensions**-0.5, np.float32)
            for patience in (PATIENCE, SEARCH_PATIENCE):  # the first search takes longer; the next one must not
                milvus.nearest(side.name, start, 1, 1, patience=patience)
        self._milvus, self._checked = milvus, False
        if self._problem:
            log.warning("Milvus is reached again")
        self._problem = None

    def _failed(self, milvus: Milvus | None, error: MilvusError) -> None:
        if self._closed.is_set() or milvus is not self._milvus:  # a connection that was given up meanwhile
            return
        if not self._problem:
            log.warning("Milvus cannot be used, and the vectors in PostgreSQL are searched: %s", error)
        self._problem = _unusable(self._address.shown, str(error))

    def _feed(self) -> bool:
        """One piece of it; whether there may be more."""
        milvus, side = self._milvus, self._database.read(outbox.fed)
        if milvus is None or side is None or (side.copied is None and side.chunks < MANY):
            return False
        if not self._is_known(side):
            self._prepare(milvus, side)
            return True
        return self._copy(milvus, side) if not side.complete else self._tell(milvus, side)

    def _is_known(self, side: outbox.FeedState) -> bool:
        return self._checked and side.copied is not None and self._side is not None and self._side.name == side.name

    def _prepare(self, milvus: Milvus, side: outbox.FeedState) -> None:
        """The collection of the space that serves, and none of another one. Where it is gone, or holds another number
        of vectors than it should, it is made anew: its server may have been brought back from a backup."""
        there = [name for name in milvus.collections() if name.startswith(side.prefix)]
        is_whole = side.name in there and side.copied is not None
        if is_whole and side.complete:
            is_whole = self._is_as_large(milvus, side)
        if not is_whole:  # first of all it is not asked any more
            log.info("Milvus is fed with the vectors of space %d", side.space_id)
            with self._database.changing() as connection:
                outbox.begin(connection, side.space_id)
        for name in there:
            if name != side.name or not is_whole:
                milvus.drop(name)
        if not is_whole:
            milvus.make(side.name, side.dimensions)
        self._side, self._checked, self._try_at = side, True, time.monotonic() + outbox.LATE

    def _is_as_large(self, milvus: Milvus, side: outbox.FeedState) -> bool:
        while self._goes_on() and self._told(milvus, side):
            pass
        with self._database.reading(one_state=True) as connection:
            wanted, untold = outbox.count_all(connection, side)
        return bool(untold) or milvus.count(side.name) == wanted

    def _copy(self, milvus: Milvus, side: outbox.FeedState) -> bool:
        rows = self._database.read(outbox.to_copy, side)
        if rows:
            milvus.put(side.name, rows)
        else:
            milvus.seal(side.name)
            self._try_at = time.monotonic() + outbox.LATE
        with self._database.noting() as connection:
            outbox.note_copied(connection, side, rows[-1][0] if rows else None)
        return True

    def _tell(self, milvus: Milvus, side: outbox.FeedState) -> bool:
        if self._told(milvus, side):
            return True
        if side.chunks > side.tried * GROWN:
            if (early := self._try_at - time.monotonic()) > 0:
                self._closed.wait(min(early, _OFTEN))
                return True
            self._try(milvus, side)
        elif time.monotonic() > self._seen + _HEALTHY:
            self._checked = side.name in milvus.collections()
            self._seen = time.monotonic()
        return not self._checked

    def _try(self, milvus: Milvus, side: outbox.FeedState) -> None:
        """How much effort finds what a comparison with all finds; where none does, Milvus is not asked. The comparisons
        may take an hour: what comes meanwhile is told between them."""
        fed_at = time.monotonic()

        def go_on() -> bool:
            nonlocal fed_at
            if time.monotonic() > fed_at + _OFTEN:
                while self._goes_on() and self._told(milvus, side):
                    pass
                fed_at = time.monotonic()
            return self._goes_on()

        def search(effort: int, vector: Vectors, k: int) -> list[tuple[int, float]]:
            found = milvus.nearest(side.name, vector, k, effort, patience=PATIENCE, last_word=True)
            return self._database.read(outbox.still_there, side, vector, found)

        milvus.seal(side.name)
        with self._database.alone() as connection:
            questions = trial_questions(connection, side.space_id, "true", go_on)
        effort, recall = least_effort(questions, EFFORTS, search, go_on)
        if self._goes_on():
            log.info("Milvus finds %.3f of the nearest vectors with an effort of %d", recall, effort)
            with self._database.noting() as connection:
                outbox.note_tried(connection, side, effort if recall >= ENOUGH else 0, recall)

    def _goes_on(self) -> bool:
        return not self._closed.is_set()

    def _told(self, milvus: Milvus, side: outbox.FeedState) -> bool:
        """Whether there was anything in the outbox."""
        with self._database.reading(one_state=True) as connection:
            untold = outbox.to_tell(connection, side)
        if untold.put:
            milvus.put(side.name, untold.put)
        if untold.gone:
            milvus.remove(side.name, untold.gone)
        with self._database.noting() as connection:
            outbox.note_told(connection, side, untold)
        return bool(untold.outbox)


def _asked(milvus: Milvus, side: outbox.FeedState, vector: Vectors, k: int, within: PostgresScope | None) -> list[int]:
    """At most k of those in scope, best first; some of them where they are few among all."""
    if within is None or len(within.documents) <= _LISTED:
        if k > MOST_FOUND:
            return []
        documents = None if within is None else within.documents
        return milvus.nearest(side.name, vector, k, max(side.effort, 2 * k), documents)
    wanted = int(2 * k * side.chunks / len(within.chunks)) + 1
    if wanted > MOST_FOUND:
        return []
    found = milvus.nearest(side.name, vector, wanted, max(side.effort, wanted))
    held = np.isin(found, within.chunks)
    return [one for one, is_held in zip(found, held, strict=True) if is_held][:k]


def _unusable(place: str, why: str) -> Message:
    return Message(
        zh=f"Milvus（{place}）现在无法使用：{why}。向量改在 PostgreSQL 里检索，结果一样，知识库很大时会慢一些；"
        "Milvus 恢复后会自动换回来。",
        en=f"Milvus at {place} cannot be used now: {why}. Vectors are searched in PostgreSQL meanwhile: results are "
        "the same, only slower in a large library. Once Milvus is back, it is used again by itself.",
    )
