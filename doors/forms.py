"""What the doors for other programs take and give: one form for each service and one for its result.

Descriptions stand in both languages, since programs show them to people and to models: Chinese first, then English.
"""

from __future__ import annotations

from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from answering.inert_markdown import neutralise_markdown
from nodes.overrides import (
    AnswerLanguage,
    MaxContextLength,
    MinConfidence,
    MinSimilarity,
    Overrides,
    Rerank,
    TopK,
    blank_is_none,
    whole_number,
)
from schema import AcrossLanguages, ChunkerName, Language, SizeUnit, StrategyName, StructuredSummary
from schema.names import StrategyChoice, StrategyWord
from schema.numbers import StrictNumbers

LONGEST_NAME = 500  # characters
MOST_NAMES = 1_000  # documents or sets that one question names
MOST_CONTEXTS = 50
_GREATEST = 2**31 - 1  # of a number that counts something


def either(zh: str, en: str, **more: Any) -> Any:
    return Field(description=f"{zh} / {en}", **more)


Name = Annotated[str, Field(max_length=LONGEST_NAME)]
Names = Annotated[list[Name], Field(max_length=MOST_NAMES)]
Strategy = Annotated[StrategyChoice | None, BeforeValidator(blank_is_none, json_schema_input_type=StrategyWord | None)]
Chunker = Annotated[ChunkerName | None, BeforeValidator(blank_is_none)]
Unit = Annotated[SizeUnit | None, BeforeValidator(blank_is_none)]
Whether = Annotated[bool | None, BeforeValidator(blank_is_none)]
Whole = BeforeValidator(whole_number)  # stands last: bounds are for what is a number by then
Size = Annotated[int | None, Field(ge=1, le=_GREATEST), Whole]
Overlap = Annotated[int | None, Field(ge=0, le=_GREATEST), Whole]
Offset = Annotated[int, Field(ge=0, le=_GREATEST), Whole]
Limit = Annotated[int, Field(ge=1, le=1000), Whole]
Where = Annotated[  # a mapping, or pairs: of two with one name either will do
    list[tuple[Name, str | bool | int | float]],
    BeforeValidator(lambda given: [*given.items()] if isinstance(given, dict) else given),
]
Question = Annotated[str, Field(pattern=r"\S")]

_SETS = either("只在这些文档集里查；空：全部", "only in these document sets; empty: all")
_DOCUMENTS = either("只在这些文件里查；空：全部", "only in these documents; empty: all")
_STRATEGY = either(
    f"检索策略（{'、'.join(get_args(StrategyName))}）；空：自动",
    f"retrieval strategy ({', '.join(get_args(StrategyName))}); empty: automatic",
)


class Form(StrictNumbers):
    """What one call asks for. A misspelt name is an error, not a wish that is passed over."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class RequestOptions(Form):
    """What a request may have in place of the settings, and what narrows a search further. Their order is that of the
    arguments of `gradio_client`: named first among the bases, they stand behind the words of a form."""

    language: AnswerLanguage = None
    top_k: TopK = None
    min_similarity: MinSimilarity = None
    min_confidence: MinConfidence = None
    max_context_length: MaxContextLength = None
    rerank: Rerank = None
    kinds: Names = either("只在这些类型的文件里查（pdf 等）", "only in documents of these kinds (pdf ...)", default=[])
    where: Where = either("只在元数据相符的文件里查", "only where the metadata say so", default=[])

    @property
    def overrides(self) -> Overrides:
        return Overrides.model_validate(self.model_dump(include={*Overrides.model_fields}))


class AskWords(Form):
    question: Question = either("问题", "the question")
    conversation: Name = either(
        "对话名；同一对话里可以追问，空：不保留",
        "name of a conversation, in which questions may follow up; empty: nothing is kept",
        default="",
    )
    doc_sets: Names = Field([], description=_SETS.description)
    documents: Names = Field([], description=_DOCUMENTS.description)
    strategy: Strategy = Field(None, description=_STRATEGY.description)
    evaluate: bool = either("由模型给答案评分（较慢）", "a model rates the answer, which takes longer", default=False)
    web: Whether = either(
        "知识库没有的是否上网搜索；空：按设置",
        "search the web for what the library lacks; empty: as the settings say",
        default=None,
    )


class Ask(RequestOptions, AskWords):
    pass


class SearchWords(Form):
    question: Question = either("要查的内容", "what to look for")
    top_k: TopK = None
    doc_sets: Names = Field([], description=_SETS.description)
    documents: Names = Field([], description=_DOCUMENTS.description)
    strategy: Strategy = Field(None, description=_STRATEGY.description)


class Search(RequestOptions, SearchWords):
    pass


class AddDocument(Form):
    name: Name = either(
        "文件名，扩展名决定类型（如 notes.md）", "its name; the ending tells its kind (notes.md)", default=""
    )
    content: str = either("文本内容", "its text", default="")
    base64: str = either("或：文件的字节（base64）", "or: the bytes of the file in base64", default="")
    doc_set: Name = either("存入的文档集；空：不属于任何集", "document set; empty: in none", default="")
    chunker: Chunker = either(
        f"切片策略（{'、'.join(get_args(ChunkerName))}）；空：自动",
        f"how to cut it ({', '.join(get_args(ChunkerName))}); empty: automatic",
        default=None,
    )
    chunk_size: Size = either("切片大小", "the most of a chunk", default=None)
    chunk_overlap: Overlap = either("切片重叠", "how much chunks share", default=None)
    chunk_unit: Unit = either(
        f"以上两项的单位（{'、'.join(get_args(SizeUnit))}）；空：按设置",
        f"what both are counted in ({', '.join(get_args(SizeUnit))}); empty: as set up",
        default=None,
    )
    metadata: dict[str, Any] = either("元数据，可用 where 查找", "metadata that `where` finds it by", default={})


class ListDocuments(Form):
    doc_set: Name | None = either(
        "只列这个文档集；“”：不属于任何集的；空值：全部", "of this set; “”: those in none; null: all", default=None
    )
    find: Name = either("文件名或标题包含", "what the name or the title contains", default="")
    limit: Limit = either("最多几个", "how many at most", default=100)
    offset: Offset = either("跳过几个", "how many to pass over", default=0)


class DeleteDocument(Form):
    name: Name = either("文件名，与列表所列相同", "its name, as lists show it", min_length=1)
    doc_set: Name | None = either(
        "只删这个文档集里的；空值：各集里的都删", "of this set alone; null: wherever it is", default=None
    )


class EvaluateWords(Form):
    question: Question = either("问题", "the question")
    answer: str = either("要评的答案；空：先回答，再评", "the answer to rate; empty: one is given first", default="")
    contexts: Annotated[list[str], Field(max_length=MOST_CONTEXTS)] = either(
        "答案所依据的原文，[1] 起编号；空：在知识库里查",
        "the passages that the answer rests on, from [1] on; empty: those that the library finds",
        default=[],
    )
    doc_sets: Names = Field([], description=_SETS.description)
    documents: Names = Field([], description=_DOCUMENTS.description)
    strategy: Strategy = Field(None, description=_STRATEGY.description)


class Evaluate(RequestOptions, EvaluateWords):
    pass


# Words of models and documents, which programs show as Markdown.
Shown = Annotated[str, AfterValidator(neutralise_markdown)]


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
