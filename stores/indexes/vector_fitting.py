"""Making an index for the vectors that are there: laid out by a sample of them, tried with questions like theirs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from schema import Vectors
from stores.indexes.faiss_index import DEPTHS, Exact, IndexFit, VectorIndex
from stores.indexes.layouts import LAYOUTS, ChunkFilter, Found, Ids, Kind
from stores.indexes.layouts.base import faiss_module

_AT_ONCE = 500  # vectors that are read out of SQLite
_SAMPLE = 120  # times the root of the number of vectors: 20 for each list
_QUESTIONS = 400
_FEW = 50  # of them, for what costs more
_EQUAL = 1e-5  # cosines that differ by less are the same
_TARGET = 0.997  # of the ten nearest: questions differ from those tried here, and the promise is 0.99
_DEEP_TARGET = 0.95  # of the hundred nearest: the last of them are hardly nearer than any other
_MORE = 50  # what was enough, and a fiftieth of all there is beside it: lists differ from those that the trial met


class FittingStoppedError(Exception):
    """The index is not wanted any more."""


def fit_index(
    kind: Kind, space_key: str, dimensions: int, chunk_ids: Ids, exact: Exact, go_on: Callable[[], None],
    most_work: float = 1.0,
) -> VectorIndex:  # fmt: skip
    """An index of this kind over these chunks. Its recall is what it finds at best, which may be too little. Where it
    needs more than `most_work` of the effort that there can be, that is all the trial tells: of a million vectors the
    rest of it takes half an hour.

    Raises Stopped when the space is no longer served, and whatever `go_on` raises, which is called now and then.
    """
    faiss_module().omp_set_num_threads(1)
    chance = np.random.default_rng(len(chunk_ids))

    def read(ids: Ids) -> Found:
        go_on()
        known = exact(space_key, ids)
        if known is None:
            raise FittingStoppedError
        return np.ascontiguousarray(known[1], np.float32), known[0]

    count = min(len(chunk_ids), max(int(_SAMPLE * len(chunk_ids) ** 0.5), 2 * _QUESTIONS))
    slices = np.array_split(np.sort(chance.choice(chunk_ids, count, replace=False)), count // _AT_ONCE + 1)
    read_ones = [read(ids) for ids in slices]
    sample, sampled = (np.concatenate([pair[part] for pair in read_ones]) for part in (0, 1))
    layout = LAYOUTS[kind].fitted(sample, len(chunk_ids), go_on)
    index = VectorIndex(space_key, layout, exact)
    trial = None if layout.exact else _LayoutTrial(sample, sampled, chance)
    del sample, read_ones
    for place in range(0, len(chunk_ids), _AT_ONCE):
        rows, ids = read(chunk_ids[place : place + _AT_ONCE])
        index.fill(ids, rows)
        if trial:
            trial.see(rows, ids)
    index.fit = trial.fit(index, go_on, most_work) if trial else IndexFit(len(chunk_ids))
    return index


class _LayoutTrial:
    """Questions, and what a comparison with every vector finds for them.

    A question is a stored vector, turned away by up to 56 degrees; every other one lies towards a second stored vector,
    up to the middle. Those it was made of do not count. All are asked again of the half of the vectors that is nearer
    to one chosen at random: a filter that goes with what is sought.
    """

    def __init__(self, sample: Vectors, chunk_ids: Ids, chance: np.random.Generator) -> None:
        usable = np.flatnonzero(sample.any(axis=1))
        pairs = chance.choice(usable, (_QUESTIONS if len(usable) else 0, 2))
        mixed, away = np.maximum(chance.uniform(-1, 1, (len(pairs), 1)), 0), chance.uniform(0, 1.5, (len(pairs), 1))
        noise = _unit(chance.standard_normal((len(pairs), sample.shape[1])))
        questions = _unit(sample[pairs[:, 0]] + mixed * sample[pairs[:, 1]] + away * noise)
        own = chunk_ids[pairs]
        self._free = _Case(questions, own)
        self._deep = _Case(questions[:_FEW], own[:_FEW])
        self._held = []
        for place in range(0, len(pairs), _FEW):
            axis = sample[chance.choice(usable)]
            some = slice(place, place + _FEW)
            self._held.append(_Case(questions[some], own[some], axis, float(np.median(sample @ axis))))

    def see(self, rows: Vectors, chunk_ids: Ids) -> None:
        for case in (self._free, self._deep, *self._held):
            case.see(rows, chunk_ids)

    def fit(self, index: VectorIndex, go_on: Callable[[], None], most_work: float) -> IndexFit:
        """The least effort that finds enough, for each depth and with a filter; or more than is wanted."""
        most = index.layout.most
        steps = _steps(most)

        def least(cases: list[_Case], depth: int, target: float, effort: int = 1) -> int:
            def enough(effort: int) -> bool:
                return all(case.recall(index, effort, depth, go_on) >= target for case in cases)

            place = bisect_left(steps, True, lo=bisect_left(steps, effort), key=enough)
            return min(steps[min(place, len(steps) - 1)] + most // _MORE, most)

        limit = steps[max(bisect_right(steps, most_work * most) - 1, 0)]
        if limit < most and (found := self._free.recall(index, limit, DEPTHS[0], go_on)) < _TARGET:
            return IndexFit(len(index), (most, most), most, round(found, 4))
        usual = least([self._free], DEPTHS[0], _TARGET)
        deep = least([self._deep], DEPTHS[1], _DEEP_TARGET, usual)
        held = least(self._held, DEPTHS[0], _TARGET, usual)
        recalls = [self._free.recall(index, usual, DEPTHS[0], go_on)]
        recalls += [case.recall(index, held, DEPTHS[0], go_on) for case in self._held]
        return IndexFit(len(index), (usual, deep), held, round(min(recalls), 4))


class _Case:
    """Some questions, asked of all vectors or of those whose product with `axis` is more than `least`."""

    def __init__(self, questions: Vectors, own: Ids, axis: Vectors | None = None, least: float = 0.0) -> None:
        self._questions, self._own, self._axis, self._least = questions, own, axis, least
        self._best = np.full((len(questions), DEPTHS[-1]), -np.inf, np.float32)  # scores, best first
        self._held: list[Ids] = []

    def see(self, rows: Vectors, chunk_ids: Ids) -> None:
        if self._axis is not None:
            held = rows @ self._axis > self._least
            rows, chunk_ids = rows[held], chunk_ids[held]
            self._held.append(chunk_ids)
        if not len(rows) or not len(self._questions):
            return
        faiss = faiss_module()
        k = min(len(rows), DEPTHS[-1] + self._own.shape[1])
        scores, places = faiss.knn(self._questions, rows, k, metric=faiss.METRIC_INNER_PRODUCT)
        scores[(chunk_ids[places][:, :, None] == self._own[:, None, :]).any(axis=2)] = -np.inf
        self._best = -np.sort(-np.hstack([self._best, scores]), axis=1)[:, : DEPTHS[-1]]

    def recall(self, index: VectorIndex, effort: int, depth: int, go_on: Callable[[], None]) -> float:
        """By scores: of equal vectors any will do."""
        within = None if self._axis is None else ChunkFilter(np.sort(np.concatenate(self._held)))
        shares: list[float] = []
        for question, own, scores in zip(self._questions, self._own, self._best, strict=True):
            go_on()  # each reads vectors out of SQLite, and closing waits for this
            best = scores[:depth][scores[:depth] > -np.inf]
            if len(best):
                found, ids = index.nearest(question, depth + len(own), effort, within)
                met = np.sort(found[~np.isin(ids, own)])[::-1][: len(best)]
                shares.append(np.count_nonzero(met >= best[-1] - _EQUAL) / len(best))
        return float(np.mean(shares)) if shares else 1.0


def _unit(rows: npt.NDArray[np.floating[Any]]) -> Vectors:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9), np.float32)


def _steps(most: int) -> list[int]:
    """Efforts to choose from, each about a tenth more than the last."""
    steps = [1]
    while steps[-1] < most:
        steps.append(min(max(steps[-1] + 1, steps[-1] * 11 // 10), most))
    return steps
