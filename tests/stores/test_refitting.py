"""When an index of vectors is made anew: it has grown, has shrunk, or half of what it walks through is gone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from stores.indexes import library_vectors
from stores.indexes.faiss_index import IndexFit, VectorIndex
from stores.indexes.library_vectors import _due

COUNT = 999


class Aged(VectorIndex):
    """One of which only the figures matter."""

    def __init__(self, kind: str, dead: int = 0, newcomers: int = 0, fitted: int = COUNT) -> None:
        self.layout: Any = SimpleNamespace(kind=kind, dead=dead)
        self._new = newcomers
        self.fit = IndexFit(count=fitted)

    def __len__(self) -> int:
        return COUNT

    @property
    def newcomers(self) -> int:
        return self._new


@pytest.mark.parametrize(
    ("aged", "due"),
    [
        ({"dead": COUNT // 3}, False),
        ({"dead": COUNT // 3 + 1}, True),
        ({"newcomers": COUNT // 4}, False),
        ({"newcomers": COUNT // 4 + 1}, True),
        ({"fitted": 4 * COUNT - 1}, False),
        ({"fitted": 4 * COUNT}, True),
    ],
    ids=["tombstones", "too many tombstones", "newcomers", "too many newcomers", "shrunk", "shrunk too far"],
)
def test_an_index_that_is_outgrown_is_made_anew(
    monkeypatch: pytest.MonkeyPatch, aged: dict[str, int], due: bool
) -> None:
    monkeypatch.setattr(library_vectors, "_SOME", 100)
    assert _due(Aged("hnsw", **aged), "hnsw") == ("hnsw" if due else None)


def test_a_flat_one_never_is() -> None:
    assert _due(Aged("flat", dead=COUNT, newcomers=COUNT), "flat") is None
