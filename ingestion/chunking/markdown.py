"""Chunking by headings: a chunk for each section, small ones merged, large ones cut again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingestion.chunking.building import build
from ingestion.chunking.packing import document_units, merge_ranges, merge_small, spans, split
from ingestion.chunking.ruler import CHARACTERS, Ruler
from schema import Chunk, Document, Vectors


def chunk(
    document: Document, size: int, overlap: int, embed: Callable[[Sequence[str]], Vectors], ruler: Ruler = CHARACTERS
) -> list[Chunk]:
    """Sections under a quarter of the size join their neighbours under the same parent. `embed` is unused."""
    parts = document_units(document, size, ruler)
    sections = merge_small(parts, parts.sections(), size)
    ranges = (part for section in sections for part in split(parts, *section, size, overlap))
    return build(document, parts.outline, spans(parts, merge_ranges(parts, ranges, size - overlap), size, overlap))
