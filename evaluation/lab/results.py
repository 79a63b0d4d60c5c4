"""What a run comes to: a row a case, where each went wrong, and the means."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict

from evaluation.lab.cases import SELF_MADE, LabCase
from evaluation.metrics import auroc
from schema import Language, Message

# In the order of the way that an answer takes: the first that holds is what to change.
WentWrong = Literal[
    "failed", "not_in_library", "not_found", "not_read", "wrongly_refused", "not_said", "said_wrongly",
    "wrongly_answered",
]  # fmt: skip
WENT_WRONG: dict[WentWrong, Message] = {
    "failed": Message(zh="运行出错", en="it failed"),
    "not_in_library": Message(zh="知识库里已没有依据", en="not in the library"),
    "not_found": Message(zh="没有检索到", en="not found"),
    "not_read": Message(zh="检索到了，但没有读到", en="found, but not read"),
    "wrongly_refused": Message(zh="读到了，却拒绝回答", en="wrongly refused"),
    "not_said": Message(zh="读到了，但没有说出", en="read, but not said"),
    "said_wrongly": Message(zh="说错了，或没有依据", en="said wrongly"),
    "wrongly_answered": Message(zh="本该拒绝，却作了回答", en="answered what the library does not hold"),
}
_WITH_GOLD = ("recall@1", "recall@5", "recall@10", "all@5", "mrr@10", "ndcg@10", "read")
_SHOWN = 5  # places of hits that a row keeps


class HitPlace(NamedTuple):
    document: str
    doc_set: str
    start_line: int
    end_line: int
    right: bool  # whether it holds a gold passage


def _in_both(failure: object) -> object:
    """Rows of earlier versions kept a sentence in English, or ""."""
    return (Message(failure, failure) if failure else None) if isinstance(failure, str) else failure


class CaseResult(BaseModel):
    """One case of a run. A failure has figures of 0; a stale case has none, and is counted apart."""

    model_config = ConfigDict(frozen=True)

    case: str
    question: str = ""
    figures: dict[str, float] = {}
    went_wrong: WentWrong | None = None
    stale: bool = False
    failure: Annotated[Message | None, BeforeValidator(_in_both)] = None
    answer: str = ""
    places: tuple[HitPlace, ...] = ()
    self_made: bool = False
    refuse: bool = False
    unjudged: bool = False  # a judge was asked and did not answer
    thread: str = ""  # the conversation that holds the answer's trace
    seconds: float = 0.0
    calls: int = 0
    tokens: int = 0
    read_tokens: int = 0  # of the passages that a reader is given
    cost: float = 0.0

    def said(self, language: Language) -> str:
        """The answer, or why there is none."""
        return self.failure.to(language) if self.failure else self.answer


def of_failure(case: LabCase, why: Message, with_answers: bool) -> CaseResult:
    """A case that could not be run counts 0 in every mean that it has a part in."""
    refuse = case.kind == "refuse"
    names = [] if refuse else list(_WITH_GOLD)
    names += ["correct", "refused_rightly" if refuse else "not_refused"] if with_answers else []
    return CaseResult(
        case=case.id, question=case.question, figures=dict.fromkeys(names, 0.0), went_wrong="failed", failure=why,
        self_made=SELF_MADE in case.tags, refuse=refuse,
    )  # fmt: skip


class Means(BaseModel):
    """Of one kind of questions: people's, or self-made ones."""

    cases: int = 0
    figures: dict[str, float] = {}
    went_wrong: dict[str, int] = {}
    stale: int = 0
    failures: int = 0
    unjudged: int = 0
    p50: float = 0.0  # seconds
    p95: float = 0.0
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0


def means(rows: Sequence[CaseResult]) -> Means:
    judged = [row for row in rows if not row.stale]
    names = dict.fromkeys(name for row in judged for name in row.figures if name != "confidence")
    figures = {name: _mean(row.figures[name] for row in judged if name in row.figures) for name in names}
    seconds = [row.seconds for row in judged] or [0.0]
    return Means(
        cases=len(rows),
        figures=figures | _refusal(judged, figures),
        went_wrong=dict(Counter(row.went_wrong for row in rows if row.went_wrong)),
        stale=sum(row.stale for row in rows),
        failures=sum(bool(row.failure) for row in rows),
        unjudged=sum(row.unjudged for row in rows),
        p50=float(np.percentile(seconds, 50)),
        p95=float(np.percentile(seconds, 95)),
        calls=sum(row.calls for row in rows),
        tokens=sum(row.tokens for row in rows),
        cost=sum(row.cost for row in rows),
    )


def summary(rows: Sequence[CaseResult]) -> dict[Literal["people", "self_made"], Means]:
    """Questions that a program has made are never in one mean with people's."""
    groups: dict[Literal["people", "self_made"], Means] = {}
    if people := [row for row in rows if not row.self_made]:
        groups["people"] = means(people)
    if made := [row for row in rows if row.self_made]:
        groups["self_made"] = means(made)
    return groups


def _refusal(rows: Sequence[CaseResult], figures: Mapping[str, float]) -> dict[str, float]:
    """The balance of both rates, and how well confidence tells the two kinds apart."""
    if not {"refused_rightly", "not_refused"} <= figures.keys():
        return {}
    sure, unsure = (
        [row.figures.get("confidence", 0.0) for row in rows if name in row.figures]
        for name in ("not_refused", "refused_rightly")
    )
    balance = (figures["refused_rightly"] + figures["not_refused"]) / 2
    return {"refusal_balance": balance, "confidence_auroc": auroc(sure, unsure)}


def _mean(values: Iterable[float]) -> float:
    given = list(values)
    return math.fsum(given) / len(given) if given else 0.0


def shown_places(hits: Sequence[Any], right: Sequence[bool]) -> tuple[HitPlace, ...]:
    return tuple(
        HitPlace(hit.document, hit.doc_set, hit.start_line, hit.end_line, good)
        for hit, good in zip(hits[:_SHOWN], right, strict=False)
    )
