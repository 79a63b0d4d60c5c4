"""The term index of a library: it follows SQLite's changes, and is healed when it is not right."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from errors import StoreError
from schema import Message, TermGroup
from stores.indexes.tantivy_index import TermIndex
from stores.problems import DamagedFileError
from stores.search_contract import RankedChunk
from stores.sql.reading import chunks_by_set, counts, indexed
from stores.sql.rows import last_generation
from stores.sql.sqlite import Change, Database, IndexedChunk

T = TypeVar("T")
log = logging.getLogger(__name__)

_READ_AT_ONCE = 1_000  # chunks, out of SQLite


class LibraryTermIndex:
    """The term index of a library. Searches come from any thread and wait for no change: until one is committed, and
    while an index is made anew, they have what was there before."""

    def __init__(self, database: Database, folder: Path | None) -> None:
        """Without a folder in memory. Raises StoreError when it cannot be written."""
        self._database, self._folder = database, folder
        self.lock = threading.Lock()  # of the one writer; taken before the store's write lock where both are
        self._changes: deque[Change] = deque()  # committed, in order, and not yet here
        self._indexed = 0  # generation up to which the index has followed
        self._whole = True  # else it holds a part of a change, or cannot be written
        new = not (folder and folder.exists())
        try:
            self.index = self._opened(logging.INFO if new else logging.WARNING)
        except DamagedFileError as error:
            log.warning("the term index is damaged (%s); it is being rebuilt", error)
            self._remake()

    # --- searching -----------------------------------------------------------------------------------------------

    def search(
        self, terms: Sequence[str], k: int, scope: Sequence[tuple[str, Sequence[int]]] = ()
    ) -> list[RankedChunk]:
        return self._ask_healed(lambda index: index.search(terms, k, scope))

    def search_groups(
        self, groups: Sequence[TermGroup], k: int, scope: Sequence[tuple[str, Sequence[int]]] = ()
    ) -> list[RankedChunk]:
        return self._ask_healed(lambda index: index.search_groups(groups, k, scope))

    def frequencies(self, terms: Sequence[str]) -> list[int]:
        return self._ask_healed(lambda index: index.frequencies(terms))

    def _ask_healed(self, ask: Callable[[TermIndex], T]) -> T:
        """An index that fails was damaged after it was opened: it is healed, and asked again. Raises StoreError."""
        asked = self.index
        try:
            return ask(asked)
        except DamagedFileError as error:
            with self.lock:
                if self.index is asked:
                    log.warning("the term index failed at a search (%s); it is opened anew", error)
                    self._heal()
        try:
            return ask(self.index)
        except DamagedFileError as error:
            raise _unusable(error) from error

    # --- changes -------------------------------------------------------------------------------------------------

    def note(self, change: Change) -> None:
        """Called in the order of the changes."""
        self._changes.append(change)

    def follow(self, change: Change) -> None:
        """Returns when a search can find the change. A commit of tantivy waits for the disk several times, so writers
        that come in meanwhile share the next one.

        What SQLite holds is stored: where the index cannot be written, on a full disk, that is logged, searches find
        what was there before, and the next change or opening makes up for it."""
        with self.lock:
            if change.generation <= self._indexed:  # another writer has taken it along
                return
            changes = [self._changes.popleft() for _ in range(len(self._changes))]
            whole, self._whole = self._whole, False
            try:
                if not whole:
                    raise DamagedFileError("an earlier change is missing")
                self._apply(changes)
            except DamagedFileError as error:
                log.warning("the term index could not follow a change (%s); it is opened anew", error)
                try:
                    self._heal()
                except StoreError as problem:
                    log.error("%s", problem)
            else:
                self._indexed, self._whole = changes[-1].generation, True

    def _apply(self, changes: Sequence[Change]) -> None:
        wanted = {chunk_id for one in changes for ids in (one.added, one.moved) for chunk_id in ids}
        gone = {chunk_id for one in changes for ids in (one.removed, one.moved) for chunk_id in ids}
        with self._database.reading() as connection:  # a chunk that is gone again by now is not there
            added = list(indexed(connection, sorted(wanted)))
        # Ids grow with the generation: a newer one has never been here.
        removed = sorted(chunk_id for chunk_id in gone if chunk_id <= self._indexed)
        self.index.apply(added, removed, changes[-1].generation)

    def rebuild(self) -> None:
        """Everything anew from SQLite. Called with `lock` held. Raises StoreError when it cannot be written."""
        self._whole = False
        try:
            with self._database.reading() as connection:
                generation = last_generation(connection)
                self.index.replace(_indexed(connection, sorted(chunks_by_set(connection))), generation)
            self._follows(generation)
        except DamagedFileError as error:
            log.warning("the term index could not be rebuilt in its place (%s)", error)
            _close(self.index)
            self._remake()

    def close(self) -> None:
        _close(self.index)

    # --- healing -------------------------------------------------------------------------------------------------

    def _opened(self, level: int) -> TermIndex:
        """The index as its folder has it, brought up to the library: what is not here, or in another document set than
        in the library, is indexed; what is gone goes. Raises Damaged."""
        index = TermIndex(self._folder)
        try:
            with self._database.reading() as connection:
                generation = last_generation(connection)
                if index.generation != generation or len(index) != counts(connection)[1]:
                    self._catch_up(index, connection, generation, level)
        except BaseException:
            _close(index)  # else nobody could open it again
            raise
        self._follows(generation)
        return index

    @staticmethod
    def _catch_up(index: TermIndex, connection: sqlite3.Connection, generation: int, level: int) -> None:
        stored, known = chunks_by_set(connection), index.chunks_by_set()
        added = sorted(chunk_id for chunk_id, set_id in stored.items() if known.get(chunk_id) != set_id)
        removed = sorted(chunk_id for chunk_id, set_id in known.items() if stored.get(chunk_id) != set_id)
        if added or removed:
            log.log(level, "the term index catches up: %d chunks to add, %d to remove", len(added), len(removed))
        index.apply(_indexed(connection, added), removed, generation)
        if len(index) != len(stored):
            raise DamagedFileError(f"it holds {len(index)} chunks, not {len(stored)}")

    def _follows(self, generation: int) -> None:
        self._indexed, self._whole = generation, True
        while self._changes and self._changes[0].generation <= generation:
            self._changes.popleft()

    def _heal(self) -> None:
        """Open it again, which finds what is damaged, or else make it anew. Raises StoreError."""
        _close(self.index)
        try:
            self.index = self._opened(logging.WARNING)
        except DamagedFileError as error:
            log.warning("the term index is damaged (%s); it is being rebuilt", error)
            self._remake()

    def _remake(self) -> None:
        TermIndex.discard(self._folder)
        try:
            self.index = self._opened(logging.INFO)
        except DamagedFileError as error:
            raise _unusable(error) from error


def _close(index: TermIndex) -> None:
    """So that it can be opened again; searches that run go on in it."""
    try:
        index.close()
    except DamagedFileError as error:
        log.warning("the term index did not close well: %s", error)


def _indexed(connection: sqlite3.Connection, chunk_ids: Sequence[int]) -> Iterator[IndexedChunk]:
    for place in range(0, len(chunk_ids), _READ_AT_ONCE):
        yield from indexed(connection, chunk_ids[place : place + _READ_AT_ONCE])


def _unusable(error: DamagedFileError) -> StoreError:
    return StoreError(
        Message(
            zh=f"知识库完好，但关键词索引无法读写（{error}）。",
            en=f"The library is whole, but its keyword index cannot be used ({error}).",
        ),
        Message(
            zh="请检查磁盘空间和权限后重新启动程序，索引会自动重建。",
            en="Check disk space and permissions, then restart the program: the index is rebuilt by itself.",
        ),
    )
