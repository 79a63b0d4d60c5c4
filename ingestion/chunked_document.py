"""A document in chunks, as it goes from the worker process to the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from entities import ChunkNames
from schema import Chunk, Chunking, Document, OriginalFile


@dataclass(frozen=True, slots=True)
class ChunkedDocument:
    """A document in chunks, with their search terms. It is pickled without what its text says already."""

    document: Document
    chunking: Chunking  # as it was done, nothing left open
    chunks: list[Chunk]
    joined_terms: list[str]  # of each chunk, joined by spaces
    tokens: int = 0  # of a model, of the whole text
    names: list[ChunkNames] | None = None  # of each chunk
    original: OriginalFile | None = None  # to be kept

    @property
    def texts(self) -> list[str]:
        return [chunk.indexed_text for chunk in self.chunks]

    def __reduce__(self) -> tuple[Any, ...]:
        places = [(c.start, c.end, c.start_line, c.end_line, c.headings) for c in self.chunks]
        return _cut_again, (
            self.document,
            self.chunking,
            places,
            self.joined_terms,
            self.tokens,
            self.names,
            self.original,
        )


def _cut_again(
    document: Document, chunking: Chunking, places: list[tuple[Any, ...]], terms: list[str], tokens: int,
    names: list[ChunkNames] | None, original: OriginalFile | None,
) -> ChunkedDocument:  # fmt: skip
    chunks = [Chunk(document.text[place[0] : place[1]], *place) for place in places]
    return ChunkedDocument(document, chunking, chunks, terms, tokens, names, original)
