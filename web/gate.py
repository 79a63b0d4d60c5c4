"""Whether the library covers a question, or its pages have to be looked for in the web."""

from __future__ import annotations

from typing import NamedTuple

from schema import Evidence
from settings import Settings

THRESHOLD = 0.5


class Coverage(NamedTuple):
    score: float  # in [0, 1]: how much of what the question asks for stands in the best passages
    threshold: float  # from which on that is enough
    covered: bool


def covered(evidence: Evidence, settings: Settings) -> Coverage:
    """By the threshold of the settings, or by the product's own. An overview of documents is covered by them.

    The score is the confidence of retrieval, which means the same under every strategy and embedding: the share of the
    question's weight that the best passages say, whatever found them.
    """
    threshold = THRESHOLD if settings.min_score_threshold is None else settings.min_score_threshold
    score = evidence.confidence if evidence.hits else 0.0
    return Coverage(score, threshold, bool(evidence.hits) and (evidence.overview or score >= threshold))
