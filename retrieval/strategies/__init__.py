"""The strategies by name: a new one is one file and one line here."""

from retrieval.candidates import JUDGED, Candidate, NameStep, Order, Query, Strategy
from retrieval.complement import complementary
from retrieval.strategies.abstract import abstract, connected
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
    "abstract": abstract,
}
# How what is found is put in order, where that is not by the scores alone.
ORDERS: dict[StrategyName, Order] = {"default": complementary, "abstract": connected}

__all__ = ["JUDGED", "ORDERS", "STRATEGIES", "Candidate", "NameStep", "Order", "Query", "Strategy"]
