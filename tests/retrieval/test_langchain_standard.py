"""The standard suites of LangChain, for each form of the store, every strategy, each kind of our embeddings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from langchain_tests.integration_tests import (
    EmbeddingsIntegrationTests,
    RetrieversIntegrationTests,
    VectorStoreIntegrationTests,
)
from langchain_tests.unit_tests import EmbeddingsUnitTests

from providers.tfidf import fit
from retrieval.langchain import CitewiseEmbeddings, CitewiseRetriever, CitewiseVectorStore
from retrieval.strategies import STRATEGIES

TEXTS = ["The belt of the pump is loose.", "The pump needs oil.", "Oil the pump every month.", "水泵每月加油一次。"]


class TestFolder(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self, tmp_path: Path) -> Iterator[VectorStore]:
        with CitewiseVectorStore(self.get_embeddings(), tmp_path / "library") as store:
            yield store


class TestThrowAway(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self) -> Iterator[VectorStore]:
        with CitewiseVectorStore(self.get_embeddings()) as store:
            yield store


class TestSetOfALargerLibrary(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self) -> Iterator[VectorStore]:
        with CitewiseVectorStore(self.get_embeddings()) as everything:
            everything.add_texts(["bar", "foo"], ids=["1", "3"])
            yield CitewiseVectorStore(self.get_embeddings(), store=everything.store, doc_set="mine")


class TestRetriever(RetrieversIntegrationTests):
    @pytest.fixture(params=[*STRATEGIES], autouse=True)
    def filled(self, request: pytest.FixtureRequest) -> Iterator[None]:
        embedding = CitewiseEmbeddings()
        with CitewiseVectorStore.from_texts(TEXTS, embedding) as filled:
            self._params = {"store": filled.store, "embedding": embedding, "strategy": request.param}
            yield

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return CitewiseRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return self._params

    @property
    def retriever_query_example(self) -> str:
        return "oil the pump"


class TestHashing(EmbeddingsIntegrationTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return CitewiseEmbeddings


class TestFitted(EmbeddingsIntegrationTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return CitewiseEmbeddings

    @property
    def embedding_model_params(self) -> dict[str, Any]:
        return {"embedder": fit(TEXTS, 64)}


class TestEmbeddingsUnit(EmbeddingsUnitTests):
    @property
    def embeddings_class(self) -> type[Embeddings]:
        return CitewiseEmbeddings
