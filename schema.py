"""The nouns: what a document, a chunk, a hit, a plan, an answer is. No behaviour but what follows from the fields."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

Vectors = npt.NDArray[np.float32]  # (n, dimensions), rows of length 1, or 0 for a text with nothing known in it
Language = Literal["zh", "en"]
ChunkerName = Literal["semantic", "fixed", "recursive", "markdown", "code"]
StrategyName = Literal["default", "keyword", "vector", "hybrid", "hyde", "rm3", "abstract"]
EmbeddingName = Literal[
    "auto", "tfidf", "hashing", "openai", "dashscope", "ollama", "compatible", "sentence-transformers", "onnx"
]
RerankerName = Literal["auto", "none", "cross-encoder", "onnx", "llm"]
Action = Literal["save", "retrieve", "fetch_web"]
Status = Literal["pending", "processing", "completed", "failed", "skipped"]


class Message(NamedTuple):
    """A sentence for a person, in both languages: whoever writes one cannot forget the other."""

    zh: str
    en: str

    def to(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


# --- what is stored ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Document:
    """A file as it was read: decoded text with "\\n" line ends, known by its name within its document set."""

    name: str
    text: str
    doc_set: str = ""
    kind: Literal["markdown", "text", "code"] = "text"
    language: Language = "zh"
    size: int = 0  # bytes of the original file
    metadata: dict[str, Any] = field(default_factory=dict)  # front matter, encoding, source_type, url, ... (JSON)

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


class Chunking(BaseModel):
    """How a file is cut; None means that nothing was said and the default applies. Sizes in characters."""

    model_config = ConfigDict(frozen=True)

    strategy: ChunkerName | None = None
    size: int | None = None
    overlap: int | None = None

    def over(self, other: Chunking) -> Chunking:
        """This one's wishes, the other's where this one is silent."""
        return Chunking(**{**other.model_dump(exclude_none=True), **self.model_dump(exclude_none=True)})


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


class Stored(NamedTuple):
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
class EmbeddingState:
    """What embeds the library, what is to come, and what stands in the way."""

    space: Space | None  # the serving one, without its payload; None in a new library
    wanted: tuple[str, str]  # provider and model that the settings ask for
    coming: tuple[int, int] | None = None  # of so many chunks so many have their vectors in the coming space
    missing: int = 0  # chunks that are found by their words alone until the embedder answers
    problem: Message | None = None  # why the embedder, or the coming one, does not answer
    download: tuple[int, int] | None = None  # bytes here, of how many
    downloadable: str | None = None  # the local model that is not on this machine


# --- what is found -----------------------------------------------------------------------------------------------


class Scope(BaseModel):
    """Where to look: names of documents, names of document sets; empty means everywhere."""

    model_config = ConfigDict(frozen=True)

    documents: tuple[str, ...] = ()
    doc_sets: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.documents or self.doc_sets)


EVERYWHERE = Scope()


@dataclass(frozen=True, slots=True)
class Hit:
    """A found chunk with where it stands and why it was found."""

    chunk_id: int
    document: str
    doc_set: str
    text: str
    start: int
    end: int
    start_line: int
    end_line: int
    headings: tuple[str, ...] = ()
    score: float = 0.0  # in [0, 1], comparable within one result
    scores: dict[str, float] = field(
        default_factory=dict
    )  # raw: "bm25", "keyword", "cosine", "expanded", "fused", "rerank"

    @property
    def indexed_text(self) -> str:
        """What was embedded and is searched: the heading path, then the text."""
        return "\n".join([" > ".join(self.headings), self.text]) if self.headings else self.text


@dataclass(frozen=True, slots=True)
class Evidence:
    """What retrieval found for a question, best first."""

    question: str
    strategy: StrategyName  # the one that ran
    hits: tuple[Hit, ...] = ()
    confidence: float = 0.0  # in [0, 1]: how well the best hits cover the question
    seconds: float = 0.0
    notices: tuple[Message, ...] = ()  # e.g. that another strategy stood in, and why
    overview: bool = False  # not found by the question's words: how the documents begin
    steps: tuple[Step, ...] = ()  # "search", "hyde", "rerank": where the time went
    translated: str = ""  # the question in the library's other language, as it was searched beside
    hypothetical: str = ""  # the passage that a model imagined as the answer, as it was searched beside


# --- who computed ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a provider, answered or not."""

    purpose: Literal["plan", "hyde", "rerank", "answer", "refine", "judge", "embed"]
    provider: str  # its name in the settings
    model: str
    seconds: float = 0.0
    first_token: float | None = None  # seconds until it, of a stream
    input_tokens: int | None = None  # None: not told
    output_tokens: int | None = None
    error: Message | None = None  # why it gave nothing usable, so that the next one stepped in


@dataclass(frozen=True, slots=True)
class Step:
    """Something of a turn that took time."""

    name: str  # "plan", "search", "hyde", "rerank", "answer", "judge", ...
    seconds: float
    note: Message | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """How a turn came about: every call in the order it was made, every step with its time."""

    calls: tuple[Call, ...] = ()
    steps: tuple[Step, ...] = ()


# --- what a turn decides and says --------------------------------------------------------------------------------


class FileChunking(BaseModel):
    """A chunking wish for the files whose names match."""

    model_config = ConfigDict(frozen=True)

    file: str
    chunking: Chunking


class Plan(BaseModel):
    """What one message asks for."""

    model_config = ConfigDict(frozen=True)

    actions: tuple[Action, ...] = Field(default=(), description="in the order they run; empty: nothing was understood")
    chunking: Chunking = Chunking()
    per_file: tuple[FileChunking, ...] = ()
    strategy: StrategyName | None = None
    scope: Scope = EVERYWHERE
    every_file: bool = Field(default=False, description="save: cut all stored files again")
    missing_files: tuple[str, ...] = Field(default=(), description="files that were named but are not in the library")
    unclear: Literal["small_talk", "noise", "library"] | None = Field(
        default=None, description="why there is no action; library: list or delete files, as the page does"
    )
    language: Language = "zh"
    question: str = ""
    translated: str = Field(default="", description="the question in the library's other language, if it has one")
    anew: bool = Field(default=False, description="a new answer is wanted even where one is remembered")
    certain: bool = Field(default=False, description="the rules need no second opinion")
    origin: Literal["rules", "model", "controls"] = "rules"

    def chunking_for(self, file: str) -> Chunking:
        """The wish for one file: its own over the one for all."""
        own = next((wish.chunking for wish in self.per_file if wish.file == file), Chunking())
        return own.over(self.chunking)


@dataclass(frozen=True, slots=True)
class Support:
    """How well source lines support one sentence."""

    score: float  # in [0, 1]
    supported: bool
    reasons: tuple[Message, ...] = ()  # what is missing or contradicted: a number, a name, a negation
    comparable: bool = True  # False: the lines are in another language, and nothing that could be compared differs


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker [n] of an answer, checked against the exact lines it points to."""

    marker: int
    source: int  # index into Answer.sources
    start: int  # the supporting passage, offsets in the document
    end: int
    start_line: int
    end_line: int
    quote: str
    support: Support


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of an answer with its checked citations."""

    text: str  # without markers
    citations: tuple[Citation, ...] = ()
    checkable: bool = True  # False: a heading, a lead-in, a "Yes": nothing that a source could hold

    @property
    def supported(self) -> bool:
        return any(citation.support.supported for citation in self.citations)

    @property
    def comparable(self) -> bool:
        """False where it may rest on lines in another language: words cannot tell whether they support it."""
        return self.supported or all(citation.support.comparable for citation in self.citations)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer and everything needed to check it."""

    text: str  # with markers
    statements: tuple[Statement, ...] = ()
    sources: tuple[Hit, ...] = ()
    confidence: float = 0.0
    language: Language = "zh"
    seconds: float = 0.0
    fallback_used: bool = False  # no model answered: sentences taken from the sources
    answered_by: str = "extractive"
    notices: tuple[Message, ...] = ()
    remembered: str | None = None  # when it was given first, ISO 8601 UTC; None: it is new


@dataclass(frozen=True, slots=True)
class Finding:
    """What the judge says of one sentence."""

    statement: int  # index into Answer.statements
    supported: bool
    source: int | None = None  # index into Answer.sources: the one that supports it
    lacking: str = ""  # what no source says


@dataclass(frozen=True, slots=True)
class Verdict:
    """How well a turn's retrieval and answer hold. None means not judged, which is not zero."""

    mean_similarity: float | None = None
    max_similarity: float | None = None
    diversity: float | None = None
    support: float | None = None  # offline: mean support score of the answer's sentences, never a judge's
    faithfulness: int | None = None  # 1-5, by the model
    relevance: int | None = None
    completeness: int | None = None
    reasons: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()  # by the model, sentence by sentence
    judged_by: str | None = None
    unjudged: Message | None = None  # why the model, though there is one, gave no scores
    seconds: float = 0.0
