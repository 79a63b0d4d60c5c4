"""How long a turn takes, in round trips to a model that needs L seconds for every call and every first token.

For each case: seconds to the answer's first token and from its last one to the verdict, both in L; calls, and how many
of them stand in a row before the first token; CPU beside a bare four-node graph that streams the same answer. Medians
of distinct questions, asked one at a time of a library of 1,000 chunks; half are English and half Chinese.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import median
from typing import NamedTuple
from unittest.mock import AsyncMock, patch

from benchmarks.bare_graph import BareGraph
from benchmarks.manuals import LANGUAGES, Fact, Manual, manuals
from benchmarks.model_server import ModelServer, spawned_server
from benchmarks.report import Bar, Report, progress
from benchmarks.web_first_token import add_to
from graph.request import Request
from graph.turns import Assistant
from library import Library
from nodes.events import Answered, Evaluated, Failed, Token
from nodes.state import Controls
from schema import Language, Scope, StrategyName
from settings import Settings

CHUNKS = 1000
WARM_UP = 2  # turns that are not counted, after each opening of the library


@dataclass(frozen=True)
class Case:
    """How the questions of a case are put, and what it promises (in L)."""

    wording: Mapping[Language, str]
    strategy: StrategyName | None = None  # set on the page
    in_its_manual: bool = False  # the scope is set on the page too
    other_language: bool = False  # asked in the language that its manual is not written in
    again: bool = False  # each question has been asked and answered before
    beside_planned: bool = False  # each is asked again with a plan call in front: no answer may be worse without one
    variables: Mapping[str, str] = field(default_factory=dict)  # of the environment
    languages: tuple[Language, ...] = LANGUAGES  # of the library
    model: bool = True
    first: float | None = None  # bar: to the first token
    cpu: float | None = None  # bar: share of the bare graph's

    def request(self, fact: Fact) -> Request:
        """In a conversation of its own."""
        language = next(one for one in LANGUAGES if (one == fact.language) != self.other_language)
        scope = Scope(documents=(fact.manual,)) if self.in_its_manual else Scope()
        message = self.wording[language].format(q=fact.question.to(language))
        return Request(str(uuid.uuid4()), message, controls=Controls(strategy=self.strategy, scope=scope))


PLAIN: dict[Language, str] = {"en": "{q}", "zh": "{q}"}  # the rules are certain of these
UNCERTAIN: dict[Language, str] = {"en": "Keep it short: {q}", "zh": "我在更新点检表：{q}"}  # and not of these
UNCERTAIN_HYDE: dict[Language, str] = {
    "en": "Using hyde: I am updating our checklist: {q}",
    "zh": "用hyde检索：我在更新点检表：{q}",
}
HYDE: dict[Language, str] = {"en": "Using hyde: {q}", "zh": "用hyde检索：{q}"}
STRANGE: dict[Language, str] = {  # words that no manual has: the search is not sure of what it found
    "en": "Aunt Gwendolyn's budgerigar, fond of rhubarb and chamber music, wants to know one thing: {q}",
    "zh": "隔壁奶奶家那只爱听昆曲、爱吃枇杷的鹦鹉想知道一件事：{q}",
}

NOT_REMEMBERED = {"CITEWISE_ANSWER_CACHE": "0"}

TWO_PARTS: dict[Language, str] = {"en": "{q} How is the earthing checked?", "zh": "{q}接地电阻怎么检查？"}

CASES: dict[str, Case] = {
    "default, plan by model": Case(UNCERTAIN, first=2.25, cpu=1.6),
    "default, rules certain": Case(PLAIN, variables=NOT_REMEMBERED, beside_planned=True, first=2.25, cpu=1.6),
    "default, rules certain, one language": Case(PLAIN, languages=("en",), first=1.2, cpu=1.6),
    "default, controls": Case(UNCERTAIN, "default", in_its_manual=True, first=1.2, cpu=1.6),
    "keyword, controls": Case(UNCERTAIN, "keyword", in_its_manual=True, first=1.2),
    "vector, controls": Case(UNCERTAIN, "vector", in_its_manual=True, first=1.2),
    "hybrid, controls": Case(UNCERTAIN, "hybrid", in_its_manual=True, first=1.2),
    "rm3, controls": Case(UNCERTAIN, "rm3", in_its_manual=True, first=1.2),
    "abstract, controls": Case(UNCERTAIN, "abstract", in_its_manual=True, first=1.2),
    "abstract, two parts": Case(TWO_PARTS, "abstract", first=1.2),
    "hyde, controls": Case(UNCERTAIN, "hyde", in_its_manual=True, first=2.35),
    "hyde, by words": Case(HYDE, first=2.35),
    "hyde, plan by model": Case(UNCERTAIN_HYDE, first=2.35),
    "default, weak search": Case(STRANGE, first=2.35),
    "default, LLM reranker": Case(PLAIN, variables={"CITEWISE_RERANKER": "llm"}),
    "default, asked again": Case(PLAIN, again=True, first=0.2),
    "default, other language": Case(
        PLAIN, other_language=True, variables=NOT_REMEMBERED, beside_planned=True, first=2.25
    ),
    "default, refine": Case(PLAIN, variables={"CITEWISE_TOP_K": "12", "CITEWISE_MAX_CONTEXT_LENGTH": "1000"}),
    "default, no model": Case(PLAIN, model=False),
}
PAGE = "page of the web, slow extractor"  # is measured in seconds


class Turn(NamedTuple):
    """What was seen of one turn; moments in monotonic seconds."""

    asked: float
    first: float  # the first token
    last: float  # the last token
    evaluated: float  # the last verdict
    cpu: float  # seconds of this process
    right: bool  # the sources hold the sentence that was asked for
    bare: float  # CPU of the bare graph for the same answer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--latency", type=float, default=0.5, help="L: seconds per call and per first token (0.5)")
    parser.add_argument(
        "--pace", type=float, default=0.002, help="seconds between two tokens; 0: the whole answer at once (0.002)"
    )
    parser.add_argument("--questions", type=int, default=20, help="of each case (20)")
    parser.add_argument("--case", action="append", choices=[*CASES, PAGE], help="only this case; may be given again")
    parser.add_argument("--same-calls", action="store_true", help="the bare graph calls as often as we do")
    parser.add_argument("--chunks", type=int, default=CHUNKS, help="of the library (1000)")


def run(options: argparse.Namespace) -> Report:
    report = asyncio.run(_run(options))
    if not options.case or PAGE in options.case:
        add_to(report, max(2, options.questions // 4))
    return report


async def _run(options: argparse.Namespace) -> Report:
    chosen = {name: case for name, case in CASES.items() if not options.case or name in options.case}
    report = Report({"L": options.latency, "seconds between tokens": options.pace})
    with (
        tempfile.TemporaryDirectory(prefix="citewise-turns-") as folder,
        spawned_server("benchmarks.script:reply", latency=options.latency, pace=options.pace) as server,
    ):
        shelves = {
            languages: await _fill(Path(folder) / "-".join(languages), options.chunks, languages)
            for languages in {case.languages: None for case in chosen.values()}
        }
        for name, case in chosen.items():
            shelf = shelves[case.languages]
            report.metrics[name] = figures = await _measure(name, case, shelf, server, options)
            if case.first is not None:
                report.bars[f"{name}: first token / L"] = Bar(figures["first"], case.first, most=True)
            if case.beside_planned:
                report.bars[f"{name}: worse without a plan call"] = Bar(figures["worse"], 0.0, most=True)
            if case.cpu is not None:
                report.bars[f"{name}: CPU / bare"] = Bar(figures["CPU/bare"], case.cpu, most=True)
    if chosen:
        report.bars["right, every case"] = Bar(min(report.metrics[name]["right"] for name in chosen), 0.9)
    if judged := [report.metrics[name]["evaluated"] for name, case in chosen.items() if case.model]:
        report.bars["evaluated / L, every case"] = Bar(max(judged), 1.2, most=True)
    return report


# --- the library -------------------------------------------------------------------------------------------------


class Shelf(NamedTuple):
    """A library on disk, and every question that it can be asked, once."""

    folder: Path
    facts: Iterator[Fact]

    def settings(self, **variables: str) -> Settings:
        own = {"CITEWISE_DATA_DIR": str(self.folder), "CITEWISE_OLLAMA": "false"}  # no model but the scripted one
        return Settings.from_mapping({**own, **variables})


async def _fill(folder: Path, chunks: int, languages: tuple[Language, ...]) -> Shelf:
    """Manuals until the library has so many chunks."""
    stored: list[Manual] = []
    shelf = Shelf(folder, _questions(stored))
    async with await Library.open(shelf.settings()) as library:
        while (have := library.stats().chunks) < chunks:
            more = -(-(chunks - have) // 20) * 2  # 6 to 9 chunks each
            for manual in manuals(len(stored) + more, languages)[len(stored) :]:
                await library.add(manual.name, manual.text.encode())
                stored.append(manual)
        await library.settle()
    return shelf


def _questions(stored: Sequence[Manual]) -> Iterator[Fact]:
    """The languages take turns, and neighbours are about different things."""
    sections = len(stored[0].facts)
    for turn in range(sections):
        for number, manual in enumerate(stored):
            yield manual.facts[(number // 2 + turn) % sections]


# --- the turns ---------------------------------------------------------------------------------------------------


async def _measure(
    name: str, case: Case, shelf: Shelf, server: ModelServer, options: argparse.Namespace
) -> dict[str, float]:
    model = {"CITEWISE_LLM_MODEL": "m", "CITEWISE_LLM_BASE_URL": server.base_url} if case.model else {}
    bare = BareGraph(server.base_url, calls=options.same_calls)
    assistant = await Assistant.open(shelf.settings(**model, **case.variables))
    try:
        for fact in islice(shelf.facts, WARM_UP):
            await _turn(assistant, bare, case, fact)
        asked = list(islice(shelf.facts, options.questions))
        for fact in asked if case.again else ():
            await _turn(assistant, bare, case, fact)
        turns = [await _turn(assistant, bare, case, fact) for fact in progress(asked, name)]
        planned = []
        with patch("nodes.message_plan.why_no_plan", AsyncMock(return_value=None)):
            for fact in progress(asked, f"{name}, planned") if case.beside_planned else ():
                planned.append(await _turn(assistant, bare, case, fact))
    finally:
        await assistant.close()
    arrived = [request["arrived"] for request in server.requests]
    figures = _figures(turns, arrived, options.latency)
    return figures | _beside(turns, planned, arrived, options.latency) if planned else figures


async def _turn(assistant: Assistant, bare: BareGraph, case: Case, fact: Fact) -> Turn:
    """The question to us, then to the bare graph with the sources that we found."""
    sources: list[str] = []
    right, asked, first, last, evaluated, cpu = False, time.monotonic(), 0.0, 0.0, 0.0, time.process_time()
    async with aclosing(assistant.run_turn(case.request(fact))) as events:
        async for event in events:
            now = time.monotonic()
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, Token):
                first, last = first or now, now
            elif isinstance(event, Answered):
                sources = [hit.text for hit in event.answer.sources]
                right = any(fact.sentence in text for text in sources)
            elif isinstance(event, Evaluated):
                evaluated = now
    cpu = time.process_time() - cpu
    bare_cpu = time.process_time()
    async with aclosing(bare.stream(fact.question.to(fact.language), sources)) as pieces:
        async for _ in pieces:
            pass
    return Turn(asked, first, last, evaluated, cpu, right, time.process_time() - bare_cpu)


def _figures(turns: Sequence[Turn], arrived: Sequence[float], latency: float) -> dict[str, float]:
    """Medians over the turns; `arrived` are the moments when calls reached the server."""
    ours, bare = median(turn.cpu for turn in turns), median(turn.bare for turn in turns)
    return {
        "first": median(turn.first - turn.asked for turn in turns) / latency,
        "evaluated": median(turn.evaluated - turn.last for turn in turns) / latency,
        "calls": median(sum(turn.asked <= moment <= turn.evaluated for moment in arrived) for turn in turns),
        "in a row": median(_round_trips(turn, arrived, latency) for turn in turns),
        "CPU ms": 1000 * ours,
        "bare ms": 1000 * bare,
        "CPU/bare": ours / bare,
        "right": sum(turn.right for turn in turns) / len(turns),
    }


def _beside(
    turns: Sequence[Turn], planned: Sequence[Turn], arrived: Sequence[float], latency: float
) -> dict[str, float]:
    """Of the turns that needed one round trip to their first token: how many they are, when it came, and how often the
    sources lack the sentence that they hold when the same question is planned first."""
    once = [(one, other) for one, other in zip(turns, planned, strict=True) if _round_trips(one, arrived, latency) < 2]
    return {
        "one round trip": len(once) / len(turns),
        "first of these": median(one.first - one.asked for one, _ in once) / latency if once else math.nan,
        "planned": median(other.first - other.asked for other in planned) / latency,
        "right, planned": sum(other.right for other in planned) / len(planned),
        "worse": sum(other.right and not one.right for one, other in once) / len(turns),
    }


def _round_trips(turn: Turn, arrived: Sequence[float], latency: float) -> int:
    """Before its first token."""
    return _in_a_row([moment for moment in arrived if turn.asked <= moment < turn.first], latency)


def _in_a_row(arrived: Sequence[float], latency: float) -> int:
    """How many calls waited for each other: one that came before the last was answered did not wait for it."""
    count, answered = 0, -1.0
    for moment in sorted(arrived):
        if moment >= answered:
            count, answered = count + 1, moment + latency
    return count
