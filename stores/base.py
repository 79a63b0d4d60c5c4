"""The contract of a store: documents go in with their vectors and search terms, ranked chunk ids come out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from schema import EVERYWHERE, Chunk, Chunking, Document, DocumentInfo, Hit, Scope, Space, Stored, Vectors


class Ranked(NamedTuple):
    """A chunk and its raw score: BM25 (unbounded, >= 0) or cosine ([-1, 1])."""

    chunk_id: int
    score: float


@dataclass(frozen=True, slots=True)
class Batch:
    """One document, ready to be stored in one transaction. `vectors[i]` and `terms[i]` belong to `chunks[i]`."""

    document: Document
    chunking: Chunking
    chunks: Sequence[Chunk]
    terms: Sequence[Sequence[str]]
    vectors: Vectors
    space_key: str


class StoreStats(NamedTuple):
    documents: int
    chunks: int
    bytes: int  # on disk
    space: str | None  # key of the serving space


class Store(Protocol):
    """Synchronous and thread-safe: many readers beside one writer. Callers that must not wait use a thread."""

    def put(self, batch: Batch) -> Stored:
        """Add or replace a document, whole or not at all. The same content and chunking is a no-op. Raises
        StoreError when the batch's space is not the serving one (embed again and retry)."""

    def delete(self, name: str, doc_set: str = "") -> bool:
        """Remove a document; False when there is none of that name."""

    def documents(self, scope: Scope = EVERYWHERE) -> list[DocumentInfo]:
        """The stored documents, newest first."""

    def document(self, name: str, doc_set: str = "") -> Document | None:
        """A stored document with its text."""

    def search_terms(self, terms: Sequence[str], k: int, scope: Scope = EVERYWHERE) -> list[Ranked]:
        """BM25, best first; the scope is applied before ranking. Empty terms find nothing."""

    def search_vector(self, vector: Vectors, k: int, scope: Scope = EVERYWHERE) -> list[Ranked]:
        """Cosine, best first; `vector` has shape (dimensions,) and belongs to the serving space."""

    def hits(self, chunk_ids: Sequence[int]) -> list[Hit]:
        """The chunks with text and place, in the order asked for; ids that are gone are left out."""

    def vectors(self, chunk_ids: Sequence[int]) -> Vectors:
        """Vectors of the serving space in the order asked for; a row of zeros for an id that is gone."""

    def space(self) -> Space | None:
        """The serving space; None in a new library."""

    def swap_space(self, space: Space, chunk_ids: Sequence[int], vectors: Vectors) -> None:
        """Serve another space from now on. Raises StoreError when a chunk that is stored by now lacks a vector:
        the caller embeds the missing ones and tries again."""

    def indexed_texts(self) -> Iterator[tuple[int, str]]:
        """(chunk id, indexed text) of every chunk, for fitting and re-embedding."""

    def stats(self) -> StoreStats: ...

    def close(self) -> None: ...
