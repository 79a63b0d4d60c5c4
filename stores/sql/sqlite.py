"""The truth of the embedded store: SQLite in WAL mode, one transaction a change, many readers beside one writer."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from schema import Vectors
from stores.folder import make_private
from stores.problems import closed, explaining_errors
from stores.sql.migrations import migrate
from stores.sql.rows import last_generation

log = logging.getLogger(__name__)


_LOG_PAGES = 1_000  # of the write-ahead log, after which it is brought into the database file
_PATIENCE = 10_000  # milliseconds for another connection's lock


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


class IndexedChunk(NamedTuple):
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
        make_private(path)
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        with explaining_errors(path):
            self.writer = self._connect()
            self.writer.execute("PRAGMA page_size = 16384")  # of a new file: 15 vectors of 512 halves, not 3 in 4096
            # What is deleted is written over where it costs nothing. Some builds of SQLite do it always: then a space
            # that is swapped would be written once more, as zeros.
            self.writer.execute("PRAGMA secure_delete = FAST")
            self.writer.execute("PRAGMA cache_size = -16000")
            # FULL: the WAL reaches the disk before a commit returns. With NORMAL, which is enough against a killed
            # process, a power cut could take back documents that were already reported saved.
            self.writer.execute("PRAGMA journal_mode = WAL")
            self.writer.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
            # SQLite's own checkpoint leaves the log as it is until the next commit. Should the log be damaged then, its
            # first part would be laid over a file that has all of it, and pages of two states be mixed.
            self.writer.execute("PRAGMA wal_autocheckpoint = 0")
            migrate(self.writer)
            self.generation = last_generation(self.writer)  # nobody else writes to this file
            self._page_size = int(self.writer.execute("PRAGMA page_size").fetchone()[0])

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, isolation_level=None, check_same_thread=False, timeout=_PATIENCE / 1000
        )
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection of one's own, with one unchanging view of the library. It never waits for the writer. Raises
        StoreError when the library is closed, as `writing` does."""
        if self._closed:
            raise closed(self._path)
        with explaining_errors(self._path):
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
        if self._closed:
            raise closed(self._path)
        with explaining_errors(self._path):
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
        if self._log_size() > _LOG_PAGES * self._page_size:
            self.checkpoint()

    def replace(self, source: Path) -> None:
        """Take on the content of another file, in one transaction: a reader has the old one or the new one."""
        with explaining_errors(self._path):
            copy_content(source, self.writer)
            self.generation = last_generation(self.writer)
        self.checkpoint()

    def checkpoint(self) -> bool:
        """Bring the log into the database file and empty it, unless somebody still reads an older state."""
        self.writer.execute("PRAGMA busy_timeout = 0")
        try:
            return not self.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except sqlite3.OperationalError as error:  # a full disk: the log holds it all
            log.warning("the log of the library could not be brought into its file: %s", error)
            return False
        finally:
            self.writer.execute(f"PRAGMA busy_timeout = {_PATIENCE}")

    def growth(self) -> int:
        """By how many bytes a checkpoint would make the database file longer, at most."""
        pages = int(self.writer.execute("PRAGMA page_count").fetchone()[0])
        return pages * self._page_size - self._path.stat().st_size

    def _log_size(self) -> int:
        try:
            return self._path.with_name(self._path.name + "-wal").stat().st_size
        except FileNotFoundError:
            return 0

    def close(self) -> None:
        self._closed = True
        while self._idle:
            self._idle.pop().close()
        self.writer.close()


def copy_content(source: Path, target: sqlite3.Connection) -> None:
    """All of a database file, which is nobody's but ours, over that of a connection: in one transaction, also while
    others read from it. Raises sqlite3.Error."""
    with closing(sqlite3.connect(source, isolation_level=None)) as content:
        sizes = [int(one.execute("PRAGMA page_size").fetchone()[0]) for one in (content, target)]
        if sizes[0] != sizes[1]:  # a file with a log keeps its pages' size
            for step in ("journal_mode = DELETE", f"page_size = {sizes[1]}"):
                content.execute(f"PRAGMA {step}")
            content.execute("VACUUM")
        content.backup(target)


def open_read_only(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing, beside whoever holds the library. Raises sqlite3.Error."""
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=_PATIENCE / 1000)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError as error:
        connection.close()
        log_file = path.with_name(path.name + "-wal")
        barred = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if not barred or (log_file.exists() and log_file.stat().st_size):
            raise
        # Nobody can write into this folder, not even what readers in other processes have to agree on; and so nobody
        # changes the file.
        connection = sqlite3.connect(address + "&immutable=1", uri=True, isolation_level=None)
    except BaseException:
        connection.close()
        raise
    return connection
