"""The contract of a store: documents go in with their vectors and search terms, ranked chunk ids come out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from errors import StoreError
from schema import (
    EVERYWHERE,
    Chunk,
    Chunking,
    DocSetInfo,
    Document,
    DocumentInfo,
    Hit,
    Language,
    Message,
    Scope,
    Space,
    Status,
    Stored,
    Task,
    Vectors,
)


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
    task: int | None = None  # the one that is done with it: removed in the same transaction; its set is the document's
    tokens: int = 0  # `text.count_tokens` of the document's text: counted where the text is read, not by the writer


class StoreStats(NamedTuple):
    documents: int
    chunks: int
    bytes: int  # on disk
    space: str | None  # key of the serving space
    tokens: int = 0  # model tokens of the documents' texts


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


class TaskGone(StoreError):
    """A task that a batch was made for is not there any more: cancelled, or with its set deleted, or replaced by a
    newer one of the same file. What was made for it must not be stored over what came later."""

    def __init__(self, task_ids: Sequence[int]) -> None:
        super().__init__(
            Message(
                zh="这个文件在处理期间被取消、删除，或被更新的版本取代，因此没有保存。",
                en="The file was cancelled, deleted or replaced by a newer one on its way, so it was not stored.",
            ),
            Message(zh="如果仍然需要，请重新上传。", en="Upload it again if you still need it."),
        )
        self.task_ids = tuple(task_ids)


class Store(Protocol):
    """Synchronous and thread-safe: many readers beside one writer. Callers that must not wait use a thread."""

    def put(self, batch: Batch) -> Stored:
        """Add or replace a document, whole or not at all. The same content and chunking is a no-op. A chunk whose
        indexed text and terms the document had before keeps its id and its vector; one that had none gets the batch's.
        Raises SpaceChanged when the batch's space is not the serving one."""

    def put_all(self, batches: Sequence[Batch]) -> list[Stored]:
        """Like `put` for each of them, in one transaction: all or none. Raises TaskGone when a batch's task is gone by
        now. The same content from elsewhere (its origin changed) is "unchanged" too, but for its origin."""

    def delete(self, name: str, doc_set: str = "") -> bool:
        """Remove a document; False when there is none of that name."""

    def move(self, name: str, doc_set: str, to: str) -> bool:
        """Into another document set, made where there is none; the document keeps its chunks and their ids, and its
        pending cuts follow it. False when there is no such document. Raises StoreError when the set has another one of
        this name."""

    def documents(self, scope: Scope = EVERYWHERE) -> list[DocumentInfo]:
        """The stored documents, newest first. A scope of names and sets means these names within these sets."""

    def languages(self, scope: Scope = EVERYWHERE) -> dict[Language, int]:
        """How many documents there are of each language."""

    def document(self, name: str, doc_set: str = "") -> Document | None:
        """A stored document with its text."""

    def chunks(self, name: str, doc_set: str = "", first: int = 0, k: int = 50) -> list[Hit]:
        """k chunks of a document in reading order, from the one at position `first`."""

    def around(self, chunk_ids: Sequence[int], reach: int) -> dict[int, list[Hit]]:
        """For each chunk, those of its document at most `reach` positions away, itself among them, in reading order;
        without the ids that are gone."""

    def passage(self, name: str, doc_set: str, start: int, end: int) -> str:
        """The text of a document from one offset to another; "" when there is no such document."""

    def document_vector(self, name: str, doc_set: str = "") -> Vectors:
        """(dimensions,): the mean of its chunks' vectors in the serving space, of length 1; zeros where it has none."""

    # --- document sets: a document is in one of them, or in "" ---

    def doc_sets(self) -> list[DocSetInfo]:
        """Every set that was made, by hand or with the first file meant for it, by name; "" only where documents are in
        no set."""

    def add_doc_set(self, name: str) -> bool:
        """An empty set; False when there is one of this name."""

    def rename_doc_set(self, name: str, to: str) -> bool:
        """With all its documents and tasks. False when there is no such set ("" is none). Raises StoreError when there
        is one of the new name."""

    def delete_doc_set(self, name: str) -> bool:
        """With all its documents and tasks. False when there is no such set ("" is none)."""

    # --- files on their way: what is pending or processing goes on after a restart ---

    def add_tasks(self, tasks: Sequence[Task]) -> list[Task]:
        """Store them as they are, their ids given here, in one transaction. A task of the same job, name and set gives
        way to the newer one: what is made for it by then is refused (TaskGone)."""

    def tasks(self) -> list[Task]:
        """All of them: by priority, highest first, then as they came in."""

    def note_tasks(self, task_ids: Sequence[int], status: Status, problem: Message | None = None) -> None:
        """What has become of them; ids that are gone are left out."""

    def prioritise_tasks(self, task_ids: Sequence[int], priority: int) -> None: ...

    def drop_tasks(self, task_ids: Sequence[int]) -> None:
        """Forget them; ids that are gone are left out."""

    # --- searching ---

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

    def swap_space(
        self, space: Space, chunk_ids: Sequence[int], vectors: Iterable[Vectors], partial: bool = False
    ) -> None:
        """Serve another space from now on, in one transaction; of `vectors` no more than a row need be in memory.
        Raises VectorsMissing when a chunk that is stored by now lacks a vector, unless a part is enough; ids that are
        gone by now are left out."""

    def note_learned(self, space: Space) -> None:
        """Keep what was learned of the serving space meanwhile (`calibration`, `fitted_on`): its vectors stay as they
        are. Raises SpaceChanged when it is not the serving one."""

    def indexed_texts(self, chunk_ids: Sequence[int] | None = None) -> Iterator[tuple[int, str]]:
        """(chunk id, indexed text) of these chunks, or of every one, for fitting and re-embedding."""

    def stats(self) -> StoreStats: ...

    def generation(self) -> int:
        """Higher after every change of documents or space; a number that a library has had never comes back."""

    def close(self) -> None: ...
