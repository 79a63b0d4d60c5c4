"""One question, several strategies: what each finds and answers, and how far they found the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from langchain_core.messages import AnyMessage, HumanMessage

from errors import CitewiseError, strategy_named
from graph.problems import LONGEST_MESSAGE, too_long
from graph.request import Request
from graph.titles import once_thread
from graph.turn_result import TurnResult
from graph.turns import Assistant
from nodes.message_plan import apply_controls, planned
from nodes.state import Controls, begin_state
from schema import Answer, Evidence, Hit, Message, Plan, StrategyName, Trace, Verdict

FEWEST, MOST = 2, 4  # strategies


@dataclass(frozen=True, slots=True)
class ComparisonColumn:
    """What one strategy has come to so far."""

    strategy: StrategyName
    text: str = ""  # of the answer, as it comes
    evidence: Evidence | None = None
    answer: Answer | None = None
    verdict: Verdict | None = None
    trace: Trace | None = None
    error: CitewiseError | None = None
    first_word: float | None = None  # seconds since its turn began
    seconds: float | None = None  # until the answer stood
    begun: bool = False
    over: bool = False

    @classmethod
    def of(cls, strategy: StrategyName, result: TurnResult) -> ComparisonColumn:
        """A column of a turn that has begun."""
        answer, failed = result.base_answer, result.failed
        return cls(
            strategy, answer.text if answer else result.streamed, result.evidence, answer, result.verdict, result.trace,
            failed.error if failed else None, result.first_word, result.answered_after, begun=True,
        )  # fmt: skip

    @property
    def calls(self) -> int:
        return len(self.trace.calls) if self.trace else 0

    @property
    def tokens(self) -> int | None:
        """In and out, of all calls; None where nobody has told."""
        counts = [
            (one.input_tokens or 0) + (one.output_tokens or 0) for one in (self.trace.calls if self.trace else ())
        ]
        return sum(counts) or None

    @property
    def passages(self) -> dict[int, ComparedPassage]:
        """What stands in the evidence, chunk by chunk, also where neighbours are read as one; best first."""
        if self.evidence is None:
            return {}
        read = [one for one in self.evidence.considered if one.fate in ("kept", "joined")]
        if read:
            return {
                one.chunk_id: ComparedPassage(one.document, one.doc_set, one.start_line, one.end_line, one.begins)
                for one in read
            }
        return {hit.chunk_id: _passage(hit) for hit in self.evidence.hits}


@dataclass(frozen=True, slots=True)
class ComparedPassage:
    document: str
    doc_set: str
    start_line: int
    end_line: int
    begins: str


@dataclass(frozen=True, slots=True)
class Overlap:
    """How far two strategies have found the same."""

    first: StrategyName
    second: StrategyName
    jaccard: float | None  # of their passages, in [0, 1]; None where neither found any
    passages: int  # that both found
    documents: int  # that both found passages of


@dataclass(frozen=True, slots=True)
class Comparison:
    """How far a comparison has come."""

    plan: Plan
    columns: tuple[ComparisonColumn, ...]  # in the order they were asked for

    @property
    def overlaps(self) -> tuple[Overlap, ...]:
        """Of every two that have searched by now."""
        searched = [one for one in self.columns if one.evidence is not None]
        return tuple(_overlap(one, other) for one, other in combinations(searched, 2))

    def found_alone(self, strategy: StrategyName) -> tuple[ComparedPassage, ...]:
        """By this one and none of the others, best first."""
        others = {chunk for one in self.columns if one.strategy != strategy for chunk in one.passages}
        own = next((one.passages for one in self.columns if one.strategy == strategy), {})
        return tuple(passage for chunk, passage in own.items() if chunk not in others)


async def compare(
    assistant: Assistant, question: str, strategies: Sequence[StrategyName], controls: Controls | None = None
) -> AsyncGenerator[Comparison, None]:
    """The comparison whenever it has got on. Closing the iterator stops all of it. Raises CitewiseError.

    The question is planned once, so that all search the same. Each strategy is a turn of a conversation of its own that
    is forgotten afterwards. With a model they run at once; without one they would only take the processor from each
    other, so each has it to itself and its times can be compared. Nothing is saved, nor fetched from the web, and no
    remembered answer is shown.
    """
    strategies = [strategy_named(one) for one in strategies]
    _check(question, strategies)
    controls = (controls or Controls()).model_copy(update={"web": "never", "strategy": strategies[0]})
    plan = await plan_question(assistant, question.strip(), controls)
    columns = {strategy: ComparisonColumn(strategy) for strategy in strategies}
    changed = asyncio.Event()

    async def ask(strategy: StrategyName) -> None:
        own = plan.model_copy(update={"strategy": strategy})
        request = Request(once_thread(kind="compare"), question, controls=controls, plan=own)
        async with assistant.asked_by_program(request) as turn:
            async for _ in turn.follow():
                columns[strategy] = ComparisonColumn.of(strategy, turn.result)
                changed.set()
        columns[strategy] = replace(columns[strategy], over=True)
        changed.set()

    async def ask_all() -> None:
        if assistant.chain.model() is None:
            for strategy in strategies:
                await ask(strategy)
            return
        async with asyncio.TaskGroup() as group:
            for strategy in strategies:
                group.create_task(ask(strategy))

    running = asyncio.create_task(ask_all())
    running.add_done_callback(lambda _: changed.set())
    try:
        while not running.done():
            yield Comparison(plan, tuple(columns.values()))
            await changed.wait()
            changed.clear()
        running.result()
        yield Comparison(plan, tuple(columns.values()))
    finally:
        running.cancel()
        await asyncio.wait([running])


async def plan_question(
    assistant: Assistant, question: str, controls: Controls, history: Sequence[AnyMessage] = ()
) -> Plan:
    """How the question is understood: whatever else it may order, it is only asked of the library."""
    context = assistant.context(lambda event: None)
    state = begin_state([*history, HumanMessage(question)], controls=controls)
    try:
        plan = (await planned(question, state, context, anew=True)).plan
    finally:
        context.searches.cancel()
    asked = {"actions": ("retrieve",), "question": plan.asked or question, "urls": (), "unclear": None, "anew": True}
    return apply_controls(plan.model_copy(update=asked), controls)


def _overlap(one: ComparisonColumn, other: ComparisonColumn) -> Overlap:
    a, b = one.passages, other.passages
    shared, every = a.keys() & b.keys(), a.keys() | b.keys()
    documents = _documents(a.values()) & _documents(b.values())
    jaccard = len(shared) / len(every) if every else None
    return Overlap(one.strategy, other.strategy, jaccard, len(shared), len(documents))


def _documents(passages: Iterable[ComparedPassage]) -> set[tuple[str, str]]:
    return {(one.doc_set, one.document) for one in passages}


def _passage(hit: Hit) -> ComparedPassage:
    return ComparedPassage(hit.document, hit.doc_set, hit.start_line, hit.end_line, " ".join(hit.text.split())[:48])


def _check(question: str, strategies: Sequence[str]) -> None:
    if not question.strip():
        raise CitewiseError("settings", NO_QUESTION)
    if len(question) > LONGEST_MESSAGE:
        raise too_long(len(question))
    if not FEWEST <= len(strategies) <= MOST or len(set(strategies)) < len(strategies):
        raise CitewiseError("settings", HOW_MANY)


NO_QUESTION = Message(zh="请写出要比较的问题。", en="Write the question that is to be compared.")
HOW_MANY = Message(zh="请选择 2 到 4 种不同的策略。", en="Choose two to four different strategies.")
