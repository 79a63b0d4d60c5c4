"""Which of several settings is best, without being fooled by the best of many that are equal.

The questions are split once by their documents, so that two of one page do not stand on both sides. On 60 % of them the
candidates are halved: all of them on a quarter of these questions, the better half on a half, the best quarter on all;
three are never dropped. The winner is held against the default once, on the other 40 %. It replaces the default where
it is better there with 95 % certainty, and on the 60 % with 90 %: the best of many equals is often lucky once, and
hardly ever twice.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from errors import CitewiseError
from evaluation.lab.cases import SENTENCE_MADE, LabCase
from evaluation.lab.significance import PairedDifference, lower_bound, paired
from schema import Message

FEWEST = 40  # questions that a choice needs
_FIRST_LOOK = 0.9  # how sure the winner has to be on the questions that it was found by
_SHARE = 0.6  # of the questions on which the candidates are compared
_KEPT = 3  # candidates that no round goes below
_SAME = 0.005  # a mean that is no further from the best one is as good: then the cheaper one wins
C = TypeVar("C")


class Score(NamedTuple):
    """Of one question by one candidate."""

    value: float
    seconds: float = 0.0
    calls: int = 0
    tokens: int = 0  # that are read


class CandidateRow(NamedTuple):
    """How a candidate stood at the last round that it was in."""

    label: str
    questions: int
    mean: float
    milliseconds: float
    calls: float
    tokens: float
    round: int


class Choice(NamedTuple, Generic[C]):
    """What came out: `chosen` is the default where nothing is surely better."""

    chosen: C
    default: C
    winner: C
    replaced: bool
    rows: list[CandidateRow]  # best last round first
    confirmation: PairedDifference | None
    bound: float  # that the winner's gain passes in 95 of 100 cases
    searched: int  # questions on which candidates were compared
    confirmed: int  # questions on which the winner was held against the default
    seed: int


Evaluate = Callable[[C, Sequence[LabCase]], Awaitable[Sequence[Score]]]


def split(cases: Sequence[LabCase], seed: int = 0) -> tuple[list[LabCase], list[LabCase]]:
    """60 and 40 % by the documents that they are about."""
    groups: dict[str, list[LabCase]] = {}
    for case in cases:
        groups.setdefault(case.evidence[0].document if case.evidence else case.id, []).append(case)
    order = sorted(groups, key=lambda name: hashlib.sha256(f"{seed} {name}".encode()).digest())
    first: list[LabCase] = []
    second: list[LabCase] = []
    for name in order:
        (first if len(first) + len(groups[name]) / 2 <= _SHARE * len(cases) else second).extend(groups[name])
    return first, second


def refuse_unfit(cases: Sequence[LabCase]) -> None:
    """Raises CitewiseError for sets that cannot tell candidates apart."""
    if cases and all(SENTENCE_MADE in case.tags for case in cases):
        raise CitewiseError(
            "settings",
            Message(
                zh="这些问题是由单句拼成的，分不出检索方式的好坏。",
                en="These questions are made of single sentences: they cannot tell strategies apart.",
            ),
            Message(
                zh="请用人提的问题、留作测试的回答、点赞的回答或带问号的标题。",
                en="Use people's questions, answers kept as tests, thumbs, or headings that ask.",
            ),
        )
    if len(cases) < FEWEST:
        raise CitewiseError(
            "settings",
            Message(
                zh=f"只有 {len(cases)} 题，至少要 {FEWEST} 题才能选；可以先逐一比较。",
                en=f"{len(cases)} questions are too few to choose by ({FEWEST} are needed); runs can be compared.",
            ),
        )


async def choose(
    default: C, others: Sequence[C], cases: Sequence[LabCase], evaluate: Evaluate[C],
    label: Callable[[C], str] = str, *, seed: int = 0,
) -> Choice[C]:  # fmt: skip
    """Each candidate is asked each question at most once. Raises CitewiseError as `refuse_unfit`."""
    refuse_unfit(cases)
    search, confirm = split(cases, seed)
    order = np.random.default_rng(seed).permutation(len(search))
    search = [search[place] for place in order]
    candidates = [default, *others]
    scores: list[list[Score]] = [[] for _ in candidates]
    alive, rows = list(range(len(candidates))), dict[int, CandidateRow]()
    for number, share in enumerate((4, 2, 1), 1):
        upto = max(1, len(search) // share)
        for place in alive:
            scores[place] += await evaluate(candidates[place], search[len(scores[place]) : upto])
            rows[place] = _row(label(candidates[place]), scores[place], number)
        if number < 3:  # the default is held on to: it is what all are held against
            ranked = sorted(alive, key=lambda place: -rows[place].mean)
            alive = sorted({0, *ranked[: max(_KEPT, math.ceil(len(alive) / 2))]})
    best = _best(alive, rows)
    ordered = sorted(rows.values(), key=lambda row: (-row.round, -row.mean))
    if best == 0:
        return Choice(default, default, default, False, ordered, None, 0.0, len(search), len(confirm), seed)
    after = [score.value for score in await evaluate(candidates[best], confirm)]
    before = [score.value for score in await evaluate(default, confirm)]
    difference = paired(after, before, seed=seed)
    bound = lower_bound(np.subtract(after, before))
    won, lost = ([score.value for score in scores[place]] for place in (best, 0))
    replaced = bound > 0 and lower_bound(np.subtract(won, lost), _FIRST_LOOK) > 0
    winner = candidates[best]
    return Choice(
        winner if replaced else default, default, winner, replaced, ordered, difference, bound, len(search),
        len(confirm), seed,
    )  # fmt: skip


def _row(label: str, scores: Sequence[Score], number: int) -> CandidateRow:
    n = max(len(scores), 1)
    return CandidateRow(
        label, len(scores), sum(one.value for one in scores) / n, 1000 * sum(one.seconds for one in scores) / n,
        sum(one.calls for one in scores) / n, sum(one.tokens for one in scores) / n, number,
    )  # fmt: skip


def _best(alive: Sequence[int], rows: dict[int, CandidateRow]) -> int:
    """The best mean; of those that are as good the one that costs least, in calls, then tokens, then time."""
    highest = max(rows[place].mean for place in alive)
    as_good = [place for place in alive if rows[place].mean >= highest - _SAME]
    return min(as_good, key=lambda place: _cost(rows[place]))


def _cost(row: CandidateRow) -> tuple[float, int, int]:
    """In steps of a quarter, so that noise decides nothing."""
    tokens, milliseconds = (round(math.log(max(value, 1), 1.25)) for value in (row.tokens, row.milliseconds))
    return round(row.calls, 1), tokens, milliseconds
