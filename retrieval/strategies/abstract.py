"""For questions that need more than one passage: what hybrid finds, in an order and with passages that names lead to.

A passage often says only the name of what the rest of the answer is about. Names are found by rules when a document is
stored (`entities.py`); what a section, a document or a definition is called is at home there. docs/abstract.md has the
parts with what each of them gains.
"""

from __future__ import annotations

from collections.abc import Sequence

from retrieval.bridges import bridged
from retrieval.candidates import Candidate, Query
from retrieval.complement import complementary
from retrieval.name_graph import name_graph
from retrieval.name_rank import ranked_by_names
from retrieval.strategies.hybrid import hybrid

abstract = hybrid


def connected(query: Query, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates by score and names, in complementary order, with the homes of names in the first ones behind
    these. Where no name has a home, the complementary order alone."""
    graph = name_graph(query, candidates)
    return bridged(query, graph, complementary(query, ranked_by_names(graph, candidates)))
