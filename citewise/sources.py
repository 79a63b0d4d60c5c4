"""Websites and repositories that document sets have pages from."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from citewise.lifecycle import LibraryLifecycle
from citewise.results import Names, names_of
from errors import CitewiseError
from schema import AS_USUAL, Chunking, Source

if TYPE_CHECKING:
    from web.sources import SourceProgress


class SourceCalls(LibraryLifecycle):
    """Where a library has pages and files from."""

    async def add_source(
        self,
        address: str,
        *,
        doc_set: str,
        prefix: str = "",
        patterns: Names = (),
        ref: str = "",
        chunking: Chunking = AS_USUAL,
        metadata: Mapping[str, Any] | None = None,
    ) -> Source:
        """A website by its address, or a repository of GitHub ("owner/name" or its address), for a document set.
        Nothing is fetched before it is refreshed; added again it is the same source, as it is given now. Each of its
        documents has the `metadata`, also those that are stored already; without them they keep what they have.

            source = library.add_source("https://docs.example.com/guide/", doc_set="guide")  # prefix="/": all of it
            source = library.add_source("owner/name", doc_set="code", patterns=["*.py", "*.md"], ref="v1.0")
            library.refresh_source(source)
        """
        return await self.assistant.sources.add(
            address, doc_set=doc_set, prefix=prefix, patterns=names_of(patterns), ref=ref, chunking=chunking,
            metadata=metadata,
        )  # fmt: skip

    async def sources(self, doc_set: str | None = None) -> Sequence[Source]:
        """Of one set or of all, with when they were refreshed and what was the matter then."""
        return await asyncio.to_thread(self.assistant.sources.list, doc_set)

    async def refresh_source(self, source: Source | int) -> SourceProgress:
        """Bring its set up to date and wait until what is new can be found; what has not changed costs nothing.

        How many pages were `stored`, `unchanged`, `gone`, `failed`, and the `problems` by address. Raises CitewiseError
        when nothing came of it as a whole; then the set is left as it is.
        """
        source_id = source if isinstance(source, int) else source.id
        from graph.refresh import refresh

        done = await refresh(self.assistant, source_id)
        if done.last.state == "failed" and done.last.problem:
            raise CitewiseError("web", done.last.problem)
        return replace(done.last.progress, problems=(*done.last.progress.problems, *done.unread))

    async def remove_source(self, source: Source | int, *, documents: bool = False) -> bool:
        """With `documents`, what its set has from it is deleted as well. False when there is no such source."""
        source_id = source if isinstance(source, int) else source.id
        return await self.assistant.sources.remove(source_id, documents=documents)
