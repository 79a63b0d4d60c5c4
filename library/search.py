"""Searching a library, and what its hits are reranked by."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from library.shared import LibraryParts
from providers import embeddings, model_files
from providers.base import Embedder, EmbeddingError
from providers.llm import Model
from providers.rerankers import fetched_reranker
from retrieval.passages import PassageCache
from retrieval.searcher import Searcher
from schema import EVERYWHERE, Evidence, Hit, Language, RerankerState, Scope, SearchRequest, StrategyName, Vectors
from settings import Settings
from stores.caches import Cache, CacheName

if TYPE_CHECKING:
    from retrieval.earlier_searches import EarlierSearches
    from retrieval.hyde import HypotheticalRequest


class LibrarySearch(LibraryParts):
    """Evidence comes out."""

    async def search(
        self,
        question: str,
        *,
        strategy: StrategyName | None = None,
        scope: Scope = EVERYWHERE,
        top_k: int | None = None,
        model: Model | None = None,
    ) -> Evidence:
        """The ranked chunks for a question; the settings' strategy and top_k where none is given."""
        return await self.evidence_for(SearchRequest(question, strategy, scope, top_k), model=model)

    async def evidence_for(
        self,
        request: SearchRequest,
        *,
        model: Model | None = None,
        hypothetical: HypotheticalRequest | None = None,
        earlier: EarlierSearches | None = None,
        settings: Settings | None = None,
    ) -> Evidence:
        """What the library holds on a question, best first.

        `settings` are those of this search, where some differ from the library's. With a model the strategy `hyde`,
        and the default where the first search is weak, imagine an answer to search by: one call, made at most once for
        all searches that are handed the same `hypothetical`; those with the same `earlier` look for the same words
        once. What a model fails at is a notice, never an exception.
        """
        self._extraction.used()
        return await self._searcher.search(
            request, model=model, hypothetical=hypothetical, earlier=earlier, settings=settings
        )

    def use(self, settings: Settings) -> None:
        """What searches take from now on where they name nothing themselves."""
        self.settings = settings
        self._searcher = Searcher(self.store, settings, self._spaces.serving, self._rerankers.of)

    async def said_in_own_words(self, question: str, language: Language, texts: Sequence[str]) -> bool:
        """Whether one of these texts says, in the question's language, its names and nearly all else of it."""
        from retrieval.own_words import said_in_own_words

        return await asyncio.to_thread(said_in_own_words, question, language, texts, self.store)

    async def opening(self, scope: Scope, k: int) -> list[Hit]:
        """How the documents in scope begin: k chunks of each, in reading order."""
        return await asyncio.to_thread(lambda: self.store.hits(self.store.opening(scope, k)))

    async def nearest_passages(self, question: str, scope: Scope, most: int) -> list[Hit]:
        """The passages of the documents in scope that are nearest to a question in meaning."""
        from retrieval.nearest_passages import nearest_passages

        return await asyncio.to_thread(nearest_passages, question, self.store, scope, most)

    async def section_beginnings(self, scope: Scope, most: int, at_least: int) -> list[Hit]:
        """The passages with which the sections of the documents in scope begin."""
        from retrieval.section_beginnings import section_beginnings

        return await asyncio.to_thread(section_beginnings, self.store, scope, most, at_least)

    async def in_sections(self, hits: Sequence[Hit], budget: int) -> list[Hit]:
        """The hits with what stands around them in their sections, as far as so many model tokens go."""
        from retrieval.sections import grow_hits

        return [*await asyncio.to_thread(grow_hits, hits, self.store, budget)]

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dimensions): to be compared with each other, at once and on this machine; (n, 0) in a new library."""
        return await asyncio.to_thread(self.embed_sync, texts)

    def embed_sync(self, texts: Sequence[str]) -> Vectors:
        embedder = self._spaces.serving()
        if embedder is None or embedder.space.provider in embeddings.MODELLESS:
            return embedder.embed(texts) if embedder else self.store.vectors([-1] * len(texts))
        from providers.hashing import HashingEmbedder

        return HashingEmbedder(self.settings.hashing_dimensions).embed(texts)

    def question_vector(self, question: str) -> Vectors | None:
        """In the serving space, to be compared with `vectors`; None where nobody can embed it now."""
        embedder = self._spaces.serving()
        try:
            return embedder.embed_question(question) if embedder else None
        except EmbeddingError:
            return None

    def vectors(self, chunk_ids: Sequence[int]) -> Vectors:
        """Stored vectors of the serving space, in the order asked for."""
        return self.store.vectors(chunk_ids)

    def embedder(self, texts: Sequence[str] = ()) -> Embedder | None:
        """Of the serving space; None where nobody here can embed in it, and in a new library, unless texts are given
        that are about to be stored. Blocks. For programs that hand in vectors with their texts. Raises CitewiseError.
        """
        if texts:
            self._spaces.make_first(texts, texts[0][:40])
        return self._spaces.serving()

    @property
    def reranker(self) -> str | None:
        """The name of the reranker that the settings ask for; None: hits keep the order of the search."""
        reranker = self._rerankers.of(self.settings)
        return reranker.name if reranker else None

    async def reranker_state(self) -> RerankerState:
        """What reranks, and whether the local reranker is here, on its way, or to be had."""
        return await asyncio.to_thread(self._reranker_state)

    def _reranker_state(self) -> RerankerState:
        model, fetching = fetched_reranker(self.settings), self._fetching_reranker
        if model is None:
            return RerankerState(self.reranker)
        megabytes, licence = model_files.facts(model) or (None, "")
        here = model_files.onnx_folder(model, self.settings) is not None
        return RerankerState(self.reranker, model, megabytes, licence, here, fetching.progress, fetching.problem)

    def download_reranker(self) -> None:
        """Begin to fetch the local reranker; it serves when it is here. `reranker_state` tells how far it is."""

        def here() -> None:
            self._rerankers.look_again()
            if reranker := self._rerankers.of(self.settings):
                reranker.warm()

        if model := fetched_reranker(self.settings):
            self._fetching_reranker.begin(model, here)

    def cancel_download(self) -> None:
        """Of a model, whichever is on its way; what has come stays for another attempt."""
        self._keeper.fetching.cancel()
        self._fetching_reranker.cancel()

    def caches(self) -> dict[CacheName, Cache]:
        """What is kept only to be faster: vectors of texts on disk, passages in memory. `Assistant.caches` has all."""
        return {"vectors": self._cache, "passages": PassageCache()}
