"""What the Python face hands out, and what it takes for names."""

from __future__ import annotations

from typing import NamedTuple

from errors import CitewiseError
from graph.turn_result import TurnAnswer as Answer
from schema import Evidence, Hit, Message, StoreOutcome, StrategyName
from schema.names import Names, names_of

__all__ = ["Added", "Answer", "Hits", "Names", "names_of"]


class Added(NamedTuple):
    """What became of the files: `failed` by name, `skipped` files of folders with the reason."""

    stored: list[StoreOutcome]
    failed: dict[str, CitewiseError]
    skipped: list[tuple[str, Message]]


class Hits(tuple[Hit, ...]):
    """What a search found, best first: a tuple that says how it was found."""

    strategy: StrategyName  # the one that ran
    confidence: float  # that the library holds what was asked, in [0, 1]
    notices: tuple[Message, ...]  # what went wrong or was done in another way than it was asked for

    @classmethod
    def of(cls, evidence: Evidence) -> Hits:
        hits = cls(evidence.hits)
        hits.strategy, hits.confidence, hits.notices = evidence.strategy, evidence.confidence, evidence.notices
        return hits
