"""The lab as commands have it: of the library here, or of the program that has it open.

What is kept, sets and runs, is read beside whoever has the library open. Where that program wants a login, all of it is
the user's whose key is in CITEWISE_API_KEY, and so it is read there.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from commands.library_client import KEY, RunningProgramClient, running_program
from commands.terminal import print_message, read_settings, run_to_end
from errors import CitewiseError

if TYPE_CHECKING:
    from evaluation.lab.cases import LabCase
    from evaluation.lab.choosing import Choice
    from evaluation.lab.comparing import QualityGate, RunComparison
    from graph.lab.cost import RunCost
    from graph.lab.laboratory import FetchReport, Laboratory, LabRecords, QuestionSetInfo, RunState
    from graph.lab.model_making import MadeByModel
    from graph.lab.running import FinishedRun, OnProgress
    from graph.lab.variants import Variant

WRONG_USE = 2  # status


def finish(work: Coroutine[None, None, int]) -> None:
    """Whatever a person can do something about is wrong use: status 1 says that a gate is missed, and nothing else."""
    try:
        raise typer.Exit(run_to_end(work))
    except CitewiseError as error:
        for line in (error.message, *error.suggestions):
            print(print_message(line), file=sys.stderr)
        raise typer.Exit(WRONG_USE) from error


class LabElsewhere:
    """As `graph.lab.laboratory.Laboratory`, done by another program of this machine."""

    def __init__(self, program: RunningProgramClient) -> None:
        self._program = program

    async def sets(self) -> list[QuestionSetInfo]:
        from graph.lab.laboratory import QuestionSetInfo

        return [QuestionSetInfo(**one) for one in (await self._program.call("lab_sets"))["sets"]]

    async def cases(self, set_name: str) -> list[LabCase]:
        return _cases_of(await self._program.call("lab_cases", name=set_name))

    async def put_set(self, set_name: str, cases: Sequence[LabCase]) -> int:
        return int((await self._program.call("lab_put", name=set_name, jsonl=_jsonl(cases)))["count"])

    async def delete_set(self, set_name: str) -> bool:
        return bool((await self._program.call("lab_delete_set", name=set_name))["count"])

    async def runs(self) -> list[RunState]:
        from evaluation.lab.comparing import RunInfo
        from graph.lab.laboratory import RunState

        told = (await self._program.call("lab_runs"))["runs"]
        return [RunState(RunInfo.model_validate(one["info"]), one["state"]) for one in told]

    async def finished(self, name: str) -> FinishedRun:
        return _run_of(await self._program.call("lab_finished", name=name))

    async def compare(self, before: str, after: str, gates: Sequence[QualityGate] = ()) -> RunComparison:
        from evaluation.lab.comparing import compare_runs

        first, second = await self.finished(before), await self.finished(after)
        return compare_runs(first.info, first.results, second.info, second.results, gates)

    async def delete_run(self, name: str) -> None:
        await self._program.call("lab_delete_run", name=name)

    async def keep_thumbs(self) -> int:
        return int((await self._program.call("lab_thumbs"))["count"])

    async def make(self, count: int, *, doc_set: str | None = None, seed: int = 0) -> list[LabCase]:
        return _cases_of(await self._program.call("lab_make", count=count, doc_set=doc_set, seed=seed))

    async def make_with_model(
        self, count: int, *, doc_set: str | None = None, seed: int = 0, on_progress: Callable[[int], None] | None = None
    ) -> MadeByModel:
        from graph.lab.model_making import MadeByModel

        given = {"count": count, "doc_set": doc_set, "seed": seed, "with_model": True}
        told = await self._watched("lab_make", given, _counted(on_progress))
        return MadeByModel(_cases_of(told), told["dropped"])

    async def making_cost(self, count: int) -> RunCost | None:
        return await self._cost(questions=count, making=True)

    async def fetch(
        self, name: str, count: int = 100, *, address: str = "", documents: bool = True, seed: int = 0
    ) -> FetchReport:
        from graph.lab.laboratory import FetchReport

        told = await self._program.call(
            "lab_fetch", name=name, count=count, address=address, documents=documents, seed=seed
        )
        return FetchReport(**told["fetched"])

    async def run_cost(self, questions: int, judge: bool = False) -> RunCost | None:
        return await self._cost(questions=questions, judge=judge)

    async def _cost(self, **given: Any) -> RunCost | None:
        from graph.lab.cost import RunCost

        cost = (await self._program.call("lab_cost", **given))["cost"]
        return RunCost(**cost) if cost else None

    async def run(
        self, name: str, set_name: str, cases: Sequence[LabCase], variant: Variant, *, with_answers: bool = False,
        with_judge: bool = False, on_progress: OnProgress | None = None,
    ) -> FinishedRun:  # fmt: skip
        given = {
            "name": name, "set_name": set_name, "jsonl": _jsonl(cases), "answers": with_answers, "judge": with_judge,
            "variant": variant.model_dump(mode="json", exclude_none=True),
        }  # fmt: skip
        return _run_of(await self._watched("lab_run", given, on_progress))

    async def choose_settings(
        self, cases: Sequence[LabCase], *, chunking: bool = False, embeddings: bool = False,
        with_answers: bool = False, seed: int = 0, on_progress: Callable[[int], None] | None = None,
    ) -> Choice[Variant]:  # fmt: skip
        from pydantic import TypeAdapter

        from evaluation.lab.choosing import Choice
        from graph.lab.variants import Variant

        given = {
            "jsonl": _jsonl(cases), "chunking": chunking, "embeddings": embeddings, "answers": with_answers,
            "seed": seed,
        }  # fmt: skip
        told = (await self._watched("lab_choose", given, _counted(on_progress)))["choice"]
        return TypeAdapter(Choice[Variant]).validate_python([told[name] for name in Choice._fields])

    async def apply(self, variant: Variant) -> None:
        await self._program.call("lab_apply", variant=variant.model_dump(mode="json", exclude_none=True))

    async def undo(self) -> Variant | None:
        from graph.lab.variants import Variant

        undone = (await self._program.call("lab_undo"))["variant"]
        return None if undone is None else Variant.model_validate(undone)

    async def _watched(self, name: str, given: dict[str, Any], on_progress: OnProgress | None) -> dict[str, Any]:
        """Who stops waiting stops the work as well, and what is done of it is kept."""
        from graph.lab.running import RunProgress

        result: dict[str, Any] = {}
        async with aclosing(self._program.lines(name, given)) as told:
            async for fields in told:
                if (found := fields.get("result")) is not None:
                    result = found
                elif on_progress:
                    on_progress(RunProgress(*(fields.get(one, 0) for one in RunProgress._fields)))
        return result


@asynccontextmanager
async def open_laboratory() -> AsyncIterator[Laboratory | LabElsewhere]:
    """Raises CitewiseError where the library can neither be opened nor reached."""
    from graph.lab.laboratory import Laboratory
    from graph.turns import Assistant
    from stores.folder import FolderHeld

    settings = read_settings()
    try:
        assistant = await Assistant.open(settings)
    except FolderHeld as held:
        async with running_program(settings, held) as program:
            yield LabElsewhere(program)
        return
    try:
        yield Laboratory(assistant)
    finally:
        await assistant.close()


@asynccontextmanager
async def open_records() -> AsyncIterator[LabRecords | LabElsewhere]:
    """Sets and runs alone, which need no open library."""
    from graph.lab.laboratory import LabRecords
    from stores.folder import held_by
    from stores.selection import open_shared

    settings = read_settings()
    if os.environ.get(KEY) and (held := held_by(Path(settings.data_dir))):
        async with running_program(settings, held) as program:
            yield LabElsewhere(program)
        return
    shared = open_shared(settings)
    try:
        yield LabRecords(shared.lab)
    finally:
        shared.close()


async def named_cases(records: LabRecords | LabElsewhere, named: str) -> tuple[str, list[LabCase]]:
    """Of a file or folder, which is kept as a set, else of the set of this name."""
    from evaluation.lab.reading import read_set

    path = Path(named)
    if not await asyncio.to_thread(path.exists):
        return named, await records.cases(named)
    cases = await asyncio.to_thread(read_set, path)
    await records.put_set(path.stem, cases)
    return path.stem, cases


def _counted(on_asked: Callable[[int], None] | None) -> OnProgress | None:
    return (lambda at: on_asked(at.done)) if on_asked else None


def _jsonl(cases: Sequence[LabCase]) -> str:
    from evaluation.lab.cases import to_jsonl

    return to_jsonl(cases)


def _cases_of(told: dict[str, Any]) -> list[LabCase]:
    from evaluation.lab.reading import parse_jsonl

    return parse_jsonl(told["jsonl"])


def _run_of(told: dict[str, Any]) -> FinishedRun:
    from evaluation.lab.comparing import RunInfo
    from evaluation.lab.results import CaseResult
    from graph.lab.running import FinishedRun

    results = [CaseResult.model_validate(one) for one in told["results"]]
    return FinishedRun(RunInfo.model_validate(told["info"]), results)
