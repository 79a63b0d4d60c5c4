"""The vector index against plain arithmetic, over any sequence of changes, in every layout, and from its file."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_cases import embed

from schema import Vectors
from stores.indexes.faiss_index import DEPTHS, IndexFit, VectorIndex, look
from stores.indexes.layouts import LAYOUTS, Flat, Ids, Kind, flat
from stores.problems import DamagedFileError

KINDS = sorted(LAYOUTS)
NOTHING = np.zeros((0, 16), np.float32)
ids_of = st.lists(st.integers(0, 30), unique=True, max_size=12)
steps = st.lists(st.tuples(ids_of, ids_of), max_size=8)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flat, "_BLOCK", 5)


def vector(chunk_id: int) -> Vectors:
    return embed([f"w{chunk_id} w{chunk_id % 3}"])[0]


def rows(chunk_ids: list[int]) -> Vectors:
    return np.stack([vector(chunk_id) for chunk_id in chunk_ids]) if chunk_ids else NOTHING


class Truth(set[int]):
    """What is stored, as the index may look it up."""

    def exact(self, space_key: str, chunk_ids: Ids) -> tuple[Ids, Vectors] | None:
        there = [one for one in chunk_ids.tolist() if one in self]
        return np.array(there, np.int64), rows(there)


def made(kind: Kind, truth: Truth) -> VectorIndex:
    """An empty index that looks at so much that it should find everything."""
    layout = LAYOUTS[kind].fitted(rows(list(range(12))), 12, lambda: None)
    return VectorIndex("space", layout, truth.exact, IndexFit(12, (layout.most + 99,) * len(DEPTHS), 99))


def check(index: VectorIndex, known: set[int], chosen: list[int]) -> None:
    assert len(index) == len(known) == index.info().vectors
    assert set(index.chunk_ids().tolist()) == known
    within = np.array(sorted(chosen), np.int64)
    for question in (vector(3), vector(40)):
        exact = {chunk_id: float(vector(chunk_id) @ question) for chunk_id in known}
        for possible, held in ((known, None), (known & set(chosen), within), (known & set(chosen), within)):
            ranked = index.search(question, 4, held)
            best = sorted((exact[chunk_id] for chunk_id in possible), reverse=True)[:4]
            assert [one.score for one in ranked] == pytest.approx(best, abs=1e-3)
            assert all(one.score == pytest.approx(exact[one.chunk_id], abs=1e-3) for one in ranked)
            assert {one.chunk_id for one in ranked} <= possible


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=30, suppress_health_check=list(HealthCheck), database=None)
@given(first=ids_of, steps=steps, chosen=st.lists(st.integers(0, 30), min_size=1, unique=True))
def test_any_sequence_of_changes(tmp_path: Path, kind: Kind, first, steps, chosen):
    known = Truth(first)
    index = made(kind, known)
    if first:
        index.fill(np.array(first, np.int64), rows(first))
    for added, removed in steps:
        new = [chunk_id for chunk_id in added if chunk_id not in known - set(removed)]
        index.apply(new, rows(new), removed)
        known -= set(removed)
        known |= set(new)
        check(index, known, chosen)
        # What goes leaves room: there are never many blocks for few vectors.
        assert kind != "flat" or len(index.layout._blocks) <= 2 + len(known)
    index.save(tmp_path / "index", 7)
    again, generation = VectorIndex.load(tmp_path / "index", "space", 16, known.exact)
    assert (generation, again.fit, look(tmp_path / "index")) == (7, index.fit, (7, "space"))
    check(again, known, chosen)
    again.apply([99], vector(99)[None], [])
    known.add(99)
    check(again, known, chosen)


def test_room_that_was_left_is_filled():
    index = made("flat", Truth())
    index.apply(range(20), rows(list(range(20))), [])
    index.apply([], NOTHING, [1, 6, 11, 16])
    index.apply(range(20, 24), rows(list(range(20, 24))), [])
    assert isinstance(index.layout, Flat)
    assert len(index.layout._blocks) == 4
    check(index, set(range(24)) - {1, 6, 11, 16}, [2])


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_found_by_nothing(kind):
    truth = Truth({1})
    index = made(kind, truth)
    assert index.search(vector(1), 5) == []
    assert index.search(vector(1), 5, np.array([1])) == []
    index.apply([1], vector(1)[None], [])
    assert index.search(np.zeros(16, np.float32), 5) == []
    assert index.search(vector(1), 0) == []
    assert index.search(vector(1), 5, np.array([], np.int64)) == []


@pytest.mark.parametrize("kind", ["ivf", "hnsw"])
def test_scores_are_those_of_the_stored_vectors(kind):
    """Codes of 8 bits would mistake close ones."""
    chance = np.random.default_rng(0)
    stored = vector(1) + 0.002 * chance.standard_normal((60, 16)).astype(np.float32)
    layout = LAYOUTS[kind].fitted(stored, 60, lambda: None)

    def exact(space_key: str, chunk_ids: Ids) -> tuple[Ids, Vectors]:
        return chunk_ids, stored[chunk_ids]

    index = VectorIndex("space", layout, exact, IndexFit(60, (60, 60), 60))
    index.fill(np.arange(60), stored)
    ranked = index.search(vector(1), 10)
    best = np.argsort(-(stored @ vector(1)))[:10]
    assert [one.chunk_id for one in ranked] == best.tolist()
    assert [one.score for one in ranked] == pytest.approx((stored @ vector(1))[best].tolist(), abs=1e-6)


@pytest.mark.parametrize("kind", ["ivf", "hnsw"])
def test_what_is_deleted_meanwhile_is_not_found_and_a_swapped_space_is_answered_for_once_more(kind):
    truth = Truth(range(12))
    index = made(kind, truth)
    index.fill(np.arange(12), rows(list(range(12))))
    truth.discard(3)  # in SQLite; the index has not followed yet
    assert 3 not in {one.chunk_id for one in index.search(vector(3), 12)}
    assert len(index.search(vector(3), 12)) == 11
    index._exact = lambda space_key, chunk_ids: None
    [first, *_] = index.search(vector(3), 12)
    assert first.chunk_id == 3
    assert first.score == pytest.approx(1, abs=0.05)


def test_few_of_a_filter_are_found_wherever_they_lie():
    """Looking through one list, a search goes on until it has met enough of those that it is held to."""
    known = Truth(range(31))
    index = made("ivf", known)
    index.fill(np.arange(31), rows(list(range(31))))
    index.fit = IndexFit(31)
    for chunk_id in range(31):
        for other in (0, 7, 30):
            assert [one.chunk_id for one in index.search(vector(chunk_id), 1, np.array([other]))] == [other]
        assert len(index.search(vector(chunk_id), 31)) == 31


def test_a_filter_is_worked_out_again_after_a_change():
    known = Truth(range(31))
    for kind in KINDS:
        index = made(kind, known)
        index.fill(np.arange(15), rows(list(range(15))))
        within = np.arange(10, 25)
        assert {one.chunk_id for one in index.search(vector(12), 99, within)} == set(range(10, 15))
        index.apply(range(15, 31), rows(list(range(15, 31))), [11])
        assert {one.chunk_id for one in index.search(vector(12), 99, within)} == set(range(10, 25)) - {11}


# --- its file ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "header", "tail", "lengthened"])
def test_a_file_that_is_not_as_it_was_written_is_refused(tmp_path, kind, damage):
    truth = Truth(range(9))
    index, path = made(kind, truth), tmp_path / "index"
    index.apply(range(9), rows(list(range(9))), [])
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
    elif damage == "tail":
        content[-1] ^= 1
    else:
        content += b"more"
    path.write_bytes(content)
    for refused in (lambda: VectorIndex.load(path, "space", 16, truth.exact), lambda: look(path)):
        with pytest.raises(DamagedFileError):
            refused()


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(DamagedFileError):
        look(tmp_path / "nothing")


def test_a_file_of_the_first_format_is_refused(tmp_path):
    import json
    import zlib

    footer = json.dumps({"generation": 1, "space": "space", "blocks": 0, "crc": zlib.crc32(b"")}).encode()
    (tmp_path / "index").write_bytes(footer + len(footer).to_bytes(4, "little"))
    with pytest.raises(DamagedFileError, match="earlier version"):
        VectorIndex.load(tmp_path / "index", "space", 16, Truth().exact)


@pytest.mark.parametrize(("key", "dimensions"), [("two", 16), ("one", 8)])
def test_the_index_of_another_space_is_refused(tmp_path, key, dimensions):
    VectorIndex.flat("one", 16, Truth().exact).save(tmp_path / "index", 1)
    with pytest.raises(DamagedFileError, match="another embedding space"):
        VectorIndex.load(tmp_path / "index", key, dimensions, Truth().exact)


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_while_it_is_saved_has_it_compared_when_it_is_opened(tmp_path, kind):
    truth = Truth(range(20))
    index = made(kind, truth)
    index.apply(range(12), rows(list(range(12))), [])
    parts = index._parts

    def with_a_change(counts: list[int]) -> Iterator[bytes]:
        for number, part in enumerate(parts(counts)):
            yield part
            if number == 0:
                index.apply([12, 13], rows([12, 13]), [1])

    index._parts = with_a_change
    index.save(tmp_path / "index", 7)
    again, generation = VectorIndex.load(tmp_path / "index", "space", 16, truth.exact)
    assert generation == -1
    there = set(again.chunk_ids().tolist())
    assert set(range(2, 12)) <= there <= set(range(14))
    again.apply([], NOTHING, [1])
    check(again, there - {1}, [3, 12])


def test_a_file_that_could_not_be_written_leaves_the_old_one(tmp_path):
    index = made("flat", Truth())
    index.save(tmp_path / "index", 1)
    (tmp_path / "index.new").mkdir()
    with pytest.raises(IsADirectoryError):
        index.save(tmp_path / "index", 2)
    assert look(tmp_path / "index") == (1, "space")


def test_a_search_takes_one_thread_whichever_it_runs_in():
    import faiss

    index = made("flat", Truth())
    index.apply([1], embed(["one"]), [])

    def threads() -> int:
        faiss.omp_set_num_threads(2)
        index.search(embed(["one"])[0], 1)
        return int(faiss.omp_get_max_threads())

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(threads).result() == 1
