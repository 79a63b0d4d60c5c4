"""The contract of a store: documents go in with their vectors and search terms, ranked chunk ids come out.

What holds for every method:

* It may be called from any thread, at any time until `close`. It blocks; whoever must not wait calls it in a thread, as
  `Library` does, which is asynchronous. (Half of the calls are answered from memory in less time than a coroutine
  takes to be switched to, and a store that talks to a server waits in the caller's thread as well as anywhere.)
* A change is whole or has not been: it is durable, and found by every search, when the method returns; when it raises,
  nothing has happened. Readers never wait for a writer, and see the library as it was before a change or after it.
* Changes of one store are made one after the other. Two programs may share a store only where its docstring says so.
* Chunks are known by ids, which are positive, below 2^63, and never used for another chunk. An id that is not, or no
  longer, there is no error: it is left out, or has zeros in its place, as each method says. Asked for twice, it is
  answered twice.
* Names and terms are compared by their characters, exactly: no case folding, no normalisation, no wildcards. Any
  characters are allowed in them (of terms: but white space) and are never taken for a query language.
* A `Scope` is applied before the ranking: the k best of the chunks in it come out, however many better ones are
  outside, with the scores that they have without it. Names and sets that do not exist select nothing. Metadata are
  the document's own, and where these are silent its origin and its title, keywords, entities and topics. They are
  compared as JSON values: 1 is 1.0, but neither true nor "1"; of a list, one element has to be it; NaN and infinity
  are the texts "NaN", "Infinity", "-Infinity".
* What a person can do something about is raised as a StoreError, which says what; wrong arguments as ValueError.

`tests/stores/test_contract_*` hold every store to this, in each of its forms (`store_cases.FORMS`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from entities import ChunkNames
from schema import (
    EVERYWHERE,
    Cell,
    Chunk,
    Chunking,
    DocSetInfo,
    Document,
    DocumentInfo,
    GlossaryPair,
    Hit,
    Language,
    Message,
    OriginalFile,
    PairAbstract,
    Scope,
    Source,
    StoreOutcome,
    StructuredSummary,
    TableInfo,
    Vectors,
)
from stores.search_contract import SearchStore
from stores.tasks import TaskStore


@dataclass(frozen=True, slots=True)
class DocumentBatch:
    """One document, ready to be stored in one transaction. `vectors[i]` and `terms[i]` belong to `chunks[i]`."""

    document: Document
    chunking: Chunking
    chunks: Sequence[Chunk]
    terms: Sequence[str]  # of each chunk, joined by spaces: lists of words take ten times the memory
    vectors: Vectors
    space_key: str
    replaces: str | None = None  # digest of the stored text this was made from; refused when that is gone by now
    missing: frozenset[int] = frozenset()  # chunks that have no vector yet (their rows count for nothing)
    task: int | None = None  # the one that is done with it: removed in the same transaction; its set is the document's
    tokens: int = 0  # `text.count_tokens` of the document's text: counted where the text is read, not by the writer
    names: Sequence[ChunkNames] | None = None  # `entities.names_of`; None: the store looks for them before it writes
    original: OriginalFile | None = None  # kept with it, in place of the one that it had; but not where it `replaces`


class StoreStats(NamedTuple):
    documents: int
    chunks: int
    bytes: int  # on disk
    space: str | None  # key of the serving space
    tokens: int = 0  # model tokens of the documents' texts


class Store(TaskStore, SearchStore, Protocol):
    """A library's documents, chunks, vectors, sets and tasks; the rules for all methods stand above."""

    def put(self, batch: DocumentBatch) -> StoreOutcome:
        """Add or replace the document of this name in this set. The same content and chunking is "unchanged", but for
        its origin, metadata and what it is said to be about, which are taken over; a document that says nothing about
        that keeps what was said of the same text. A chunk whose indexed text and terms the document had before
        keeps its id and its vector; one that had none gets the batch's. Raises SpaceChanged when the batch's space is
        not the serving one, TaskGone when its task is gone, StoreError when the text that it `replaces` is, ValueError
        when a chunk is not the text at its place. The metadata of its source go over its own."""

    def put_all(self, batches: Sequence[DocumentBatch]) -> list[StoreOutcome]:
        """Like `put` for each of them, in this order, in one transaction: all or none. The outcomes in the same
        order."""

    def delete(self, name: str, doc_set: str = "") -> bool:
        """Remove a document; False when there is none of that name."""

    def delete_all(self, documents: Iterable[tuple[str, str]]) -> int:
        """Remove documents, by name and set, in one transaction; how many there were."""

    def move(self, name: str, doc_set: str, to: str) -> bool:
        """Into another document set, made where there is none; the document keeps its chunks and their ids, and its
        pending cuts follow it. False when there is no such document. Raises StoreError when the set has another one of
        this name."""

    def documents(self, scope: Scope = EVERYWHERE) -> list[DocumentInfo]:
        """The stored documents, the last changed first; each with how many of its chunks have no vector yet. `updated`
        is when its text or its cut changed, when missing vectors came, or another model embedded it."""

    def languages(self, scope: Scope = EVERYWHERE) -> dict[Language, int]:
        """How many documents there are of each language; only languages that there are."""

    def document(self, name: str, doc_set: str = "") -> Document | None:
        """A stored document with its text, its metadata as JSON has them; None when there is none of that name."""

    def structured(self, scope: Scope = EVERYWHERE) -> dict[tuple[str, str], StructuredSummary]:
        """What the documents in scope are about, by name and set: of those of which somebody has said it."""

    def without_structured(self, k: int) -> list[tuple[str, str]]:
        """Name and set of at most k documents of which nobody has said yet what they are about, the last changed
        first."""

    def note_structured(self, name: str, doc_set: str, digest: str, structured: StructuredSummary) -> bool:
        """What a document is about, as long as its text has this digest; statistics never replace what a model said.
        False where that keeps it from being noted. It is no change of the library: the generation stays."""

    def chunks(self, name: str, doc_set: str = "", first: int = 0, k: int = 50) -> list[Hit]:
        """k chunks of a document in reading order, from the one at position `first`; none when there is no such
        document. Their `score` is 0 and means nothing, as in everything but a search."""

    def around(self, chunk_ids: Sequence[int], reach: int) -> dict[int, list[Hit]]:
        """For each chunk, those of its document at most `reach` positions away, itself among them, in reading order;
        without the ids that are gone."""

    def passage(self, name: str, doc_set: str, start: int, end: int) -> str:
        """The text of a document from one offset to another; "" when there is no such document."""

    def document_vector(self, name: str, doc_set: str = "") -> Vectors:
        """(dimensions,): the mean of its chunks' vectors in the serving space, of length 1; zeros where it has none."""

    def original_info(self, name: str, doc_set: str = "") -> OriginalFile | None:
        """Digest and size of the file that a document was read from; None where none is kept. It stays when the text is
        cut again, and goes with the document. The same bytes of several documents are kept once."""

    def original(self, name: str, doc_set: str = "") -> bytes | None:
        """The file itself; None where none is kept, or a part of it was lost."""

    # --- typed tables: they come in with their document, and go with it; a text that is only cut anew keeps them ---

    def tables(self, scope: Scope = EVERYWHERE) -> list[TableInfo]:
        """The tables of the documents in scope, by set, document and position."""

    def table_cells(self, table_id: int, columns: Sequence[int]) -> list[list[Cell]]:
        """The cells of these columns of a table, which count from 0, each by row; without the columns that there are
        not. None of a table that is gone."""

    def table_spans(self, table_id: int) -> list[tuple[int, int]]:
        """Where each row of a table stands in the text of its document; nothing of a table that is gone."""

    # --- document sets: a document is in one of them, or in "" ---

    def doc_sets(self) -> list[DocSetInfo]:
        """Every set that was made, by hand or with the first file meant for it, by name; "" only where documents are in
        no set."""

    def add_doc_set(self, name: str) -> bool:
        """An empty set; False when there is one of this name."""

    def rename_doc_set(self, name: str, to: str) -> bool:
        """With all its documents, tasks and sources. False when there is no such set ("" is none). Raises StoreError
        when there is one of the new name."""

    def delete_doc_set(self, name: str) -> bool:
        """With all its documents, tasks and sources. False when there is no such set ("" is none)."""

    # --- sources: websites and repositories that a set has documents from; `Origin.source` says which ---

    def sources(self, doc_set: str | None = None) -> list[Source]:
        """Of one set or of all, by set and address."""

    def put_source(self, source: Source) -> Source:
        """Added, or in place of the one with its id; without an id (0) in place of the one of its set with the same
        address. The set is made where there is none. As it is stored: with its id, which never comes to mean another.
        Its documents have its metadata from then on, and no longer those it had. Raises StoreError when the one with
        its id is gone, ValueError when another one of the set has its address."""

    def delete_source(self, source_id: int) -> bool:
        """Its documents stay. False when there is none."""

    # --- abstracts of pairs of chunks, by a key of the texts that they are made of (`retrieval/pairs.py`) ---

    def abstracts(self, keys: Sequence[str]) -> dict[str, PairAbstract]:
        """Those that there are, by key."""

    def put_abstracts(self, abstracts: Mapping[str, PairAbstract]) -> None:
        """Added, or in place of those with the same key. It is no change of the library: the generation stays."""

    def keep_abstracts(self, keys: Collection[str]) -> int:
        """Forget all others; how many they were."""

    # --- glossary: Chinese and English terms that stand for each other ---

    def glossary(self) -> list[GlossaryPair]:
        """The pairs that were given by hand, by their Chinese term, then by the English one."""

    def change_glossary(self, put: Sequence[GlossaryPair], remove: Sequence[GlossaryPair] = ()) -> int:
        """Pairs removed, then others added, in one transaction; how many of them changed anything."""

    # --- the whole ---

    def stats(self) -> StoreStats:
        """How much there is; asked for by every question, so cheap. The size may be some seconds old."""

    def generation(self) -> int:
        """Higher after every change of documents, sets or space, and not without one; a number that a library has had
        never comes back. What is kept of the library's content is valid as long as it stays."""

    @property
    def notices(self) -> list[Message]:
        """What was lost, as it was found at opening, and is not made up for by now."""

    def watch(self, replaced: Callable[[], object]) -> None:
        """Call this, from any thread, when another content has come here: a backup that was brought back, say."""

    def close(self) -> None:
        """Give back what is held. Everything acknowledged is there when the library is opened again."""
