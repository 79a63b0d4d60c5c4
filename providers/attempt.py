"""One request on its way: its record, and what its outcome means for the provider."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from providers.breaker import Breaker
from providers.catalog import Provider
from providers.failures import BLAMELESS, REST, Failure, Kind, ProviderError, describe, explain
from providers.structured import Prompt, may_be_the_form
from schema import Call, Message

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

log = logging.getLogger(__name__)

Purpose = Literal["plan", "hyde", "rerank", "answer", "refine", "judge", "extract", "embed"]
SHORT = 5.0  # seconds that a single provider's Retry-After is waited for; a longer one makes it rest


@dataclass
class ProviderRequest:
    """What is asked, and where its record goes."""

    prompt: Prompt
    purpose: Purpose
    record: Callable[[Call], None]
    alone: bool = True  # nobody else could step in: waiting a little is better than giving up
    temperature: float | None = None
    model: str | None = None
    body: dict[str, Any] = field(default_factory=dict)  # more of the request: a form's schema
    tentative: bool = False  # a form in a way that the server may not know
    until: float | None = None  # on the event loop's clock; by default a time-out from the first attempt
    deadline: float = math.inf  # on the same clock: when nobody waits any longer, whoever is asked


@dataclass
class ProviderCondition:
    """How a provider is doing, from turn to turn."""

    breaker: Breaker
    failure: Failure | None = None  # of the last request
    latency: float | None = None  # seconds until the last answer's first token
    asked: bool = False
    forgiven: int = 0  # failures that may be those of a way to a form; they count when the server fails without one


class Attempt:
    """Ends with exactly one of `succeeded`, `stopped`, `failed` or `failed_as`."""

    def __init__(self, request: ProviderRequest, provider: Provider, condition: ProviderCondition) -> None:
        self._request, self._provider, self._condition = request, provider, condition
        self._started = time.monotonic()
        self._first: float | None = None
        self._tokens: tuple[int | None, int | None] = (None, None)
        condition.asked = True

    @property
    def late(self) -> bool:
        """Whether nobody waits for it any longer."""
        return asyncio.get_running_loop().time() >= self._request.deadline

    def used(self, message: AIMessage) -> None:
        if usage := message.usage_metadata:
            self._tokens = usage["input_tokens"], usage["output_tokens"]

    def begun(self) -> None:
        """The first token of a stream is there."""
        self._first = self._condition.latency = time.monotonic() - self._started
        self._condition.breaker.begun()

    def succeeded(self) -> None:
        if self._first is None:
            self._condition.latency = time.monotonic() - self._started
        self._condition.breaker.succeeded()
        self._condition.failure, self._condition.forgiven = None, 0
        self._record(None)

    def stopped(self) -> None:
        """By the reader: nothing is learned."""
        self._record(None)

    def failed(self, error: Exception) -> ProviderError:
        failure = explain(error, self._provider, began=self._first is not None)
        if failure.kind == "timeout" and self.late:
            failure = describe("late", self._provider, detail=failure.detail)
        before = self._condition.failure
        again = before is not None and (before.kind, before.detail) == (failure.kind, failure.detail)
        level = logging.DEBUG if again else logging.WARNING  # until it answers, the same is said once
        log.log(level, "%s: %s: %s", self._provider.label, type(error).__name__, failure.detail)
        return self._fail(ProviderError(failure))

    def failed_as(self, kind: Kind) -> ProviderError:
        return self._fail(ProviderError(describe(kind, self._provider)))

    def _fail(self, error: ProviderError) -> ProviderError:
        failure, breaker = error.failure, self._condition.breaker
        self._condition.failure = failure
        if failure.kind in BLAMELESS:
            breaker.succeeded()
        elif self._request.tentative and may_be_the_form(failure):
            self._condition.forgiven += 1
        else:
            rest = failure.retry_after if (failure.retry_after or 0.0) > SHORT else None
            for _ in range(self._condition.forgiven):
                breaker.failed()
            self._condition.forgiven = 0
            breaker.failed(rest or REST.get(failure.kind))
        self._record(failure.message)
        return error

    def _record(self, error: Message | None) -> None:
        request, seconds = self._request, time.monotonic() - self._started
        provider, model = self._provider, request.model or self._provider.model
        cost = provider.cost(model, self._tokens)
        call = Call(request.purpose, provider.name, model, seconds, self._first, *self._tokens, error)
        request.record(call if cost is None else replace(call, cost=cost, currency=provider.currency))
