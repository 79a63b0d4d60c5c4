"""One provider: asked once, or again where that can help, with what is remembered of it between turns."""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import Future
from contextlib import aclosing
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from providers.answer_stream import AnswerStream, CutOff, DiscardedThoughts, next_readable
from providers.attempt import SHORT, Attempt, ProviderCondition, ProviderRequest
from providers.breaker import Breaker
from providers.catalog import Provider
from providers.failures import PASSING, Failure, ProviderError, failures
from providers.structured import ModelReply, StructuredModes, may_be_the_form
from providers.thoughts import without_thoughts

if TYPE_CHECKING:
    from types import ModuleType

    from langchain_core.messages import AIMessage
    from langchain_openai import ChatOpenAI
    from openai import AsyncOpenAI

T = TypeVar("T")

FIRST_WAIT = 0.3  # seconds on average before the second attempt where nobody could step in; before the third, twice
_DROPPABLE = ("temperature", "stream_options", "max_tokens")  # parameters that some models refuse and nobody misses


class ChainLink:
    """A provider of the chain. Of one event loop. Every failure is a ProviderError."""

    def __init__(self, provider: Provider, clock: Callable[[], float] = time.monotonic) -> None:
        self.provider = provider
        self.condition = ProviderCondition(Breaker(clock))
        self.ways = StructuredModes("function_calling" if provider.name == "deepseek" else "json_schema")
        self._refused: frozenset[str] = frozenset()
        self._client: AsyncOpenAI | None = None
        self._chat: ChatOpenAI | None = None

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def stream(self, request: ProviderRequest) -> AsyncGenerator[str | DiscardedThoughts | CutOff, None]:
        """The answer piece by piece. What fails before the first one is tried again where that can help."""
        speech = await self._persist(request, self._begin)
        async with aclosing(speech.pieces()) as pieces:
            async for piece in pieces:
                yield piece

    async def ask(self, request: ProviderRequest) -> ModelReply:
        """The whole answer."""
        return await self._persist(request, self._ask_once)

    async def ready(self) -> float:
        """Until when, on the loop's clock, a request that begins now must be answered."""
        await self._open()  # the first time it costs seconds that are not the provider's
        return asyncio.get_running_loop().time() + self.provider.timeout

    async def _persist(self, request: ProviderRequest, once: Callable[[ProviderRequest], Awaitable[T]]) -> T:
        """The one place that asks again, within the provider's time-out."""
        loop = asyncio.get_running_loop()
        request.until = min(request.until or await self.ready(), request.deadline)
        attempt = 1
        while True:
            try:
                return await once(request)
            except ProviderError as error:
                if self._drops_parameter(error.failure):
                    continue
                if request.tentative and may_be_the_form(error.failure):
                    raise
                wait = pause(error.failure, attempt, alone=request.alone)
                rests = self.condition.breaker.state != "closed"
                if wait is None or rests or loop.time() + wait >= request.until:
                    raise
            attempt += 1
            await asyncio.sleep(wait)

    async def _ask_once(self, request: ProviderRequest) -> ModelReply:
        attempt = Attempt(request, self.provider, self.condition)
        try:
            chat = await self._open()
            async with asyncio.timeout_at(request.until):
                message = await chat.ainvoke(list(request.prompt), **self._options(request))
            attempt.used(message)
            reply = ModelReply(next_readable(str(message.text)), next_readable(_arguments(message)))
        except failures() as error:
            raise attempt.failed(error) from error
        except asyncio.CancelledError:
            attempt.stopped()
            raise
        if not reply.arguments and not without_thoughts(reply.text):
            raise attempt.failed_as("empty")
        attempt.succeeded()
        return reply

    async def _begin(self, request: ProviderRequest) -> AnswerStream:
        attempt = Attempt(request, self.provider, self.condition)
        chat = await self._open()
        parts = chat.astream(list(request.prompt), **self._options(request))
        speech = AnswerStream(parts, attempt, request, self.provider)
        await speech.begin()
        return speech

    async def _open(self) -> ChatOpenAI:
        if self._chat is None:
            module = await asyncio.wrap_future(warm_up())
            self._client = self._client or module.open_client(self.provider)
            self._chat = module.open_chat(self.provider, self._client, self._refused)
        return self._chat

    def _options(self, request: ProviderRequest) -> dict[str, Any]:
        """What this request says otherwise than the model as it was opened."""
        body = {name: value for name, value in request.body.items() if name not in self._refused}
        options: dict[str, Any] = {"extra_body": body} if body else {}
        if request.temperature is not None and "temperature" not in self._refused:
            options["temperature"] = request.temperature
        if request.model is not None:
            options["model"] = request.model
        return options

    def _drops_parameter(self, failure: Failure) -> bool:
        """Whether a refused request can go without the parameter that the refusal names; remembered."""
        if failure.kind not in ("refused", "too_long"):
            return False
        named = {name for name in _DROPPABLE if name in failure.detail}
        if "in the completion" in failure.detail:  # a small context, that the allowed tokens alone would fill
            named.add("max_tokens")
        named -= self._refused
        if named:
            self._refused |= named
            self._chat = None
        return bool(named)


def pause(failure: Failure, attempt: int, *, alone: bool) -> float | None:
    """Seconds to wait before asking again, with jitter; None: better not.

    While somebody else can step in, a stumble is worth one quick attempt, and a wait that the provider asks for 2 s.
    """
    if failure.kind not in PASSING or attempt >= (2 if failure.kind == "unreachable" else 3):
        return None
    if failure.retry_after is not None:
        return failure.retry_after if failure.retry_after <= (SHORT if alone else 2.0) else None
    if not alone:
        return random.uniform(0.05, 0.2) if attempt == 1 and failure.kind in ("server", "dropped") else None
    return FIRST_WAIT * random.uniform(0.7, 1.3) * 2.0 ** (attempt - 1)


@cache
def warm_up() -> Future[ModuleType]:
    """LangChain's modules cost seconds at first: they are brought in by a thread, beside everything else."""
    done: Future[ModuleType] = Future()
    done.set_running_or_notify_cancel()  # a turn that is stopped while it waits does not stop it for all

    def bring() -> None:
        try:
            from providers import openai_chat
        except ImportError as error:
            done.set_exception(error)
        else:
            done.set_result(openai_chat)

    threading.Thread(target=bring, name="warm-up", daemon=True).start()
    return done


def _arguments(message: AIMessage) -> str:
    """Of the first tool that was called, as JSON or what was meant to be."""
    for call in message.tool_calls:
        return json.dumps(call["args"], ensure_ascii=False)
    return str(next((call["args"] or "" for call in message.invalid_tool_calls), ""))
