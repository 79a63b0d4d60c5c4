"""Fifty conversations that arrive within five seconds, and what a thousand turns leave in memory.

The program itself, as a process of its own, is asked by HTTP (`/v1/chat/completions`, streamed); the model is the
scripted server, which needs half a second for every call and every first token. Beside it, in the same run, by turns
and under the same arrivals stands a bare graph behind FastAPI (benchmarks/load_bare.py): LangGraph and ChatOpenAI, no
checkpoints, a search that costs nothing, the same model, prompts and answers of the same length. Two cases:

* one language: the rules are certain, so that one call of the model stands before the first token, ours and the bare
  graph's; ours calls once more afterwards, to judge the answer, the bare graph does not.
* two languages: the bare graph has each question translated by a plan call first, two calls in a row before the first
  token; ours only those that the dictionary does not translate well enough: of how many one round trip is
  enough is told as well. A judgement afterwards, by both.

Every conversation asks for a fact of its own, about a machine of its own. An answer that lacks its fact is wrong, one
that speaks of a machine somebody else has asked about is crossed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import numpy as np

from benchmarks.manuals import LANGUAGES, Fact, Manual, manuals
from benchmarks.model_server import ModelServer, spawned_server, wanted_form
from benchmarks.program import Program, started
from benchmarks.report import Bar, Report, progress
from library import Library
from planning.model_form import FilledPlan
from schema import IncomingFile, Language
from settings import Settings

CASES: dict[str, tuple[Language, ...]] = {"one language": ("en",), "two languages": LANGUAGES}
SCRIPT = "benchmarks.load_script:reply"
MOST = 1.5  # times the bare graph's p95
GROWTH = 50.0  # MB
_WARM_UP = 5  # questions that are not counted


class Reply(NamedTuple):
    """What came of one question; seconds from when it arrived."""

    fact: Fact
    text: str
    first: float  # to the first token
    whole: float  # to the last one
    error: str = ""


@dataclass(frozen=True)
class Shelf:
    """A library on disk, and the questions that it can be asked, each once and neighbours about different machines."""

    folder: Path
    languages: tuple[Language, ...]
    manuals: Sequence[Manual]

    def facts(self) -> Iterator[Fact]:
        for turn in range(len(self.manuals[0].facts)):
            for number, manual in enumerate(self.manuals):
                yield manual.facts[(number + turn) % len(manual.facts)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--conversations", type=int, default=50, help="that arrive in a round (50)")
    parser.add_argument("--seconds", type=float, default=5.0, help="within which they arrive (5)")
    parser.add_argument("--rounds", type=int, default=3, help="of each case (3)")
    parser.add_argument("--latency", type=float, default=0.5, help="seconds per call and per first token (0.5)")
    parser.add_argument("--documents", type=int, default=120, help="of the library (120)")
    parser.add_argument("--turns", type=int, default=1000, help="after which memory is looked at; 0: not at all (1000)")
    parser.add_argument("--warm-up", type=int, default=100, help="of them before memory is first looked at (100)")
    parser.add_argument("--case", action="append", choices=CASES, help="only this case; may be given again")
    parser.add_argument("--script", default=SCRIPT, help=argparse.SUPPRESS)  # of a model that mixes up answers, say


def run(options: argparse.Namespace) -> Report:
    report = Report({"seconds per call": options.latency})
    with tempfile.TemporaryDirectory(prefix="citewise-load-") as folder:
        for name in options.case or CASES:
            _case(name, _filled(Path(folder) / name.replace(" ", "-"), CASES[name], options.documents), options, report)
        if options.turns:
            _memory(
                _filled(Path(folder) / "memory", ("en",), max(options.documents, options.turns // 10 + 1)),
                options,
                report,
            )
    return report


def _filled(folder: Path, languages: tuple[Language, ...], documents: int) -> Shelf:
    shelf = Shelf(folder, languages, manuals(documents, languages))

    async def fill() -> None:
        async with await Library.open(Settings.from_mapping({"CITEWISE_DATA_DIR": str(folder)})) as library:
            tasks = await library.submit([IncomingFile(one.name, one.text.encode()) for one in shelf.manuals])
            await library.finished([task.id for task in tasks])
            await library.settle()

    asyncio.run(fill())
    return shelf


# --- first tokens ------------------------------------------------------------------------------------------------


def _case(name: str, shelf: Shelf, options: argparse.Namespace, report: Report) -> None:
    seen: dict[str, list[Reply]] = {"ours": [], "bare": []}
    taken = {"ours": 0.0, "bare": 0.0}  # seconds of processor
    planned = 0  # of ours
    facts, arrivals = shelf.facts(), _arrivals(options.conversations, options.seconds)
    with (
        spawned_server(options.script, latency=options.latency, pace=0.002) as model,
        _ours(shelf, model) as ours,
        _bare(shelf, model) as bare,
    ):
        for program in (ours, bare):
            program.wait()
        for number in progress(range(options.rounds + 1), name):
            if number == 1:
                ours.rest()
            count = options.conversations if number else _WARM_UP
            asked = [fact for fact, _ in zip(facts, range(count), strict=False)]
            for side, program in (("ours", ours), ("bare", bare)):
                before, calls = program.cpu(), len(model.requests)
                replies = asyncio.run(_ask_at(program.url, asked, arrivals))
                if number:
                    seen[side] += replies
                    taken[side] += program.cpu() - before
                    planned += side == "ours" and _plans(model.requests[calls:])
    figures = {
        side: {**_figures(replies), "CPU ms a turn": 1000 * taken[side] / len(replies)}
        for side, replies in seen.items()
    }
    figures["ours"]["one round trip"] = 1 - planned / len(seen["ours"])
    report.metrics.update({f"{name}, {side}": found for side, found in figures.items()})
    for side in seen:
        report.bars[f"{name}, {side}: errors"] = Bar(figures[side]["errors"], 0, most=True)
    report.bars[f"{name}: wrong"] = Bar(figures["ours"]["wrong"], 0, most=True)
    report.bars[f"{name}: crossed"] = Bar(figures["ours"]["crossed"], 0, most=True)
    report.bars[f"{name}: first token p95 / bare"] = Bar(
        figures["ours"]["p95"] / figures["bare"]["p95"], MOST, most=True
    )


@contextmanager
def _ours(shelf: Shelf, model: ModelServer) -> Iterator[Program]:
    variables = {
        "CITEWISE_LLM_MODEL": "m",
        "CITEWISE_LLM_BASE_URL": model.base_url,
        "CITEWISE_DATA_DIR": str(shelf.folder),
    }
    with started("app.py", "--no-browser", uv=False, **variables) as program:
        yield program


@contextmanager
def _bare(shelf: Shelf, model: ModelServer) -> Iterator[Program]:
    own = ["--model", model.base_url, "--documents", str(len(shelf.manuals)), "--languages", *shelf.languages]
    calls = ["--calls"] if len(shelf.languages) > 1 else []
    with started("-m", "benchmarks.load_bare", *own, *calls, uv=False) as program:
        yield program


def _arrivals(count: int, seconds: float) -> list[float]:
    """When each conversation comes: at random, but the same always."""
    chance = random.Random(50)
    return sorted(chance.uniform(0, seconds) for _ in range(count))


def _plans(requests: Sequence[dict[str, Any]]) -> int:
    """How many of the calls ask for a plan, for which the answer waits."""
    return sum(wanted_form(one) == FilledPlan.__name__ for one in requests)


def _figures(replies: Sequence[Reply]) -> dict[str, float]:
    first = [reply.first for reply in replies if not reply.error] or [float("inf")]
    wrong, crossed = judged(replies)
    return {
        "p50": float(np.median(first)), "p95": float(np.percentile(first, 95)), "longest": max(first),
        "whole p95": float(np.percentile([reply.whole for reply in replies], 95)),
        "errors": sum(bool(reply.error) for reply in replies), "wrong": wrong, "crossed": crossed,
    }  # fmt: skip


def judged(replies: Sequence[Reply]) -> tuple[int, int]:
    """How many answers lack the fact that was asked for, and how many tell one that somebody else has asked for."""
    sentences = {reply.fact: _answer_form(reply.fact) for reply in replies}
    wrong = crossed = 0
    for reply in replies:
        wrong += sentences[reply.fact] not in reply.text
        others = (text for fact, text in sentences.items() if fact.manual != reply.fact.manual)
        crossed += any(text in reply.text for text in others)
    return wrong, crossed


def _answer_form(fact: Fact) -> str:
    """As an answer tells it: its marker stands before the full stop."""
    return fact.sentence.rstrip("。. ")


async def _ask_at(url: str, facts: Sequence[Fact], arrivals: Sequence[float], at_once: int = 1000) -> list[Reply]:
    """The questions at their moments; no more than so many at a time."""
    begun, free = time.monotonic(), asyncio.Semaphore(at_once)
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=100)

    async with httpx2.AsyncClient(base_url=url, timeout=120, limits=limits, trust_env=False) as client:

        async def one(fact: Fact, arrives: float) -> Reply:
            await asyncio.sleep(begun + arrives - time.monotonic())
            async with free:
                return await _answer(client, fact)

        return await asyncio.gather(*map(one, facts, arrivals))


async def _answer(client: httpx2.AsyncClient, fact: Fact) -> Reply:
    asked, first, said = time.monotonic(), 0.0, []
    question = {"role": "user", "content": fact.question.to(fact.language)}
    wanted = {"model": "citewise", "messages": [question], "stream": True, "evaluate": True, "sources_in_text": False}
    try:
        async with client.stream("POST", "/v1/chat/completions", json=wanted) as answer:
            if answer.status_code != 200:
                raise ValueError(f"{answer.status_code}: {(await answer.aread())[:200]!r}")
            async for text in _tokens(answer):
                first = first or time.monotonic() - asked
                said.append(text)
    except (httpx2.HTTPError, ValueError) as error:
        return Reply(fact, "".join(said), first, time.monotonic() - asked, f"{type(error).__name__}: {error}")
    return Reply(fact, "".join(said), first, time.monotonic() - asked, "" if said else "said nothing")


async def _tokens(answer: httpx2.Response) -> AsyncIterator[str]:
    """Raises ValueError for an error that the stream tells."""
    async for line in answer.aiter_lines():
        if line.startswith("data: {"):
            event = json.loads(line[6:])
            if "error" in event:
                raise ValueError(str(event["error"]))
            for choice in event["choices"]:
                if text := choice["delta"].get("content"):
                    yield text


# --- memory ------------------------------------------------------------------------------------------------------


def _memory(shelf: Shelf, options: argparse.Namespace, report: Report) -> None:
    """What the program's process takes after a thousand turns, eight at a time, above what it took once it was warm."""
    facts = shelf.facts()
    with spawned_server(options.script) as model, _ours(shelf, model) as program:
        program.wait()

        def more(count: int) -> tuple[int, int]:
            """Bytes afterwards, and how many have failed."""
            asked = [fact for fact, _ in zip(facts, range(count), strict=False)]
            replies = asyncio.run(_ask_at(program.url, asked, [0.0] * len(asked), at_once=8))
            return program.memory(), sum(bool(reply.error) for reply in replies)

        _, errors = more(options.warm_up)
        program.rest()
        before = program.memory()
        steps = []
        for _ in progress(range(10), "memory"):
            after, failed = more((options.turns - options.warm_up) // 10)
            steps.append((after - before) / 1e6)
            errors += failed
    report.metrics["memory, MB"] = {"warmed up": before / 1e6, "at the end": after / 1e6, "turns": options.turns}
    report.bars["memory: errors"] = Bar(errors, 0, most=True)
    report.bars["memory: MB more"] = Bar(steps[-1], GROWTH, most=True)
    report.notes.append(f"MB more after each tenth of the turns: {', '.join(f'{step:.1f}' for step in steps)}")
