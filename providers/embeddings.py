"""Who turns text into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from schema import Space, Vectors


class Embedder(Protocol):
    """One embedding space: all its vectors are comparable, rows have length 1 (or 0 for a text with nothing known)."""

    @property
    def space(self) -> Space: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, dimensions) float32."""
