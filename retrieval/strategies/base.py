"""What a strategy is given and hands back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from providers.base import Embedder
from retrieval.calibration import Calibration
from retrieval.lexical import Weighted
from schema import EVERYWHERE, Hit, Scope, Vectors
from stores.base import Store


@dataclass(frozen=True)
class Candidate:
    """A found chunk. Raw scores are None where the chunk was not looked at that way."""

    chunk_id: int
    score: float  # by which its strategy ranks
    bm25: float | None = None
    keyword: float | None = None  # BM25 with what closeness adds
    cosine: float | None = None


@dataclass(frozen=True)
class Query:
    """A question, made ready once for all strategies. Without an embedder, vectors find nothing."""

    question: str
    terms: Weighted
    store: Store
    embedder: Embedder | None
    calibration: Calibration
    k: int  # candidates wanted of each ranking
    scope: Scope = EVERYWHERE
    min_similarity: float = 0.0

    @cached_property
    def vector(self) -> Vectors | None:
        """(dimensions,); None without an embedder, or when the space knows nothing of the question."""
        vector = self.embedder.embed_question(self.question) if self.embedder else None
        return vector if vector is not None and vector.any() else None

    @cached_property
    def _texts(self) -> dict[int, Hit]:
        return {}

    def hits(self, chunk_ids: Iterable[int]) -> dict[int, Hit]:
        """By id; what is gone is left out. Each is fetched once a question."""
        wanted = list(chunk_ids)
        missing = [chunk for chunk in wanted if chunk not in self._texts]
        self._texts.update({hit.chunk_id: hit for hit in self.store.hits(missing)})
        return {chunk: self._texts[chunk] for chunk in wanted if chunk in self._texts}


Strategy = Callable[[Query], list[Candidate]]  # best first
