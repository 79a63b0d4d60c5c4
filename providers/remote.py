"""Embeddings from an OpenAI-compatible address: in batches, several at a time, retried where that can help."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from providers.base import EmbeddingError
from providers.breaker import COOLDOWN, Breaker
from providers.neural import Reading
from schema import Message
from settings import Settings

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

log = logging.getLogger(__name__)
T = TypeVar("T")

_TRIES = 3
_WAITS = (0.3, 1.0)  # seconds before the second and the third try, doubled or halved at random
_LONGEST_WAIT = 20.0  # seconds; who is told to wait longer gives up for now
_SHORTEST = 200  # characters down to which a text that is too long for its model is cut
_TOO_LONG = ("token", "length", "long", "context", "maximum", "exceed", "large")


class Endpoint(NamedTuple):
    """Where a model answers."""

    provider: str
    model: str
    base_url: str | None  # None: the client's own
    api_key: str
    batch: int  # texts in a request
    dimensions: int | None = None  # asked for; None: as the model has them


class RemoteEncoder:
    """To be called from threads: the network is waited for on an event loop of its own, and nobody else waits."""

    clips = False

    def __init__(self, endpoint: Endpoint, settings: Settings) -> None:
        import openai  # noqa: F401 - here, in the caller's thread: it takes a second, which no time-out should count

        self._endpoint = endpoint
        self._patience, self._question_patience = settings.embedding_timeout, settings.embedding_question_timeout
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
            raise EmbeddingError(_CLOSING, passing=False) from None
        finally:
            self._running.discard(future)

    def reading(self, texts: Sequence[str]) -> Reading:
        return Reading(None, None)

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
        size = self._endpoint.batch
        batches = [texts[place : place + size] for place in range(0, len(texts), size)]
        asking = self._ask if question else self._ask_in_turn  # a question goes before the background's texts
        try:
            async with asyncio.timeout(self._question_patience if question else None), asyncio.TaskGroup() as group:
                tasks = [group.create_task(asking(batch)) for batch in batches]
        except TimeoutError as error:
            raise self._failed(error) from error
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
                log.warning("%s refuses long texts: cut to %d characters", self._endpoint.model, self._most)
            except EmbeddingError as error:
                tries += 1
                if tries == _TRIES or not error.passing or error.retry_after > _LONGEST_WAIT:
                    raise
                await asyncio.sleep(max(error.retry_after, _WAITS[tries - 1] * random.uniform(0.5, 2)))

    async def _request(self, texts: list[str]) -> list[list[float]]:
        endpoint = self._endpoint
        asked: dict[str, Any] = {"dimensions": endpoint.dimensions} if endpoint.dimensions else {}
        if endpoint.provider != "openai":
            asked["encoding_format"] = "float"  # base64, the client's own choice, is not known everywhere
        try:
            async with asyncio.timeout(self._patience):
                reply = await self._opened().embeddings.create(model=endpoint.model, input=texts, **asked)
            return [row.embedding for row in sorted(reply.data, key=lambda row: row.index or 0)]
        except _failures() as error:
            raise self._failed(error) from error

    def _opened(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        if self._client is None:
            self._client = AsyncOpenAI(
                base_url=self._endpoint.base_url,
                api_key=self._endpoint.api_key,
                timeout=self._patience,
                max_retries=0,  # retries are made here, in one layer
            )
        return self._client

    def _failed(self, error: Exception) -> EmbeddingError:
        """What went wrong, for a person. Never with the key."""
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        model, at = self._endpoint.model, self._endpoint.base_url or "api.openai.com"
        if isinstance(error, APIStatusError):
            return _refused(error, model, at)
        late = isinstance(error, (TimeoutError, APITimeoutError))
        if late:
            reason = Message(zh="没有按时回答", en="did not answer in time")
        elif isinstance(error, (APIConnectionError, OSError)):
            reason = Message(zh="无法连接", en="cannot be reached")
        else:
            log.warning("%s at %s answered with no embeddings: %s", model, at, error)
            reason = Message(zh="的回答不是向量", en="answered with something else than vectors")
        return EmbeddingError(
            Message(
                zh=f"嵌入模型 {model}（{at}）{reason.zh}。", en=f"The embedding model {model} at {at} {reason.en}."
            ),
            _LATER,
            passing=isinstance(error, (APIConnectionError, OSError)) and not late,  # who waited once need not again
        )


class _TooLong(EmbeddingError):
    """Refused because of a text's length."""


_LATER = Message(
    zh="请检查网络和 .env 中的地址；恢复后会自动继续。",
    en="Check the network and the address in .env; it goes on by itself when the address answers again.",
)
_CLOSING = Message(zh="知识库正在关闭。", en="The library is being closed.")
_REASONS = {
    401: Message(zh="不接受密钥", en="does not accept the key"),
    403: Message(zh="不允许使用这个模型", en="does not allow this model"),
    404: Message(zh="没有这个模型", en="does not have this model"),
    429: Message(zh="请求过多或额度已用完", en="is asked too often, or the quota is used up"),
}


def _refused(error: APIStatusError, model: str, at: str) -> EmbeddingError:
    status, said = error.status_code, str(error.message).lower()
    log.warning("%s at %s: %s", model, at, error)
    reason = _REASONS.get(status, Message(zh=f"报告了错误 {status}", en=f"reports the error {status}"))
    message = Message(zh=f"嵌入模型 {model}：{at} {reason.zh}。", en=f"The embedding model {model}: {at} {reason.en}.")
    remedy = Message(
        zh="请检查 .env 中的嵌入模型、地址和密钥。", en="Check the embedding model, its address and key in .env."
    )
    if status in (400, 413, 422) and any(word in said for word in _TOO_LONG):
        return _TooLong(message, remedy, passing=False)
    spent = error.code == "insufficient_quota"
    passing = (status in (408, 409, 425, 429) or status >= 500) and not spent
    return EmbeddingError(message, _LATER if passing else remedy, passing=passing, retry_after=_retry_after(error))


def _retry_after(error: APIStatusError) -> float:
    """Seconds; a date, the header's other form, is not worth its parsing: the breaker waits by itself."""
    try:
        return max(0.0, float(error.response.headers.get("retry-after", 0)))
    except ValueError:
        return 0.0


def _failures() -> tuple[type[Exception], ...]:
    """What a request may end with; a reply that is none is a ValueError, a TypeError or an AttributeError."""
    from openai import OpenAIError

    return (OpenAIError, OSError, TimeoutError, ValueError, TypeError, AttributeError)


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
