"""The language model: which one is configured, streaming, and forms that it fills."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, SecretStr

from errors import ModelError
from schema import Call, Message
from settings import Settings

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI

log = logging.getLogger(__name__)

Form = TypeVar("Form", bound=BaseModel)
Prompt = Sequence[tuple[str, str]]  # (role, text): role is "system", "user" or "assistant"
Method = Literal["json_schema", "function_calling", "json_mode"]


State = Literal["ok", "failing", "open", "unknown"]
Purpose = Literal["plan", "hyde", "rerank", "answer", "refine", "judge", "embed"]


class Restart(NamedTuple):
    """What was streamed so far is void: another provider starts anew."""

    provider: str
    reason: Message


@dataclass(frozen=True, slots=True)
class Health:
    """How a provider of the chain is doing."""

    provider: str
    model: str
    state: State
    error: Message | None = None
    latency: float | None = None  # seconds until the last answer's first token


class Chain:
    """Who may be asked, in order. One per process, and per event loop."""

    def __init__(self, settings: Settings) -> None:
        self._link = open_link(settings)

    def model(self) -> Model | None:
        """A handle for one turn; None when nobody can be asked: then answers are extracted from the sources."""
        return Model(self._link) if self._link else None

    def health(self) -> list[Health]:
        return [Health("custom", self._link.name, "unknown")] if self._link else []

    async def close(self) -> None:
        pass


class Model:
    """One turn's handle on the chain. Every failure is a ModelError."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self.name = link.name
        self.calls: list[Call] = []

    async def stream(self, prompt: Prompt, *, purpose: Purpose = "answer") -> AsyncGenerator[str | Restart, None]:
        """The answer's text, piece by piece."""
        started = time.monotonic()
        async with aclosing(self._link.stream(prompt)) as pieces:
            async for piece in pieces:
                yield piece
        self.calls.append(Call(purpose, "custom", self.name, time.monotonic() - started))

    async def fill(
        self,
        prompt: Prompt,
        form: type[Form],
        *,
        purpose: Purpose,
        temperature: float | None = None,
        model: str | None = None,
    ) -> Form:
        """The form, filled."""
        started = time.monotonic()
        filled = await self._link.fill(prompt, form)
        self.calls.append(Call(purpose, "custom", self.name, time.monotonic() - started))
        return filled

    async def write(self, prompt: Prompt, *, purpose: Purpose, temperature: float | None = None) -> str:
        """The whole text at once."""
        return "".join([piece async for piece in self.stream(prompt, purpose=purpose) if isinstance(piece, str)])


@dataclass
class Link:
    """A chat model under its name. Every failure is a ModelError."""

    name: str
    chat: ChatOpenAI
    patience: float = 30.0  # seconds that a stream may be silent
    _method: Method | None = field(default=None, init=False)  # the way to structured answers that worked

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str, None]:
        """The answer's text, piece by piece."""
        try:
            async with aclosing(self.chat.astream(list(prompt))) as parts:  # type: ignore[type-var]
                while True:
                    async with asyncio.timeout(self.patience):
                        part = await anext(parts, None)
                    if part is None:
                        break
                    if part.text:
                        yield str(part.text)
        except _failures() as error:
            raise _failed(self.name, error) from error

    async def fill(self, prompt: Prompt, form: type[Form]) -> Form:
        """The form, filled. Tries what the address supports, best first, and remembers it."""
        methods: tuple[Method, ...] = ("json_schema", "function_calling", "json_mode")
        wanted = f"Answer with one JSON object of this schema:\n{json.dumps(form.model_json_schema())}"
        reason: Exception | None = None
        for method in (self._method,) if self._method else methods:
            asked = list(prompt) if method != "json_mode" else [*prompt, ("user", wanted)]
            try:
                filled = await self.chat.with_structured_output(form, method=method).ainvoke(asked)
            except _failures() as error:
                if _silent(error):
                    raise _failed(self.name, error) from error
                log.info("%s: %s did not give a %s: %s", self.name, method, form.__name__, error)
                reason = error
                continue
            if isinstance(filled, form):
                self._method = method
                return filled
        self._method = None
        raise _failed(self.name, reason or ValueError("no form in the reply")) from reason


def open_link(settings: Settings) -> Link | None:
    """The configured model, or None: then answers are extracted from the sources."""
    name, base_url, key = settings.llm_model, settings.llm_base_url, settings.llm_api_key
    if name is None and settings.openai_api_key is not None:
        name, base_url, key = settings.openai_model, settings.openai_base_url, settings.openai_api_key
    elif name is None and settings.dashscope_api_key is not None:
        name, base_url, key = settings.dashscope_model, settings.dashscope_base_url, settings.dashscope_api_key
    if name is None:
        return None
    from langchain_openai import ChatOpenAI

    chat = ChatOpenAI(
        model=name,
        base_url=base_url,
        api_key=key or SecretStr("none"),  # local servers want no key, the client wants a word
        timeout=settings.llm_timeout,
        temperature=settings.llm_temperature,
        max_retries=1,
        stream_usage=True,
        # Its own limit uses asyncio.wait_for, which in Python 3.11 can lose a cancellation: a stop would not stop.
        stream_chunk_timeout=None,
    )
    return Link(name, chat, settings.llm_timeout)


def _failures() -> tuple[type[Exception], ...]:
    """What a call may end with: the client's errors share no base below Exception, and bad replies are ValueErrors."""
    from langchain_core.exceptions import LangChainException
    from openai import OpenAIError

    return (LangChainException, OpenAIError, OSError, TimeoutError, ValueError, TypeError, KeyError)


def _silent(error: Exception) -> bool:
    """Whether the address did not answer at all, so that asking in another form is useless."""
    from langchain_core.exceptions import ModelAuthenticationError, ModelConnectionError, ModelTimeoutError

    return isinstance(error, (ModelAuthenticationError, ModelConnectionError, ModelTimeoutError, OSError, TimeoutError))


def _failed(name: str, error: Exception) -> ModelError:
    log.warning("model %s failed: %s: %s", name, type(error).__name__, error)
    kind = type(error).__name__
    return ModelError(
        Message(
            zh=f"模型 {name} 没有给出可用的回答（{kind}）。", en=f"The model {name} gave no usable answer ({kind})."
        ),
        Message(
            zh="请检查 .env 中的模型名称、地址和密钥，或稍后再试。",
            en="Check the model's name, address and key in .env, or try again later.",
        ),
    )
