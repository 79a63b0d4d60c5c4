"""Embeddings from an OpenAI-compatible address: in batches, several at a time, retried where that can help."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from copy import copy
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from providers.base import EmbeddingError
from providers.breaker import COOLDOWN, Breaker
from providers.catalog import Provider
from providers.failures import PASSING, REST, explain, failures
from providers.neural import ReadableShare
from schema import Message
from settings import Settings

if TYPE_CHECKING:
    from openai import AsyncOpenAI

log = logging.getLogger(__name__)
T = TypeVar("T")

_TRIES = 3
_WAITS = (0.3, 1.0)  # seconds before the second and the third try, doubled or halved at random
_LONGEST_WAIT = 20.0  # seconds; who is told to wait longer gives up for now
_SHORTEST = 200  # characters down to which a text that is too long for its model is cut
_TOO_LONG = ("token", "length", "long", "context", "maximum", "exceed", "large")


class RemoteEncoder:
    """To be called from threads: the network is waited for on an event loop of its own, and nobody else waits."""

    clips = False

    def __init__(self, provider: Provider, batch: int, dimensions: int | None, settings: Settings) -> None:
        """At most `batch` texts go in a request; `dimensions` None: as the model has them."""
        import openai  # noqa: F401 - here, in the caller's thread: it takes a second, which no time-out should count

        self._provider, self._batch, self._dimensions = provider, batch, dimensions
        self._question_patience = settings.embedding_question_timeout
        self._slots = asyncio.Semaphore(settings.embedding_concurrency)
        self._client: AsyncOpenAI | None = None
        self._running: set[Future[Any]] = set()
        self._most: int | None = None  # characters, once a longer text was refused
        self._last_error: EmbeddingError | None = None
        self.breaker = Breaker()

    def encode(self, texts: list[str], *, question: bool = False) -> list[list[float]]:
        future = _start(self._unless_resting(texts, question))
        self._running.add(future)
        try:
            return future.result()
        except CancelledError:
            raise EmbeddingError(_CLOSING) from None
        finally:
            self._running.discard(future)

    def reading(self, texts: Sequence[str]) -> ReadableShare:
        return ReadableShare(None, None)

    def close(self) -> None:
        """Give up what is being waited for."""
        for future in list(self._running):
            future.cancel()
        if self._client is not None:
            _start(self._client.close()).result()

    async def _unless_resting(self, texts: list[str], question: bool) -> list[list[float]]:
        """Who has just failed is not asked: nobody waits for it again."""
        if not self.breaker.admit():
            assert self._last_error is not None
            raise copy(self._last_error)
        try:
            rows = await self._encode(texts, question)
        except EmbeddingError as error:
            if error.by_text:  # the provider as such is well
                self.breaker.release()
                raise
            self._last_error = error
            doubles = self.breaker.state == "half_open" and not error.retry_after
            self.breaker.failed(None if doubles else max(COOLDOWN, error.retry_after))
            raise
        except BaseException:
            self.breaker.release()
            raise
        self.breaker.succeeded()
        return rows

    async def _encode(self, texts: list[str], question: bool) -> list[list[float]]:
        size = self._batch
        batches = [texts[place : place + size] for place in range(0, len(texts), size)]
        asking = self._ask if question else self._ask_in_turn  # a question goes before the background's texts
        try:
            async with asyncio.timeout(self._question_patience if question else None), asyncio.TaskGroup() as group:
                tasks = [group.create_task(asking(batch)) for batch in batches]
        except TimeoutError as error:
            raise _failed(error, replace(self._provider, timeout=self._question_patience)) from error
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [row for task in tasks for row in task.result()]

    async def _ask_in_turn(self, texts: list[str]) -> list[list[float]]:
        async with self._slots:
            return await self._ask(texts)

    async def _ask(self, texts: list[str]) -> list[list[float]]:
        """One request, again when it may pass, or with shorter texts when they are too long for the model."""
        tries = 0
        while True:
            sent = [text[: self._most] for text in texts]
            try:
                return await self._request(sent)
            except _TooLong:
                longest = max(map(len, sent))
                if longest <= _SHORTEST:
                    self._most = None
                    raise
                self._most = min(self._most or longest, max(longest // 2, _SHORTEST))
                log.warning("%s refuses long texts: cut to %d characters", self._provider.model, self._most)
            except EmbeddingError as error:
                tries += 1
                if tries == _TRIES or not error.passing or error.retry_after > _LONGEST_WAIT:
                    raise
                await asyncio.sleep(max(error.retry_after, _WAITS[tries - 1] * random.uniform(0.5, 2)))

    async def _request(self, texts: list[str]) -> list[list[float]]:
        asked: dict[str, Any] = {"dimensions": self._dimensions} if self._dimensions else {}
        if self._provider.name != "openai":
            asked["encoding_format"] = "float"  # base64, the client's own choice, is not known everywhere
        try:
            async with asyncio.timeout(self._provider.timeout):
                reply = await self._opened().embeddings.create(model=self._provider.model, input=texts, **asked)
            return [row.embedding for row in sorted(reply.data, key=lambda row: row.index or 0)]
        except failures() as error:
            raise _failed(error, self._provider) from error

    def _opened(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        if self._client is None:
            key = self._provider.api_key
            self._client = AsyncOpenAI(
                base_url=self._provider.base_url,
                api_key=key.get_secret_value() if key else "none",  # local servers want no key, the client a word
                timeout=self._provider.timeout,
                max_retries=0,  # retries are made here, in one layer
            )
        return self._client


class _TooLong(EmbeddingError):
    """Refused because of a text's length."""


_LATER = Message(
    zh="请检查网络和 .env 中的地址；恢复后会自动继续。",
    en="Check the network and the address in .env; it goes on by itself when the address answers again.",
)
_CLOSING = Message(zh="知识库正在关闭。", en="The library is being closed.")


def _failed(error: Exception, provider: Provider) -> EmbeddingError:
    failure = explain(error, provider)
    log.warning("embeddings of %s: %s: %s", provider.model, failure.kind, failure.detail)
    message = Message(zh=f"嵌入模型：{failure.message.zh}", en=f"Embeddings: {failure.message.en}")
    refused = failure.kind == "refused" and any(word in failure.detail.lower() for word in _TOO_LONG)
    if refused or failure.kind == "too_long":
        return _TooLong(message, failure.remedy, by_text=True)
    return EmbeddingError(
        message,
        failure.remedy if failure.kind in REST else _LATER,
        passing=failure.kind in PASSING,
        by_text=failure.kind == "refused",
        retry_after=failure.retry_after or 0.0,
    )


_starting = threading.Lock()


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """One for all addresses: connections that are kept open belong to a loop."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="embeddings", daemon=True).start()
    return loop


def _start(work: Coroutine[Any, Any, T]) -> Future[T]:
    with _starting:
        loop = _loop()
    return asyncio.run_coroutine_threadsafe(work, loop)
