"""One run against another: what changed, whether it is more than chance, and whether a gate holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from errors import CitewiseError
from evaluation.lab.results import CaseResult, means
from evaluation.lab.significance import PairedDifference, holm, paired
from schema import Message

SURE = 0.05  # the p from which on a difference is told from chance
MAIN = ("correct", "ndcg@10", "recall@5")  # the figure that wins and losses are counted by: the first there is
_gate = re.compile(r"\s*([\w@]+)\s*>=?\s*([-+−]?\d+(?:\.\d+)?)\s*")
_REFUSAL = ("refused_rightly", "not_refused")
_NOTHING = 1e-9  # a difference that comes of rounding
_TOLD = ("confidence",)  # figures that are not better when they are higher


class RunInfo(BaseModel):
    """What a run was made with: what must be the same for its figures to mean the same."""

    model_config = ConfigDict(frozen=True)

    name: str
    set_name: str = ""
    set_digest: str = ""
    generation: int = 0  # of the library
    version: str = ""  # of the program
    began: str = ""  # ISO 8601 UTC
    settings: dict[str, Any] = {}  # those that the figures depend on
    variant: dict[str, Any] = {}  # what of them the run has set in another way
    with_answers: bool = False
    with_judge: bool = False
    seed: int = 0
    owner: str = ""
    cases: int = 0


class QualityGate(NamedTuple):
    """The difference that a figure must not fall below."""

    figure: str
    least: float

    def __str__(self) -> str:
        return f"{self.figure} >= {self.least:+g}"


class GateOutcome(NamedTuple):
    gate: QualityGate
    difference: PairedDifference
    holds: bool
    sure: bool  # a miss that is more than chance


class CaseChange(NamedTuple):
    """A case that one run does better than the other."""

    case: str
    question: str
    before: CaseResult
    after: CaseResult
    change: float


class RunComparison(BaseModel):
    """Of the cases that are in both runs."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    before: RunInfo
    after: RunInfo
    cases: int
    figure: str = ""  # by which wins and losses are counted
    differences: dict[str, PairedDifference] = {}
    wins: list[CaseChange] = []
    losses: list[CaseChange] = []
    ties: int = 0
    went_wrong: dict[str, tuple[int, int]] = {}  # before, after
    lost_to: dict[str, int] = {}  # where the losses went wrong
    notices: list[Message] = []
    gates: list[GateOutcome] = []

    @property
    def missed(self) -> list[GateOutcome]:
        return [one for one in self.gates if not one.holds]


def parse_gate(text: str) -> QualityGate:
    """Of "recall@5 >= -0.02". Raises CitewiseError."""
    found = _gate.fullmatch(text)
    if not found:
        raise CitewiseError(
            "settings",
            Message(zh=f"门槛“{text}”读不懂。", en=f"The gate {text!r} is not understood."),
            Message(zh="请写成 recall@5 >= -0.02 这样的形式。", en="Write it as recall@5 >= -0.02."),
        )
    return QualityGate(found[1], float(found[2].replace("−", "-")))


def compare_runs(
    before: RunInfo, rows_before: Sequence[CaseResult], after: RunInfo, rows_after: Sequence[CaseResult],
    gates: Sequence[QualityGate] = (), *, seed: int = 0,
) -> RunComparison:  # fmt: skip
    """A case that is stale in both is left out; one that only one of them has lost counts 0 there."""
    first, second = ({row.case: row for row in rows} for rows in (rows_before, rows_after))
    both = [key for key in first if key in second and not (first[key].stale and second[key].stale)]
    pairs = [(first[key], second[key]) for key in both]
    names = dict.fromkeys(name for pair in pairs for row in pair for name in row.figures if name not in _TOLD)
    values = {name: _values(name, pairs) for name in names}
    differences = {name: paired(b, a, seed=seed) for name, (a, b) in values.items() if a}
    figure = next((name for name in MAIN if name in differences), next(iter(differences), ""))
    changes = _changes(figure, pairs)
    losses = [one for one in changes if one.change < 0]
    wins = [one for one in changes if one.change > 0]
    lost_to: dict[str, int] = {}
    for one in losses:
        if one.after.went_wrong:
            lost_to[one.after.went_wrong] = lost_to.get(one.after.went_wrong, 0) + 1
    return RunComparison(
        before=before, after=after, cases=len(both), figure=figure, differences=differences, wins=wins, losses=losses,
        ties=len(both) - len(wins) - len(losses), lost_to=lost_to,
        went_wrong=_went_wrong([a for a, _ in pairs], [b for _, b in pairs]),
        notices=_notices(before, after, len(both), first, second), gates=_judged(gates, differences),
    )  # fmt: skip


def _values(name: str, pairs: Sequence[tuple[CaseResult, CaseResult]]) -> tuple[list[float], list[float]]:
    """Of the questions that both runs have the figure of, or one of them has and the other has lost."""
    kept = [
        (a.figures.get(name, 0.0), b.figures.get(name, 0.0))
        for a, b in pairs
        if (name in a.figures or a.stale or a.failure)
        and (name in b.figures or b.stale or b.failure)
        and (name in a.figures or name in b.figures)
    ]
    return [a for a, _ in kept], [b for _, b in kept]


def _changes(figure: str, pairs: Sequence[tuple[CaseResult, CaseResult]]) -> list[CaseChange]:
    """The largest first."""
    found = [
        CaseChange(a.case, a.question or b.question, a, b, b.figures.get(figure, 0.0) - a.figures.get(figure, 0.0))
        for a, b in pairs
        if figure in a.figures or figure in b.figures
    ]
    return sorted((one for one in found if abs(one.change) > _NOTHING), key=lambda one: -abs(one.change))


def _went_wrong(before: Sequence[CaseResult], after: Sequence[CaseResult]) -> dict[str, tuple[int, int]]:
    counts = [means(rows).went_wrong for rows in (before, after)]
    return {name: (counts[0].get(name, 0), counts[1].get(name, 0)) for name in sorted({*counts[0], *counts[1]})}


def _judged(gates: Sequence[QualityGate], differences: Mapping[str, PairedDifference]) -> list[GateOutcome]:
    """Of each figure alone; a gate on `refusal` is one on both of its rates, of which neither may pay for the other."""
    named = [gate._replace(figure=figure) for gate in gates for figure in _figures_of(gate, differences)]
    found = [differences[gate.figure] for gate in named]
    corrected = holm([one.p for one in found])
    outcomes = []
    for gate, one, p in zip(named, found, corrected, strict=True):
        holds = one.mean >= gate.least - _NOTHING
        outcomes.append(GateOutcome(gate, one, holds, not holds and one.mean < 0 and p < SURE))
    return outcomes


def _figures_of(gate: QualityGate, differences: Mapping[str, PairedDifference]) -> list[str]:
    figures = [name for name in (_REFUSAL if gate.figure == "refusal" else (gate.figure,)) if name in differences]
    if figures:
        return figures
    raise CitewiseError(
        "settings",
        Message(
            zh=f"两次运行都没有指标 {gate.figure}；有的是：{'、'.join(differences)}。",
            en=f"Neither run has the figure {gate.figure}; they have {', '.join(differences)}.",
        ),
    )


def _notices(
    before: RunInfo, after: RunInfo, cases: int, first: Mapping[str, CaseResult], second: Mapping[str, CaseResult]
) -> list[Message]:
    told = []
    if before.set_digest != after.set_digest:
        told.append(
            Message(
                zh=f"两次运行的问题集不同：只比较两边都有的 {cases} 题。",
                en=f"The runs asked different sets: only the {cases} questions that are in both are compared.",
            )
        )
    if before.generation != after.generation:
        told.append(Message(zh="两次运行之间知识库有变化。", en="The library has changed between the runs."))
    stale = [sum(row.stale for row in rows.values()) for rows in (first, second)]
    if any(stale):
        told.append(
            Message(
                zh=f"依据已不在知识库中的题：之前 {stale[0]}，之后 {stale[1]}。",
                en=f"Cases whose evidence is no longer in the library: {stale[0]} before, {stale[1]} after.",
            )
        )
    return told


def verdict(difference: PairedDifference, p: float | None = None) -> Message:
    """What a difference means, in a sentence."""
    sure = (difference.p if p is None else p) < SURE
    if sure:
        better = difference.mean > 0
        return Message(zh="变好了" if better else "变差了", en="better" if better else "worse")
    if difference.mean == 0 and difference.detectable == 0:
        return Message(zh="没有差别", en="no difference")
    return Message(
        zh=f"{difference.questions} 题还分不出差别；能分出的最小差别是 {difference.detectable:.3f}",
        en=f"no difference can be told with {difference.questions} questions; {difference.detectable:.3f} could be",
    )
