"""An answer on its way: its text without thoughts and circles, every wait for it bounded, and all of them together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from providers.attempt import Attempt, ProviderRequest
from providers.catalog import Provider
from providers.failures import Failure, describe, failures
from providers.repetition import Repetition
from providers.thoughts import ThoughtFilter

if TYPE_CHECKING:
    from langchain_core.messages import AIMessageChunk

THINKING = 10  # time-outs that a model may think before its next word
LONGEST = 100_000  # characters of a reply, or of a piece of one: more is nothing that anybody asked for


def next_readable(text: str) -> str:
    """Without half surrogate pairs, which are no characters: nothing that is stored or shown may hold one."""
    return text[:LONGEST].encode("utf-8", "replace").decode()


class DiscardedThoughts:
    """In a stream: what was said so far were thoughts."""


class CutOff(NamedTuple):
    """Ends a stream: the model had more to say, and was not let."""

    why: Failure


class AnswerStream:
    """A stream of a chat model. Every failure is a ProviderError, and told to the attempt."""

    def __init__(self, parts: Any, attempt: Attempt, request: ProviderRequest, provider: Provider) -> None:
        self._parts: AsyncGenerator[AIMessageChunk, None] = parts
        self._attempt, self._request, self._provider = attempt, request, provider
        self._thoughts, self._repetition = ThoughtFilter(), Repetition()
        self._first: str | None = None
        self._ended = False
        self._unfinished: Literal["late", "loop", "length"] | None = None

    async def begin(self) -> None:
        """Wait for the first visible text; until the request's time-out there must be a sign of life."""
        try:
            self._first = await self._next(self._request.until)
        except failures() as error:
            await self._parts.aclose()
            raise self._attempt.failed(error) from error
        except asyncio.CancelledError:
            self._attempt.stopped()
            await self._parts.aclose()
            raise
        if self._first is None:
            raise self._attempt.failed_as("empty")
        self._attempt.begun()

    async def pieces(self) -> AsyncGenerator[str | DiscardedThoughts | CutOff, None]:
        try:
            piece, has_text = self._first, True
            while piece is not None:
                if self._thoughts.void:
                    self._thoughts.void = has_text = False
                    yield DiscardedThoughts()
                if piece:
                    has_text = True
                    yield piece
                piece = await self._more(has_text)
            if self._unfinished == "loop" and not self._request.alone:
                raise self._attempt.failed_as("loop")
            if not has_text:
                raise self._attempt.failed_as("empty")
            if self._unfinished:
                yield CutOff(describe(self._unfinished, self._provider))
            self._attempt.succeeded()
        except failures() as error:
            raise self._attempt.failed(error) from error
        except (GeneratorExit, asyncio.CancelledError):
            self._attempt.stopped()
            raise
        finally:
            await self._parts.aclose()

    async def _more(self, has_text: bool) -> str | None:
        """The next text; None where the time is over, of which what was said is left."""
        try:
            return await self._next()
        except TimeoutError:
            if not (has_text and self._attempt.late):
                raise
            self._unfinished, self._ended = "late", True
            return self._repetition.finish() or None

    async def _next(self, until: float | None = None) -> str | None:
        """More visible text, or "" when what came before is void; None at the end."""
        now = asyncio.get_running_loop().time
        latest = min(now() + THINKING * self._provider.timeout, self._request.deadline)  # a sign of life is no answer
        while not self._ended:
            async with asyncio.timeout_at(min(latest, until or now() + self._provider.timeout)):
                part = await anext(self._parts, None)
            until = None
            text = self._visible(part)
            if text or self._thoughts.void:
                return text
        return None

    def _visible(self, part: AIMessageChunk | None) -> str:
        """What of a part, or of what was held back at the end, is the answer."""
        if part is None:
            self._ended = True
            return self._repetition.feed(self._thoughts.finish()) + self._repetition.finish()
        if part.usage_metadata:
            self._attempt.used(part)
        if part.response_metadata.get("finish_reason") == "length":
            self._unfinished = "length"
        text = self._thoughts.feed(next_readable(str(part.text)))
        if self._thoughts.void:  # another text begins
            self._repetition = Repetition()
        text = self._repetition.feed(text)
        if self._repetition.endless:
            self._unfinished, self._ended = "loop", True
        return text
