"""The evaluation lab for other programs: `evaluate_set`, which is a tool of MCP as well, and what the terminal works
with while the page's program has the library open.

The lab is loaded when the first of them is asked for: a program that only answers starts without it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from doors.lab_forms import (
    ApplyVariant,
    CasesResult,
    ChoiceResult,
    ChooseSettings,
    CostResult,
    EvaluateSet,
    EvaluateSetResult,
    FetchSet,
    FetchSetResult,
    LabHappening,
    MakeQuestions,
    NamedRun,
    NamedSet,
    PutSet,
    RunCostOf,
    RunResult,
    RunSet,
    StoredRuns,
    StoredSets,
    UndoneResult,
)
from doors.management import CountResult, ServiceTable
from doors.management_forms import NoParameters
from validation import validation_error

if TYPE_CHECKING:
    from doors.services import Services
    from evaluation.lab.cases import LabCase
    from graph.lab.laboratory import Laboratory
    from graph.lab.running import FinishedRun, RunProgress
    from graph.lab.variants import Variant
    from graph.turns import Assistant


@dataclass(frozen=True)
class LabCaller:
    """Who asks, and who is told how far it is."""

    assistant: Assistant
    user: str = ""
    on_progress: Callable[[LabHappening], None] | None = None

    @property
    def laboratory(self) -> Laboratory:
        from graph.lab.laboratory import Laboratory

        return Laboratory(self.assistant, self.user)

    def tell(self, progress: RunProgress) -> None:
        if self.on_progress:
            self.on_progress(LabHappening(**progress._asdict()))

    def count(self, asked: int) -> None:
        if self.on_progress:
            self.on_progress(LabHappening(done=asked))


async def _evaluate_set(caller: LabCaller, wish: EvaluateSet) -> EvaluateSetResult:
    from doors.lab_results import evaluate_set

    return await evaluate_set(caller.laboratory, wish)


async def _sets(caller: LabCaller, _: NoParameters) -> StoredSets:
    return StoredSets(sets=[one._asdict() for one in await caller.laboratory.sets()])


async def _cases(caller: LabCaller, wish: NamedSet) -> CasesResult:
    return _as_jsonl(await caller.laboratory.cases(wish.name))


async def _put(caller: LabCaller, wish: PutSet) -> CountResult:
    return CountResult(count=await caller.laboratory.put_set(wish.name, _read(wish.jsonl)))


async def _delete_set(caller: LabCaller, wish: NamedSet) -> CountResult:
    return CountResult(count=int(await caller.laboratory.delete_set(wish.name)))


async def _runs(caller: LabCaller, _: NoParameters) -> StoredRuns:
    found = await caller.laboratory.runs()
    return StoredRuns(runs=[{"info": one.info.model_dump(mode="json"), "state": one.state} for one in found])


async def _finished(caller: LabCaller, wish: NamedRun) -> RunResult:
    return _run_result(await caller.laboratory.finished(wish.name))


async def _delete_run(caller: LabCaller, wish: NamedRun) -> CountResult:
    await caller.laboratory.delete_run(wish.name)
    return CountResult()


async def _make(caller: LabCaller, wish: MakeQuestions) -> CasesResult:
    if wish.with_model:
        made = await caller.laboratory.make_with_model(
            wish.count, doc_set=wish.doc_set, seed=wish.seed, on_progress=caller.count
        )
        dropped = {str(why): count for why, count in made.dropped.items()}
        return _as_jsonl(made.cases).model_copy(update={"dropped": dropped})
    return _as_jsonl(await caller.laboratory.make(wish.count, doc_set=wish.doc_set, seed=wish.seed))


async def _fetch(caller: LabCaller, wish: FetchSet) -> FetchSetResult:
    found = await caller.laboratory.fetch(
        wish.name, wish.count, address=wish.address, documents=wish.documents, seed=wish.seed
    )
    return FetchSetResult(fetched=found._asdict())


async def _thumbs(caller: LabCaller, _: NoParameters) -> CountResult:
    return CountResult(count=await caller.laboratory.keep_thumbs())


async def _cost(caller: LabCaller, wish: RunCostOf) -> CostResult:
    laboratory = caller.laboratory
    told = laboratory.making_cost(wish.questions) if wish.making else laboratory.run_cost(wish.questions, wish.judge)
    cost = await told
    return CostResult(cost=cost._asdict() if cost else None)


async def _run(caller: LabCaller, wish: RunSet) -> RunResult:
    done = await caller.laboratory.run(
        wish.name, wish.set_name, _read(wish.jsonl), _variant(wish.variant), with_answers=wish.answers,
        with_judge=wish.judge, on_progress=caller.tell,
    )  # fmt: skip
    return _run_result(done)


async def _choose(caller: LabCaller, wish: ChooseSettings) -> ChoiceResult:
    from evaluation.lab.choosing import Choice
    from graph.lab.variants import Variant

    found = await caller.laboratory.choose_settings(
        _read(wish.jsonl),
        chunking=wish.chunking,
        embeddings=wish.embeddings,
        with_answers=wish.answers,
        seed=wish.seed,
        on_progress=caller.count,
    )
    values = TypeAdapter(Choice[Variant]).dump_python(found, mode="json")
    return ChoiceResult(choice=dict(zip(Choice._fields, values, strict=True)))


async def _apply(caller: LabCaller, wish: ApplyVariant) -> CountResult:
    await caller.laboratory.apply(_variant(wish.variant))
    return CountResult()


async def _undo(caller: LabCaller, _: NoParameters) -> UndoneResult:
    undone = await caller.laboratory.undo()
    return UndoneResult(variant=undone.model_dump(mode="json", exclude_none=True) if undone else None)


LAB_SERVICES: ServiceTable[LabCaller] = {
    "evaluate_set": (EvaluateSet, EvaluateSetResult, _evaluate_set),
    "lab_sets": (NoParameters, StoredSets, _sets),
    "lab_cases": (NamedSet, CasesResult, _cases),
    "lab_put": (PutSet, CountResult, _put),
    "lab_delete_set": (NamedSet, CountResult, _delete_set),
    "lab_runs": (NoParameters, StoredRuns, _runs),
    "lab_finished": (NamedRun, RunResult, _finished),
    "lab_delete_run": (NamedRun, CountResult, _delete_run),
    "lab_make": (MakeQuestions, CasesResult, _make),
    "lab_fetch": (FetchSet, FetchSetResult, _fetch),
    "lab_thumbs": (NoParameters, CountResult, _thumbs),
    "lab_cost": (RunCostOf, CostResult, _cost),
    "lab_run": (RunSet, RunResult, _run),
    "lab_choose": (ChooseSettings, ChoiceResult, _choose),
    "lab_apply": (ApplyVariant, CountResult, _apply),
    "lab_undo": (NoParameters, UndoneResult, _undo),
}
LAB_STREAMS = ("lab_run", "lab_choose", "lab_make")  # those that tell how far they are


async def lab_stream(
    services: Services, name: str, given: Mapping[str, Any], user: str = ""
) -> AsyncGenerator[LabHappening, None]:
    """How far one of them is, as it happens, and last its result; who stops reading stops it. Raises CitewiseError."""
    news: asyncio.Queue[LabHappening | None] = asyncio.Queue()
    work = asyncio.create_task(services.call(name, given, user, on_progress=news.put_nowait))
    work.add_done_callback(lambda _: news.put_nowait(None))
    try:
        while (one := await news.get()) is not None:
            yield one
        yield LabHappening(result=work.result().model_dump(mode="json"))
    finally:
        work.cancel()
        await asyncio.wait([work])


def _read(jsonl: str) -> list[LabCase]:
    from evaluation.lab.reading import parse_jsonl

    return parse_jsonl(jsonl)


def _variant(given: dict[str, Any]) -> Variant:
    from graph.lab.variants import Variant

    try:
        return Variant.model_validate(given)
    except ValidationError as error:
        raise validation_error(error, Variant) from error


def _as_jsonl(cases: list[LabCase]) -> CasesResult:
    from evaluation.lab.cases import to_jsonl

    return CasesResult(jsonl=to_jsonl(cases))


def _run_result(done: FinishedRun) -> RunResult:
    info, results = done
    return RunResult(
        info=info.model_dump(mode="json"),
        results=[one.model_dump(mode="json", exclude_defaults=True) for one in results],
    )
