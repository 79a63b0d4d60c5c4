"""Ways to look names up, by the numbers that comparisons of them use. The library itself asks its store, whose table
survives a kill and changes with its documents: `python -m benchmarks lookup` shows what the others would gain."""

from collections.abc import Callable

from retrieval.lookups.base import NameLookup, known_places
from retrieval.lookups.cuckoo import CuckooFilter
from retrieval.lookups.others import Bloom, DictLookup, ForestWalk, NearestLookup, NoLookup, SqliteLookup

LOOKUPS: dict[str, Callable[[int], NameLookup]] = {  # by name: made for about so many names
    "none": lambda _: NoLookup(),  # 0
    "walk": lambda _: ForestWalk(),  # 1
    "bloom": lambda names: Bloom(ForestWalk(), names),  # 2
    "bloom_keyed": lambda names: Bloom(DictLookup(), names),  # 3
    "dict": lambda _: DictLookup(),  # 4
    "ann": lambda _: NearestLookup(),  # 5
    "sqlite": lambda _: SqliteLookup(),
    "cuckoo": lambda _: CuckooFilter(),  # 7
    "cuckoo_unkeyed": lambda _: CuckooFilter(keyed=False),
}

__all__ = ["LOOKUPS", "CuckooFilter", "NameLookup", "known_places"]
