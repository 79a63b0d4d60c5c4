"""The lab of one library for one of its users: sets, runs, comparisons. Terminal, page, Python and MCP come through
here."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from typing import NamedTuple

from errors import CitewiseError
from evaluation.lab.cases import LabCase, distinct_ids, set_digest, to_jsonl
from evaluation.lab.choosing import Choice, Score, choose
from evaluation.lab.comparing import QualityGate, RunComparison, RunInfo, compare_runs
from evaluation.lab.edge_cases import EDGE_CASES, edge_cases
from evaluation.lab.making import MOST_DOCUMENTS, make_cases
from evaluation.lab.reading import parse_set
from graph.lab.candidates import ThrowawayLibraries, candidates, score_of
from graph.lab.case_asker import AskedWith, CaseAsker
from graph.lab.case_trace import OpenedCase, no_case, opened_case
from graph.lab.cost import RunCost, run_cost
from graph.lab.fetching import fetch_set, store_texts
from graph.lab.golden import GOLDEN, case_of_turn, cases_of_thumbs
from graph.lab.model_making import MadeByModel, made_by_model, making_cost
from graph.lab.running import FinishedRun, OnProgress, RunRequest, read_results, run
from graph.lab.variants import AS_IS, AppliedChoice, Variant
from graph.turns import Assistant
from schema import Chunking, Document, Message
from stores.lab import LabStore


class QuestionSetInfo(NamedTuple):
    name: str
    cases: int
    digest: str
    changed: str  # ISO 8601 UTC


class RunState(NamedTuple):
    info: RunInfo
    state: str  # "running", "stopped", "done"


class FetchReport(NamedTuple):
    name: str
    cases: int
    documents: int
    licence: str
    by: str
    digest: str
    pinned: bool  # the digest was known before


class LabRecords:
    """What is kept, without a library: sets, and runs that were made. All of it is the owner's own."""

    def __init__(self, store: LabStore, owner: str = "") -> None:
        self._store, self.owner = store, owner

    async def sets(self) -> list[QuestionSetInfo]:
        """By name."""
        stored = await asyncio.to_thread(self._store.sets, self.owner)
        found = []
        for one in stored:
            cases = parse_set(f"{one.name}.jsonl", one.content.encode())
            found.append(QuestionSetInfo(one.name, len(cases), set_digest(cases), one.changed))
        return found

    async def cases(self, set_name: str) -> list[LabCase]:
        """Raises CitewiseError where there is no such set."""
        stored = await asyncio.to_thread(self._store.get_set, self.owner, set_name)
        if stored is None and set_name == EDGE_CASES:
            return await asyncio.to_thread(edge_cases)
        if stored is None:
            known = [one.name for one in await asyncio.to_thread(self._store.sets, self.owner)]
            raise _missing(Message(zh="问题集", en="question set"), set_name, known)
        return parse_set(f"{set_name}.jsonl", stored.content.encode())

    async def put_set(self, set_name: str, cases: Iterable[LabCase]) -> int:
        """In place of what it held; how many cases that are."""
        given = distinct_ids(cases)
        await asyncio.to_thread(self._store.put_set, self.owner, set_name, to_jsonl(given))
        return len(given)

    async def add_cases(self, set_name: str, cases: Sequence[LabCase]) -> int:
        """To a set, made where there is none; a case of the same id takes the place of the one there. How many it has
        then."""
        there: list[LabCase] = []
        if await asyncio.to_thread(self._store.get_set, self.owner, set_name):
            there = await self.cases(set_name)
        new = {case.id for case in cases}
        return await self.put_set(set_name, [*(case for case in there if case.id not in new), *cases])

    async def delete_set(self, set_name: str) -> bool:
        return await asyncio.to_thread(self._store.delete_set, self.owner, set_name)

    async def runs(self) -> list[RunState]:
        """The one that was begun last comes first."""
        stored = await asyncio.to_thread(self._store.runs, self.owner)
        return [RunState(RunInfo.model_validate_json(one.info), one.state) for one in stored]

    async def finished(self, name: str) -> FinishedRun:
        """A run with what it has by now. Raises CitewiseError where there is none of this name."""
        stored = await asyncio.to_thread(self._store.get_run, self.owner, name)
        if stored is None:
            known = [one.name for one in await asyncio.to_thread(self._store.runs, self.owner)]
            raise _missing(Message(zh="运行", en="run"), name, known)
        results = await asyncio.to_thread(read_results, self._store, self.owner, name)
        return FinishedRun(RunInfo.model_validate_json(stored.info), results)

    async def compare(self, before: str, after: str, gates: Sequence[QualityGate] = ()) -> RunComparison:
        first, second = await self.finished(before), await self.finished(after)
        return await asyncio.to_thread(compare_runs, first.info, first.results, second.info, second.results, gates)


class Laboratory(LabRecords):
    """And with the library that is asked."""

    def __init__(self, assistant: Assistant, owner: str = "") -> None:
        super().__init__(assistant.shared.lab, owner)
        self.assistant = assistant

    async def run(
        self, name: str, set_name: str, cases: Sequence[LabCase], variant: Variant = AS_IS, *,
        with_answers: bool = False, with_judge: bool = False, on_progress: OnProgress | None = None,
    ) -> FinishedRun:  # fmt: skip
        """As `running.run`."""
        request = RunRequest(name, set_name, cases, variant, with_answers, with_judge, self.owner)
        return await run(self.assistant, request, on_progress)

    async def delete_run(self, name: str) -> None:
        """With the conversations that its answers were given in."""
        for result in (await self.finished(name)).results:
            if result.thread:
                await self.assistant.forget(result.thread)
        await asyncio.to_thread(self._store.delete_run, self.owner, name)

    async def opened(self, run_name: str, case_id: str) -> OpenedCase:
        """A case of a run, with its trace. Raises CitewiseError where there is none."""
        info, results = await self.finished(run_name)
        result = next((one for one in results if one.case == case_id), None)
        if result is None:
            raise no_case(run_name, case_id)
        cases: list[LabCase] = []
        with suppress(CitewiseError):  # the set is gone: what the run has kept is there all the same
            cases = await self.cases(info.set_name)
        case = next((one for one in cases if one.id == case_id), None)
        return await opened_case(self.assistant, info, result, case)

    async def keep(self, thread: str, turn_id: str) -> LabCase | None:
        """An answer as a case of the set `golden`; None where there is none to keep."""
        turn = await self.assistant.turn(thread, turn_id)
        case = case_of_turn(turn) if turn else None
        if case is not None:
            await self.add_cases(GOLDEN, [case])
        return case

    async def keep_thumbs(self) -> int:
        """The answers that people said something of, as cases of the set `thumbs`: how many it has then."""
        cases = await cases_of_thumbs(self.assistant, self.owner or None)
        return await self.add_cases("thumbs", cases) if cases else 0

    async def make(self, count: int, *, doc_set: str | None = None, seed: int = 0) -> list[LabCase]:
        """Questions made of the library, or of one of its sets, without a model."""

        def made() -> list[LabCase]:
            cases = make_cases(self._documents(doc_set, seed), count, seed=seed)
            return [case.model_copy(update={"doc_set": doc_set}) for case in cases] if doc_set else cases

        return await asyncio.to_thread(made)

    async def make_with_model(
        self, count: int, *, doc_set: str | None = None, seed: int = 0, on_progress: Callable[[int], None] | None = None
    ) -> MadeByModel:
        """The same by a model, one question of each of so many passages. Raises CitewiseError where there is none."""
        documents = await asyncio.to_thread(self._documents, doc_set, seed)
        return await made_by_model(self.assistant, documents, count, seed=seed, on_progress=on_progress)

    def _documents(self, doc_set: str | None, seed: int) -> list[Document]:
        """Some, at random."""
        library = self.assistant.library
        infos = [one for one in library.documents() if doc_set is None or one.doc_set == doc_set]
        random.Random(seed).shuffle(infos)
        documents = (library.document(one.name, one.doc_set) for one in infos[:MOST_DOCUMENTS])
        return [one for one in documents if one is not None]

    async def fetch(
        self, name: str, count: int = 100, *, address: str = "", documents: bool = True, seed: int = 0
    ) -> FetchReport:
        """A published set as the set of this name; with `documents` the texts that it is about as documents of a set
        of this name, too. Raises CitewiseError."""
        known: list[LabCase] = []
        with suppress(CitewiseError):
            known = await self.cases(name)
        fetched = await fetch_set(self.assistant.settings, name, count, address=address, seed=seed, known=known)
        stored = await store_texts(self.assistant, fetched.texts, name) if documents else 0
        kept = await self.put_set(name, fetched.cases)
        return FetchReport(name, kept, stored, fetched.licence, fetched.by, fetched.digest, fetched.pinned)

    async def making_cost(self, count: int) -> RunCost | None:
        """What so many questions by a model may cost."""
        return making_cost(self.assistant, count)

    async def run_cost(self, questions: int, judge: bool = False) -> RunCost | None:
        """What so many answers may cost; None where there is no model to ask."""
        return run_cost(self.assistant, questions, judge)

    async def choose_settings(
        self, cases: Sequence[LabCase], *, chunking: bool = False, embeddings: bool = False,
        with_answers: bool = False, seed: int = 0, on_progress: Callable[[int], None] | None = None,
    ) -> Choice[Variant]:  # fmt: skip
        """Among all that there is to choose here."""
        assistant = self.assistant
        tried = candidates(
            assistant.settings, reranks=assistant.library.reranker is not None,
            model=with_answers and assistant.chain.model() is not None, chunking=chunking,
            embeddings=embeddings,
        )  # fmt: skip
        return await self.choose(cases, tried, with_answers=with_answers, seed=seed, on_progress=on_progress)

    async def choose(
        self, cases: Sequence[LabCase], candidates: Sequence[Variant], *, with_answers: bool = False, seed: int = 0,
        on_progress: Callable[[int], None] | None = None,
    ) -> Choice[Variant]:  # fmt: skip
        """As `choosing.choose`, against the library as it is set. `on_progress` is told how many questions were asked.

        Nothing of the library changes: candidates that cut or embed in another way have throw-away libraries.
        """
        async with ThrowawayLibraries(self.assistant) as libraries:
            asked = 0

            async def evaluate(variant: Variant, some: Sequence[LabCase]) -> list[Score]:
                nonlocal asked
                assistant = await libraries.of(variant)
                asker = CaseAsker(assistant, AskedWith(variant, with_answers, owner=self.owner))
                scores = []
                with closing(asker):
                    for case in some:
                        scores.append(score_of(await asker.ask(case)))
                        asked += 1
                        if on_progress:
                            on_progress(asked)
                return scores

            return await choose(AS_IS, candidates, cases, evaluate, lambda one: one.label or "–", seed=seed)

    async def apply(self, variant: Variant) -> None:
        """From now on the library answers so, also after a restart; a chunker cuts all documents again, and waits.
        Another embedding begins with the next start."""
        library = self.assistant.library
        before = [(one.name, one.doc_set, one.chunking) for one in library.documents()] if variant.chunker else []
        choice = AppliedChoice(variant=variant, chunkings=tuple(before))
        await asyncio.to_thread(self._store.choose, choice.model_dump_json(exclude_none=True))
        await self.assistant.use_choice()
        if variant.chunker:
            await self._cut([(name, doc_set, Chunking(strategy=variant.chunker)) for name, doc_set, _ in before])

    async def chosen(self) -> Variant | None:
        """What holds now in place of the settings."""
        stored = await asyncio.to_thread(self._store.chosen)
        return AppliedChoice.model_validate_json(stored).variant if stored else None

    async def undo(self) -> Variant | None:
        """Take back what was applied last: what that was; None where there is nothing to undo."""
        stored = await asyncio.to_thread(self._store.chosen)
        if stored is None:
            return None
        choice = AppliedChoice.model_validate_json(stored)
        await asyncio.to_thread(self._store.undo_choice)
        await self.assistant.use_choice()
        there = {(one.name, one.doc_set) for one in self.assistant.library.documents()}
        await self._cut([one for one in choice.chunkings if one[:2] in there])
        return choice.variant

    async def _cut(self, cuts: Sequence[tuple[str, str, Chunking]]) -> None:
        library = self.assistant.library
        await library.finished([task.id for task in await library.submit_rechunk(cuts)])


def _missing(what: Message, name: str, known: Sequence[str]) -> CitewiseError:
    listed = ", ".join(known)
    return CitewiseError(
        "not_found",
        Message(zh=f"没有名为“{name}”的{what.zh}。", en=f"There is no {what.en} {name!r}."),
        Message(zh=f"有的是：{listed}。", en=f"Available: {listed}.")
        if known
        else Message(zh=f"还没有任何{what.zh}。", en=f"There is no {what.en} yet."),
    )
