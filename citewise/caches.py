"""What a library keeps only to be faster."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from citewise.lifecycle import LibraryLifecycle

if TYPE_CHECKING:
    from stores.caches import CacheName, CacheSize


class CacheCalls(LibraryLifecycle):
    """How much is kept, and how to be rid of it."""

    async def caches(self) -> dict[CacheName, CacheSize]:
        """Entries and bytes by name: "answers" that are remembered, "pages" as they were fetched, "vectors" of texts,
        "passages" in memory."""
        return await asyncio.to_thread(self.assistant.caches.sizes)

    async def clear_caches(self, *names: str) -> dict[CacheName, CacheSize]:
        """Empty all caches, or those that are named: what each of them held. What is stored in the library stays.

        Raises CitewiseError for a name that is none.

            library.clear_caches("answers", "pages")
        """
        return await asyncio.to_thread(self.assistant.caches.clear, *names)
