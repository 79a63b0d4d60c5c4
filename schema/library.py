"""What is stored: documents, chunks, where they come from, files on their way, embedding spaces."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from schema.common import ChunkerName, DocType, Language, Message, SizeUnit, Stage, Status, TextKind, Vectors
from schema.tables import TypedTable
from schema.web_documents import StructuredSummary


@dataclass(frozen=True, slots=True)
class Origin:
    """What a document is and where it comes from (the metadata of seed 002 that its chunks share)."""

    doc_type: DocType = "text"
    source_type: Literal["file", "website", "github"] = "file"
    code_language: str = ""  # "python", "sql", ...
    file_path: str = ""  # within its folder, archive or repository
    url: str = ""
    repo: str = ""
    commit_id: str = ""
    timestamp: str = ""  # of the original: last modified, or fetched; ISO 8601 UTC
    stamp: str = ""  # changes when the original does, known without reading it: size and mtime, ETag
    source: int = 0  # id of the website or repository that the document set has it from
    title: str = ""  # of a web page, in the words of a stranger
    reader: str = ""  # which one has read it (ingestion/readers/versions.py); "": the first of its kind, without OCR


UNTOLD = Origin()


class GlossaryPair(NamedTuple):
    """A Chinese term and its English one, as a person wants them to be taken for each other."""

    chinese: str
    english: str
    document: str = ""  # of a document set of glossaries that says it; "": given by hand


class Relation(NamedTuple):
    """One thing is a kind or a part of another, as a model reads it; the quote is literal text of a passage."""

    child: str
    parent: str
    quote: str


class PairAbstract(NamedTuple):
    """What a model has written about two neighbouring chunks."""

    text: str
    relations: tuple[Relation, ...] = ()


class Place(NamedTuple):
    """Where in the original the text from `start` on stands, up to the next place."""

    start: int  # offset in the document's text
    # "picture": one within a file that has no pages; "line": the text behind it, which has no place but its lines
    kind: Literal["page", "slide", "row", "cell", "chapter", "message", "picture", "line"]
    number: int  # counts from 1
    part: str = ""  # the sheet of a row, the title of a chapter, the attachment of a message
    # of a line that was read from a picture:
    box: tuple[int, ...] = ()  # left, top, right, bottom in ten thousandths of the page, or of the picture
    doubts: tuple[str, ...] = ()  # words that may be misread, each with how sure the reading is: "8,000 0.62"
    picture: int = 0  # within an office file or a book, which of its pictures it stands in, from 1


@dataclass(frozen=True, slots=True)
class Document:
    """A file as it was read: its text with "\\n" line ends, known by its name within its document set."""

    name: str  # may hold "/": a path within a folder or an archive
    text: str
    doc_set: str = ""
    kind: TextKind = "text"
    language: Language = "zh"
    size: int = 0  # bytes of the original file
    metadata: dict[str, Any] = field(default_factory=dict)  # front matter, encoding, title, author ... (JSON)
    origin: Origin = UNTOLD
    places: tuple[Place, ...] = ()  # sorted by start; empty where the lines of the text are those of the file
    structured: StructuredSummary | None = None  # what it is about, where somebody has said it
    tables: tuple[TypedTable, ...] | None = None  # None: as they are stored with the same text

    @property
    def digest(self) -> str:
        """SHA-256 of the text: the same content again is recognised by it."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document: `text == document.text[start:end]`, always. Lines count from 1, the last one included."""

    text: str
    start: int
    end: int
    start_line: int
    end_line: int
    headings: tuple[str, ...] = ()  # path from the title down to the nearest heading

    @property
    def indexed_text(self) -> str:
        """What is embedded and searched: the heading path, then the text."""
        return "\n".join([" > ".join(self.headings), self.text]) if self.headings else self.text


class OriginalFile(NamedTuple):
    """The file that a document was read from."""

    digest: str  # SHA-256
    size: int
    path: str = ""  # where its bytes are until it is stored
    data: bytes | None = None  # or they themselves


@dataclass(frozen=True, slots=True)
class ImportedDocument:
    """A document that was read elsewhere, and perhaps cut and embedded there."""

    document: Document
    chunks: tuple[Chunk, ...] = ()  # none: it is cut here
    vectors: Vectors | None = None  # (chunks, dimensions)
    space: str = ""  # key of the space that the vectors are of


class Chunking(BaseModel):
    """How a file is cut; None means that nothing was said and the default applies. The unit is of both sizes."""

    model_config = ConfigDict(frozen=True)

    strategy: ChunkerName | None = None
    size: int | None = None
    overlap: int | None = None
    unit: SizeUnit | None = None

    def over(self, other: Chunking) -> Chunking:
        """This one's wishes, the other's where this one is silent."""
        return Chunking(**{**other.model_dump(exclude_none=True), **self.model_dump(exclude_none=True)})


AS_USUAL = Chunking()  # nothing said: the default for the kind of file


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A stored document as lists show it."""

    id: int
    name: str
    doc_set: str
    kind: str
    language: Language
    size: int
    chunks: int
    chunking: Chunking
    digest: str
    updated: str  # ISO 8601, UTC
    origin: Origin = UNTOLD
    tokens: int = 0  # model tokens of its text
    missing: int = 0  # chunks without a vector in the serving space: found by their words alone
    problem: Message | None = None  # why they have none, and since when; told by the library, not stored

    @property
    def status(self) -> Status:
        """ "pending" while vectors are missing: the text can be searched, but it is not done yet."""
        return "pending" if self.missing else "completed"


class DocSetInfo(NamedTuple):
    """A document set; "" is the one of documents that are in none."""

    name: str
    documents: int
    chunks: int


@dataclass(frozen=True, slots=True)
class IncomingFile:
    """A file that is to be stored: its bytes, or the path where they are."""

    name: str
    data: bytes | None = None
    path: str = ""  # read when its turn comes; the file stays where it is
    doc_set: str = ""
    chunking: Chunking = AS_USUAL
    origin: Origin = UNTOLD  # what the reader cannot know: source_type, file_path, url, repo, commit_id, stamp
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)  # in a person's words, over the file's own


@dataclass(frozen=True, slots=True)
class Source:
    """A website or a repository that a document set has pages or files from, and how it was when they came."""

    id: int  # 0: not stored yet
    doc_set: str
    kind: Literal["website", "github"]
    address: str
    prefix: str = ""  # of a website: the address that its pages begin with; "": the folder of `address`
    patterns: tuple[str, ...] = ()  # of a repository: which files; none: documentation and source code
    ref: str = ""  # of a repository: branch, tag or commit; "": that of the address, or the default branch
    chunking: Chunking = AS_USUAL
    refreshed_at: str = ""  # ISO 8601, UTC; "": never
    commit: str = ""  # of a repository: of which all is here
    pages: int = 0  # in the set, at the last refresh
    problem: Message | None = None  # of the last refresh: why it came to nothing, or what is missing
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)  # of each of its documents, over their own


@dataclass(frozen=True, slots=True)
class Task:
    """A file on its way into the library, or why it did not get there. What is completed is a document, no task.

    `pending` -> `processing` -> gone, with its document there; or `failed`, to be retried; or `skipped`, on purpose.
    """

    id: int
    job: Literal["add", "rechunk"]
    name: str
    doc_set: str
    status: Status
    chunking: Chunking = AS_USUAL
    origin: Origin = UNTOLD
    path: str = ""  # of the bytes to add: in the spool of the data folder, or where the person keeps them
    size: int = 0
    priority: int = 0  # higher goes first
    problem: Message | None = None  # why it failed or was skipped, and what to do
    updated: str = ""  # ISO 8601, UTC
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)  # that it was added with
    stage: Stage | None = None  # while it is processed; not stored
    fraction: float = 0.0  # in [0, 1], of all its stages; not stored
    attempts: int = 0  # programs that have begun it, and have not said what became of it; of a shared store


class StoreOutcome(NamedTuple):
    """What became of one file."""

    outcome: Literal["added", "replaced", "unchanged"]
    document: DocumentInfo
    kept_vectors: int = 0  # chunks that were there before and kept their vectors
    missing_vectors: int = 0  # chunks that have none yet, the embedder being away: found by their words meanwhile


@dataclass(frozen=True, slots=True)
class Space:
    """An embedding space. Vectors of two spaces are never compared; a refitted model is a new space."""

    provider: str  # "tfidf", "hashing", ...
    model: str
    revision: str  # of a fitted model: the digest of its payload
    dimensions: int
    payload: bytes = b""  # npz/JSON of a fitted model; never a pickle
    fitted_on: int = 0  # how many texts a fitted model has learned from
    calibration: dict[str, Any] | None = None  # what was learned about scores in this space (JSON)

    @property
    def key(self) -> str:
        return f"{self.provider}/{self.model}/{self.revision}/{self.dimensions}"


@dataclass(frozen=True, slots=True)
class RerankerState:
    """What sorts the best candidates again, and what could."""

    name: str | None = None  # of what serves; None: hits keep the order of the search
    model: str = ""  # that can be fetched, or is there; "": the settings ask for something else
    megabytes: int | None = None  # of it; None: not known before it is asked for
    licence: str = ""
    here: bool = False
    download: tuple[int, int] | None = None  # bytes here, of how many
    problem: Message | None = None  # why it could not be fetched


class EmbeddingReport(NamedTuple):
    """What became of embedding by hand."""

    documents: int  # that have got vectors
    chunks: int  # theirs
    left_documents: int  # that still lack some
    left_chunks: int
    problem: Message | None = None  # what kept it from being done


@dataclass(frozen=True, slots=True)
class EmbeddingState:
    """What embeds the library, what is to come, and what stands in the way."""

    space: Space | None  # the serving one, without its payload; None in a new library
    wanted: tuple[str, str]  # provider and model that the settings ask for
    coming: tuple[int, int] | None = None  # of so many chunks so many have their vectors in the coming space
    missing: int = 0  # chunks that are found by their words alone until the embedder answers
    problem: Message | None = None  # why the embedder, or the coming one, does not answer
    download: tuple[int, int] | None = None  # bytes here, of how many
    downloadable: str | None = None  # the local model that is not on this machine
