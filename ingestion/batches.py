"""Documents in chunks as the store takes them: the texts that are embedded, the vectors, one batch a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ingestion.chunked_document import ChunkedDocument
from schema import Vectors
from stores.base import DocumentBatch


def texts_of(cuts: Iterable[ChunkedDocument]) -> Iterator[str]:
    """What is embedded of them, one by one: of a large file all together would take as much memory as its text."""
    return (chunk.indexed_text for cut in cuts for chunk in cut.chunks)


def batch_of(
    cut: ChunkedDocument, row: tuple[Vectors, frozenset[int]], key: str, replaces: str | None, task: int | None
) -> DocumentBatch:
    vectors, missing = row
    return DocumentBatch(
        cut.document,
        cut.chunking,
        cut.chunks,
        cut.joined_terms,
        vectors,
        key,
        replaces,
        missing,
        task,
        cut.tokens,
        cut.names,
        cut.original,
    )


def rows_of(
    cut: ChunkedDocument, known: dict[str, Vectors], dimensions: int, stored: bool
) -> tuple[Vectors, frozenset[int]]:
    missing = frozenset(place for place, text in enumerate(texts_of([cut])) if text not in known)
    nothing = np.zeros(dimensions, np.float32)
    if len(missing) == len(cut.chunks):  # one row seen many times: a large file would take hundreds of megabytes
        return np.broadcast_to(nothing, (len(missing), dimensions)), frozenset() if stored else missing
    return np.stack([known.get(text, nothing) for text in texts_of([cut])]), missing
