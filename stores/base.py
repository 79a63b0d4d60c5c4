"""The contract of a store: documents go in with their vectors and search terms, ranked chunk ids come out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from errors import StoreError
from schema import EVERYWHERE, Chunk, Chunking, Document, DocumentInfo, Hit, Message, Scope, Space, Stored, Vectors


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
    terms: Sequence[Sequence[str]]  # any characters but white space
    vectors: Vectors
    space_key: str
    replaces: str | None = None  # digest of the stored text this was made from; refused when that is gone by now
    missing: frozenset[int] = frozenset()  # chunks that have no vector yet (their rows count for nothing)


class StoreStats(NamedTuple):
    documents: int
    chunks: int
    bytes: int  # on disk
    space: str | None  # key of the serving space


class SpaceChanged(StoreError):
    """A vector of another space than the serving one: embed again and retry."""

    def __init__(self, serving: str | None) -> None:
        super().__init__(
            Message(zh="嵌入模型刚刚更换，请重试。", en="The embedding model has just changed; please try again.")
        )
        self.serving = serving


class VectorsMissing(StoreError):
    """Chunks came in while another space was made ready, and have no vector in it yet: embed them and retry."""

    def __init__(self, chunk_ids: Sequence[int]) -> None:
        super().__init__(
            Message(
                zh=f"有 {len(chunk_ids)} 个新切片还没有新模型的向量，请重试。",
                en=f"{len(chunk_ids)} new chunks have no vector of the new model yet; please try again.",
            )
        )
        self.chunk_ids = tuple(chunk_ids)


class Store(Protocol):
    """Synchronous and thread-safe: many readers beside one writer. Callers that must not wait use a thread."""

    def put(self, batch: Batch) -> Stored:
        """Add or replace a document, whole or not at all. The same content and chunking is a no-op. A chunk whose
        indexed text and terms the document had before keeps its id and its vector. Raises SpaceChanged when the
        batch's space is not the serving one."""

    def delete(self, name: str, doc_set: str = "") -> bool:
        """Remove a document; False when there is none of that name."""

    def documents(self, scope: Scope = EVERYWHERE) -> list[DocumentInfo]:
        """The stored documents, newest first. A scope of names and sets means these names within these sets."""

    def document(self, name: str, doc_set: str = "") -> Document | None:
        """A stored document with its text."""

    def search_terms(self, terms: Sequence[str], k: int, scope: Scope = EVERYWHERE) -> list[Ranked]:
        """BM25, best first; the scope is applied before ranking. Empty terms find nothing."""

    def document_frequencies(self, terms: Sequence[str]) -> list[int]:
        """In how many chunks of the whole library each term occurs (tantivy: `Searcher.doc_freq`); may count chunks
        just deleted. Retrieval weighs the question's terms by it."""

    def search_vector(self, vector: Vectors, k: int, scope: Scope = EVERYWHERE) -> list[Ranked]:
        """Cosine, best first; `vector` has shape (dimensions,) and belongs to the serving space. A vector of zeros
        finds nothing. Raises SpaceChanged where the dimensions tell that it does not belong."""

    def hits(self, chunk_ids: Sequence[int]) -> list[Hit]:
        """The chunks with text and place, in the order asked for; ids that are gone are left out."""

    def terms(self, chunk_ids: Sequence[int]) -> dict[int, list[str]]:
        """The search terms of the chunks as they came in, by id; without the ids that are gone."""

    def opening(self, scope: Scope, k: int) -> list[int]:
        """Ids of the first k chunks of each document in scope, in reading order."""

    def vectors(self, chunk_ids: Sequence[int]) -> Vectors:
        """Vectors of the serving space in the order asked for; a row of zeros for an id that is gone or has none."""

    def known_vectors(self, indexed_texts: Sequence[str]) -> dict[str, Vectors]:
        """Vectors that the serving space already has for these texts: what need not be embedded again."""

    def without_vectors(self) -> list[int]:
        """Ids of the chunks that have no vector in the serving space yet."""

    def add_vectors(self, space_key: str, chunk_ids: Sequence[int], vectors: Vectors) -> None:
        """The vectors that were missing; ids that are gone by now are left out. Raises SpaceChanged when the space is
        not the serving one."""

    def space(self) -> Space | None:
        """The serving space; None in a new library."""

    def space_key(self) -> str | None:
        """Its key, without reading its payload."""

    def swap_space(self, space: Space, chunk_ids: Sequence[int], vectors: Vectors, partial: bool = False) -> None:
        """Serve another space from now on, in one transaction. Raises VectorsMissing when a chunk that is stored by
        now lacks a vector, unless a part is enough; ids that are gone by now are left out."""

    def note_learned(self, space: Space) -> None:
        """Keep what was learned of the serving space meanwhile (`calibration`, `fitted_on`): its vectors stay as they
        are. Raises SpaceChanged when it is not the serving one."""

    def indexed_texts(self, chunk_ids: Sequence[int] | None = None) -> Iterator[tuple[int, str]]:
        """(chunk id, indexed text) of these chunks, or of every one, for fitting and re-embedding."""

    def stats(self) -> StoreStats: ...

    def generation(self) -> int:
        """Higher after every change of documents or space; a number that a library has had never comes back."""

    def close(self) -> None: ...
