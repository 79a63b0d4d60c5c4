"""The strategies by name: a new one is one file and one line here."""

from retrieval.strategies.base import Candidate, Query, Strategy
from retrieval.strategies.default import default
from retrieval.strategies.hybrid import hybrid
from retrieval.strategies.keyword import keyword
from retrieval.strategies.vector import vector
from schema import StrategyName

STRATEGIES: dict[StrategyName, Strategy] = {
    "default": default,
    "keyword": keyword,
    "vector": vector,
    "hybrid": hybrid,
}

__all__ = ["STRATEGIES", "Candidate", "Query", "Strategy"]
