"""Every vector is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np

from schema import Vectors
from stores.indexes.layouts.base import ChunkFilter, Found, Ids, Kind, faiss_module

_BLOCK = 8_192  # vectors


class Flat:
    """The vectors lie in blocks: FAISS copies all of an index that grows or that something is removed from."""

    kind: ClassVar[Kind] = "flat"
    exact: ClassVar[bool] = True
    most = 1
    dead = 0

    def __init__(self, dimensions: int) -> None:
        self._faiss = faiss_module()
        self.dimensions = dimensions
        self._blocks: list[Any] = []
        self.version = 0

    def __len__(self) -> int:
        return sum(int(block.ntotal) for block in self._blocks)

    def chunk_ids(self) -> Ids:
        return np.concatenate([np.zeros(0, np.int64), *map(self._ids, self._blocks)])

    def _ids(self, block: Any) -> Ids:
        return np.array(self._faiss.vector_to_array(block.id_map), np.int64)

    def add(self, chunk_ids: Ids, vectors: Vectors) -> None:
        place = 0
        for block in self._with_room():
            room = _BLOCK - int(block.ntotal)
            block.add_with_ids(vectors[place : place + room], chunk_ids[place : place + room])
            place += room
            if place >= len(chunk_ids):
                return

    def _with_room(self) -> Iterator[Any]:
        yield from [block for block in self._blocks if block.ntotal < _BLOCK]
        faiss = self._faiss
        while True:
            halves = faiss.IndexScalarQuantizer(
                self.dimensions, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
            )
            self._blocks.append(faiss.IndexIDMap(halves))
            yield self._blocks[-1]

    def remove(self, chunk_ids: Ids) -> None:
        for block in self._blocks:
            ids = self._ids(block)
            gone = ids[np.isin(ids, chunk_ids)]
            if len(gone):
                block.remove_ids(self._faiss.IDSelectorBatch(gone))
        self._blocks = [block for block in self._blocks if block.ntotal]

    def search(self, question: Vectors, k: int, effort: int, within: ChunkFilter | None) -> Found:
        chosen = None if within is None else self._faiss.SearchParameters(sel=within.selector)
        found = [block.search(question, min(k, block.ntotal), params=chosen) for block in self._blocks]
        scores = np.concatenate([np.zeros(0, np.float32), *(pair[0][0] for pair in found)])
        ids = np.concatenate([np.zeros(0, np.int64), *(pair[1][0] for pair in found)])
        return scores[ids >= 0], ids[ids >= 0]

    def parts(self) -> Iterator[bytes]:
        for block in list(self._blocks):
            yield self._faiss.serialize_index(block).tobytes()

    @classmethod
    def fitted(cls, sample: Vectors, count: int, go_on: Callable[[], None]) -> Flat:
        return cls(sample.shape[1])

    @classmethod
    def read(cls, dimensions: int, parts: Iterator[bytes]) -> Flat:
        found = cls(dimensions)
        found._blocks = [found._faiss.deserialize_index(np.frombuffer(part, np.uint8)) for part in parts]
        return found
