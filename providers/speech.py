"""An answer on its way: its text without thoughts, every wait for it bounded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from providers.attempt import Attempt
from providers.failures import failures
from providers.thoughts import ThoughtFilter

if TYPE_CHECKING:
    from langchain_core.messages import AIMessageChunk

THINKING = 10  # time-outs that a model may think before its next word
LONGEST = 100_000  # characters of a reply, or of a piece of one: more is nothing that anybody asked for


def readable(text: str) -> str:
    """Without half surrogate pairs, which are no characters: nothing that is stored or shown may hold one."""
    return text[:LONGEST].encode("utf-8", "replace").decode()


class Void:
    """In a stream: what was said so far were thoughts."""


class Speech:
    """A stream of a chat model. Every failure is a ProviderError, and told to the attempt."""

    def __init__(self, parts: Any, attempt: Attempt, patience: float) -> None:
        self._parts: AsyncGenerator[AIMessageChunk, None] = parts
        self._attempt, self._patience = attempt, patience
        self._thoughts = ThoughtFilter()
        self._first: str | None = None
        self._ended = False

    async def begin(self, until: float) -> None:
        """Wait for the first visible text; `until`, on the loop's clock, there must be a sign of life."""
        try:
            self._first = await self._next(until)
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

    async def pieces(self) -> AsyncGenerator[str | Void, None]:
        try:
            piece, said = self._first, True
            while piece is not None:
                if self._thoughts.void:
                    self._thoughts.void = said = False
                    yield Void()
                if piece:
                    said = True
                    yield piece
                piece = await self._next()
            if not said:
                raise self._attempt.failed_as("empty")
            self._attempt.succeeded()
        except failures() as error:
            raise self._attempt.failed(error) from error
        except (GeneratorExit, asyncio.CancelledError):
            self._attempt.stopped()
            raise
        finally:
            await self._parts.aclose()

    async def _next(self, until: float | None = None) -> str | None:
        """More visible text, or "" when what came before is void; None at the end."""
        now = asyncio.get_running_loop().time
        latest = now() + THINKING * self._patience  # signs of life alone are no answer
        while not self._ended:
            async with asyncio.timeout_at(min(latest, until or now() + self._patience)):
                part = await anext(self._parts, None)
            until = None
            if part is None:
                self._ended, text = True, self._thoughts.finish()
            else:
                if part.usage_metadata:
                    self._attempt.used(part)
                text = self._thoughts.feed(readable(str(part.text)))
            if text or self._thoughts.void:
                return text
        return None
