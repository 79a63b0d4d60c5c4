"""The embedding space of a library."""

from __future__ import annotations

import asyncio

from ingestion.embed_now import embed_now
from library.shared import LibraryParts
from schema import EmbeddingReport, EmbeddingState, Message


class LibrarySpaces(LibraryParts):
    """What embeds the library, and what is missing for it."""

    async def embedding_state(self) -> EmbeddingState:
        """What embeds the library, what is to come, and what stands in the way."""
        return await asyncio.to_thread(self._keeper.state)

    @property
    def why_missing(self) -> Message:
        """Why documents wait for their vectors, where some do, and since when."""
        return self._keeper.why_missing()

    async def embed_now(self) -> EmbeddingReport:
        """Give every chunk the vector it lacks, and trouble that was met a moment ago another try; what came of it."""
        return await embed_now(self.store, self._keeper)

    def download_model(self) -> None:
        """Begin to fetch the local model; `embedding_state` tells how far it is."""
        self._keeper.download()

    async def settle(self) -> None:
        """Wait until the space suits what is stored, as it would by itself after a moment without changes.

        Raises CitewiseError when a model that is needed for that does not answer."""
        await self._keeper.settle()
