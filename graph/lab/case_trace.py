"""A case of a run as it can be looked at: what came of it, and the trace of its answer.

A run with answers keeps the conversation of each case, and that trace is the one of the run. A run of passages alone
keeps the first of them; its search is made again, with the strategy and the options of the run, in the library and
otherwise with the settings as they are now, and without a model, so that opening a case costs nothing. What it finds is
told apart from what the run has found.
"""

from __future__ import annotations

from typing import NamedTuple

from errors import CitewiseError
from evaluation.lab.cases import LabCase
from evaluation.lab.comparing import RunInfo
from evaluation.lab.results import CaseResult
from graph.lab.case_asker import AskedWith, CaseAsker
from graph.lab.variants import Variant
from graph.turns import Assistant
from nodes.state import Record
from schema import Message


class OpenedCase(NamedTuple):
    run: str
    result: CaseResult
    record: Record | None = None  # None: nothing is kept of it, and it is in its set no more
    again: bool = False  # the search was made again


async def opened_case(assistant: Assistant, info: RunInfo, result: CaseResult, case: LabCase | None) -> OpenedCase:
    """`case` as its set has it now."""
    if result.thread:
        turns = await assistant.turns(result.thread)
        if turns and turns[-1].record:
            return OpenedCase(info.name, result, turns[-1].record)
    if case is None or case.question != result.question or not case.question.strip():
        return OpenedCase(info.name, result)
    asker = CaseAsker(assistant, AskedWith(Variant.model_validate(info.variant), owner=info.owner))
    return OpenedCase(info.name, result, await asker.search_record(case), again=True)


def no_case(run: str, case: str) -> CitewiseError:
    return CitewiseError(
        "not_found",
        Message(zh=f"运行“{run}”里没有这道题（{case}）。", en=f"The run {run!r} has no such case ({case})."),
        Message(zh="请刷新页面后重试。", en="Reload the page and try again."),
    )
