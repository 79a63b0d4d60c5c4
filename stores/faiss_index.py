"""Nearest vectors by cosine, derived from SQLite: FAISS over one embedding space."""

from __future__ import annotations

import json
import os
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from schema import Vectors
from stores.base import Ranked
from stores.tantivy_index import Damaged

Ids = npt.NDArray[np.int64]


class VectorIndex:
    """Exact search over the vectors of one space, in memory. Searches run side by side; a change waits for them to
    finish and holds back new ones for the moment it takes to copy its vectors in, never for a disk."""

    def __init__(self, space_key: str, dimensions: int) -> None:
        import faiss

        self.space_key, self.dimensions = space_key, dimensions
        self._faiss = faiss
        self._index = faiss.IndexIDMap(faiss.IndexFlatIP(dimensions))
        self._gate = _Gate()

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def chunk_ids(self) -> Ids:
        with self._gate.shared():
            return np.array(self._faiss.vector_to_array(self._index.id_map), np.int64)

    def apply(self, added: Sequence[int], vectors: Vectors, removed: Sequence[int]) -> None:
        with self._gate.alone():
            if len(removed):
                self._index.remove_ids(self._faiss.IDSelectorBatch(np.asarray(removed, np.int64)))
            if len(added):
                self._index.add_with_ids(np.ascontiguousarray(vectors, np.float32), np.asarray(added, np.int64))

    def search(self, vector: Vectors, k: int, within: Ids | None = None) -> list[Ranked]:
        """Best first, among the ids of `within` when it is given."""
        faiss = self._faiss
        # For one vector threads only wait for each other: 6 ms of CPU instead of 0.2. The calling thread's own setting.
        faiss.omp_set_num_threads(1)
        with self._gate.shared():
            k = min(k, len(self) if within is None else len(within))
            if k < 1 or not vector.any():
                return []
            chosen = None if within is None else faiss.SearchParameters(sel=faiss.IDSelectorBatch(within))
            scores, ids = self._index.search(np.ascontiguousarray(vector[None], np.float32), k, params=chosen)
        return [Ranked(int(i), float(score)) for i, score in zip(ids[0], scores[0], strict=True) if i >= 0]

    # --- on disk -------------------------------------------------------------------------------------------------

    def save(self, path: Path, generation: int) -> None:
        """Written aside and renamed: a line of JSON that says what it is, then FAISS's own form."""
        with self._gate.shared():
            content = self._faiss.serialize_index(self._index).tobytes()
        header = {"generation": generation, "space": self.space_key, "crc": zlib.crc32(content)}
        aside = path.with_suffix(".new")
        with aside.open("wb") as file:
            file.write(json.dumps(header).encode() + b"\n")
            file.write(content)
        os.replace(aside, path)

    @classmethod
    def load(cls, path: Path, space_key: str, dimensions: int) -> tuple[VectorIndex, int]:
        """The index and the generation it reflects. Raises Damaged when it is another space's or not as written."""
        try:
            line, _, content = path.read_bytes().partition(b"\n")
            header = json.loads(line)
            if header["space"] != space_key:
                raise Damaged("it belongs to another embedding space")
            if header["crc"] != zlib.crc32(content):
                raise Damaged("its checksum does not hold")
            found = cls(space_key, dimensions)
            found._index = found._faiss.deserialize_index(np.frombuffer(content, np.uint8))
            return found, int(header["generation"])
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise Damaged(str(error)) from error


class _Gate:
    """Many at once, or one alone; who wants to be alone goes before those who come later."""

    def __init__(self) -> None:
        self._turn = threading.Lock()  # held while somebody waits to be alone
        self._inside = 0
        self._changed = threading.Condition()

    @contextmanager
    def shared(self) -> Iterator[None]:
        with self._turn, self._changed:
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._turn:
            with self._changed:
                self._changed.wait_for(lambda: not self._inside)
            yield
