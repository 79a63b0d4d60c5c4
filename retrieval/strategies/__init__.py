"""The strategies by name: a new one is one file and one line here."""

from retrieval.strategies.base import JUDGED, Candidate, Query, Strategy
from retrieval.strategies.default import default
from retrieval.strategies.hybrid import hybrid
from retrieval.strategies.hyde import hyde
from retrieval.strategies.keyword import keyword
from retrieval.strategies.rm3 import rm3
from retrieval.strategies.vector import vector
from schema import StrategyName

STRATEGIES: dict[StrategyName, Strategy] = {
    "default": default,
    "keyword": keyword,
    "vector": vector,
    "hybrid": hybrid,
    "hyde": hyde,
    "rm3": rm3,
}

__all__ = ["JUDGED", "STRATEGIES", "Candidate", "Query", "Strategy"]
