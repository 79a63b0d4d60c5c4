"""The store in PostgreSQL with pgvector: one truth, which is searched where it lies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
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
    StoreOutcome,
    StructuredSummary,
    VectorIndexName,
    Vectors,
)
from stores.base import DocumentBatch
from stores.folder import FolderLock
from stores.postgres import abstracts as abstract_rows
from stores.postgres import doc_sets, spaces, writing
from stores.postgres import glossary as glossary_rows
from stores.postgres import names as name_rows
from stores.postgres import sources as source_rows
from stores.postgres.database import PostgresDatabase
from stores.postgres.locks import SWAPPING
from stores.postgres.milvus import MilvusAddress
from stores.postgres.search_side import SearchSide
from stores.postgres.task_store import PostgresTasks
from stores.postgres.upkeep import Upkeep
from stores.tasks import UPKEEP, TaskNews

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_AT_ONCE = 1_000  # vectors of a coming space that are written before other writers have their turn


class PostgresStore(PostgresTasks):
    """A library in a database, which many programs have open at a time; `migrate` has made its tables.

    What belongs to the program and not to the library stays in a data folder, which is held with it.
    """

    def __init__(
        self, url: str, folder: Path | None = None, *, vector_index: VectorIndexName = "auto",
        milvus: MilvusAddress | None = None,
    ) -> None:  # fmt: skip
        """`milvus`: where vectors are searched as well. Raises StoreError when the server is not reached, the tables
        are of another version, or another program has the folder."""
        with ExitStack() as unless_whole:
            if folder is not None:
                unless_whole.callback(FolderLock(folder).close)
            database = PostgresDatabase(url)
            unless_whole.callback(database.close)
            super().__init__(database)
            unless_whole.callback(self._close_tasks)
            self._upkeep = Upkeep(database, vector_index, self.hold)
            unless_whole.callback(self._upkeep.close)
            if milvus is not None:
                self._side = SearchSide(database, milvus, self.hold)
                unless_whole.callback(self._side.close)
            self._held = unless_whole.pop_all()
        self._leads = False  # as it was at the last look

    def close(self) -> None:
        self._held.close()

    def settle(self) -> None:
        """Wait until what is searched is as it will be while nothing changes."""
        self._upkeep.settle()
        if self._side:
            self._side.settle()

    def watch(self, replaced: Callable[[], object]) -> None:
        """Nobody brings a backup back under a program that has the library open."""

    def news(self) -> TaskNews:
        """With what other programs have changed, and once the one that did the upkeep is gone, there may be work."""
        news, led = super().news(), self._leads
        self._leads = self.hold(UPKEEP)
        if self._leads and (news.library or not led):
            self._upkeep.wake()
        return news._replace(library=news.library or self._leads != led)

    def _wake(self) -> None:
        """Whoever works in the background has something to do."""
        self._upkeep.wake()
        if self._side:
            self._side.wake()

    @property
    def notices(self) -> list[Message]:
        """Of a search side that cannot be reached; the server looks after what it holds."""
        return self._side.notices if self._side else []

    # --- writing -------------------------------------------------------------------------------------------------

    def put(self, batch: DocumentBatch) -> StoreOutcome:
        return self.put_all([batch])[0]

    def put_all(self, batches: Sequence[DocumentBatch]) -> list[StoreOutcome]:
        named = [
            one if one.names is not None else replace(one, names=names_of(one.document, one.chunks)) for one in batches
        ]
        outcomes = self._change(writing.put_all, self.owner, named)
        self._wake()
        return outcomes

    def delete(self, name: str, doc_set: str = "") -> bool:
        return self.delete_all([(name, doc_set)]) == 1

    def delete_all(self, documents: Iterable[tuple[str, str]]) -> int:
        return self._change(writing.delete_all, list(documents))

    def move(self, name: str, doc_set: str, to: str) -> bool:
        return self._change(doc_sets.move, name, doc_set, to)

    def note_structured(self, name: str, doc_set: str, digest: str, structured: StructuredSummary) -> bool:
        return self._change(writing.note_structured, name, doc_set, digest, structured)

    def put_abstracts(self, abstracts: Mapping[str, PairAbstract]) -> None:
        self._note(abstract_rows.put_abstracts, abstracts)

    def keep_abstracts(self, keys: Collection[str]) -> int:
        return self._note(abstract_rows.keep_abstracts, keys)

    def note_asked(self, names: Iterable[str]) -> None:
        self._note(name_rows.note_asked, names)

    def add_doc_set(self, name: str) -> bool:
        return self._change(doc_sets.make_set, name)

    def rename_doc_set(self, name: str, to: str) -> bool:
        return self._change(doc_sets.rename_doc_set, name, to)

    def delete_doc_set(self, name: str) -> bool:
        return self._change(doc_sets.delete_doc_set, name)

    def put_source(self, source: Source) -> Source:
        return self._change(source_rows.put_source, source)

    def delete_source(self, source_id: int) -> bool:
        return self._note(source_rows.delete_source, source_id)

    def change_glossary(self, put: Sequence[GlossaryPair], remove: Sequence[GlossaryPair] = ()) -> int:
        return self._change(glossary_rows.change_glossary, put, remove)

    def swap_space(
        self, space: Space, chunk_ids: Sequence[int], vectors: Iterable[Vectors], partial: bool = False
    ) -> None:
        given = frozenset(chunk_ids)
        with self._database.held(SWAPPING):
            self._note(spaces.forget_coming)  # which a killed program may have left
            try:
                self._read(spaces.require_vectors, given, partial)
                space_id = self._note(spaces.add_coming, space)
                pairs = zip(chunk_ids, vectors, strict=True)
                while some := list(islice(pairs, _AT_ONCE)):
                    self._note(spaces.copy_vectors, space_id, some)
                with self._database.changing() as connection:
                    spaces.require_vectors(connection, given, partial)  # what has come in meanwhile, too
                    spaces.serve(connection, space_id, space)
            finally:
                with suppress(StoreError):
                    self._note(spaces.forget_coming)
        self._wake()

    def add_vectors(self, space_key: str, chunk_ids: Sequence[int], vectors: Vectors) -> None:
        self._change(spaces.add_vectors, space_key, chunk_ids, vectors)

    def note_learned(self, space: Space) -> None:
        self._note(spaces.note_learned, space)
