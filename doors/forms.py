"""What the doors for other programs take: one form for each service.

Descriptions stand in both languages, since programs show them to people and to models: Chinese first, then English.
"""

from __future__ import annotations

from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

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
from schema import ChunkerName, SizeUnit, StrategyName
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
