"""Vectors on their way into the store: more of them than should be in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from schema import Vectors

_ROWS = 1_000  # that are read at a time


class VectorSpool:
    """Rows in a file without a name, gone when it is closed. Read rows in order, any number of times."""

    def __init__(self, dimensions: int, folder: Path) -> None:
        # Beside the library, not where temporary files are: that is memory on many machines.
        self._file = tempfile.TemporaryFile(dir=folder if folder.is_dir() else None)  # noqa: SIM115  # closed by __exit__
        self._dimensions, self._rows = dimensions, 0

    def append(self, rows: Vectors) -> None:
        self._file.seek(0, 2)
        self._file.write(np.ascontiguousarray(rows, np.float16).data)  # as they will be stored
        self._rows += len(rows)

    def __len__(self) -> int:
        return self._rows

    def __iter__(self) -> Iterator[Vectors]:
        width = 2 * self._dimensions
        for place in range(0, self._rows, _ROWS):
            self._file.seek(place * width)
            found = self._file.read(min(_ROWS, self._rows - place) * width)
            yield from np.frombuffer(found, np.float16).astype(np.float32).reshape(-1, self._dimensions)

    def __enter__(self) -> VectorSpool:
        return self

    def __exit__(self, *problem: object) -> None:
        self._file.close()
