"""What a strategy is given and hands back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from providers.base import Embedder
from retrieval.calibration import Calibration
from retrieval.lexical import WeightedTerms
from retrieval.passages import passages
from schema import EVERYWHERE, Hit, Scope, Vectors
from stores.base import Store
from text import search_tokens

JUDGED = 3  # passages that are asked whether they cover a question: it is rarely answered by more


class NameStep(NamedTuple):
    """How a passage was come to: another one says the name of what it is about."""

    said_by: int  # chunk id
    name: str


class Candidate(NamedTuple):
    """A found chunk. Raw scores are None where the chunk was not looked at that way."""

    chunk_id: int
    score: float  # by which its strategy ranks
    bm25: float | None = None
    keyword: float | None = None  # BM25 with what closeness adds
    cosine: float | None = None
    pair: float | None = None  # cosine to the pair of neighbours that it is one of
    expanded: float | None = None  # by what was asked beside the question: other words, a passage imagined, feedback
    names: float | None = None  # by a walk over names, beside the one that is nearest
    way: NameStep | None = None

    def scored(self, score: float) -> Candidate:
        """With another score by which it ranks: made from the fields as they stand, since a search makes a hundred."""
        return tuple.__new__(Candidate, (self[0], score, *self[2:]))

    def raw(self) -> dict[str, float]:
        """The raw scores by name."""
        scores = {
            "bm25": self.bm25, "keyword": self.keyword, "cosine": self.cosine, "pair": self.pair,
            "expanded": self.expanded, "names": self.names, "fused": self.score,
        }  # fmt: skip
        return {name: score for name, score in scores.items() if score is not None}


@dataclass(frozen=True)
class Query:
    """A question, made ready once for all strategies. Without an embedder, vectors find nothing."""

    question: str
    terms: WeightedTerms
    store: Store
    embedder: Embedder | None
    calibration: Calibration
    k: int  # candidates wanted of each ranking
    scope: Scope = EVERYWHERE
    min_similarity: float = 0.0
    passage: str = ""  # imagined as the answer, asked beside the question
    below: dict[int, dict[str, float]] = field(default_factory=dict)  # what is too far from the question, with scores
    other_words: dict[str, tuple[str, ...]] = field(default_factory=dict)  # for terms that nothing in scope says
    texts: dict[int, Hit] = field(default_factory=dict)  # what was fetched, for all that is asked with this question
    done: dict[Strategy, list[Candidate]] = field(default_factory=dict)

    @cached_property
    def vector(self) -> Vectors | None:
        """(dimensions,); None without an embedder, or when the space knows nothing of the question."""
        vector = self.embedder.embed_question(self.question) if self.embedder else None
        return vector if vector is not None and vector.any() else None

    @cached_property
    def imagined(self) -> WeightedTerms | None:
        """The terms of the imagined passage."""
        return WeightedTerms.of(search_tokens(self.passage), self.store) if self.passage else None

    def coverage(self, chunk_ids: Sequence[int]) -> float:
        """The share of the question's weight that one of the first of these passages says, in [0, 1]."""
        first = self.hits(chunk_ids[:JUDGED]).values()
        return max((self.terms.coverage(hit.indexed_text) for hit in first), default=0.0)

    def once(self, strategy: Strategy) -> list[Candidate]:
        """What a strategy finds, looked for once, also when a passage joins the question later."""
        if strategy not in self.done:
            self.done[strategy] = strategy(self)
        return self.done[strategy]

    def hits(self, chunk_ids: Iterable[int]) -> dict[int, Hit]:
        """By id; what is gone is left out. Each is fetched once a question."""
        wanted = list(chunk_ids)
        missing = [chunk for chunk in wanted if chunk not in self.texts]
        if missing:
            self.texts.update(passages(self.store, missing))
        return {chunk: self.texts[chunk] for chunk in wanted if chunk in self.texts}


Strategy = Callable[[Query], list[Candidate]]  # best first
Order = Callable[[Query, Sequence[Candidate]], list[Candidate]]


def weighted_sum(
    asked: Sequence[Candidate], beside: Sequence[Candidate], weight: float, trust: float = 1.0
) -> list[Candidate]:
    """Two rankings, each as shares of its best score, the second one with this weight (below 1/2) beside the first.

    Trusted fully, the question's best passage stays above all that only the second ranking holds.
    """
    found = {candidate.chunk_id: candidate for candidate in asked}
    best, most = (max((candidate.score for candidate in one), default=0.0) for one in (asked, beside))
    expanded = {candidate.chunk_id: candidate.score / most for candidate in beside} if most > 0 else {}
    mixture = [
        (found.get(chunk) or Candidate(chunk, 0.0))._replace(
            score=(1 - weight) * trust * (found[chunk].score / best if chunk in found and best > 0 else 0.0)
            + weight * expanded.get(chunk, 0.0),
            expanded=expanded.get(chunk),
        )
        for chunk in found.keys() | expanded.keys()
    ]
    return sorted(mixture, key=lambda candidate: (-candidate.score, candidate.chunk_id))
