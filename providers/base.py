"""The contract of an embedder: texts go in, comparable vectors come out."""

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

    def embed_question(self, question: str) -> Vectors:
        """(dimensions,) float32: many models embed a question otherwise than a passage."""
