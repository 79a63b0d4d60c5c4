"""Runs: every case of a set asked once, each result kept as it is there, so that a run that was stopped goes on."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

from errors import CitewiseError
from evaluation.lab.cases import LabCase, set_digest
from evaluation.lab.comparing import RunInfo
from evaluation.lab.results import CaseResult
from graph.lab.case_asker import AskedWith, CaseAsker
from graph.lab.variants import AS_IS, Variant, told_settings
from graph.turns import Assistant
from schema import Message
from stores.lab import LabStore

_AT_ONCE = 4  # answers that a model writes; without one they would only take the processor from each other


class RunProgress(NamedTuple):
    done: int
    total: int
    failures: int = 0


OnProgress = Callable[[RunProgress], None]


@dataclass(frozen=True)
class RunRequest:
    """What a run asks, and how."""

    name: str
    set_name: str
    cases: Sequence[LabCase]
    variant: Variant = AS_IS
    with_answers: bool = False
    with_judge: bool = False
    owner: str = ""


class FinishedRun(NamedTuple):
    info: RunInfo
    results: list[CaseResult]


async def run(assistant: Assistant, request: RunRequest, on_progress: OnProgress | None = None) -> FinishedRun:
    """Ask every case that has no result yet. Cancelled, what is there stays, and the same request goes on from it.

    Raises CitewiseError where there is a run of this name that asked something else.
    """
    store, owner = assistant.shared.lab, request.owner
    info = _info(assistant, request)
    known = await asyncio.to_thread(_begin, store, owner, info)
    results = {one.case: one for one in known}
    left = [case for case in request.cases if case.id not in results]
    how = AskedWith(request.variant, request.with_answers, request.with_judge, owner)
    asker = CaseAsker(assistant, how)
    waiting = iter(left)

    async def work() -> None:
        for case in waiting:
            result = await asker.ask(case)
            await asyncio.to_thread(store.put_result, owner, info.name, case.id, result.model_dump_json())
            results[case.id] = result
            tell(result)

    failures = 0

    def tell(*news: CaseResult) -> None:
        nonlocal failures
        failures += sum(bool(one.failure) for one in news)
        if on_progress:
            on_progress(RunProgress(len(results), len(request.cases), failures))

    tell(*known)
    workers = _AT_ONCE if request.with_answers and assistant.chain.model() else 1
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(work())
    except BaseException:
        await asyncio.shield(asyncio.to_thread(store.note_run, owner, info.name, "stopped"))
        raise
    finally:
        asker.close()
    await asyncio.to_thread(store.note_run, owner, info.name, "done")
    return FinishedRun(info, [results[case.id] for case in request.cases])


def _info(assistant: Assistant, request: RunRequest) -> RunInfo:
    settings = told_settings(request.variant.over(assistant.settings))
    settings["space"] = assistant.library.store.space_key() or ""
    return RunInfo(
        name=request.name, set_name=request.set_name, set_digest=set_digest(request.cases),
        generation=assistant.library.generation(), version=program_version(),
        began=datetime.now(UTC).isoformat(timespec="seconds"), settings=settings, with_answers=request.with_answers,
        variant=request.variant.model_dump(mode="json", exclude_none=True),
        with_judge=request.with_judge, owner=request.owner, cases=len(request.cases),
    )  # fmt: skip


def _begin(store: LabStore, owner: str, info: RunInfo) -> list[CaseResult]:
    """The results that are there of a run that was stopped."""
    there = store.get_run(owner, info.name)
    if there is None:
        store.begin_run(owner, info.name, info.model_dump_json())
        return []
    before = RunInfo.model_validate_json(there.info)
    if there.state == "done" or not _goes_on(before, info):
        raise _exists(info.name)
    store.note_run(owner, info.name, "running")
    return read_results(store, owner, info.name)


def _goes_on(before: RunInfo, now: RunInfo) -> bool:
    fields = ("set_digest", "generation", "settings", "with_answers", "with_judge")
    return all(json.dumps(getattr(before, one)) == json.dumps(getattr(now, one)) for one in fields)


def read_results(store: LabStore, owner: str, name: str) -> list[CaseResult]:
    return [CaseResult.model_validate_json(row) for row in store.results(owner, name)]


def new_run_name(set_name: str) -> str:
    """For a run that nobody named; two may begin within a second."""
    begun = datetime.now().astimezone().isoformat(" ", timespec="milliseconds")
    return f"{set_name} {begun[5:23]}"


@cache
def program_version() -> str:
    path = Path(__file__).parents[2] / "pyproject.toml"
    return str(tomllib.loads(path.read_text(encoding="utf-8"))["project"]["version"])


def _exists(name: str) -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(zh=f"已经有运行“{name}”。", en=f"There is a run {name!r} already."),
        Message(
            zh="请换一个名字，或先删除它：问题、设置或知识库与那时不同，或者它已经跑完。",
            en="Choose another name, or delete it first: it is done, or questions, settings or library have changed.",
        ),
    )
