"""How much of an index has to be looked at: tried with questions whose answers a comparison with every vector knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from schema import Vectors
from stores.postgres.adapters import Connection, HalfVector

ENOUGH = 0.99  # of the nearest that are found
_QUESTIONS, _DEPTH = 200, 10  # which are harder than those of people
_EQUAL = 1e-6  # cosines that differ by less are the same

Search = Callable[[int, Vectors, int], Sequence[tuple[Any, ...]]]  # effort, vector, k: chunks with their cosines


class TrialQuestion(NamedTuple):
    """One that no stored vector is, and what a comparison with every vector finds for it."""

    vector: Vectors
    own: list[int]  # the chunks that it was made of, which do not count: they are easily found
    best: list[float]  # scores, best first


def trial_questions(
    connection: Connection, space_id: int, holds: str, go_on: Callable[[], bool]
) -> list[TrialQuestion]:
    """Each is a stored vector that is turned away, every other one towards a second one. `holds`: a condition on the
    rows that can be found."""
    chance, table = np.random.default_rng(space_id), f"vectors_{space_id}"
    query = f"SELECT chunk_id, embedding FROM {table} WHERE {holds} ORDER BY hashint8(chunk_id) LIMIT %s"
    rows = connection.execute(query, [2 * _QUESTIONS], binary=True).fetchall()
    compared = f"""SELECT -(embedding <#> %(vector)s) FROM {table} WHERE {holds} AND chunk_id != ALL(%(own)s)
        ORDER BY (embedding <#> %(vector)s) + 0 LIMIT %(k)s"""
    found = []
    for (one, first), (other, second) in zip(rows[::2], rows[1::2], strict=False):
        if not go_on():
            break
        noise = chance.standard_normal(len(first))
        mixed = first + max(chance.uniform(-1, 1), 0) * second + chance.uniform(0, 1.5) * noise / np.linalg.norm(noise)
        rounded = np.asarray(mixed / (np.linalg.norm(mixed) or 1.0), np.float16)  # as PostgreSQL compares it
        vector, own = rounded.astype(np.float32), [one, other]
        values = {"vector": HalfVector(vector), "own": own, "k": _DEPTH}
        best = [row[0] for row in connection.execute(compared, values, binary=True)]
        found.append(TrialQuestion(vector, own, best))
    return found


def least_effort(
    questions: Sequence[TrialQuestion], efforts: Sequence[int], search: Search, go_on: Callable[[], bool]
) -> tuple[int, float]:
    """Enough for the questions, or the most; and the recall with it."""
    effort, recall = 0, 0.0
    for effort in efforts:
        recall = _recall(questions, effort, search, go_on)
        if recall >= ENOUGH or not go_on():
            break
    return effort, recall


def _recall(questions: Sequence[TrialQuestion], effort: int, search: Search, go_on: Callable[[], bool]) -> float:
    """The mean share of the nearest that is met: by scores, since of equal vectors any will do."""
    shares = []
    for vector, own, best in questions:
        if best and go_on():
            rows = search(effort, vector, _DEPTH + len(own))
            met = sorted((score for chunk_id, score in rows if chunk_id not in own), reverse=True)[: len(best)]
            shares.append(sum(score >= best[-1] - _EQUAL for score in met) / len(best))
    return float(np.mean(shares)) if shares else 1.0
