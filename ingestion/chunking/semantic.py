"""Semantic chunking: cut where neighbouring sentences have least to do with each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ingestion.chunking.boundaries import KEEP
from ingestion.chunking.building import build
from ingestion.chunking.packing import DocumentUnits, Range, document_units, merge_small, spans
from ingestion.chunking.ruler import CHARACTERS, Ruler
from schema import Chunk, Document, Vectors

_WINDOW = 3  # sentences on each side of a gap
_BATCH = 2_048  # sentences that are embedded together: all of a long document would take half a gigabyte

Gaps = npt.NDArray[np.float32]  # for each unit, how little the text before it has to do with it: 0 same, 1 nothing


def chunk(
    document: Document, size: int, overlap: int, embed: Callable[[Sequence[str]], Vectors], ruler: Ruler = CHARACTERS
) -> list[Chunk]:
    """Never across sections (small siblings are merged), never under a quarter of the size where that can be.

    Windows of sentences are compared as in TextTiling (Hearst 1997), by the cosine of their mean embeddings. A chunk
    ends at the widest gap within the size; text that would fit is still cut at a gap that stands out in the document.
    """
    parts = document_units(document, size, ruler)
    if not parts.units:
        return []
    sections = list(merge_small(parts, parts.sections(), size))
    gaps = _gaps([document.text[unit.start : unit.end] for unit in parts.units], sections, embed)
    inside = gaps[[n for first, last in sections for n in range(first + 1, last)]]
    outstanding = float(inside.mean() + inside.std()) if len(inside) else 1.0
    ranges = (piece for section in sections for piece in _cut(parts, gaps, *section, size - overlap, size, outstanding))
    return build(document, parts.outline, spans(parts, ranges, size, overlap))


def _gaps(texts: Sequence[str], sections: Sequence[Range], embed: Callable[[Sequence[str]], Vectors]) -> Gaps:
    """A batch at a time, with the sentences before and after it that its windows reach."""
    low = np.concatenate([np.full(last - first, first) for first, last in sections])
    high = np.concatenate([np.full(last - first, last) for first, last in sections])
    gaps = []
    for first in range(0, len(texts), _BATCH):
        here = np.arange(first, min(first + _BATCH, len(texts)))
        begin = max(0, first - _WINDOW)
        vectors = embed(texts[begin : first + _BATCH + _WINDOW])
        sums = np.vstack([np.zeros((1, vectors.shape[1]), np.float32), np.cumsum(vectors, axis=0, dtype=np.float32)])
        left = sums[here - begin] - sums[np.maximum(here - _WINDOW, low[here]) - begin]
        right = sums[np.minimum(here + _WINDOW, high[here]) - begin] - sums[here - begin]
        norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
        cosines = np.einsum("ij,ij->i", left, right) / np.maximum(norms, 1e-9)
        gaps.append((1 - cosines).astype(np.float32))
    return np.concatenate(gaps)


def _cut(
    parts: DocumentUnits, gaps: Gaps, first: int, last: int, room: int, size: int, outstanding: float
) -> Iterator[Range]:
    """Cut one section: the widest gap at a quarter of the size or later, and within it, ends a chunk."""
    begin = first
    while first < last:
        fits = parts.length(first, last) <= (size if first == begin else room)
        least = size // 4
        best, widest = 0, (outstanding if fits else -1.0, 0.0)
        end = first + 1
        while end < last and (end == first + 1 or parts.length(first, end) <= room):
            strength = parts.units[end].strength
            rest = parts.length(end, last) >= least or not fits
            if parts.length(first, end) >= least and rest and strength > KEEP:
                gap = (round(float(gaps[end]), 3), strength)
                best, widest = (end, gap) if gap > widest else (best, widest)
            end += 1
        best = best or (last if fits else max(first + 1, end - 1))
        yield first, best
        first = best
