"""Nearest vectors by cosine, derived from SQLite: FAISS over one embedding space."""

from __future__ import annotations

import json
import os
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from schema import Vectors
from stores.base import Ranked
from stores.problems import Damaged

Ids = npt.NDArray[np.int64]

_BLOCK = 8_192  # vectors
_SLICE = 1 << 20  # bytes of a file that are in memory at a time


class VectorIndex:
    """Every vector is compared, none is skipped: in memory, as halves of floats (a cosine is right to 0.0001, at half
    the memory and time). Searches run side by side; a change waits for them to finish and holds back new ones for the
    moment it takes to copy its vectors in, never for a disk.

    The vectors lie in blocks: FAISS copies all of an index that grows or that something is removed from.
    """

    def __init__(self, space_key: str, dimensions: int) -> None:
        import faiss

        self.space_key, self.dimensions = space_key, dimensions
        self._faiss: Any = faiss
        self._blocks: list[Any] = []
        self._gate = _Gate()

    def __len__(self) -> int:
        return sum(int(block.ntotal) for block in self._blocks)

    def chunk_ids(self) -> Ids:
        with self._gate.shared():
            return np.concatenate([np.zeros(0, np.int64), *map(self._ids, self._blocks)])

    # FAISS's threads mostly wait for each other: 6 ms of CPU instead of 0.2 for a search. The setting is the calling
    # thread's own.

    def apply(self, added: Sequence[int], vectors: Vectors, removed: Sequence[int]) -> None:
        self._faiss.omp_set_num_threads(1)
        with self._gate.alone():
            if len(removed):
                self._remove(np.asarray(removed, np.int64))
            if len(added):
                self._add(np.asarray(added, np.int64), np.ascontiguousarray(vectors, np.float32))

    def search(self, vector: Vectors, k: int, within: Ids | None = None) -> list[Ranked]:
        """Best first, among the ids of `within` when it is given."""
        faiss = self._faiss
        if k < 1 or not vector.any():
            return []
        faiss.omp_set_num_threads(1)
        chosen = None if within is None else faiss.SearchParameters(sel=faiss.IDSelectorBatch(within))
        question = np.ascontiguousarray(vector[None], np.float32)
        with self._gate.shared():
            found = [block.search(question, min(k, block.ntotal), params=chosen) for block in self._blocks]
        if not found:
            return []
        scores, ids = (np.concatenate([pair[part][0] for pair in found]) for part in (0, 1))
        scores, ids = scores[ids >= 0], ids[ids >= 0]
        best = np.argsort(-scores, kind="stable")[:k]
        return [Ranked(int(ids[place]), float(scores[place])) for place in best]

    def _ids(self, block: Any) -> Ids:
        return np.array(self._faiss.vector_to_array(block.id_map), np.int64)

    def _remove(self, removed: Ids) -> None:
        for block in self._blocks:
            ids = self._ids(block)
            gone = ids[np.isin(ids, removed)]
            if len(gone):
                block.remove_ids(self._faiss.IDSelectorBatch(gone))
        self._blocks = [block for block in self._blocks if block.ntotal]

    def _add(self, added: Ids, vectors: Vectors) -> None:
        place = 0
        for block in self._with_room():
            room = _BLOCK - int(block.ntotal)
            block.add_with_ids(vectors[place : place + room], added[place : place + room])
            place += room
            if place >= len(added):
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

    # --- on disk -------------------------------------------------------------------------------------------------

    def save(self, path: Path, generation: int) -> None:
        """Written aside and renamed: the blocks in FAISS's own form, a JSON that says what they are, and its length."""
        aside, checksum = path.with_suffix(".new"), 0
        with self._gate.shared(), aside.open("wb") as file:

            def write(content: bytes) -> int:
                nonlocal checksum
                checksum = zlib.crc32(content, checksum)
                return file.write(content)

            for block in self._blocks:
                self._faiss.write_index(block, self._faiss.PyCallbackIOWriter(write, _SLICE))
            about = {"generation": generation, "space": self.space_key, "blocks": len(self._blocks), "crc": checksum}
            footer = json.dumps(about).encode()
            file.write(footer + len(footer).to_bytes(4, "little"))
        os.replace(aside, path)

    @classmethod
    def load(cls, path: Path, space_key: str, dimensions: int) -> tuple[VectorIndex, int]:
        """The index and the generation it reflects. Raises Damaged when it is another space's or not as written."""
        found = cls(space_key, dimensions)
        try:
            with path.open("rb") as file:
                about = _verified(file)
                if about["space"] != space_key:
                    raise Damaged("it belongs to another embedding space")
                reader = found._faiss.PyCallbackIOReader(file.read, _SLICE)
                found._blocks = [found._faiss.read_index(reader) for _ in range(about["blocks"])]
                return found, int(about["generation"])
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise Damaged(str(error)) from error


def _verified(file: BinaryIO) -> dict[str, Any]:
    """What a file says of itself; its beginning is the next to be read. Raises Damaged, ValueError, OSError."""
    end = file.seek(-4, os.SEEK_END)
    size = int.from_bytes(file.read(4), "little")
    left = file.seek(end - size)
    about: dict[str, Any] = json.loads(file.read(size))
    file.seek(0)
    checksum = 0
    while left > 0:
        content = file.read(min(left, _SLICE))
        checksum, left = zlib.crc32(content, checksum), left - len(content)
    if checksum != about["crc"]:
        raise Damaged("its checksum does not hold")
    file.seek(0)
    return about


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
