"""A graph of neighbours, its vectors as codes of 8 bits (FAISS: HNSW, SQ8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from schema import Vectors
from stores.indexes.layouts.base import CODE_MARGIN, ChunkFilter, Found, Ids, Kind, Places, faiss_module

_LINKS = 16  # of a vector to its neighbours; twice as many on the lowest level
_BUILD_EFFORT = 80  # neighbours that are looked at for a new vector


class Graph:
    """Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using Hierarchical Navigable Small
    World graphs" (2016). `effort`: neighbours that are kept in view on the way.

    What is removed stays a stepping stone until the graph is built anew. Held to some chunks, all of these are compared
    (a graph is walked by nearness alone, and what is sought may lie far off).
    """

    kind: ClassVar[Kind] = "hnsw"
    exact: ClassVar[bool] = False

    def __init__(self, index: Any, slots: Ids) -> None:
        """`slots`: the chunk in each place of FAISS's, -1 where it is gone."""
        self._faiss = faiss_module()
        self._index, self.dimensions = index, int(index.d)
        self._slots = slots
        alive = np.flatnonzero(slots >= 0)
        self._places = Places(slots[alive], alive)
        self.version = 0

    @classmethod
    def fitted(cls, sample: Vectors, count: int, go_on: Callable[[], None]) -> Graph:
        faiss = faiss_module()

        index = faiss.IndexHNSWSQ(sample.shape[1], faiss.ScalarQuantizer.QT_8bit, _LINKS, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = _BUILD_EFFORT
        faiss.downcast_index(index.storage).sq.rangestat_arg = CODE_MARGIN
        index.train(sample)
        return cls(index, np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self._places.ids)

    def chunk_ids(self) -> Ids:
        return self._places.ids

    @property
    def most(self) -> int:
        return max(len(self._slots), 1)

    @property
    def dead(self) -> int:
        return len(self._slots) - len(self)

    def add(self, chunk_ids: Ids, vectors: Vectors) -> None:
        self._places.add(chunk_ids, np.arange(len(self._slots), len(self._slots) + len(chunk_ids)))
        self._slots = np.concatenate([self._slots, chunk_ids])
        self._index.add(vectors)

    def remove(self, chunk_ids: Ids) -> None:
        self._slots[self._places.remove(chunk_ids)[1]] = -1

    def search(self, question: Vectors, k: int, effort: int, within: ChunkFilter | None) -> Found:
        faiss = self._faiss
        if not len(self):
            return np.zeros(0, np.float32), np.zeros(0, np.int64)
        if within is not None:
            chosen = faiss.IDSelectorBitmap(within.made(self, self._bits))
            return self._existing(*self._index.storage.search(question, k, params=faiss.SearchParameters(sel=chosen)))
        alive = faiss.IDSelectorBitmap(np.packbits(self._slots >= 0, bitorder="little"))
        # what is gone fills the view as well
        view = max(effort, k) * len(self._slots) // max(len(self), 1)
        how = faiss.SearchParametersHNSW(efSearch=view, sel=alive)
        found = self._existing(*self._index.search(question, k, params=how))
        if len(found[1]) == min(k, len(self)):
            return found
        return self._existing(*self._index.storage.search(question, k, params=faiss.SearchParameters(sel=alive)))

    def _bits(self, chunk_ids: Ids) -> npt.NDArray[np.uint8]:
        chosen = np.zeros(len(self._slots), bool)
        chosen[self._places.of(chunk_ids)] = True
        return np.packbits(chosen, bitorder="little")

    def _existing(self, scores: Vectors, slots: Ids) -> Found:
        there = slots[0] >= 0
        return scores[0][there], self._slots[slots[0][there]]

    def parts(self) -> Iterator[bytes]:
        yield b"".join([
            len(self._slots).to_bytes(8, "little"),
            self._slots.tobytes(),
            self._faiss.serialize_index(self._index).tobytes(),
        ])  # fmt: skip

    @classmethod
    def read(cls, dimensions: int, parts: Iterator[bytes]) -> Graph:
        faiss = faiss_module()

        part = next(parts)
        count = int.from_bytes(part[:8], "little")
        slots = np.frombuffer(part, np.int64, count, offset=8).copy()
        index = faiss.deserialize_index(np.frombuffer(part, np.uint8, offset=8 + 8 * count))
        return cls(index, slots)
