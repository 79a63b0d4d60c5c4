"""What a library could not answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from citewise.lifecycle import LibraryLifecycle

if TYPE_CHECKING:
    from stores.unanswered import UnansweredQuestion


class UnansweredCalls(LibraryLifecycle):
    """The questions that found nothing, or nothing sure: what to add to the library next."""

    async def unanswered(self, most: int = 1000) -> Sequence[UnansweredQuestion]:
        """Newest first; each with its time, score, language and where it was looked up.

        for one in library.unanswered():
            print(one.asked, one.score, one.question)
        """
        return await asyncio.to_thread(self.assistant.unanswered.last, None, most)

    async def clear_unanswered(self) -> int:
        """How many there were. Raises CitewiseError."""
        return await asyncio.to_thread(self.assistant.unanswered.clear)
