"""Recursive chunking along the document's own structure: sections, then paragraphs, list items, sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingestion.chunking.building import build
from ingestion.chunking.packing import document_units, merge_ranges, spans, split
from ingestion.chunking.ruler import CHARACTERS, Ruler
from schema import Chunk, Document, Vectors


def chunk(
    document: Document, size: int, overlap: int, embed: Callable[[Sequence[str]], Vectors], ruler: Ruler = CHARACTERS
) -> list[Chunk]:
    """A part that fits is a chunk; one that does not is cut at its strongest boundaries, and so on. `embed` is unused.

    Sections of one parent that fit together make one chunk, under what their heading paths share.
    """
    parts = document_units(document, size, ruler)
    ranges = merge_ranges(parts, split(parts, 0, len(parts.units), size, overlap), size - overlap)
    return build(document, parts.outline, spans(parts, ranges, size, overlap))
