"""What the OpenAI-compatible door takes and gives."""

from __future__ import annotations

import time
import uuid
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from doors.forms import Names, Strategy, Where, Whether
from doors.problems import STATUS, UNFIT, ErrorFields
from errors import CitewiseError, Kind
from nodes.overrides import (
    AnswerLanguage,
    MaxContextLength,
    MinConfidence,
    MinSimilarity,
    Rerank,
    TopK,
)
from schema import Message, StrategyName
from schema.names import strategy_name
from schema.numbers import StrictNumbers

MODEL = "citewise"
MODELS = (MODEL, *(f"{MODEL}/{name}" for name in get_args(StrategyName)))
MOST_MESSAGES = 1_000
_TYPES: dict[Kind, str] = {
    "not_found": "not_found_error",
    "internal": "server_error",
    "store": "server_error",
    "model": "server_error",
    "missing_extra": "server_error",
}


class ContentPart(BaseModel):
    """A piece of a message; of those that are no text, nothing is read."""

    model_config = ConfigDict(extra="ignore")

    type: str = ""
    text: str = ""


class ChatMessage(BaseModel):
    model_config = ConfigDict(extra="ignore")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[ContentPart] | None = None

    @property
    def text(self) -> str:
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        return "\n".join(part.text for part in self.content if part.type in ("text", "input_text", "output_text"))


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="ignore")

    include_usage: bool | None = None


class ChatRequest(StrictNumbers):
    """What a model would do with other parameters (temperature, tools ...) means nothing here: they are passed over.

    The last fields are ours, for programs that can send them (`extra_body` of the `openai` package).
    """

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    model: str = Field(MODEL, max_length=200)
    messages: list[ChatMessage] = Field(min_length=1, max_length=MOST_MESSAGES)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    doc_sets: Names = Field([])
    documents: Names = Field([])
    kinds: Names = Field([])
    where: Where = Field([])
    strategy: Strategy = None  # before the one that the model's name tells
    evaluate: bool = False
    web: Whether = None
    language: AnswerLanguage = None
    top_k: TopK = None
    min_similarity: MinSimilarity = None
    min_confidence: MinConfidence = None
    max_context_length: MaxContextLength = None
    rerank: Rerank = None
    sources_in_text: Annotated[bool, Field(description="lists of sources and notes below the answer")] = True


class CompletionChunks:
    """The pieces of one streamed answer."""

    def __init__(self, model: str) -> None:
        self._head = {
            "id": f"chatcmpl-{uuid.uuid4().hex}",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": model,
        }

    def piece(self, delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return {**self._head, "choices": [choice]}

    def usage(self, used: dict[str, int], sources: Any) -> dict[str, Any]:
        return {**self._head, "choices": [], "usage": used, "sources": sources}


def completion(model: str, message: dict[str, Any], finish_reason: str, used: dict[str, int]) -> dict[str, Any]:
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason}
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [choice],
        "usage": used,
    }


def failure_of(
    error: CitewiseError, text: str, problem: ErrorFields, param: str | None = None, code: str | None = None
) -> tuple[int, dict[str, Any]]:
    """With its status. Chat clients show the message alone, so it is whole; the fields of `ErrorFields` stand beside
    it, but for the type, which is the code here, unless clients know another one."""
    found = {"message": text, "type": _TYPES.get(error.kind, "invalid_request_error"), "param": param}
    beside = problem.model_dump(include={"suggestions", "still_works"})
    return STATUS.get(error.kind, UNFIT), {"error": {**found, "code": code or error.kind, **beside}}


def is_model(name: str) -> bool:
    """Whether a strategy may be meant, by any of its names."""
    base, slash, strategy = name.partition("/")
    try:
        return base == MODEL and bool(not slash or strategy_name(strategy))
    except ValueError:
        return False


def no_model(name: str) -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(zh=f"没有“{name}”这个模型。", en=f"There is no model {name}."),
        Message(zh=f"可用的：{'、'.join(MODELS)}。", en=f"Available: {', '.join(MODELS)}."),
    )


def no_question() -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(zh="messages 里没有用户的提问。", en="There is no question in `messages`."),
        Message(
            zh="请加上一条 role 为 user、内容为文字的消息。",
            en="Add one with the role `user` and text as its content.",
        ),
    )


def too_large() -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(zh="请求太大（上限 4 MB）。", en="The request is too large (more than 4 MB)."),
        Message(
            zh="请少发一些以前的消息；长文本请存为文件。",
            en="Send fewer earlier messages; store long texts as documents.",
        ),
    )
