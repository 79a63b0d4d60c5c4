"""What is found for a question, and who computed what on the way."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, field_validator

from schema.common import Message, StrategyName, TextKind
from schema.library import UNTOLD, Origin, Place


class Scope(BaseModel):
    """Where to look: a document has to meet every condition; empty means everywhere.

    `metadata` are pairs of a name and a value, or a mapping: what a document's own metadata say ("author"), or what is
    known of its origin by the names of `Hit.metadata` ("doc_type", "url", "repo"). Of two pairs with one name either
    will do.
    """

    model_config = ConfigDict(frozen=True)

    documents: tuple[str, ...] = ()  # names
    doc_sets: tuple[str, ...] = ()  # names
    kinds: tuple[TextKind, ...] = ()  # how the text is written; what the file was is the metadata "doc_type"
    metadata: tuple[tuple[str, str | bool | int | float], ...] = ()
    without: tuple[str, ...] = Field((), exclude_if=operator.not_)  # names of documents that are left out

    @field_validator("metadata", mode="before")
    @classmethod
    def _from_mapping(cls, value: Any) -> Any:
        return tuple(value.items()) if isinstance(value, Mapping) else value

    def __bool__(self) -> bool:
        return bool(self.documents or self.doc_sets or self.kinds or self.metadata or self.without)


EVERYWHERE = Scope()


class Alternative(NamedTuple):
    """One way to say a term: search tokens that a passage has all of, and how likely it is the one that is meant."""

    tokens: tuple[str, ...]
    weight: float
    text: str = ""  # as a person writes it; "": as the tokens are


class TermGroup(NamedTuple):
    """Alternatives that count as one term of a question, as translations of a word do."""

    alternatives: tuple[Alternative, ...]
    weight: float = 1.0  # of the group beside other groups
    term: str = ""  # the question's own word
    given: bool = False  # by people in a glossary


HIERARCHY_DEPTH = 3  # levels of headings above and beneath a name that are told


class QuestionPart(NamedTuple):
    """One of several things that a question asks for."""

    question: str  # by which it is searched
    about: str  # what it is called where a person reads of it


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What a search is to find. Where strategy and top_k are None, the settings decide."""

    question: str
    strategy: StrategyName | None = None
    scope: Scope = EVERYWHERE
    top_k: int | None = None
    terms: tuple[str, ...] = ()  # search tokens of the conversation before; they count less than the question's own
    translated: str = ""  # the question in the library's other language, searched beside it
    parts: tuple[
        QuestionPart, ...
    ] = ()  # of the question, each searched by itself as well; none: it asks for one thing
    in_context: bool = False  # to be read: without what nearly repeats a better chunk, and chunks that touch as one hit
    search_method: int | None = None  # the path of seed 001 in place of a strategy (`retrieval/two_views.py`)
    max_hierarchy_depth: int = HIERARCHY_DEPTH  # levels above and beneath a name that its context tells


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
    )  # raw: "bm25", "keyword", "cosine", "pair", "expanded", "names", "fused", "meaning", "rerank"
    position: int = 0  # of the chunk in its document, from 0
    origin: Origin = UNTOLD
    places: tuple[Place, ...] = ()  # of the original, that the text touches; the first may begin before it
    also_in: tuple[str, ...] = ()  # other documents, with a set that is another one, that hold nearly the same passage
    updated: str = ""  # when the document was stored, ISO 8601 UTC
    language: str = ""  # of the document's text: "zh", "en"

    @property
    def indexed_text(self) -> str:
        """What was embedded and is searched: the heading path, then the text."""
        return "\n".join([" > ".join(self.headings), self.text]) if self.headings else self.text

    def places_of(self, start: int, end: int) -> tuple[Place, ...]:
        """Those that a passage of it touches, by its offsets in the document."""
        before = [place for place in self.places if place.start <= start][-1:]
        return (*before, *(place for place in self.places if start < place.start < end))

    @property
    def metadata(self) -> dict[str, Any]:
        """Everything known of the chunk, by the names of seed 002. The language is that of the code, else that of the
        text. A file that came without a folder has its name for a path, and where nobody knows the time of the
        original, it is that of the document."""
        of = self.origin
        return {
            "docset_name": self.doc_set,
            "document_name": self.document,
            "chunk_index": self.position,
            "start_line": self.start_line,
            "end_line": self.end_line,
            "source_type": of.source_type,
            "doc_type": of.doc_type,
            "language": of.code_language or self.language,
            "file_path": of.file_path or (self.document if of.source_type == "file" else ""),
            "url": of.url,
            "repo": of.repo,
            "commit_id": of.commit_id,
            "timestamp": of.timestamp or self.updated,
        }


# What became of a passage that a search considered: not near enough to the question, not among the best, the same as a
# better one, irrelevant to the reranker, read as part of a neighbour; or the beginning of the file was read instead.
Fate = Literal["kept", "below", "limit", "duplicate", "irrelevant", "joined", "overview"]


@dataclass(frozen=True, slots=True)
class ConsideredPassage:
    """A passage that a search considered: where it stands, its raw scores, and what became of it."""

    chunk_id: int
    document: str
    doc_set: str
    start_line: int
    end_line: int
    begins: str  # its first words
    scores: dict[str, float]  # as those of a hit, with four digits
    rank: int  # by the search, from 1; 0: the search itself has left it out
    place: int = 0  # in the evidence, from 1; 0: it does not stand there by itself
    fate: Fate = "kept"
    of: int = 0  # rank of the passage that it repeats, that it is read with, or that says its `name`
    name: str = ""  # what it is about, where a passage that says this name led to it
    part: str = ""  # of the question, that was searched by itself; ranks are those of its search


def _rows(considered: tuple[ConsideredPassage, ...]) -> list[list[Any]]:
    """Without the names of the fields: a conversation keeps those of all its turns."""
    return [
        [
            one.chunk_id, one.document, one.doc_set, one.start_line, one.end_line, one.begins,
            one.scores, one.rank, one.place, one.fate, one.of,
            *([one.name, one.part] if one.part else [one.name] if one.name else []),
        ]
        for one in considered
    ]  # fmt: skip


def _from_rows(value: Any) -> Any:
    return tuple(ConsideredPassage(*row) if isinstance(row, list) else row for row in value)


AllConsidered = Annotated[
    tuple[ConsideredPassage, ...], BeforeValidator(_from_rows), PlainSerializer(_rows, when_used="json")
]


ContextFate = Literal["kept", "duplicate", "limit"]


@dataclass(frozen=True, slots=True)
class EntityContext:
    """What stands above and beneath names of the question, as a sentence: read beside the sources, never cited."""

    text: str
    similarity: float  # cosine of the question and the passage where the names stand
    fate: ContextFate = "kept"


def read_contexts(contexts: Iterable[EntityContext]) -> str:
    """Those that are read, the nearest first, parted by a line of three dashes."""
    return "\n---\n".join(one.text for one in contexts if one.fate == "kept")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What retrieval found for a question, best first."""

    question: str  # as it was searched: without typing errors
    strategy: StrategyName  # the one that ran
    hits: tuple[Hit, ...] = ()
    confidence: float = 0.0  # in [0, 1]: how well the best hits cover the question
    seconds: float = 0.0
    notices: tuple[Message, ...] = ()  # e.g. that another strategy stood in, and why
    found_by: Message | None = None  # of the notices the one that says by which words: corrected, of a dictionary
    overview: bool = False  # not found by the question's words: how the documents begin
    steps: tuple[Step, ...] = ()  # "search", "hyde", "meaning", "rerank": where the time went
    # The question in the library's other language, as it was searched beside; by the dictionary, what hits say of it
    translated: str = ""
    hypothetical: str = ""  # the passage that a model imagined as the answer, as it was searched beside
    considered: AllConsidered = ()  # by rank, then what the search has left out; then the same of each part
    parts: tuple[QuestionPart, ...] = ()  # of the question, those that something was found of
    contexts: tuple[EntityContext, ...] = ()  # of the strategy `abstract`, kept or not, the nearest first

    @property
    def tree_knowledge(self) -> str:
        """The contexts that are read, as a model is given them."""
        return read_contexts(self.contexts)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Whether the library holds what a question asks for."""

    score: float  # in [0, 1]: how much of it stands in the best passages
    threshold: float  # from which on that is enough
    covered: bool


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a provider, answered or not."""

    purpose: Literal["plan", "hyde", "rerank", "answer", "refine", "judge", "extract", "embed"]
    provider: str  # its name in the settings
    model: str
    seconds: float = 0.0
    first_token: float | None = None  # seconds until it, of a stream
    input_tokens: int | None = None  # None: not told
    output_tokens: int | None = None
    error: Message | None = None  # why it gave nothing usable, so that the next one stepped in
    cost: float | None = None  # by the prices that are set; None: none are, or nobody told the tokens
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """Something of a turn that took time."""

    name: str  # "plan", "search", "hyde", "meaning", "rerank", "answer", "judge", ...
    seconds: float
    note: Message | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """How a turn came about: every call in the order it was made, every step with its time, what the search saw."""

    calls: tuple[Call, ...] = ()
    steps: tuple[Step, ...] = ()
    considered: AllConsidered = ()
    contexts: tuple[EntityContext, ...] = ()
