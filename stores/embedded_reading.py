"""The reading side of the embedded store: SQLite's rows, ranked by the derived indexes."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar, TypeVarTuple

from entities import ChunkNames, ConnectedName, NamePlace
from schema import (
    EVERYWHERE,
    Cell,
    DocSetInfo,
    Document,
    DocumentInfo,
    GlossaryPair,
    Hit,
    Language,
    OriginalFile,
    PairAbstract,
    Scope,
    Source,
    Space,
    StructuredSummary,
    TableInfo,
    Task,
    TermGroup,
    Vectors,
)
from stores.base import StoreStats
from stores.indexes.library_terms import LibraryTermIndex
from stores.indexes.library_vectors import LibraryVectorIndex
from stores.problems import SpaceChanged
from stores.reserve import RESERVE
from stores.search_contract import IndexInfo, RankedChunk
from stores.sql import abstracts as abstract_rows
from stores.sql import doc_sets, originals, reading, spaces
from stores.sql import glossary as glossary_rows
from stores.sql import names as name_rows
from stores.sql import sources as source_rows
from stores.sql import tables as table_rows
from stores.sql import tasks as task_rows
from stores.sql.rows import passage
from stores.sql.scopes import Scopes
from stores.sql.sqlite import Database

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_LOOKED_AT = 1_000  # chunks, at most, that are ranked to find those that a scope leaves
_SIZE_HOLDS = 5.0  # seconds that a counted size is shown at least while files stream in


class EmbeddedReader:
    """Readers never wait for a writer."""

    def __init__(
        self, folder: Path, database: Database, scopes: Scopes, terms: LibraryTermIndex, nearest: LibraryVectorIndex
    ) -> None:
        self._folder, self._database, self._scopes, self._terms, self._nearest = (
            folder, database, scopes, terms, nearest
        )  # fmt: skip
        self._stats: tuple[tuple[int, str | None], StoreStats] | None = None  # and when: generation, space
        self._sized = (-1, 0.0, 0)  # generation, when, bytes
        self._documents: tuple[int, list[DocumentInfo]] = (-1, [])  # of which generation

    def _read(self, work: Callable[[sqlite3.Connection, *Ts], T], *given: *Ts) -> T:
        with self._database.reading() as connection:
            return work(connection, *given)

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
        return self._read(reading.languages, scope)

    def document(self, name: str, doc_set: str = "") -> Document | None:
        return self._read(reading.document, name, doc_set)

    def original_info(self, name: str, doc_set: str = "") -> OriginalFile | None:
        return self._read(originals.original_info, name, doc_set)

    def original(self, name: str, doc_set: str = "") -> bytes | None:
        return self._read(originals.original, name, doc_set)

    def structured(self, scope: Scope = EVERYWHERE) -> dict[tuple[str, str], StructuredSummary]:
        return self._read(reading.structured, scope)

    def without_structured(self, k: int) -> list[tuple[str, str]]:
        return self._read(reading.without_structured, k)

    def chunks(self, name: str, doc_set: str = "", first: int = 0, k: int = 50) -> list[Hit]:
        return self._read(reading.chunks, name, doc_set, first, k)

    def around(self, chunk_ids: Sequence[int], reach: int) -> dict[int, list[Hit]]:
        return self._read(reading.around, chunk_ids, reach)

    def passage(self, name: str, doc_set: str, start: int, end: int) -> str:
        with self._database.reading() as connection:
            of = reading.document_id(connection, name, doc_set)
            return "" if of is None or end <= start else passage(connection, of, max(start, 0), end)

    def document_vector(self, name: str, doc_set: str = "") -> Vectors:
        return self._read(spaces.document_vector, name, doc_set)

    def tables(self, scope: Scope = EVERYWHERE) -> list[TableInfo]:
        return self._read(table_rows.tables, scope)

    def table_cells(self, table_id: int, columns: Sequence[int]) -> list[list[Cell]]:
        return self._read(table_rows.table_cells, table_id, columns)

    def table_spans(self, table_id: int) -> list[tuple[int, int]]:
        return self._read(table_rows.table_spans, table_id)

    def doc_sets(self) -> list[DocSetInfo]:
        return self._read(doc_sets.doc_sets)

    def sources(self, doc_set: str | None = None) -> list[Source]:
        return self._read(source_rows.sources, doc_set)

    def glossary(self) -> list[GlossaryPair]:
        return self._read(glossary_rows.glossary)

    def tasks(self) -> list[Task]:
        return self._read(task_rows.tasks)

    # --- searching -----------------------------------------------------------------------------------------------

    def search_terms(self, terms: Sequence[str], k: int, scope: Scope = EVERYWHERE) -> list[RankedChunk]:
        return self._ranked(lambda most, within: self._terms.search(terms, most, within), k, scope)

    def search_groups(self, groups: Sequence[TermGroup], k: int, scope: Scope = EVERYWHERE) -> list[RankedChunk]:
        return self._ranked(lambda most, within: self._terms.search_groups(groups, most, within), k, scope)

    def _ranked(
        self, search: Callable[[int, Sequence[tuple[str, Sequence[int]]]], list[RankedChunk]], k: int, scope: Scope
    ) -> list[RankedChunk]:
        """What a search of the term index, given k and its conditions, finds in the scope."""
        if not scope:
            return search(k, ())
        if scope == Scope(doc_sets=scope.doc_sets):  # which every chunk in the index has with it
            with self._database.reading() as connection:
                set_ids = doc_sets.set_ids(connection, scope.doc_sets)
            return search(k, [("set", set_ids)])
        within, chunks = self._scopes.within(scope), self.stats().chunks
        if not len(within.chunks):
            return []
        if 2 * k * chunks <= _LOOKED_AT * len(within.chunks):
            # A wide scope is met by many of the best everywhere. To look for thousands of documents costs 18 ms.
            wanted = -(-2 * k * chunks // len(within.chunks))
            ranked = search(wanted, ())
            held = within.hold([chunk_id for chunk_id, _ in ranked])
            best = [found for found, is_held in zip(ranked, held, strict=True) if is_held][:k]
            if len(best) == k or len(ranked) < wanted:
                return best
        return search(k, [("document", within.documents.tolist())])

    def document_frequencies(self, terms: Sequence[str]) -> list[int]:
        return self._terms.frequencies(terms)

    def search_vector(self, vector: Vectors, k: int, scope: Scope = EVERYWHERE) -> list[RankedChunk]:
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

    def hits(self, chunk_ids: Sequence[int]) -> list[Hit]:
        return self._read(reading.hits, chunk_ids)

    def terms(self, chunk_ids: Sequence[int]) -> dict[int, str]:
        return self._read(reading.terms, chunk_ids)

    def names(self, chunk_ids: Sequence[int]) -> dict[int, ChunkNames]:
        return self._read(name_rows.names, chunk_ids)

    def name_places(self, names: Iterable[str], most: int, scope: Scope = EVERYWHERE) -> dict[str, list[NamePlace]]:
        return self._read(name_rows.name_places, names, most, scope)

    def connected_names(self, k: int) -> list[ConnectedName]:
        return self._read(name_rows.connected_names, k)

    def abstracts(self, keys: Sequence[str]) -> dict[str, PairAbstract]:
        return self._read(abstract_rows.abstracts, keys)

    def opening(self, scope: Scope, k: int) -> list[int]:
        return self._read(reading.opening, scope, k)

    def vectors(self, chunk_ids: Sequence[int]) -> Vectors:
        return self._read(spaces.vectors, chunk_ids)

    def known_vectors(self, indexed_texts: Sequence[str]) -> dict[str, Vectors]:
        return self._read(spaces.known_vectors, indexed_texts)

    def without_vectors(self) -> list[int]:
        return self._read(spaces.without_vectors)

    def space(self) -> Space | None:
        return self._read(spaces.serving)

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
