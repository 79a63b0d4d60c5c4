"""Ways to look names up, by the numbers that comparisons of them use. The library itself asks its store, whose table
survives a kill and changes with its documents: `python -m benchmarks lookup` shows what the others would gain."""

from collections.abc import Callable

from retrieval.lookups.automaton import AhoCorasick
from retrieval.lookups.base import NameLookup, known_places
from retrieval.lookups.cuckoo import CuckooFilter
from retrieval.lookups.others import Bloom, DictLookup, ForestWalk, NearestLookup, NoLookup, SqliteLookup

LOOKUPS: dict[str, Callable[[int], NameLookup]] = {  # by name: made for about so many names
    "none": lambda _: NoLookup(),
    "walk": lambda _: ForestWalk(),
    "bloom": lambda names: Bloom(ForestWalk(), names),
    "bloom_keyed": lambda names: Bloom(DictLookup(), names),
    "dict": lambda _: DictLookup(),
    "ann": lambda _: NearestLookup(),
    "aho_corasick": lambda _: AhoCorasick(),
    "sqlite": lambda _: SqliteLookup(),
    "cuckoo": lambda _: CuckooFilter(),
    "cuckoo_unkeyed": lambda _: CuckooFilter(keyed=False),
}
METHODS = ("none", "walk", "bloom", "bloom_keyed", "dict", "ann", "sqlite", "cuckoo")  # by `search_method`

__all__ = ["LOOKUPS", "METHODS", "AhoCorasick", "CuckooFilter", "NameLookup", "known_places"]
