"""A library as a retriever of LangChain: any strategy over any store."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any, Protocol

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document as Found
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, PrivateAttr, SkipValidation

from background import SHARED, on
from providers.base import Embedder
from providers.llm import Model
from providers.rerankers.base import Reranker
from retrieval.langchain.chat import ChatModel
from retrieval.langchain.documents import Filter, langchain_documents, scope_of
from retrieval.langchain.embedding import VectorSource, source_of
from retrieval.langchain.problems import on_its_own_loop
from retrieval.searcher import Searcher
from schema import Evidence, SearchRequest, StrategyName
from schema.names import StrategyChoice
from settings import Settings
from stores.base import Store

log = logging.getLogger(__name__)


class PassageSearch(Protocol):
    async def search(self, request: SearchRequest, *, model: Model | None) -> Evidence:
        """As `Library.evidence_for`."""


class CitewiseRetriever(BaseRetriever):
    """The best chunks for a question: k of them, or as many as the settings say, fewer where a reranker sorted them.

    Their metadata hold "score" in [0, 1], raw "scores", lines and "places", and, where something went wrong or was
    done in another way, "notices" in both languages; these stand in the log as well.

    Without an `embedding`, keywords alone are searched. A `model` (of LangChain, or of ours) imagines answers for the
    strategy `hyde`, and for `default` where it finds little; it reranks where `settings.reranker` is "llm". `filter`,
    `strategy` and `k` may also be given with each `invoke`.

        CitewiseRetriever(store=vector_store.store, embedding=embedding, strategy="hybrid", k=5).invoke("年假有几天？")
    """

    store: SkipValidation[Store]
    embedding: SkipValidation[Embeddings | Embedder | VectorSource | None] = None
    strategy: StrategyChoice = "default"
    k: int | None = Field(None, ge=1)
    filter: SkipValidation[Filter] = None
    doc_set: str | None = None  # as of `CitewiseVectorStore`
    model: SkipValidation[BaseChatModel | Model | None] = None
    reranker: SkipValidation[Reranker | None] = None
    settings: Settings = Field(default_factory=lambda: Settings.from_mapping({}))
    searches: SkipValidation[PassageSearch | None] = Field(None, exclude=True, repr=False)  # of an open library
    loop: SkipValidation[asyncio.AbstractEventLoop | None] = Field(None, exclude=True, repr=False)  # that it is open on

    _searches: PassageSearch = PrivateAttr()
    _model: Model | None = PrivateAttr()

    def model_post_init(self, context: Any) -> None:
        source = None if self.embedding is None else source_of(self.store, self.embedding)
        serving = source.serving if source else lambda: None
        self._searches = self.searches or Searcher(self.store, self.settings, serving, lambda _: self.reranker)
        self._model = ChatModel(self.model) if isinstance(self.model, BaseChatModel) else self.model

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Found]:
        with suppress(RuntimeError):  # no loop is running here
            if asyncio.get_running_loop() is self.loop:
                raise on_its_own_loop()
        return SHARED.run(self._search(query, **kwargs))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[Found]:
        return await self._search(query, **kwargs)

    async def _search(
        self, query: str, k: int | None = None, strategy: StrategyName | None = None, filter: Filter = None
    ) -> list[Found]:
        scope = scope_of(self.filter if filter is None else filter, self.doc_set)
        if scope is None:
            return []
        request = SearchRequest(query, strategy or self.strategy, scope, k or self.k)
        work = self._searches.search(request, model=self._model)
        evidence = await (on(self.loop, work) if self.loop else work)
        for notice in evidence.notices:
            log.warning("%s / %s", notice.en, notice.zh)
        pairs = await asyncio.to_thread(langchain_documents, self.store, evidence.hits, self.doc_set, scored=True)
        notices = {"notices": [notice._asdict() for notice in evidence.notices]} if evidence.notices else {}
        return [document.model_copy(update={"metadata": document.metadata | notices}) for _, document in pairs]
