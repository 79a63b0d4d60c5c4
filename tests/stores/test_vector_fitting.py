"""An index in lists or as a graph finds what a comparison with every vector finds, and says how much of it it does."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from schema import Vectors
from stores.indexes import vector_fitting
from stores.indexes.faiss_index import VectorIndex
from stores.indexes.layouts import LAYOUTS, Ids, Kind
from stores.indexes.vector_fitting import FittingStoppedError, fit_index

APPROXIMATE = sorted(set(LAYOUTS) - {"flat"})
COUNT, DIMENSIONS = 1_000, 32


def unit(rows: npt.NDArray[np.float64]) -> Vectors:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


@pytest.fixture
def short_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_fitting, "_QUESTIONS", 40)
    monkeypatch.setattr(vector_fitting, "_FEW", 10)


@pytest.fixture(autouse=True)
def whole_trials(small_indexes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index is tried here as it is in earnest."""
    monkeypatch.undo()


def clustered(seed: int, centres: int = 30, spread: float = 0.5) -> Vectors:
    chance = np.random.default_rng(seed)
    middles = np.random.default_rng(99).standard_normal((centres, DIMENSIONS))
    noise = spread * chance.standard_normal((COUNT, DIMENSIONS))
    return unit(middles[chance.integers(0, centres, COUNT)] + noise)


def uniform(seed: int, count: int = COUNT) -> Vectors:
    return unit(np.random.default_rng(seed).standard_normal((count, DIMENSIONS)))


def repeated(seed: int) -> Vectors:
    """A licence that stands in a thousand files."""
    rows = clustered(seed)
    rows[: COUNT // 3] = rows[0]
    return rows


def with_nothing(seed: int) -> Vectors:
    """Texts with nothing known in them."""
    rows = clustered(seed)
    rows[::2] = 0
    return rows


def index_of(rows: Vectors, kind: Kind) -> VectorIndex:
    def exact(space_key: str, chunk_ids: Ids) -> tuple[Ids, Vectors]:
        return chunk_ids, rows[chunk_ids - 1]

    return fit_index(kind, "space", rows.shape[1], np.arange(1, len(rows) + 1), exact, lambda: None)


@cache
def known(data: Callable[[int], Vectors], kind: Kind) -> VectorIndex:
    """Of the rows of seed 1; nothing may be changed in it."""
    return index_of(data(1), kind)


def recall(index: VectorIndex, rows: Vectors, questions: Vectors, within: Ids | None = None) -> float:
    found = 0
    for question in questions:
        scores = rows @ question if within is None else rows[within - 1] @ question
        tenth = np.partition(scores, -10)[-10]
        found += sum(one.score >= tenth - 1e-5 for one in index.search(question, 10, within))
    return found / (10 * len(questions))


@pytest.mark.parametrize("kind", APPROXIMATE)
@pytest.mark.parametrize("data", [clustered, uniform, repeated, with_nothing])
def test_what_is_near_is_found(kind, data):
    rows = data(1)
    index = known(data, kind)
    assert len(index) == COUNT
    assert index.fit.recall >= 0.99
    chance = np.random.default_rng(5)
    asked = [row for row in data(2) if row.any()][:50]
    questions = unit(asked + 0.1 * chance.standard_normal((50, DIMENSIONS)))
    assert recall(index, rows, questions) >= 0.99
    ids = np.arange(1, COUNT + 1)
    nearer = rows @ rows[1] > np.median(rows @ rows[1])
    for held in (chance.random(COUNT) < 0.5, chance.random(COUNT) < 0.01, nearer, ~nearer):
        assert recall(index, rows, questions, ids[held]) >= 0.99


def test_alike_vectors_need_few_lists_and_others_many():
    few, many = known(clustered, "ivf").info(), known(uniform, "ivf").info()
    assert few.effort * 3 < few.most
    assert many.effort * 2 > many.most


def test_a_trial_ends_where_more_is_needed_than_is_wanted(monkeypatch):
    """Of uniform vectors most lists have to be looked through; of clustered ones few, and they are tried as before."""
    rows, asked, recalled = {data: data(1) for data in (uniform, clustered)}, [], vector_fitting._Case.recall

    def noted(case, index, effort, *rest):
        asked.append(effort)
        return recalled(case, index, effort, *rest)

    monkeypatch.setattr(vector_fitting._Case, "recall", noted)
    fits = {}
    for data, given in rows.items():
        exact = lambda space_key, chunk_ids, given=given: (chunk_ids, given[chunk_ids - 1])  # noqa: E731
        ids = np.arange(1, COUNT + 1)
        fits[data] = fit_index("ivf", "space", DIMENSIONS, ids, exact, lambda: None, 1 / 3).info()
        if data is uniform:
            assert len(asked) == 1
            assert asked[0] <= fits[data].most / 3
    assert fits[uniform].effort == fits[uniform].most
    assert fits[uniform].recall < 0.997
    assert fits[clustered] == known(clustered, "ivf").info()


@pytest.mark.parametrize("kind", APPROXIMATE)
def test_the_recall_that_is_told_is_that_of_too_little_effort_too(kind, monkeypatch):
    """An index that passes over what is near is found out."""
    monkeypatch.setattr(vector_fitting, "_steps", lambda most: [1])
    monkeypatch.setattr(vector_fitting, "_MORE", 10**9)
    assert index_of(uniform(1, 2 * COUNT), kind).fit.recall < 0.99


def test_an_index_that_has_doubled_with_other_vectors_still_finds_them():
    first, second = clustered(1), unit(clustered(3) @ np.diag(np.linspace(-1, 1, DIMENSIONS)).astype(np.float32))
    rows = np.concatenate([first, second])

    def exact(space_key: str, chunk_ids: Ids) -> tuple[Ids, Vectors]:
        return chunk_ids, rows[chunk_ids - 1]

    index = fit_index("ivf", "space", DIMENSIONS, np.arange(1, COUNT + 1), exact, lambda: None)
    index.apply(np.arange(COUNT + 1, 2 * COUNT + 1), second, ())
    assert index.newcomers == COUNT
    assert recall(index, rows, unit(second[:100] + 0.1 * np.random.default_rng(1).standard_normal((100, 32)))) >= 0.99


@pytest.mark.parametrize("kind", APPROXIMATE)
def test_fitting_stops_at_every_step(kind, short_trials):
    rows = clustered(1)
    steps = 0

    def exact(space_key: str, chunk_ids: Ids) -> tuple[Ids, Vectors]:
        return chunk_ids, rows[chunk_ids - 1]

    def run(last: int | None) -> int:
        steps = 0

        def go_on() -> None:
            nonlocal steps
            steps += 1
            if steps == last:
                raise FittingStoppedError

        fit_index(kind, "space", DIMENSIONS, np.arange(1, COUNT + 1), exact, go_on)
        return steps

    steps = run(None)
    assert steps > 20
    for last in (1, 2, steps // 2, steps):
        with pytest.raises(FittingStoppedError):
            run(last)


@pytest.mark.parametrize("kind", APPROXIMATE)
def test_fitting_can_be_stopped_before_each_look_at_the_library(kind, short_trials):
    rows, asked = clustered(1), True

    def exact(space_key: str, chunk_ids: Ids) -> tuple[Ids, Vectors]:
        nonlocal asked
        assert asked
        asked = False
        return chunk_ids, rows[chunk_ids - 1]

    def go_on() -> None:
        nonlocal asked
        asked = True

    fit_index(kind, "space", DIMENSIONS, np.arange(1, COUNT + 1), exact, go_on)


def test_a_space_that_is_swapped_meanwhile_ends_it():
    with pytest.raises(FittingStoppedError):
        fit_index("ivf", "space", DIMENSIONS, np.arange(50), lambda space_key, chunk_ids: None, lambda: None)


@pytest.mark.parametrize("kind", sorted(LAYOUTS))
@pytest.mark.parametrize("count", [1, 2, 11])
def test_few_vectors_or_zeros_are_no_reason_to_fail(kind, count):
    for rows in (clustered(1)[:count], np.zeros((count, DIMENSIONS), np.float32)):
        index = index_of(rows, kind)
        assert len(index.search(clustered(2)[0], 99)) == count
