"""Searches over a library whose embedding space may be swapped at any moment."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from providers.base import Embedder
from providers.llm import Model
from providers.rerankers.base import Reranker
from schema import Evidence, SearchRequest
from settings import Settings
from stores.base import Store
from stores.problems import SpaceChanged

if TYPE_CHECKING:
    from retrieval.earlier_searches import EarlierSearches
    from retrieval.hyde import HypotheticalRequest

T = TypeVar("T")
Ready = TypeVar("Ready")

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
        earlier: EarlierSearches | None = None,
        settings: Settings | None = None,
    ) -> Evidence:
        """As `Library.evidence_for`."""
        from retrieval.blocking_search import SearchResources
        from retrieval.hyde import HypotheticalRequest
        from retrieval.search import LibraryWords, in_library_words, search

        imagining, settings = hypothetical or HypotheticalRequest(), settings or self._settings
        reranker = self._reranker(settings)

        def ready() -> LibraryWords:
            return in_library_words(request, self._store, settings)

        def found(embedder: Embedder | None, words: LibraryWords) -> Awaitable[Evidence]:
            parts = SearchResources(self._store, embedder, settings, model, reranker, imagining, earlier)
            return search(request, parts, words)

        try:
            return await self._in_one_space(ready, found)
        finally:
            if hypothetical is None:
                imagining.cancel()

    async def _in_one_space(
        self, ready: Callable[[], Ready], work: Callable[[Embedder | None, Ready], Awaitable[T]]
    ) -> T:
        """Work that compares vectors, again if the space was swapped in the middle of it; `ready` may block. One thread
        makes all of it ready: each further one is a wait behind everybody else's turns."""
        for n in range(_TRIES):
            if n:
                await asyncio.sleep(_PAUSE * 2**n)
            try:
                embedder, made_ready = await asyncio.to_thread(lambda: (self._serving(), ready()))
                key = embedder and embedder.space.key
                result = await work(embedder, made_ready)
            except SpaceChanged:
                continue
            if embedder is None or await asyncio.to_thread(self._store.space_key) == key:
                return result
        return await work(
            None, await asyncio.to_thread(ready)
        )  # it is swapped faster than we search: keywords alone need no space
