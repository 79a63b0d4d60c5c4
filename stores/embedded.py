"""The embedded store: SQLite is the truth; FAISS and tantivy are derived from it and healed when they are not right."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path
from typing import TypeVar

from errors import StoreError
from schema import (
    EVERYWHERE,
    DocSetInfo,
    Document,
    DocumentInfo,
    Hit,
    Language,
    Message,
    Scope,
    Source,
    Space,
    Status,
    Stored,
    Structured,
    Task,
    VectorIndexName,
    Vectors,
)
from stores.base import Batch, IndexInfo, Ranked, SpaceChanged, StoreStats
from stores.folder import FolderLock
from stores.indexes.nearest import Nearest
from stores.indexes.terms import Terms
from stores.problems import Unusable, unwritable
from stores.reserve import RESERVE, Reserve, free_bytes, is_full
from stores.safety.asking import Attendant, Job
from stores.safety.backup import Manifest, write_backup
from stores.safety.journal import JOURNAL, Journal
from stores.safety.renewal import Renewal
from stores.safety.unpacking import sweep, unpacked
from stores.sql import doc_sets, reading, spaces, writing
from stores.sql import sources as source_rows
from stores.sql import tasks as task_rows
from stores.sql.rows import blob, passage
from stores.sql.scopes import Scopes
from stores.sql.sqlite import Change, Database
from stores.throwaway import ThrowAway

T = TypeVar("T")

_LOOKED_AT = 1_000  # chunks, at most, that are ranked to find those that a scope leaves
_AT_ONCE = 1_000  # vectors of a coming space that are written before other writers have their turn
_SIZE_HOLDS = 5.0  # seconds that a counted size is shown at least while files stream in


class EmbeddedStore:
    """A library in a folder, for one process at a time; without a folder, one that is gone when it is closed."""

    def __init__(self, folder: Path | None = None, *, vector_index: VectorIndexName = "auto") -> None:
        """Raises StoreError when the folder cannot be used, is held by another process, or SQLite's file is damaged.
        Whatever is wrong with the derived indexes is repaired, with a line in the log."""
        self._temporary = None if folder else ThrowAway()
        self._folder = self._temporary.path if self._temporary else Path(folder or "")
        self._held = FolderLock(self._folder)
        self._write_lock = threading.Lock()
        self._closed = False
        self._swap_lock = threading.Lock()  # taken before the others
        self._stats: tuple[tuple[int, str | None], StoreStats] | None = None  # and when: generation, space
        self._sized = (-1, 0.0, 0)  # generation, when, bytes
        self._documents: tuple[int, list[DocumentInfo]] = (-1, [])  # of which generation
        self._replaced: Callable[[], object] = lambda: None  # told when another content has come here
        try:
            with ExitStack() as unless_whole:  # else nobody in this process could open it again
                unless_whole.callback(self._held.close)
                sweep(self._folder)
                self._reserve = Reserve(folder)
                self._database = Database(self._folder / "library.db", durable=folder is not None)
                unless_whole.callback(self._database.close)
                with self._database.writing() as connection:
                    spaces.forget_coming(connection)
                self._scopes = Scopes(self._database)
                self._journal = Journal(self._database, folder and folder / JOURNAL)
                self._terms = Terms(self._database, folder and folder / "terms")
                unless_whole.callback(self._terms.close)
                self._nearest = Nearest(self._database, folder and folder / "vectors.faiss", vector_index)
                unless_whole.callback(self._nearest.close)
                self._renewal = Renewal(self._folder, self._database, self._journal, self._nearest, self._terms)
                jobs: dict[str, Job] = {"rebuild": self.rebuild, "restore": self._restore_asked}
                self._attendant = Attendant(self._folder, jobs) if folder else None
                unless_whole.pop_all()
        except OSError as error:
            raise unwritable(self._folder, error) from error

    def close(self) -> None:
        if self._attendant:
            self._attendant.close()
        with self._terms.lock, self._write_lock:
            if self._closed:
                return
            self._closed = True
            self._nearest.close()
            self._terms.close()
            self._journal.shorten()
            self._database.close()
            self._held.close()
        if self._temporary:
            self._temporary.close()

    # --- writing -------------------------------------------------------------------------------------------------

    def _change(self, work: Callable[[sqlite3.Connection], tuple[T, Change]]) -> T:
        """A transaction, and the derived indexes after it; returns when a search can find what it did."""
        with self._write_lock:
            with self._database.writing() as connection:
                result, change = work(connection)
            self._journal.note(change)
            if not change.generation:
                return result
            self._nearest.follow(change)
            self._terms.note(change)
        self._terms.follow(change)
        return result

    def _delete(self, work: Callable[[], T]) -> T:
        """What makes room: on a full disk it has the room that is held back for it."""
        try:
            return work()
        except Unusable as error:
            if not is_full(error.__cause__) or not self._reserve.let_go():
                raise
        try:
            return work()
        finally:
            with self._write_lock:  # the log may be most of what the disk is full of
                if self._database.growth() < free_bytes(self._folder):  # else it would take the room in vain
                    self._database.checkpoint()
            self._reserve.hold()

    def put(self, batch: Batch) -> Stored:
        return self.put_all([batch])[0]

    def put_all(self, batches: Sequence[Batch]) -> list[Stored]:
        return self._change(lambda connection: writing.put_all(connection, batches))

    def delete(self, name: str, doc_set: str = "") -> bool:
        return self.delete_all([(name, doc_set)]) == 1

    def delete_all(self, documents: Iterable[tuple[str, str]]) -> int:
        named = list(documents)
        return self._delete(lambda: self._change(lambda connection: writing.delete_all(connection, named)))

    def move(self, name: str, doc_set: str, to: str) -> bool:
        return self._change(lambda connection: doc_sets.move(connection, name, doc_set, to))

    def note_structured(self, name: str, doc_set: str, digest: str, structured: Structured) -> bool:
        with self._write_lock, self._database.writing() as connection:
            noted = writing.note_structured(connection, name, doc_set, digest, structured)
        self._scopes.forget()
        return noted

    def add_doc_set(self, name: str) -> bool:
        return self._change(lambda connection: doc_sets.add_doc_set(connection, name))

    def rename_doc_set(self, name: str, to: str) -> bool:
        return self._change(lambda connection: doc_sets.rename_doc_set(connection, name, to))

    def delete_doc_set(self, name: str) -> bool:
        return self._delete(lambda: self._change(lambda connection: doc_sets.delete_doc_set(connection, name)))

    def put_source(self, source: Source) -> Source:
        return self._change(lambda connection: source_rows.put_source(connection, source))

    def delete_source(self, source_id: int) -> bool:
        def work() -> bool:
            with self._write_lock, self._database.writing() as connection:
                return source_rows.delete_source(connection, source_id)

        return self._delete(work)

    def add_tasks(self, tasks: Sequence[Task]) -> list[Task]:
        return self._change(lambda connection: task_rows.add_tasks(connection, tasks))

    def note_tasks(self, task_ids: Sequence[int], status: Status, problem: Message | None = None) -> None:
        with self._write_lock, self._database.writing() as connection:
            task_rows.note_tasks(connection, task_ids, status, problem)

    def prioritise_tasks(self, task_ids: Sequence[int], priority: int) -> None:
        with self._write_lock, self._database.writing() as connection:
            task_rows.prioritise_tasks(connection, task_ids, priority)

    def drop_tasks(self, task_ids: Sequence[int]) -> None:
        def work() -> None:
            with self._write_lock, self._database.writing() as connection:
                task_rows.drop_tasks(connection, task_ids)

        self._delete(work)

    def swap_space(
        self, space: Space, chunk_ids: Sequence[int], vectors: Iterable[Vectors], partial: bool = False
    ) -> None:
        given = frozenset(chunk_ids)
        with self._swap_lock:
            self._forget_coming()  # which a full disk may have kept the last time
            try:
                with self._database.reading() as connection:
                    spaces.require_vectors(connection, given, partial)
                packed = ((chunk_id, blob(vector)) for chunk_id, vector in zip(chunk_ids, vectors, strict=True))
                while some := list(islice(packed, _AT_ONCE)):
                    with self._write_lock, self._database.writing() as connection:
                        spaces.add_coming(connection, some)
                self._serve(space, given, partial)
            finally:
                with suppress(StoreError):
                    self._forget_coming()

    def _forget_coming(self) -> None:
        with self._write_lock, self._database.writing() as connection:
            spaces.forget_coming(connection)

    def _serve(self, space: Space, given: Set[int], partial: bool) -> None:
        with self._write_lock:
            with self._database.writing() as connection:
                spaces.require_vectors(connection, given, partial)  # what has come in meanwhile, too
                change = spaces.swap_space(connection, space)
                # before it is true: whoever searches meanwhile finds the old vectors in both
                index = self._nearest.made(connection, space.key, space.dimensions)
            self._nearest.serve(index)
            self._journal.note(change)
            self._terms.note(change)
        self._terms.follow(change)

    def add_vectors(self, space_key: str, chunk_ids: Sequence[int], vectors: Vectors) -> None:
        self._change(lambda connection: (None, spaces.add_vectors(connection, space_key, chunk_ids, vectors)))

    def note_learned(self, space: Space) -> None:
        with self._write_lock, self._database.writing() as connection:
            spaces.note_learned(connection, space)

    # --- documents, sets, tasks ----------------------------------------------------------------------------------

    def documents(self, scope: Scope = EVERYWHERE) -> list[DocumentInfo]:
        generation, known = self._documents
        if scope or generation != self._database.generation:
            generation = self._database.generation  # before it is read: what is newer than it says does no harm
            with self._database.reading() as connection:
                known = reading.documents(connection, scope)
            if not scope:
                self._documents = generation, known
        return list(known)

    def languages(self, scope: Scope = EVERYWHERE) -> dict[Language, int]:
        with self._database.reading() as connection:
            return reading.languages(connection, scope)

    def document(self, name: str, doc_set: str = "") -> Document | None:
        with self._database.reading() as connection:
            return reading.document(connection, name, doc_set)

    def structured(self, scope: Scope = EVERYWHERE) -> dict[tuple[str, str], Structured]:
        with self._database.reading() as connection:
            return reading.structured(connection, scope)

    def without_structured(self, k: int) -> list[tuple[str, str]]:
        with self._database.reading() as connection:
            return reading.without_structured(connection, k)

    def chunks(self, name: str, doc_set: str = "", first: int = 0, k: int = 50) -> list[Hit]:
        with self._database.reading() as connection:
            return reading.chunks(connection, name, doc_set, first, k)

    def around(self, chunk_ids: Sequence[int], reach: int) -> dict[int, list[Hit]]:
        with self._database.reading() as connection:
            return reading.around(connection, chunk_ids, reach)

    def passage(self, name: str, doc_set: str, start: int, end: int) -> str:
        with self._database.reading() as connection:
            of = reading.document_id(connection, name, doc_set)
            return "" if of is None or end <= start else passage(connection, of, max(start, 0), end)

    def document_vector(self, name: str, doc_set: str = "") -> Vectors:
        with self._database.reading() as connection:
            return spaces.document_vector(connection, name, doc_set)

    def doc_sets(self) -> list[DocSetInfo]:
        with self._database.reading() as connection:
            return doc_sets.doc_sets(connection)

    def sources(self, doc_set: str | None = None) -> list[Source]:
        with self._database.reading() as connection:
            return source_rows.sources(connection, doc_set)

    def tasks(self) -> list[Task]:
        with self._database.reading() as connection:
            return task_rows.tasks(connection)

    # --- searching -----------------------------------------------------------------------------------------------

    def search_terms(self, terms: Sequence[str], k: int, scope: Scope = EVERYWHERE) -> list[Ranked]:
        if not scope:
            return self._terms.search(terms, k)
        if scope == Scope(doc_sets=scope.doc_sets):  # which every chunk in the index has with it
            with self._database.reading() as connection:
                set_ids = doc_sets.set_ids(connection, scope.doc_sets)
            return self._terms.search(terms, k, [("set", set_ids)])
        within, chunks = self._scopes.within(scope), self.stats().chunks
        if not len(within.chunks):
            return []
        if 2 * k * chunks <= _LOOKED_AT * len(within.chunks):
            # A wide scope is met by many of the best everywhere. To look for thousands of documents costs 18 ms.
            wanted = -(-2 * k * chunks // len(within.chunks))
            ranked = self._terms.search(terms, wanted)
            held = within.hold([chunk_id for chunk_id, _ in ranked])
            best = [found for found, is_held in zip(ranked, held, strict=True) if is_held][:k]
            if len(best) == k or len(ranked) < wanted:
                return best
        return self._terms.search(terms, k, [("document", within.documents.tolist())])

    def document_frequencies(self, terms: Sequence[str]) -> list[int]:
        return self._terms.frequencies(terms)

    def search_vector(self, vector: Vectors, k: int, scope: Scope = EVERYWHERE) -> list[Ranked]:
        nearest = self._nearest.index
        if nearest is None:
            return []
        if vector.shape != (nearest.dimensions,):
            raise SpaceChanged(nearest.space_key)
        if not scope:
            return nearest.search(vector, k)
        return nearest.search(vector, k, self._scopes.within(scope).chunks)

    def vector_index(self) -> IndexInfo | None:
        """Of what kind it is, and how much it finds; None without vectors."""
        return self._nearest.info()

    def settle(self) -> None:
        """Wait until the indexes are as they will be while nothing changes."""
        self._nearest.settle()

    def hits(self, chunk_ids: Sequence[int]) -> list[Hit]:
        with self._database.reading() as connection:
            return reading.hits(connection, chunk_ids)

    def terms(self, chunk_ids: Sequence[int]) -> dict[int, list[str]]:
        with self._database.reading() as connection:
            return reading.terms(connection, chunk_ids)

    def opening(self, scope: Scope, k: int) -> list[int]:
        with self._database.reading() as connection:
            return reading.opening(connection, scope, k)

    def vectors(self, chunk_ids: Sequence[int]) -> Vectors:
        with self._database.reading() as connection:
            return spaces.vectors(connection, chunk_ids)

    def known_vectors(self, indexed_texts: Sequence[str]) -> dict[str, Vectors]:
        with self._database.reading() as connection:
            return spaces.known_vectors(connection, indexed_texts)

    def without_vectors(self) -> list[int]:
        with self._database.reading() as connection:
            return spaces.without_vectors(connection)

    def space(self) -> Space | None:
        with self._database.reading() as connection:
            return spaces.serving(connection)

    def space_key(self) -> str | None:
        nearest = self._nearest.index
        return None if nearest is None else nearest.space_key

    def indexed_texts(self, chunk_ids: Sequence[int] | None = None) -> Iterator[tuple[int, str]]:
        with self._database.reading() as connection:
            yield from reading.indexed_texts(connection, chunk_ids)

    def generation(self) -> int:
        return self._database.generation

    def stats(self) -> StoreStats:
        """Counted once after each change: every question asks for it. The size may be some seconds old."""
        state = self._database.generation, self.space_key()
        if self._stats is None or self._stats[0] != state:
            with self._database.reading() as connection:
                documents, chunks, tokens = reading.counts(connection)
            self._stats = state, StoreStats(documents, chunks, self._size(state[0]), state[1], tokens)
        return self._stats[1]

    def _size(self, generation: int) -> int:
        counted, when, size = self._sized
        if counted != generation and (counted < 0 or time.monotonic() > when + _SIZE_HOLDS):
            size = 0
            for path in self._folder.rglob("*"):
                if path.name == RESERVE:
                    continue
                with suppress(FileNotFoundError):  # tantivy has just merged it away
                    size += path.stat().st_size
            self._sized = generation, time.monotonic(), size
        return size

    # --- keeping it safe -----------------------------------------------------------------------------------------

    def watch(self, replaced: Callable[[], object]) -> None:
        self._replaced = replaced

    @property
    def notices(self) -> list[Message]:
        return self._journal.notices

    def rebuild(self) -> list[Message]:
        """Both derived indexes anew from SQLite, while searches go on with the old ones; a damaged database is replaced
        by what can be read of it. What was done, and what is lost. Raises StoreError."""
        with self._swap_lock, self._terms.lock, self._write_lock:
            before, told = self._database.generation, self._renewal.rebuild()
        if self._database.generation != before:
            self._replaced()
        return told

    def backup(self, path: Path, force: bool = False) -> Manifest:
        """All that cannot be made again, in one file. Nobody waits for it. Raises StoreError."""
        return write_backup(self._folder, path, force)

    def _restore_asked(self, path: str, keep: bool) -> list[Message]:
        return self.restore(Path(path), keep)

    def restore(self, path: Path, keep: bool = True) -> list[Message]:
        """The content of a backup in place of this one, which is kept as a backup in the folder; readers have the one
        or the other. What was done. Raises StoreError: then nothing is changed."""
        with unpacked(path, self._folder) as content, self._swap_lock, self._terms.lock, self._write_lock:
            told = self._renewal.restore(content, keep)
        self._replaced()
        return told
