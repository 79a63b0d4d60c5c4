"""What one request has in place of the settings: the same words at every door, checked once."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict, get_args

from pydantic import BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticKnownError

from profiles import PROFILES
from schema import Language, RerankerName
from schema.names import language_code
from schema.numbers import StrictNumbers
from settings import Settings

RerankWish = Literal["on", "off", "llm", "cross-encoder", "onnx"]

_WORDS = {"true": "on", "1": "on", "yes": "on", "false": "off", "0": "off", "no": "off", "none": "off"}


def blank_is_none(value: Any) -> Any:
    """Programs that know no null send an empty text."""
    return None if value == "" else value


def whole_number(value: Any) -> Any:
    """JSON's true is no number, though it is one for Python."""
    if isinstance(value, bool):
        raise PydanticKnownError("int_type")
    return blank_is_none(value)


def _number(value: Any) -> Any:
    if isinstance(value, bool):
        raise PydanticKnownError("float_type")
    return blank_is_none(value)


def _code(value: Any) -> Any:
    """zh-CN, cn, EN_us, Chinese, 英文: whatever names one of the languages; "auto" is the question's."""
    plain = value.strip().lower() if isinstance(value, str) else value
    return None if plain in ("", "auto") else language_code(plain)


def _rerank(value: Any) -> Any:
    """Switched on or off in any way; "auto" is what the settings say."""
    word = str(value).strip().lower() if isinstance(value, bool | str) else value
    return None if word in ("", "auto") else _WORDS.get(word, word) if isinstance(word, str) else word


def _either(zh: str, en: str, **bounds: Any) -> Any:
    return Field(description=f"{zh}；空：按设置 / {en}; empty: as the settings say", **bounds)


AnswerLanguage = Annotated[
    Language | None,
    Field(description="回答的语言（zh、en）；空：与问题相同 / language of the answer (zh, en); empty: the question's"),
    BeforeValidator(_code),
]
TopK = Annotated[
    int | None, _either("检索的条数", "how many passages are found", ge=1, le=50), BeforeValidator(whole_number)
]
MinSimilarity = Annotated[
    float | None,
    _either("只由向量找到的段落至少多相似", "least similarity of a passage that only its vector found", ge=0, le=1),
    BeforeValidator(_number),
]
MinConfidence = Annotated[
    float | None,
    _either("置信度低于它就说明回答不一定可靠", "below this confidence an answer is said to be weak", ge=0, le=1),
    BeforeValidator(_number),
]
MaxContextLength = Annotated[
    int | None,
    _either("最多读入多少词元的原文", "tokens of the sources that are read at most", ge=100, le=1_000_000),
    BeforeValidator(whole_number),
]
Rerank = Annotated[
    RerankWish | None,
    _either(f"重排（{'、'.join(get_args(RerankWish))}）", f"reranking ({', '.join(get_args(RerankWish))})"),
    BeforeValidator(_rerank),
]


SearchMethod = Annotated[int, Field(ge=0, le=7), BeforeValidator(whole_number)]  # `retrieval/lookups` has the numbers


class Overrides(StrictNumbers):
    """None: as the settings say."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    language: AnswerLanguage = None
    top_k: TopK = None
    min_similarity: MinSimilarity = None
    min_confidence: MinConfidence = None
    max_context_length: MaxContextLength = None
    rerank: Rerank = None

    def over(self, settings: Settings) -> Settings:
        """The settings of this request. As many passages are found as are asked for, reranked or not."""
        changed: dict[str, Any] = self.model_dump(exclude_none=True, exclude={"language", "rerank"})
        if self.top_k is not None:
            changed["rerank_top_k"] = self.top_k
        if self.rerank is not None:
            changed["reranker"] = self._reranker(settings)
        return settings.model_copy(update=changed) if changed else settings

    def _reranker(self, settings: Settings) -> RerankerName:
        """Switched on, it is the one of the settings; where they have none, the language model."""
        if self.rerank == "off":
            return "none"
        if self.rerank != "on" and self.rerank is not None:
            return self.rerank
        if settings.reranker not in ("none", "auto"):
            return settings.reranker
        return "auto" if settings.reranker_model else "llm"


AS_SET = Overrides()

# The values of seed 001 for its own path (`SearchRequest.search_method`), where a request has none of its own.
_BY_METHOD = {**PROFILES["001"], "reranker": "none", "parent_sections": False}


def settings_for(search_method: int | None, overrides: Overrides, settings: Settings) -> Settings:
    """The settings of this request, which may go the path of seed 001."""
    return overrides.over(settings if search_method is None else settings.model_copy(update=_BY_METHOD))


class Options(TypedDict, total=False):
    """The same as keywords of Python."""

    language: Language | None
    top_k: int | None
    min_similarity: float | None
    min_confidence: float | None
    max_context_length: int | None
    rerank: bool | RerankWish | None
