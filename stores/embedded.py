"""The embedded store: SQLite is the truth; FAISS and tantivy are derived from it and healed when they are not right."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TypeVar, TypeVarTuple

from entities import names_of
from errors import StoreError
from schema import (
    GlossaryPair,
    Message,
    PairAbstract,
    Source,
    Space,
    Status,
    StoreOutcome,
    StructuredSummary,
    Task,
    VectorIndexName,
    Vectors,
)
from stores.base import DocumentBatch
from stores.embedded_reading import EmbeddedReader
from stores.folder import FolderLock
from stores.indexes.library_terms import LibraryTermIndex
from stores.indexes.library_vectors import LibraryVectorIndex
from stores.problems import UnusableStoreError, unwritable
from stores.reserve import Reserve, free_bytes, is_full
from stores.safety.backup import Manifest, write_backup
from stores.safety.backup_reading import open_backup, sweep
from stores.safety.content_replacement import ContentReplacement
from stores.safety.journal import JOURNAL, Journal
from stores.safety.requests import Job, RequestServer
from stores.sql import abstracts as abstract_rows
from stores.sql import doc_sets, spaces, writing
from stores.sql import glossary as glossary_rows
from stores.sql import names as name_rows
from stores.sql import sources as source_rows
from stores.sql import tasks as task_rows
from stores.sql.rows import blob
from stores.sql.scopes import Scopes
from stores.sql.sqlite import Change, Database
from stores.tasks import TaskEnd, TasksOfOneProgram
from stores.temporary_folder import TemporaryFolder

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_AT_ONCE = 1_000  # vectors of a coming space that are written before other writers have their turn


class EmbeddedStore(TasksOfOneProgram, EmbeddedReader):
    """A library in a folder, for one process at a time; without a folder, one that is gone when it is closed."""

    def __init__(self, folder: Path | None = None, *, vector_index: VectorIndexName = "auto") -> None:
        """Raises StoreError when the folder cannot be used, is held by another process, or SQLite's file is damaged.
        Whatever is wrong with the derived indexes is repaired, with a line in the log."""
        self._temporary = None if folder else TemporaryFolder()
        self._folder = self._temporary.path if self._temporary else Path(folder or "")
        self._held = FolderLock(self._folder)
        self._write_lock = threading.Lock()
        self._closed = False
        self._swap_lock = threading.Lock()  # taken before the others
        self._replaced: Callable[[], object] = lambda: None  # told when another content has come here
        try:
            with ExitStack() as unless_whole:  # else nobody in this process could open it again
                unless_whole.callback(self._held.close)
                sweep(self._folder)
                self._reserve = Reserve(folder)
                database = Database(self._folder / "library.db", durable=folder is not None)
                unless_whole.callback(database.close)
                with database.writing() as connection:
                    spaces.forget_coming(connection)
                self._journal = Journal(database, folder and folder / JOURNAL)
                terms = LibraryTermIndex(database, folder and folder / "terms")
                unless_whole.callback(terms.close)
                nearest = LibraryVectorIndex(database, folder and folder / "vectors.faiss", vector_index)
                unless_whole.callback(nearest.close)
                super().__init__(self._folder, database, Scopes(database), terms, nearest)
                self._renewal = ContentReplacement(
                    self._folder, self._database, self._journal, self._nearest, self._terms
                )
                jobs: dict[str, Job] = {"rebuild": self.rebuild, "restore": self._restore_asked}
                self._attendant = RequestServer(self._folder, jobs) if folder else None
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

    def _change(self, work: Callable[[sqlite3.Connection, *Ts], tuple[T, Change]], *given: *Ts) -> T:
        """A transaction, and the derived indexes after it; returns when a search can find what it did."""
        with self._write_lock:
            with self._database.writing() as connection:
                result, change = work(connection, *given)
            self._journal.note(change)
            if not change.generation:
                return result
            self._nearest.follow(change)
            self._terms.note(change)
        self._terms.follow(change)
        return result

    def _note(self, work: Callable[[sqlite3.Connection, *Ts], T], *given: *Ts) -> T:
        """A transaction that the derived indexes need not know of."""
        with self._write_lock, self._database.writing() as connection:
            return work(connection, *given)

    def _delete(self, work: Callable[[*Ts], T], *given: *Ts) -> T:
        """What makes room: on a full disk it has the room that is held back for it."""
        try:
            return work(*given)
        except UnusableStoreError as error:
            if not is_full(error.__cause__) or not self._reserve.let_go():
                raise
        try:
            return work(*given)
        finally:
            with self._write_lock:  # the log may be most of what the disk is full of
                if self._database.growth() < free_bytes(self._folder):  # else it would take the room in vain
                    self._database.checkpoint()
            self._reserve.hold()

    def put(self, batch: DocumentBatch) -> StoreOutcome:
        return self.put_all([batch])[0]

    def put_all(self, batches: Sequence[DocumentBatch]) -> list[StoreOutcome]:
        named = [
            one if one.names is not None else replace(one, names=names_of(one.document, one.chunks)) for one in batches
        ]
        return self._change(writing.put_all, named)

    def delete(self, name: str, doc_set: str = "") -> bool:
        return self.delete_all([(name, doc_set)]) == 1

    def delete_all(self, documents: Iterable[tuple[str, str]]) -> int:
        named = list(documents)
        return self._delete(self._change, writing.delete_all, named)

    def move(self, name: str, doc_set: str, to: str) -> bool:
        return self._change(doc_sets.move, name, doc_set, to)

    def note_structured(self, name: str, doc_set: str, digest: str, structured: StructuredSummary) -> bool:
        noted = self._note(writing.note_structured, name, doc_set, digest, structured)
        self._scopes.forget()
        return noted

    def put_abstracts(self, abstracts: Mapping[str, PairAbstract]) -> None:
        self._note(abstract_rows.put_abstracts, abstracts)

    def keep_abstracts(self, keys: Collection[str]) -> int:
        return self._note(abstract_rows.keep_abstracts, keys)

    def note_asked(self, names: Iterable[str]) -> None:
        self._note(name_rows.note_asked, names)

    def add_doc_set(self, name: str) -> bool:
        return self._change(doc_sets.add_doc_set, name)

    def rename_doc_set(self, name: str, to: str) -> bool:
        return self._change(doc_sets.rename_doc_set, name, to)

    def delete_doc_set(self, name: str) -> bool:
        return self._delete(self._change, doc_sets.delete_doc_set, name)

    def put_source(self, source: Source) -> Source:
        return self._change(source_rows.put_source, source)

    def delete_source(self, source_id: int) -> bool:
        return self._delete(self._note, source_rows.delete_source, source_id)

    def change_glossary(self, put: Sequence[GlossaryPair], remove: Sequence[GlossaryPair] = ()) -> int:
        return self._change(glossary_rows.change_glossary, put, remove)

    def add_tasks(self, tasks: Sequence[Task]) -> list[Task]:
        return self._change(task_rows.add_tasks, tasks)

    def note_tasks(self, task_ids: Sequence[int], status: Status, problem: Message | None = None) -> None:
        self._note(task_rows.note_tasks, task_ids, status, problem)

    def prioritise_tasks(self, task_ids: Sequence[int], priority: int) -> None:
        self._note(task_rows.prioritise_tasks, task_ids, priority)

    def drop_tasks(self, task_ids: Sequence[int], ends: Mapping[int, TaskEnd] | None = None) -> list[int]:
        return self._delete(self._note, task_rows.drop_tasks, task_ids)

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
        self._note(spaces.forget_coming)

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
        self._note(spaces.note_learned, space)

    def settle(self) -> None:
        """Wait until the indexes are as they will be while nothing changes."""
        self._nearest.settle()

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
            before, messages = self._database.generation, self._renewal.rebuild()
        if self._database.generation != before:
            self._replaced()
        return messages

    def backup(self, path: Path, force: bool = False) -> Manifest:
        """All that cannot be made again, in one file. Nobody waits for it. Raises StoreError."""
        return write_backup(self._folder, path, force)

    def _restore_asked(self, path: str, keep: bool) -> list[Message]:
        return self.restore(Path(path), keep)

    def restore(self, path: Path, keep: bool = True) -> list[Message]:
        """The content of a backup in place of this one, which is kept as a backup in the folder; readers have the one
        or the other. What was done. Raises StoreError: then nothing is changed."""
        with open_backup(path, self._folder) as content, self._swap_lock, self._terms.lock, self._write_lock:
            messages = self._renewal.restore(content, keep)
        self._replaced()
        return messages
