"""The contract of a reranker: a question and hits go in, a relevance for each comes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from errors import ModelError
from schema import Hit


class RerankError(ModelError):
    """A reranker gave nothing usable: the order before it stands."""


class Reranker(Protocol):
    """Whoever looks at question and passage together."""

    @property
    def name(self) -> str: ...

    @property
    def calibrated(self) -> bool:
        """Whether a score says how relevant a passage is. Otherwise 1 to 1/2 are places, and 0 means irrelevant."""

    async def rerank(self, question: str, hits: Sequence[Hit]) -> list[float | None]:
        """A score in [0, 1] for each hit, in their order; None where it was not judged. Raises CitewiseError."""
