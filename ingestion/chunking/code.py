"""Chunking of source code at class and function boundaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingestion.chunking.building import build
from ingestion.chunking.packing import spans, split, take_apart
from schema import Chunk, Document, Vectors


def chunk(document: Document, size: int, overlap: int, embed: Callable[[Sequence[str]], Vectors]) -> list[Chunk]:
    """Classes, then functions, then blocks between blank lines, then lines. `embed` is unused.

    The headings of a chunk are the definitions it stands in. A document that is not code is cut as by "recursive",
    and a fence in it that is too large for a chunk as code.
    """
    parts = take_apart(document, size)
    ranges = split(parts, 0, len(parts.units), size, overlap)
    return build(document, parts.outline, spans(parts, ranges, size, overlap))
