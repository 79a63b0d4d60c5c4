"""The vector index against plain arithmetic, over any sequence of changes, in memory and from its file."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_cases import embed

from schema import Vectors
from stores import faiss_index
from stores.faiss_index import VectorIndex
from stores.problems import Damaged

NOTHING = np.zeros((0, 16), np.float32)
steps = st.lists(
    st.tuples(st.lists(st.integers(0, 30), unique=True, max_size=12), st.lists(st.integers(0, 30), max_size=12)),
    max_size=8,
)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faiss_index, "_BLOCK", 5)


def vector(chunk_id: int) -> Vectors:
    return embed([f"w{chunk_id} w{chunk_id % 3}"])[0]


def check(index: VectorIndex, known: set[int], chosen: list[int] | None = None) -> None:
    assert len(index) == len(known)
    assert set(index.chunk_ids().tolist()) == known
    for question in (vector(3), vector(40)):
        exact = {chunk_id: float(vector(chunk_id) @ question) for chunk_id in known}
        for within in (None, chosen or []):
            possible = known if within is None else known & set(within)
            ranked = index.search(question, 4, None if within is None else np.array(within, np.int64))
            best = sorted((exact[chunk_id] for chunk_id in possible), reverse=True)[:4]
            assert [one.score for one in ranked] == pytest.approx(best, abs=1e-3)
            assert all(one.score == pytest.approx(exact[one.chunk_id], abs=1e-3) for one in ranked)
            assert {one.chunk_id for one in ranked} <= possible


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(steps=steps, chosen=st.lists(st.integers(0, 30), min_size=1, unique=True))
def test_any_sequence_of_changes(tmp_path: Path, steps, chosen):
    index, known = VectorIndex("space", 16), set()
    for added, removed in steps:
        new = [chunk_id for chunk_id in added if chunk_id not in known - set(removed)]
        index.apply(new, np.stack([vector(chunk_id) for chunk_id in new]) if new else NOTHING, removed)
        known = known - set(removed) | set(new)
        check(index, known, chosen)
        # What goes leaves room: there are never many blocks for few vectors.
        assert len(index._blocks) <= 2 + len(known)
    index.save(tmp_path / "index", 7)
    again, generation = VectorIndex.load(tmp_path / "index", "space", 16)
    assert generation == 7
    check(again, known, chosen)
    again.apply([99], vector(99)[None], [])
    check(again, known | {99}, chosen)


def test_room_that_was_left_is_filled():
    index = VectorIndex("space", 16)
    index.apply(range(20), np.stack([vector(n) for n in range(20)]), [])
    index.apply([], NOTHING, [1, 6, 11, 16])
    index.apply(range(20, 24), np.stack([vector(n) for n in range(20, 24)]), [])
    assert len(index._blocks) == 4
    check(index, set(range(24)) - {1, 6, 11, 16})


def test_nothing_is_found_by_nothing():
    index = VectorIndex("space", 16)
    assert index.search(vector(1), 5) == []
    index.apply([1], vector(1)[None], [])
    assert index.search(np.zeros(16, np.float32), 5) == []
    assert index.search(vector(1), 0) == []
    assert index.search(vector(1), 5, np.array([], np.int64)) == []


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "header", "tail"])
def test_a_file_that_is_not_as_it_was_written_is_refused(tmp_path, damage):
    index, path = VectorIndex("space", 16), tmp_path / "index"
    index.apply(range(9), np.stack([vector(n) for n in range(9)]), [])
    index.save(path, 1)
    content = bytearray(path.read_bytes())
    if damage == "cut":
        content = content[: len(content) // 2]
    elif damage == "flip":
        content[len(content) // 2] ^= 1
    elif damage == "empty":
        content = bytearray()
    elif damage == "header":
        content[0] ^= 1
    else:
        content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(Damaged):
        VectorIndex.load(path, "space", 16)


def test_the_index_of_another_space_is_refused(tmp_path):
    VectorIndex("one", 16).save(tmp_path / "index", 1)
    with pytest.raises(Damaged, match="another embedding space"):
        VectorIndex.load(tmp_path / "index", "two", 16)


def test_a_search_takes_one_thread_whichever_it_runs_in():
    import faiss

    index = VectorIndex("space", 16)
    index.apply([1], embed(["one"]), [])

    def threads() -> int:
        index.search(embed(["one"])[0], 1)
        return int(faiss.omp_get_max_threads())

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(threads).result() == 1
