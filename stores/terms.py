"""The term index of a library: it follows SQLite's changes, and is healed when it is not right."""

from __future__ import annotations

import logging
import threading
from collections import deque
from pathlib import Path

from errors import StoreError
from schema import Message
from stores.problems import Damaged
from stores.reading import chunks_by_set, counts, indexed
from stores.sqlite import Change, Database, Indexed
from stores.tantivy_index import TermIndex

log = logging.getLogger(__name__)

_REBUILD_AT_ONCE = 5_000  # chunks between two commits of a rebuild


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
