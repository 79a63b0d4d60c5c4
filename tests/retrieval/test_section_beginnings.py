"""The passages that a document is known by without a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from retrieval.section_beginnings import evenly, section_beginnings
from schema import EVERYWHERE, Hit


class Chunks:
    """As a store hands them out."""

    def __init__(self, paths: Sequence[tuple[str, ...]]) -> None:
        blank = Hit(0, "a.md", "", "text", 0, 4, 1, 1)
        self.chunks = [replace(blank, chunk_id=n, position=n, headings=path) for n, path in enumerate(paths)]

    def opening(self, scope: Any, k: int) -> list[int]:
        return [hit.chunk_id for hit in self.chunks if hit.position < k]

    def hits(self, chunk_ids: Sequence[int]) -> list[Hit]:
        return [self.chunks[number] for number in chunk_ids]


def places(paths: Sequence[tuple[str, ...]], most: int) -> list[int]:
    found = section_beginnings(Chunks(paths), EVERYWHERE, most, 2)  # type: ignore[arg-type]
    return [hit.position for hit in found]


DEEP = [("T", f"part {n // 6}", f"section {n // 2}") for n in range(36)]


@pytest.mark.parametrize(
    ("paths", "most", "expected"),
    [
        (DEEP[:5], 6, [0, 1, 2, 3, 4]),
        (DEEP, 18, [*range(0, 36, 2)]),
        (DEEP, 12, [*range(0, 36, 6)]),
        ([(f"section {n}",) for n in range(30)], 3, [0, 10, 20]),
        ([()] * 30, 12, [0, 1]),
    ],
    ids=["few", "deepest", "parts", "spread", "no headings"],
)
def test_a_document_is_known_by_the_passages_that_begin_its_sections(paths, most, expected):
    assert places(paths, most) == expected


def test_what_is_few_is_not_thinned_out():
    assert evenly([1, 2], 3) == [1, 2]
