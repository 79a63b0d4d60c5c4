"""Documents, batches and vectors for the tests of stores: a word in a text is a search term and a dimension."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schema import Chunk, Chunking, Document, Scope, Space, Task, Vectors
from stores.base import DocumentBatch, Store
from stores.embedded import EmbeddedStore
from tests.stores.postgres_server import open_postgres

DIMENSIONS = 16
FORMS: dict[str, Callable[[Path], Store]] = {
    "folder": lambda path: EmbeddedStore(path / "library"),
    "throw-away": lambda path: EmbeddedStore(),
    "ivf": lambda path: EmbeddedStore(path / "library", vector_index="ivf"),
    "hnsw": lambda path: EmbeddedStore(path / "library", vector_index="hnsw"),
    "postgres": open_postgres,
}
# Of forms that differ by their vector index alone, one is enough where nothing is looked for by a vector.
FORMS_BY_WORDS = [form for form in FORMS if form not in ("ivf", "hnsw")]
by_words = pytest.mark.parametrize("store", FORMS_BY_WORDS, indirect=True)


def space(name: str = "one", dimensions: int = DIMENSIONS) -> Space:
    return Space("test", name, "1", dimensions, payload=b"\x00payload", fitted_on=3, calibration={"zh": [0.5]})


def embed(texts: list[str], salt: str = "one", dimensions: int = DIMENSIONS) -> Vectors:
    """A bag of words, each with its own pseudo-random direction; rows of length 1, or 0 for no words."""
    vectors = np.zeros((len(texts), dimensions), np.float32)
    for row, text in zip(vectors, texts, strict=True):
        for word in text.split():
            row += _direction(salt + word, dimensions)
        row /= np.linalg.norm(row) or 1.0
    return vectors


@functools.cache
def _direction(word: str, dimensions: int) -> Vectors:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "little")
    return np.random.default_rng(seed).standard_normal(dimensions).astype(np.float32)


def alike(found: Vectors, wanted: Vectors) -> bool:
    """A store may keep halves of floats."""
    return found.dtype == np.float32 and found.shape == wanted.shape and np.allclose(found, wanted, atol=1e-3)


def chunked(name: str, paragraphs: list[str], doc_set: str = "") -> tuple[Document, list[Chunk]]:
    """A document with one chunk a paragraph; a paragraph "# H / text" stands under the heading H."""
    text = "\n".join(paragraphs)
    chunks, start = [], 0
    for line, paragraph in enumerate(paragraphs, 1):
        heading, slash, _ = paragraph.partition(" / ")
        headings = (heading.removeprefix("# "),) if slash else ()
        chunks.append(Chunk(paragraph, start, start + len(paragraph), line, line, headings))
        start += len(paragraph) + 1
    return Document(name, text, doc_set, "markdown", "en", len(text.encode()), {"title": name}), chunks


def batch(
    name: str, paragraphs: list[str], doc_set: str = "", chunking: Chunking | None = None, space_name: str = "one"
) -> DocumentBatch:
    document, chunks = chunked(name, paragraphs, doc_set)
    texts = [chunk.indexed_text for chunk in chunks]
    terms = [" ".join(text.split()) for text in texts]
    how = chunking or Chunking(strategy="fixed", size=100)
    return DocumentBatch(document, how, chunks, terms, embed(texts, space_name), space(space_name).key)


def task(name: str, doc_set: str = "", **fields: Any) -> Task:
    return Task(**{"id": 0, "job": "add", "name": name, "doc_set": doc_set, "status": "pending", **fields})


def serve(store: Store, name: str = "one") -> None:
    """Make a space serve, with vectors for all that is stored."""
    stored = list(store.indexed_texts())
    store.swap_space(space(name), [i for i, _ in stored], embed([text for _, text in stored], name))


def found(store: Store, term: str, k: int = 100, **scope: tuple[str, ...]) -> set[tuple[str, str]]:
    """(document, text) of all chunks with the term."""
    ranked = store.search_terms([term], k, Scope(**scope))
    hits = store.hits([r.chunk_id for r in ranked])
    assert len(hits) == len(ranked)  # nothing that is gone takes a place
    return {(hit.document, hit.text) for hit in hits}


def nearest(store: Store, text: str, salt: str = "one", k: int = 1, **scope: tuple[str, ...]) -> list[tuple[str, str]]:
    ranked = store.search_vector(embed([text], salt)[0], k, Scope(**scope))
    hits = store.hits([r.chunk_id for r in ranked])
    assert len(hits) == len(ranked)
    return [(hit.document, hit.text) for hit in hits]
