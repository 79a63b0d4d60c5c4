"""Searches over a library whose embedding space may be swapped at any moment."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from providers import embeddings
from providers.base import Embedder, EmbeddingError
from providers.llm import Model
from providers.rerankers.base import Reranker
from schema import Evidence, Hit, Scope, SearchRequest, Vectors
from settings import Settings
from stores.base import Store
from stores.problems import SpaceChanged

if TYPE_CHECKING:
    from retrieval.hyde import HypotheticalRequest

T = TypeVar("T")

_TRIES = 6  # searches, when the space is swapped in the middle of one
_PAUSE = 0.01  # seconds, twice as long before each further one: a busy machine takes its time to swap


class Searcher:
    """What a library offers to whoever asks. `serving` gives the embedder of the space that serves now, if any."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        serving: Callable[[], Embedder | None],
        reranker: Callable[[Settings], Reranker | None],
    ) -> None:
        """`reranker` gives the one that settings ask for, those of the library or of one search."""
        self._store, self._settings, self._serving, self._reranker = store, settings, serving, reranker

    async def search(
        self,
        request: SearchRequest,
        *,
        model: Model | None = None,
        hypothetical: HypotheticalRequest | None = None,
        settings: Settings | None = None,
    ) -> Evidence:
        """As `Library.evidence_for`."""
        from retrieval.blocking_search import SearchResources
        from retrieval.hyde import HypotheticalRequest
        from retrieval.search import search

        imagining, settings = hypothetical or HypotheticalRequest(), settings or self._settings
        reranker = self._reranker(settings)
        try:
            return await self._in_one_space(
                lambda embedder: search(
                    request, SearchResources(self._store, embedder, settings, model, reranker, imagining)
                )
            )
        finally:
            if hypothetical is None:
                imagining.cancel()

    async def _in_one_space(self, work: Callable[[Embedder | None], Awaitable[T]]) -> T:
        """Work that compares vectors, again if the space was swapped in the middle of it."""
        for n in range(_TRIES):
            if n:
                await asyncio.sleep(_PAUSE * 2**n)
            try:
                embedder = await asyncio.to_thread(self._serving)
                key = embedder and embedder.space.key
                result = await work(embedder)
            except SpaceChanged:
                continue
            if embedder is None or await asyncio.to_thread(self._store.space_key) == key:
                return result
        return await work(None)  # it is swapped faster than we search: keywords alone need no space

    def opening(self, scope: Scope, k: int) -> list[Hit]:
        """How the documents in scope begin: k chunks of each, in reading order."""
        return self._store.hits(self._store.opening(scope, k))

    def in_sections(self, hits: Sequence[Hit], budget: int) -> list[Hit]:
        """The hits with what stands around them in their sections, as far as so many model tokens go."""
        from retrieval.sections import grow_hits

        return list(grow_hits(hits, self._store, budget))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dimensions): to be compared with each other, at once and on this machine; (n, 0) in a new library."""
        embedder = self._serving()
        if embedder is None or embedder.space.provider in embeddings.MODELLESS:
            return embedder.embed(texts) if embedder else self._store.vectors([-1] * len(texts))
        from providers.hashing import HashingEmbedder

        return HashingEmbedder(self._settings.hashing_dimensions).embed(texts)

    def question_vector(self, question: str) -> Vectors | None:
        """In the serving space; None where nobody can embed it now."""
        embedder = self._serving()
        try:
            return embedder.embed_question(question) if embedder else None
        except EmbeddingError:
            return None
