"""What the doors for other programs give back: one form for the result of each service."""

from __future__ import annotations

from pydantic import BaseModel

from doors.forms import Shown
from schema import AcrossLanguages, Language, StructuredSummary


class AnswerSource(BaseModel):
    """What a marker [n] of an answer points to: checked lines."""

    marker: int
    document: str
    doc_set: str
    title: Shown  # file or page, then the headings above
    lines: tuple[int, int]  # first and last
    place: Shown  # pages, slides, rows of the original, or the lines, in words
    quote: Shown
    url: str  # of a web page or a file of a repository; else ""
    supported: bool  # False: these lines do not say it; the marker is followed by ⚠
    score: float  # in [0, 1]
    across: AcrossLanguages | None = None  # how they compare where they are in another language than the sentence


class AnswerVerdict(BaseModel):
    """How well retrieval and answer hold; None: not judged, which is not zero."""

    mean_similarity: float | None = None
    max_similarity: float | None = None
    diversity: float | None = None
    support: float | None = None  # of the answer's sentences by their lines, in [0, 1]
    faithfulness: int | None = None  # 1 to 5, by the model
    relevance: int | None = None
    completeness: int | None = None
    reasons: list[Shown] = []
    judged_by: str | None = None
    unjudged: Shown | None = None  # why a model, though there is one, gave no scores


class CheckedStatement(BaseModel):
    text: Shown
    supported: bool
    score: float
    across: AcrossLanguages | None = None  # compared with lines in another language, which never supports it
    markers: list[int]  # none: no source is given for it
    sources: list[int] = []  # of the answer's sources, those that it cites, by their place from 0
    reasons: list[Shown] = []
    gloss: dict[str, str] = {}  # of a sentence in another language than the question: its key words, by a dictionary


class ComputedResult(BaseModel):
    """What a query over all rows of a table has come to."""

    document: str
    doc_set: str
    words: Shown  # what the query does
    sql: str
    by: str  # who has made the query: "rules", "model", "person"
    columns: list[Shown]
    rows: list[list[str | int | float | None]]
    cut: bool  # there are more rows of the result
    rows_read: int
    rows_used: int
    used: list[int]  # numbers of the rows in the table, from 1; of many the first


class AskResult(BaseModel):
    answer: Shown  # with markers [1]; ⚠ stands behind a marker or a sentence that no source supports
    statements: list[CheckedStatement] = []  # those that say something that a source could hold
    sources: list[AnswerSource] = []
    confidence: float = 0.0
    covered: bool | None = None  # whether the library holds what was asked
    language: Language = "zh"
    answered_by: str = ""  # the model; "extractive": sentences of the sources; "table": computed
    verdict: AnswerVerdict | None = None
    notices: list[Shown] = []
    table: ComputedResult | None = None  # that the answer was computed from
    cut_short: bool = False  # the model had more to say when its time or its room was over
    conversation: str = ""
    seconds: float = 0.0


class PassageResult(BaseModel):
    document: str
    doc_set: str
    title: Shown
    text: Shown
    score: float
    lines: tuple[int, int]
    place: Shown
    url: str


class SearchResult(BaseModel):
    passages: list[PassageResult]
    confidence: float
    strategy: str  # the one that ran
    notices: list[Shown] = []


class Problem(BaseModel):
    """A sentence in both languages."""

    zh: str
    en: str


class DocumentSummary(BaseModel):
    """A stored document."""

    name: str
    doc_set: str
    kind: str
    language: str
    bytes: int
    chunks: int
    updated: str  # ISO 8601, UTC
    status: str = "completed"  # "pending": some chunks have no vectors yet, and are found by keywords alone
    problem: Problem | None = None  # why, since when, and what to do
    title: Shown = ""
    url: str = ""
    structured: StructuredSummary | None = None  # what it is about; null: nobody has found that out yet


class AddDocumentResult(BaseModel):
    outcome: str  # "added", "replaced", "unchanged"
    document: DocumentSummary


class DocumentList(BaseModel):
    total: int  # that meet the conditions
    documents: list[DocumentSummary]
    waiting: int  # files on their way into the library
    failed: int


class DeleteDocumentResult(BaseModel):
    deleted: int


class EvaluateResult(BaseModel):
    answer: Shown
    verdict: AnswerVerdict
    statements: list[CheckedStatement]  # those that say something that a source could hold
    confidence: float
    covered: bool | None = None
    notices: list[Shown] = []
