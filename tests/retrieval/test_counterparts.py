"""Of what a library says in both languages, the half that is in the question's stands first."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from retrieval.candidates import Candidate
from retrieval.counterparts import counterparts_first
from tests.each_row import each_row

TEXTS = {
    1: "Write both root certificates into one bundle.",
    2: "We meet at the mill at nine.",
    3: "把两张根证书合并成一个文件。",
    4: "午餐十二点开始，周五吃鱼。",
    5: "443 = 8443",
}
VECTORS = {1: (0.8, 0.6, 0.0), 2: (0.0, 0.0, 1.0), 3: (1.0, 0.0, 0.0), 4: (0.6, 0.0, 0.8), 5: (0.8, 0.6, 0.0)}


def _query(match: float, read: tuple[int, ...], embedder: object = True) -> Any:
    texts = {chunk: SimpleNamespace(text=TEXTS[chunk]) for chunk in read}
    store = SimpleNamespace(vectors=lambda chunks: np.array([VECTORS[chunk] for chunk in chunks]))
    return SimpleNamespace(
        texts=texts,
        hits=lambda chunks: {chunk: texts[chunk] for chunk in chunks},
        store=store,
        embedder=embedder,
        calibration=SimpleNamespace(match=match),
    )


@each_row(
    ("query", "language", "candidates", "ordered"),
    [
        (_query(0.5, (1, 2, 3, 4)), "zh", (1, 2, 3, 4), (3, 1, 4, 2)),
        (_query(0.75, (1, 2, 3, 4)), "zh", (1, 4, 3, 2), (3, 1, 4, 2)),
        (_query(0.9, (1, 2, 3, 4)), "zh", (1, 2, 3, 4), (1, 2, 3, 4)),  # nothing is near enough
        (_query(0.5, (1, 2, 3, 4)), "zh", (3, 4, 1, 2), (3, 4, 1, 2)),  # which stands first already
        (_query(0.5, (1, 2, 3, 4)), "en", (3, 4, 1, 2), (1, 3, 2, 4)),  # the other way
        (_query(0.5, (1, 2)), "zh", (1, 2, 3, 4), (1, 2, 3, 4)),  # nothing more is read
        (_query(0.5, (3, 5)), "zh", (5, 3), (5, 3)),  # of no language
        (_query(0.5, (1, 2, 3, 4), None), "zh", (1, 2, 3, 4), (1, 2, 3, 4)),  # no vectors
        (_query(0.5, ()), "zh", (), ()),
    ],
)
def test_a_passage_comes_before_its_translation(query, language, candidates, ordered):
    found = counterparts_first(query, language, [Candidate(chunk, 1.0 - chunk / 10) for chunk in candidates])
    assert tuple(one.chunk_id for one in found) == ordered


def test_it_counts_as_much_as_what_it_stands_before():
    found = counterparts_first(cast(Any, _query(0.5, (1, 3))), "zh", [Candidate(1, 0.9), Candidate(3, 0.1)])
    assert [(one.chunk_id, one.score) for one in found] == [(3, 0.9), (1, 0.9)]
