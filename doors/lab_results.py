"""A question set run for another program: its figures, what went wrong, and what changed against another run."""

from __future__ import annotations

from doors.lab_forms import (
    EvaluateSet,
    EvaluateSetResult,
    FigureDifference,
    GateResult,
    GroupFigures,
    SetComparison,
    WrongCase,
)
from errors import CitewiseError
from evaluation.lab.cases import LabCase, case_of
from evaluation.lab.comparing import RunComparison, parse_gate, verdict
from evaluation.lab.results import WENT_WRONG, CaseResult, Means, summary
from graph.lab.laboratory import Laboratory
from graph.lab.running import new_run_name
from graph.lab.variants import Variant
from schema import Language, Message

_SHOWN = 50  # cases that went wrong, and that a comparison names


async def evaluate_set(laboratory: Laboratory, wish: EvaluateSet) -> EvaluateSetResult:
    """Raises CitewiseError for a set, a run or a gate that there is not."""
    language = wish.language
    gates = [parse_gate(one) for one in wish.gates]
    if gates and not wish.against:
        raise _nothing_to_hold_against()
    if wish.against:
        await laboratory.finished(wish.against)  # before anything is asked
    set_name, cases = await _asked(laboratory, wish)
    name = wish.run or new_run_name(set_name)
    variant = Variant.of(wish.strategy, top_k=wish.top_k, rerank=wish.rerank)
    info, results = await laboratory.run(name, set_name, cases, variant, with_answers=wish.answers)
    groups = summary(results)
    found = await laboratory.compare(wish.against, name, gates) if wish.against else None
    return EvaluateSetResult(
        run=info.name, set=set_name,
        people=_figures(groups["people"]) if "people" in groups else None,
        self_made=_figures(groups["self_made"]) if "self_made" in groups else None,
        wrong=[_wrong(one, language) for one in results if one.went_wrong][:_SHOWN],
        comparison=_comparison(found, language) if found else None,
        notices=[_said(one, language) for one in [*_notices(results), *(found.notices if found else ())]],
    )  # fmt: skip


async def _asked(laboratory: Laboratory, wish: EvaluateSet) -> tuple[str, list[LabCase]]:
    """Cases that are given are kept as a set, so that a second run has something to ask again."""
    if not wish.questions:
        return wish.set, await laboratory.cases(wish.set)
    name = wish.set or "programs"
    await laboratory.put_set(name, [case_of(row, f"questions, {n}") for n, row in enumerate(wish.questions, 1)])
    return name, await laboratory.cases(name)


def _figures(found: Means) -> GroupFigures:
    return GroupFigures(
        cases=found.cases, figures=found.figures, went_wrong=found.went_wrong, stale=found.stale,
        failures=found.failures, milliseconds=1000 * found.p50,
    )  # fmt: skip


def _wrong(result: CaseResult, language: Language | None) -> WrongCase:
    assert result.went_wrong is not None
    return WrongCase(
        id=result.case, question=result.question, went_wrong=result.went_wrong,
        why=_said(result.failure or WENT_WRONG[result.went_wrong], language), answer=result.answer,
        conversation=result.thread,
    )  # fmt: skip


def _comparison(found: RunComparison, language: Language | None) -> SetComparison:
    return SetComparison(
        against=found.before.name, cases=found.cases, ties=found.ties, lost_to=found.lost_to,
        differences={
            name: FigureDifference(
                difference=one.mean, low=one.low, high=one.high, p=one.p, verdict=_said(verdict(one), language)
            )
            for name, one in found.differences.items()
        },
        wins=[one.case for one in found.wins], losses=[one.case for one in found.losses],
        gates=[GateResult(gate=str(one.gate), holds=one.holds, sure=one.sure) for one in found.gates],
    )  # fmt: skip


def _notices(results: list[CaseResult]) -> list[Message]:
    said = []
    if stale := sum(one.stale for one in results):
        said.append(
            Message(
                zh=f"{stale} 题的原文已不在知识库里，单独计数。",
                en=f"Cases whose quote is no longer in the library: {stale}. They are counted apart.",
            )
        )
    if failed := sum(bool(one.failure) for one in results):
        said.append(Message(zh=f"{failed} 题出错，计 0 分。", en=f"Cases that failed: {failed}. They count 0."))
    return said


def _said(message: Message, language: Language | None) -> str:
    return message.to(language) if language else f"{message.zh}\n{message.en}"


def _nothing_to_hold_against() -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(zh="给了门槛 gates，却没有可对比的运行。", en="There are gates, and no run to hold them against."),
        Message(zh="请用 against 给出之前的运行。", en="Name an earlier run as `against`."),
    )
