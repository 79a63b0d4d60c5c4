"""Hypothetical document embeddings: the question, and beside it a passage that a model imagined as its answer.

Gao et al., "Precise zero-shot dense retrieval without relevance labels" (ACL 2023), who search by the passage alone.
Here both are searched, by words and by vectors, and the question weighs more: a misleading passage cannot win alone.
"""

from __future__ import annotations

from dataclasses import replace

from retrieval.candidates import Candidate, Query, weighted_sum
from retrieval.strategies.hybrid import hybrid

_LEAST = 0.1  # coverage: a question of which less is found has next to no say against the passage
WEIGHT = 0.25  # of the passage beside the question (python -m benchmarks hyde)


def hyde(query: Query) -> list[Candidate]:
    """Without a passage, hybrid."""
    asked = query.once(hybrid)
    if query.imagined is None:
        return asked
    passage = replace(
        query, question=query.passage, passage="", terms=query.imagined, below={}, other_words={}, done={}
    )
    trust = min(1.0, query.coverage([candidate.chunk_id for candidate in asked]) / _LEAST)
    return weighted_sum(asked, hybrid(passage), WEIGHT, trust)[: query.k]
