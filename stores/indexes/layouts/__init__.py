"""Ways to lay vectors out for FAISS. A new one is a file here and a line below."""

from __future__ import annotations

from stores.indexes.layouts.base import ChunkFilter, Found, Ids, Kind, Layout
from stores.indexes.layouts.flat import Flat
from stores.indexes.layouts.graph import Graph
from stores.indexes.layouts.inverted import InvertedLists

LAYOUTS: dict[Kind, type[Layout]] = {"flat": Flat, "ivf": InvertedLists, "hnsw": Graph}

__all__ = ["LAYOUTS", "ChunkFilter", "Flat", "Found", "Graph", "Ids", "InvertedLists", "Kind", "Layout"]
