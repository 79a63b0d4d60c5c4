"""Fakes and a filled library for the tests of LangChain's faces."""

from __future__ import annotations

import threading
import zlib

import numpy as np
from langchain_core.embeddings import Embeddings

from providers.hashing import HashingEmbedder
from schema import Chunk, Chunking, Document
from stores.base import DocumentBatch, Store
from text import search_tokens

LEAVE = {
    "leave": "年假有十五天，请提前两周申请。",
    "notice": "The notice period is three months.",
    "noise": "A rattling noise means that the belt is loose.",
    "heat": "机器过热时请先关闭电源。",
}


class Counted(Embeddings):
    """Vectors by words, one direction each; counts the texts, and can be held up in the middle of a call."""

    def __init__(self, model: str = "words", dimensions: int = 32) -> None:
        self.model, self.dimensions = model, dimensions
        self.calls: list[list[str]] = []
        self.threads: set[str] = set()
        self.may_go_on = threading.Event()
        self.may_go_on.set()
        self.entered = threading.Event()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.calls.append(list(texts))
        self.threads.add(threading.current_thread().name)
        self.entered.set()
        assert self.may_go_on.wait(60)
        return [self._of(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]

    def _of(self, text: str) -> list[float]:
        vector = np.zeros(self.dimensions)
        for word in search_tokens(text):
            vector += np.random.default_rng(zlib.crc32((self.model + word).encode())).standard_normal(self.dimensions)
        return (3.0 * vector).tolist()  # not of length 1


def put_guide(store: Store, doc_set: str = "manuals") -> None:
    """An ordinary document of three chunks."""
    lines = ["The pump needs oil.", "水泵每月加油一次。", "Belts wear out after a year."]
    chunks, start = [], 0
    for number, line in enumerate(lines, 1):
        chunks.append(Chunk(line, start, start + len(line), number, number, ("Care",)))
        start += len(line) + 1
    document = Document("guide.md", "\n".join(lines), doc_set, "markdown", "en", metadata={"title": "Guide"})
    key = store.space_key()
    assert key is not None
    rows = HashingEmbedder(512).embed([chunk.indexed_text for chunk in chunks])
    terms = [" ".join(search_tokens(chunk.indexed_text)) for chunk in chunks]
    store.put(DocumentBatch(document, Chunking(strategy="markdown", size=50, overlap=0), chunks, terms, rows, key))
