"""Nearest vectors by cosine, derived from SQLite: FAISS over one embedding space."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from schema import Vectors
from stores.indexes import vector_file
from stores.indexes.gate import Gate
from stores.indexes.layouts import LAYOUTS, ChunkFilter, Flat, Found, Ids, Layout
from stores.problems import DamagedFileError
from stores.search_contract import IndexInfo, RankedChunk

# Of these ids those that are still stored, and their vectors; None when another space serves by now.
Exact = Callable[[str, Ids], tuple[Ids, Vectors] | None]

DEPTHS = (10, 100)  # numbers of results that efforts are fitted for
_RECENT = 8  # filters
_SPARE = 20  # candidates beyond 3/2 of the results that are compared again: codes of 8 bits mistake close ones


@dataclass(frozen=True)
class IndexFit:
    """On how many vectors an index was made, how much of it a search looks at, and how well that was seen to do."""

    count: int = 0
    efforts: tuple[int, ...] = tuple(1 for _ in DEPTHS)
    held_effort: int = 1  # for ten, with a filter
    recall: float = 1.0  # at 10, of questions that no stored vector is, with a filter or without: the lower one
    refused: int = 0  # on so many vectors another kind was tried, and found too little


class VectorIndex:
    """Searches run side by side; a change waits for them to finish and holds back new ones for the moment it takes to
    copy its vectors in, never for a disk.

    What comes after the index was laid out is compared in full until it is laid out anew: in lists that were made for
    other texts, and looked through as far as was enough for those, a third of the neighbours of a new topic was missed.
    """

    def __init__(
        self, space_key: str, layout: Layout, exact: Exact, fit: IndexFit = IndexFit(), newcomers: Layout | None = None
    ) -> None:
        import faiss

        self.space_key, self.layout, self.fit = space_key, layout, fit
        self._exact, self._one_thread = exact, faiss.omp_set_num_threads
        self._layouts: tuple[Layout, ...] = (layout,)
        if not layout.exact:
            self._layouts += (newcomers or Flat(layout.dimensions),)
        self._gate = Gate()
        self._version = 0  # counts the changes
        self._recent: tuple[ChunkFilter, ...] = ()  # the last filters: most questions of a conversation have the same

    @classmethod
    def flat(cls, space_key: str, dimensions: int, exact: Exact) -> VectorIndex:
        return cls(space_key, Flat(dimensions), exact)

    @property
    def dimensions(self) -> int:
        return self.layout.dimensions

    def __len__(self) -> int:
        return len(self.layout) + self.newcomers

    @property
    def newcomers(self) -> int:
        """Vectors that came after it was laid out."""
        return sum(map(len, self._layouts[1:]))

    def info(self) -> IndexInfo:
        fit = self.fit
        return IndexInfo(self.layout.kind, len(self), fit.efforts[0], self.layout.most, fit.recall)

    def chunk_ids(self) -> Ids:
        with self._gate.shared():
            return np.concatenate([one.chunk_ids() for one in self._layouts])

    def apply(self, added: Sequence[int] | Ids, vectors: Vectors, removed: Sequence[int] | Ids) -> None:
        """None of `added` may be there already, but for those that are removed."""
        self._one_thread(1)
        gone, ids = np.asarray(removed, np.int64), np.asarray(added, np.int64)
        rows = np.ascontiguousarray(vectors, np.float32)
        with self._gate.alone():
            self._version += 1
            for layout in self._layouts if len(gone) else ():
                layout.remove(gone)
                layout.version += 1
            if len(ids):
                self._layouts[-1].add(ids, rows)
                self._layouts[-1].version += 1

    def fill(self, added: Ids, vectors: Vectors) -> None:
        """Like `apply`, with what the layout was made for."""
        self._one_thread(1)
        with self._gate.alone():
            self.layout.add(added, np.ascontiguousarray(vectors, np.float32))
            self.layout.version += 1

    # --- searching ------------------------------------------------------------------------------------------------

    def search(self, vector: Vectors, k: int, within: Ids | None = None) -> list[RankedChunk]:
        """Best first, of equals the oldest, among the ids of `within` when it is given. What is worked out of an array
        of ids is kept for the next search with the same array."""
        if k < 1 or not vector.any():
            return []
        held = None if within is None else self._held(within)
        scores, ids = self.nearest(vector, k, self._effort(k, held), held)
        best = np.lexsort((ids, -scores))[:k]
        return [RankedChunk(int(ids[place]), float(scores[place])) for place in best]

    def nearest(self, vector: Vectors, k: int, effort: int, within: ChunkFilter | None = None) -> Found:
        """k or more candidates with their cosines, in no order."""
        self._one_thread(1)
        question = np.ascontiguousarray(vector[None], np.float32)
        with self._gate.shared():
            if self.layout.exact:
                return self.layout.search(question, k, effort, within)
            wanted = k * 3 // 2 + _SPARE
            found = [layout.search(question, wanted, effort, within) for layout in self._layouts]
        scores, ids = np.concatenate([pair[0] for pair in found]), np.concatenate([pair[1] for pair in found])
        best = np.lexsort((ids, -scores))[:wanted]
        known = self._exact(self.space_key, ids[best])
        if known is None:  # the last searches in this space: codes are right to some thousandths
            return scores, ids
        return np.asarray(known[1] @ question[0], np.float32), known[0]

    def _held(self, chunk_ids: Ids) -> ChunkFilter:
        for known in self._recent:
            if known.chunk_ids is chunk_ids:
                return known
        made = ChunkFilter(chunk_ids)
        self._recent = made, *self._recent[: _RECENT - 1]
        return made

    def _effort(self, k: int, held: ChunkFilter | None) -> int:
        """The k nearest of a share of the vectors are among the k / share nearest of all, if it is any share."""
        efforts, depth = self.fit.efforts, k if held is None else k * len(self) / max(len(held), 1)
        effort = efforts[-1] * depth / DEPTHS[-1] if depth > DEPTHS[-1] else float(np.interp(depth, DEPTHS, efforts))
        return math.ceil(effort if held is None else max(effort, self.fit.held_effort))

    # --- on disk --------------------------------------------------------------------------------------------------

    def save(self, path: Path, generation: int) -> None:
        """`generation`: what the index reflects by now. Changes that come meanwhile may be in the file or not; it then
        says that it has to be compared with the library. Raises OSError."""
        version, counts = self._version, [0] * len(self._layouts)

        def about() -> dict[str, Any]:
            return {
                "kind": self.layout.kind,
                "space": self.space_key,
                "dimensions": self.dimensions,
                "generation": generation if self._version == version else -1,
                "fit": asdict(self.fit),
                "counts": counts,
            }

        vector_file.write(path, self._parts(counts), about)

    def _parts(self, counts: list[int]) -> Iterator[bytes]:
        """Those of each layout, counted."""
        for place, layout in enumerate(self._layouts):
            parts = layout.parts()
            while True:
                with self._gate.shared():
                    part = next(parts, None)
                if part is None:
                    break
                counts[place] += 1
                yield part

    @classmethod
    def load(cls, path: Path, space_key: str, dimensions: int, exact: Exact) -> tuple[VectorIndex, int]:
        """The index and the generation it reflects. Raises Damaged when it is another space's or not as written."""
        try:
            with path.open("rb") as file:
                header = vector_file.about(file)
                if (header["space"], header["dimensions"]) != (space_key, dimensions):
                    raise DamagedFileError("it belongs to another embedding space")
                parts = vector_file.parts(file, header)
                kinds: list[type[Layout]] = [LAYOUTS[header["kind"]], Flat]
                layouts = [kind.read(dimensions, islice(parts, count))
                           for kind, count in zip(kinds, header["counts"], strict=False)]  # fmt: skip
                fit = IndexFit(**{**header["fit"], "efforts": tuple(header["fit"]["efforts"])})
                return cls(space_key, layouts[0], exact, fit, *layouts[1:]), int(header["generation"])
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise DamagedFileError(str(error)) from error


def look(path: Path) -> tuple[int, str]:
    """Generation and space of a saved index. Raises Damaged when it is not as it was written."""
    try:
        with path.open("rb") as file:
            header = vector_file.about(file)
            for _ in vector_file.parts(file, header):
                pass
            return int(header["generation"]), str(header["space"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedFileError(str(error)) from error
