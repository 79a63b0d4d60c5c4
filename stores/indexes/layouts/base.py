"""What a layout of vectors does, and what the layouts share.

A layout is not thread-safe. Its scores are inner products of what it keeps: halves of floats in Flat, codes of 8 bits
in the others, whose best candidates are therefore compared again with the vectors themselves. FAISS's threads mostly
wait for each other (6 ms of CPU instead of 0.2 for a search): callers set them to one, each in its own thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt

from schema import Vectors

Ids = npt.NDArray[np.int64]
Found = tuple[Vectors, Ids]  # scores, chunk ids: best first, but where several parts were searched
Kind = Literal["flat", "ivf", "hnsw"]

CODE_MARGIN = 0.1  # of the range of a dimension in the sample: what comes later may lie a little outside


def faiss_module() -> Any:
    """FAISS, imported when it is needed; its stubs leave out half of what is used here."""
    import faiss

    return faiss


class ChunkFilter:
    """The chunks that a search is held to. What a layout has worked out of them serves the next search as well."""

    def __init__(self, chunk_ids: Ids) -> None:
        self.chunk_ids = chunk_ids
        self._made: tuple[object, int, Any] = (None, 0, None)

    def __len__(self) -> int:
        return len(self.chunk_ids)

    @cached_property
    def selector(self) -> Any:
        return faiss_module().IDSelectorBatch(self.chunk_ids)

    def made(self, layout: Layout, make: Callable[[Ids], Any]) -> Any:
        """What `make` makes of the ids for this layout, again after each of its changes."""
        of, version, value = self._made
        if of is not layout or version != layout.version:
            value = make(self.chunk_ids)
            self._made = layout, layout.version, value
        return value


class Layout(Protocol):
    kind: ClassVar[Kind]
    exact: ClassVar[bool]  # nothing is passed over, and scores are right to 0.0001
    dimensions: int
    version: int  # counts the changes

    def __len__(self) -> int: ...

    def chunk_ids(self) -> Ids: ...

    @property
    def most(self) -> int:
        """The effort beyond which nothing more is found."""

    @property
    def dead(self) -> int:
        """Vectors that are gone and still take part."""

    def add(self, chunk_ids: Ids, vectors: Vectors) -> None:
        """None of them may be there already."""

    def remove(self, chunk_ids: Ids) -> None: ...

    def search(self, question: Vectors, k: int, effort: int, within: ChunkFilter | None) -> Found:
        """`question` has shape (1, dimensions). With fewer than k in reach it goes further than `effort` says."""

    def parts(self) -> Iterator[bytes]:
        """What a file holds of it; changes may come between two of them."""

    @classmethod
    def read(cls, dimensions: int, parts: Iterator[bytes]) -> Layout:
        """It again, of its parts."""

    @classmethod
    def fitted(cls, sample: Vectors, count: int, go_on: Callable[[], None]) -> Layout:
        """An empty one for so many vectors like these. `go_on` is called now and then; it may raise."""


class Places:
    """Chunk ids in order, and a number for each: its list, or its slot in the graph."""

    def __init__(self, ids: Ids, numbers: Ids) -> None:
        order = np.argsort(ids, kind="stable")
        self.ids, self.numbers = ids[order], numbers[order]

    def of(self, ids: Ids) -> Ids:
        """The numbers of those that are there."""
        return self.numbers[self._slots_of(ids)]

    def add(self, ids: Ids, numbers: Ids) -> None:
        if len(ids) > 1:
            order = np.argsort(ids, kind="stable")
            ids, numbers = ids[order], numbers[order]
        places = np.searchsorted(self.ids, ids)
        self.ids, self.numbers = np.insert(self.ids, places, ids), np.insert(self.numbers, places, numbers)

    def remove(self, ids: Ids) -> tuple[Ids, Ids]:
        """Those that were there, and their numbers."""
        known = self._slots_of(ids)
        gone = self.ids[known], self.numbers[known]
        self.ids, self.numbers = np.delete(self.ids, known), np.delete(self.numbers, known)
        return gone

    def _slots_of(self, ids: Ids) -> Ids:
        places = np.searchsorted(self.ids, ids)
        there = places < len(self.ids)
        there[there] = self.ids[places[there]] == ids[there]
        return np.unique(places[there])
