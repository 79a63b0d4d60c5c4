"""Whether the library covers a question, or its pages have to be looked for in the web."""

from __future__ import annotations

import math

from schema import Coverage, Evidence
from settings import Settings
from text import detect_language

THRESHOLD = 0.36  # about 5 % needless fetches on questions in both languages: `python -m benchmarks coverage`
_READ = 3  # of the best hits
_ENOUGH = 2.7  # times the weight of a word that stands in one passage alone: said by a passage that answers
_OVERLAP = 3  # search tokens that a Chinese character stands in (2.9 of CMRC's texts): each of them is scored


def is_covered(evidence: Evidence, settings: Settings, chunks: int) -> Coverage:
    """By the threshold of the settings, or by the product's own; `chunks` are those of the library.

    The score is the confidence of retrieval, the share of the question that the best passages say, which means the
    same under every embedding and without one; less where these words weigh little in all, since common words stand
    everywhere. An overview of documents is covered by them.
    """
    threshold = THRESHOLD if settings.min_score_threshold is None else settings.min_score_threshold
    if evidence.overview and evidence.hits:
        return Coverage(evidence.confidence, threshold, covered=True)
    score = evidence.confidence * _weight(evidence, chunks) if evidence.hits else 0.0
    return Coverage(score, threshold, covered=bool(evidence.hits) and score >= threshold)


def _weight(evidence: Evidence, chunks: int) -> float:
    """In [0, 1]: the lexical score of the best hits beside that of a passage that answers; 1 where none was scored so.

    Logarithms: the difference between little and enough counts, not that between enough and much.
    """
    best = [hit for hit in evidence.hits[:_READ] if "keyword" in hit.scores]
    scores = [hit.scores["keyword"] / (_OVERLAP if detect_language(hit.text) == "zh" else 1) for hit in best]
    rarest = math.log1p(2 * max(chunks, 1))  # BM25's idf, about
    return min(1.0, math.log1p(max(scores)) / math.log1p(_ENOUGH * rarest)) if scores else 1.0
