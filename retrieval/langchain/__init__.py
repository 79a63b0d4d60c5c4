"""Citewise for users of LangChain: its store as a `VectorStore`, its strategies as a retriever, its embeddings."""

from retrieval.langchain.embedding import CitewiseEmbeddings
from retrieval.langchain.retriever import CitewiseRetriever
from retrieval.langchain.vector_store import CitewiseVectorStore

__all__ = ["CitewiseEmbeddings", "CitewiseRetriever", "CitewiseVectorStore"]
