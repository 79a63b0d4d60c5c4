"""The reading side of the store in PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    TermGroup,
    Vectors,
)
from stores.base import StoreStats
from stores.postgres import abstracts as abstract_rows
from stores.postgres import doc_sets, originals, reading, spaces
from stores.postgres import glossary as glossary_rows
from stores.postgres import names as name_rows
from stores.postgres import sources as source_rows
from stores.postgres import tables as table_rows
from stores.postgres.adapters import Connection
from stores.postgres.database import PostgresDatabase
from stores.postgres.nearest import nearest
from stores.postgres.rows import number, serving
from stores.postgres.scopes import PostgresScopes
from stores.postgres.search_side import EFFORTS, SearchSide
from stores.postgres.terms import TermSearch
from stores.postgres.vector_index import index_of
from stores.search_contract import IndexInfo, RankedChunk

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_SIZE_HOLDS = 5.0  # seconds that a counted size is shown at least while files stream in


class PostgresReader:
    """Readers never wait for a writer, and keep nothing that is not asked for anew with each generation."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database, self._scopes, self._terms = database, PostgresScopes(database), TermSearch(database)
        self._stats: tuple[tuple[int, str | None], StoreStats] | None = None  # and when: generation, space
        self._sized = (-1, 0.0, 0)  # generation, when, bytes
        self._documents: tuple[int, list[DocumentInfo]] = (-1, [])  # of which generation
        self._side: SearchSide | None = None

    def _read(self, work: Callable[[Connection, *Ts], T], *given: *Ts) -> T:
        return self._database.read(work, *given)

    def _read_at_once(self, work: Callable[[Connection, *Ts], T], *given: *Ts) -> T:
        """Of one state of the library, for what is asked in several statements."""
        with self._database.reading(one_state=True) as connection:
            return work(connection, *given)

    # --- documents, sets -----------------------------------------------------------------------------------------

    def documents(self, scope: Scope = EVERYWHERE) -> list[DocumentInfo]:
        if scope:
            return self._read(reading.documents, scope)
        generation = self.generation()  # before it is read: what is newer than it says does no harm
        if self._documents[0] != generation:
            self._documents = generation, self._read(reading.documents, scope)
        return list(self._documents[1])

    def languages(self, scope: Scope = EVERYWHERE) -> dict[Language, int]:
        return self._read(reading.languages, scope)

    def document(self, name: str, doc_set: str = "") -> Document | None:
        return self._read_at_once(reading.document, name, doc_set)

    def original_info(self, name: str, doc_set: str = "") -> OriginalFile | None:
        return self._read(originals.original_info, name, doc_set)

    def original(self, name: str, doc_set: str = "") -> bytes | None:
        return self._read_at_once(originals.original, name, doc_set)

    def structured(self, scope: Scope = EVERYWHERE) -> dict[tuple[str, str], StructuredSummary]:
        return self._read(reading.structured, scope)

    def without_structured(self, k: int) -> list[tuple[str, str]]:
        return self._read(reading.without_structured, k)

    def chunks(self, name: str, doc_set: str = "", first: int = 0, k: int = 50) -> list[Hit]:
        return self._read(reading.chunks, name, doc_set, first, k)

    def around(self, chunk_ids: Sequence[int], reach: int) -> dict[int, list[Hit]]:
        return self._read_at_once(reading.around, chunk_ids, reach)

    def passage(self, name: str, doc_set: str, start: int, end: int) -> str:
        return self._read(reading.passage, name, doc_set, start, end)

    def document_vector(self, name: str, doc_set: str = "") -> Vectors:
        return self._read_at_once(spaces.document_vector, name, doc_set)

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

    # --- searching -----------------------------------------------------------------------------------------------

    def search_terms(self, terms: Sequence[str], k: int, scope: Scope = EVERYWHERE) -> list[RankedChunk]:
        return self._terms.search(terms, k, self._scopes.within(scope).ordinals if scope else None)

    def search_groups(self, groups: Sequence[TermGroup], k: int, scope: Scope = EVERYWHERE) -> list[RankedChunk]:
        return self._terms.search_groups(groups, k, self._scopes.within(scope).ordinals if scope else None)

    def document_frequencies(self, terms: Sequence[str]) -> list[int]:
        return self._terms.frequencies(terms)

    def search_vector(self, vector: Vectors, k: int, scope: Scope = EVERYWHERE) -> list[RankedChunk]:
        within = self._scopes.within(scope) if scope else None
        if self._side and (found := self._side.search(vector, k, within)) is not None:
            return found
        return self._read(nearest, vector, k, within)

    def vector_index(self) -> IndexInfo | None:
        """How many vectors there are, and how they are compared; None without vectors."""
        with self._database.reading(one_state=True) as connection:
            index = index_of(connection)
            count = number(connection, f"SELECT count(*) FROM {index.table}", []) if index else 0
        if index is None or not count:
            return None
        if self._side and (side := self._side.serving()):
            return IndexInfo("milvus", count, side.effort, max(EFFORTS[-1], side.effort), side.recall)
        if not index.effort:
            return IndexInfo("flat", count, 1, 1, 1.0, settling=index.kind in ("hnsw", "ivf"))
        return IndexInfo(index.kind, count, index.effort, max(index.most(count), index.effort), index.recall)

    def hits(self, chunk_ids: Sequence[int]) -> list[Hit]:
        return self._read(reading.hits, chunk_ids)

    def terms(self, chunk_ids: Sequence[int]) -> dict[int, str]:
        return self._read(reading.terms, chunk_ids)

    def names(self, chunk_ids: Sequence[int]) -> dict[int, ChunkNames]:
        return self._read(name_rows.names, chunk_ids)

    def name_places(self, names: Iterable[str], most: int, scope: Scope = EVERYWHERE) -> dict[str, list[NamePlace]]:
        return self._read(name_rows.name_places, names, most, scope)

    def connected_names(self, k: int) -> list[ConnectedName]:
        return self._read_at_once(name_rows.connected_names, k)

    def abstracts(self, keys: Sequence[str]) -> dict[str, PairAbstract]:
        return self._read(abstract_rows.abstracts, keys)

    def opening(self, scope: Scope, k: int) -> list[int]:
        return self._read(reading.opening, scope, k)

    def vectors(self, chunk_ids: Sequence[int]) -> Vectors:
        return self._read_at_once(spaces.vectors, chunk_ids)

    def known_vectors(self, indexed_texts: Sequence[str]) -> dict[str, Vectors]:
        return self._read_at_once(spaces.known_vectors, indexed_texts)

    def without_vectors(self) -> list[int]:
        return self._read_at_once(spaces.without_vectors)

    def space(self) -> Space | None:
        return self._read(spaces.serving_space)

    def space_key(self) -> str | None:
        space = self._read(serving)
        return space and space[1]

    def indexed_texts(self, chunk_ids: Sequence[int] | None = None) -> Iterator[tuple[int, str]]:
        with self._database.reading(one_state=True) as connection:
            yield from reading.indexed_texts(connection, chunk_ids)

    def generation(self) -> int:
        return self._read(number, "SELECT generation FROM library", [])

    def stats(self) -> StoreStats:
        """Counted once after each change: every question asks for it. The size may be some seconds old."""
        state = self.generation(), self.space_key()
        if self._stats is None or self._stats[0] != state:
            documents, chunks, tokens = self._read(reading.counts)
            self._stats = state, StoreStats(documents, chunks, self._size(state[0]), state[1], tokens)
        return self._stats[1]

    def _size(self, generation: int) -> int:
        counted, when, size = self._sized
        if counted != generation and (counted < 0 or time.monotonic() > when + _SIZE_HOLDS):
            size = self._read(number, "SELECT pg_database_size(current_database())", [])
            self._sized = generation, time.monotonic(), size
        return size
