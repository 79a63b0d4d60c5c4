"""A case judged by what was found and said: its figures, and the first step that went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evaluation.lab.answer_figures import answer_figures, says_something_else
from evaluation.lab.cases import SELF_MADE, LabCase
from evaluation.lab.gold import CaseGold
from evaluation.lab.results import CaseResult, WentWrong, shown_places
from evaluation.lab.retrieval_figures import missing, retrieval_figures, share_covered, within_budget
from schema import Answer, Hit
from text import count_tokens


class ReaderLimits(NamedTuple):
    """What of a ranking a reader is given."""

    hits: int
    tokens: int


class GivenAnswer(NamedTuple):
    """An answer as a run has it; `refused`: that the library does not hold it, or not surely."""

    answer: Answer
    refused: bool
    text: str = ""
    thread: str = ""
    seconds: float = 0.0
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    equal_formula: bool = False  # as algebra tells, where signs and numbers cannot


def score(
    case: LabCase, gold: CaseGold, hits: Sequence[Hit], limits: ReaderLimits, seconds: float,
    given: GivenAnswer | None = None,
) -> CaseResult:  # fmt: skip
    """`hits` are the ranking of a search, deeper than what is read; `given` where an answer was asked for."""
    if gold.stale:
        result = CaseResult(case=case.id, question=case.question, stale=True, went_wrong="not_in_library")
        return result.model_copy(update={"self_made": SELF_MADE in case.tags})
    figures: dict[str, float] = {}
    read = within_budget(hits, *limits)
    if gold.gold:
        figures = retrieval_figures(gold.gold, hits, limits.tokens)
        figures["read"] = share_covered(gold.gold, read)
    wrong = _wrong_in_search(gold, hits, read)
    if given:
        answered = answer_figures(case, given.answer, given.refused, gold.gold, given.equal_formula)
        figures |= answered
        wrong = _wrong_in_answer(case, gold, hits, given, answered)
    return CaseResult(
        case=case.id, question=case.question, figures=figures, went_wrong=wrong,
        places=shown_places(hits, [any(one.covered_by(hit) for one in gold.gold) for hit in hits[:5]]),
        self_made=SELF_MADE in case.tags, refuse=case.kind == "refuse",
        seconds=given.seconds if given else seconds, read_tokens=sum(count_tokens(hit.text) for hit in read),
        **({} if given is None else {
            "answer": given.text, "thread": given.thread, "calls": given.calls, "tokens": given.tokens,
            "cost": given.cost,
        }),
    )  # fmt: skip


def _wrong_in_search(gold: CaseGold, hits: Sequence[Hit], read: Sequence[Hit]) -> WentWrong | None:
    if missing(gold.gold, hits):
        return "not_found"
    return "not_read" if missing(gold.gold, read) else None


def _wrong_in_answer(
    case: LabCase, gold: CaseGold, hits: Sequence[Hit], given: GivenAnswer, figures: dict[str, float]
) -> WentWrong | None:
    """Of an answer that is not right; one without a reference is judged by its refusal and its search alone."""
    if case.kind == "refuse":
        return None if given.refused else "wrongly_answered"
    if not given.refused and figures.get("correct", 1.0):
        return None
    if missing(gold.gold, hits):
        return "not_found"
    if missing(gold.gold, given.answer.sources):
        return "not_read" if given.answer.sources or not given.refused else "wrongly_refused"
    if given.refused:
        return "wrongly_refused"
    return "said_wrongly" if says_something_else(case, given.answer) else "not_said"
