"""The truth of the embedded store: SQLite in WAL mode, one transaction a change, many readers beside one writer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from schema import Vectors
from stores.migrations import migrate
from stores.problems import explained
from stores.rows import last_generation


class Change(NamedTuple):
    """What a transaction did to the chunks, by id: what the derived indexes have to follow."""

    generation: int = 0  # of the library after it; 0: nothing was changed
    added: Sequence[int] = ()
    embedded: Sequence[int] = ()  # those that have got a vector
    vectors: Vectors | None = None  # theirs, in their order
    removed: Sequence[int] = ()
    moved: Sequence[int] = ()  # into another document set
    told: Sequence[tuple[str, str, str]] = ()  # what was done, to which set and document: for the journal
    task: int = 0  # the last one that came in


class Indexed(NamedTuple):
    """A chunk as the term index wants it."""

    chunk_id: int
    document_id: int
    set_id: int
    terms: str  # joined by spaces


class Database:
    """Readers may be in any number of threads; `writing` is entered by one thread at a time (the store's lock).

    The generation is a clock that never goes back: at least one higher with every change, and microseconds since 1970
    where that is more. Ids of chunks are taken from it, so an id is never used for two chunks, even where a damaged
    WAL took the last commits back. An index that holds the same ids therefore holds the same chunks.
    """

    def __init__(self, path: Path, durable: bool = True) -> None:
        """Raises StoreError when the file cannot be opened, is damaged, or comes from a newer version."""
        self._path = path
        self.new = not path.exists()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        with explained(path):
            self.writer = self._connect()
            self.writer.execute("PRAGMA page_size = 16384")  # of a new file: 7 vectors of 512 floats, not 1 in 4096
            self.writer.execute("PRAGMA cache_size = -16000")
            self.writer.execute("PRAGMA journal_size_limit = 64000000")  # bytes; a swap of spaces needs many for once
            # FULL: the WAL reaches the disk before a commit returns. With NORMAL, which is enough against a killed
            # process, a power cut could take back documents that were already reported saved.
            self.writer.execute("PRAGMA journal_mode = WAL")
            self.writer.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
            migrate(self.writer)
            self.generation = last_generation(self.writer)  # nobody else writes to this file

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, timeout=10)
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection of one's own, with one unchanging view of the library. It never waits for the writer."""
        with explained(self._path):
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect()
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.execute("ROLLBACK")
                if self._closed:
                    connection.close()
                else:
                    self._idle.append(connection)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: whole on disk when it is left, or not at all where something is raised."""
        with explained(self._path):
            self.writer.execute("BEGIN IMMEDIATE")
            try:
                yield self.writer
                generation = last_generation(self.writer)
                self.writer.execute("COMMIT")
            except BaseException:
                if self.writer.in_transaction:
                    self.writer.execute("ROLLBACK")
                raise
        self.generation = generation  # never before its documents can be read

    def close(self) -> None:
        self._closed = True
        while self._idle:
            self._idle.pop().close()
        self.writer.close()
