"""What a turn decides and says: plan, answer, checked citations, verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from schema.common import Action, Language, Message
from schema.evidence import EVERYWHERE, Hit, QuestionPart, Scope
from schema.library import Chunking, Place
from schema.names import LanguageCode, StrategyChoice
from schema.tables import TableQuery, TableResult


class FileChunking(BaseModel):
    """A chunking wish for the files whose names match; an empty one sets them apart from the others."""

    model_config = ConfigDict(frozen=True)

    file: str
    chunking: Chunking


class Plan(BaseModel):
    """What one message asks for."""

    model_config = ConfigDict(frozen=True)

    actions: tuple[Action, ...] = Field(default=(), description="in the order they run; empty: nothing was understood")
    chunking: Chunking = Chunking()
    per_file: tuple[FileChunking, ...] = ()
    others: Chunking = Field(default=Chunking(), description="for the files without a wish of their own")
    strategy: StrategyChoice | None = None
    scope: Scope = EVERYWHERE
    every_file: bool = Field(default=False, description="save: cut all stored files again")
    doc_set: str | None = Field(default=None, description="save: the document set that uploads go into, new or not")
    missing_files: tuple[str, ...] = Field(default=(), description="files that were named but are not in the library")
    missing_sets: tuple[str, ...] = Field(default=(), description="document sets that were named but do not exist")
    unclear: Literal["small_talk", "noise", "library"] | None = Field(
        default=None, description="why there is no action; library: list, move or delete files, as the page does"
    )
    urls: tuple[str, ...] = Field(default=(), description="addresses to be read from the web, in order")
    language: LanguageCode = Field(default="zh", description="of the reply")
    answer_language: LanguageCode | None = Field(
        default=None, description="in which the answer is wanted; none: in the question's"
    )
    question: str = Field(default="", description="restated; the addresses that are read for it stand at its end")
    translated: str = Field(default="", description="the question in the library's other language, if it has one")
    parts: tuple[QuestionPart, ...] = Field(
        default=(), description="where the question asks for several things, each of them as a question"
    )
    table: TableQuery | None = Field(default=None, description="what is computed over the rows of a table")
    anew: bool = Field(default=False, description="a new answer is wanted even where one is remembered")
    certain: bool = Field(default=False, description="the rules need no second opinion")
    origin: Literal["rules", "model", "controls"] = "rules"

    @property
    def asked(self) -> str:
        """What is asked of the library: the question without the addresses behind it, which are read for it."""
        return self.question.removesuffix(f" {' '.join(self.urls)}") if self.urls else self.question

    def chunking_for(self, file: str) -> Chunking:
        """The wish for one file: its own, or that for the others, over the one for all."""
        own = next((wish.chunking for wish in self.per_file if wish.file == file), self.others)
        return own.over(self.chunking)


# How a sentence compares with lines in another language: numbers and names agree or something differs; the subject is
# the same and there is no number or name; the subject was not found.
AcrossLanguages = Literal["agree", "differ", "subject", "not_found"]


@dataclass(frozen=True, slots=True)
class Support:
    """How well source lines support one sentence."""

    score: float  # in [0, 1]
    supported: bool
    reasons: tuple[Message, ...] = ()  # what is missing or contradicted: a number, a name, a negation
    comparable: bool = True  # False: the lines are in another language, and nothing that could be compared differs
    across: AcrossLanguages | None = None  # of lines in another language; None too where nothing could be compared


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
    places: tuple[Place, ...] = ()  # of the original, that the passage touches


class Gloss(NamedTuple):
    """A word of a source, and what it means in the language of the question, by a dictionary."""

    word: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of an answer with its checked citations."""

    text: str  # without markers
    citations: tuple[Citation, ...] = ()
    checkable: bool = True  # False: a heading, a lead-in, a "Yes": nothing that a source could hold
    gloss: tuple[Gloss, ...] = ()  # of a sentence that stands in another language than the question

    @property
    def supported(self) -> bool:
        return any(citation.support.supported for citation in self.citations)

    @property
    def comparable(self) -> bool:
        """False where it may rest on lines in another language: words cannot tell whether they support it."""
        return self.supported or all(citation.support.comparable for citation in self.citations)

    @property
    def across(self) -> AcrossLanguages | None:
        """How it compares with lines in another language, by the source that speaks for it most; None where a source
        supports it, or none is in another language."""
        found = {citation.support.across for citation in self.citations}
        order: tuple[AcrossLanguages, ...] = ("agree", "subject", "differ", "not_found")
        return None if self.supported else next((one for one in order if one in found), None)

    @property
    def doubtful(self) -> bool:
        """Whether its lines, or that it has none, speak against it."""
        return self.checkable and self.comparable and not self.supported


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer and everything needed to check it."""

    text: str  # with markers; ⚠ stands behind what no source supports
    statements: tuple[Statement, ...] = ()
    sources: tuple[Hit, ...] = ()
    confidence: float = 0.0
    language: Language = "zh"
    seconds: float = 0.0
    fallback_used: bool = False  # no model answered: sentences taken from the sources
    answered_by: str = "extractive"
    notices: tuple[Message, ...] = ()
    found_by: Message | None = None  # of the notices the one that says how it was found, and nothing that is wrong
    quoted: int = 0  # statements at the end that are the sources' own, because the model's rest on none
    cut_short: bool = False  # the model had more to say when its time or its room was over
    table: TableResult | None = None  # that it was computed from
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
