"""From spans of a document to its chunks: literal text, true lines, heading path."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from ingestion.chunking.outline import Outline
from schema import Chunk, Document

_blank_lines = re.compile(r"(?:[^\S\n]*\n)*")


def build(document: Document, outline: Outline, spans: Iterable[tuple[int, int]]) -> list[Chunk]:
    """The chunks at these spans, in order; blank lines at their ends are left out, and so are empty spans."""
    text = document.text
    breaks = [found.start() for found in re.finditer("\n", text)]
    chunks = []
    for start, end in spans:
        end -= end - start - len(text[start:end].rstrip())
        if start < end:
            start = _blank_lines.match(text, start).end()  # type: ignore[union-attr]  # matches "" too
            lines = bisect_right(breaks, start - 1) + 1, bisect_right(breaks, end - 1) + 1
            chunks.append(Chunk(text[start:end], start, end, *lines, headings=outline.path(start, end)))
    return chunks
