"""Every way in which a provider fails, at every place where a turn asks one, alone and with a healthy one behind it.

Each turn must end with an answer or a plain statement, without a traceback and no later than its time-outs allow; with
a healthy second provider the answer must be the model's.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, aclosing, contextmanager
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks import script
from benchmarks.manuals import Fact, Manual, manuals
from benchmarks.model_server import STALL, ModelServer, Reply, model_server, wanted_form
from benchmarks.report import Bar, Report, progress
from graph.request import Request
from graph.turns import Assistant
from library import Library
from nodes.events import Answered, Event, Failed, Replied
from settings import Settings

PLACES = ("plan", "hyde", "rerank", "answer", "judge", "embedding")
TEXTS, STREAMED = {"hyde", "answer"}, {"answer"}  # where no form is asked for, and what comes piece by piece
WARM_UP = 3  # turns without a failure

WORDING = "Using hyde: keep it short: {q}"  # asks at every place in one turn
STREAM = 5  # pieces that come before a stream breaks

FAULTS = (
    "401", "400", "429", "429 for an hour", "500", "refused", "time-out", "time-out in mid-stream", "cut stream",
    "dropped stream", "malformed JSON", "schema-breaking JSON", "empty", "wrong dimension",
)  # fmt: skip


def fault(name: str, place: str, good: Reply) -> Reply | None:
    """What the server does instead of saying `good`. None: a reply of this kind cannot fail so."""
    streamed, embeds = place in STREAMED, place == "embedding"
    plain = place in TEXTS or embeds
    replies: dict[str, Reply | None] = {
        "401": Reply("no such key", status=401),
        "400": Reply("not like this", status=400),
        "429": Reply("slower", status=429, retry_after=0.2),
        "429 for an hour": Reply("slower", status=429, retry_after=3600),
        "500": Reply("trouble", status=500),
        "refused": Reply(gone=True),
        "time-out": Reply(first_delay=STALL),
        "time-out in mid-stream": replace(good, stall_after=STREAM) if streamed else None,
        "cut stream": replace(good, cut_after=STREAM) if streamed else None,
        "dropped stream": replace(good, drop_after=STREAM if streamed else 0),
        "malformed JSON": Reply(raw='{"choices": [{"mess') if plain else _saying(good, '{"reason": "a'),
        "schema-breaking JSON": Reply(raw='{"choices": null, "data": null}') if plain else _saying(good, '{"no": 1}'),
        "empty": Reply(vectors=[]) if embeds else _saying(good, ""),
        "wrong dimension": Reply(vectors=[[0.6, 0.8]]) if embeds else None,
    }
    return replies[name]


def _saying(good: Reply, text: str) -> Reply:
    """The same with another text, in a form's place too."""
    return replace(good, arguments=text) if good.arguments is not None else replace(good, text=text)


class Failing:
    """A scripted model that fails at one place in one way."""

    def __init__(self, name: str, place: str) -> None:
        self.name, self.place = name, place
        self.faults = 0

    def chat(self, request: dict[str, Any]) -> Reply:
        good = script.reply(request)
        return self._reply(good) if place_of(request) == self.place else good

    def embed(self, request: dict[str, Any]) -> Reply:
        return self._reply(Reply()) if self.place == "embedding" else Reply()

    def _reply(self, good: Reply) -> Reply:
        self.faults += 1
        failing = fault(self.name, self.place, good)
        assert failing is not None
        return failing


def place_of(request: dict[str, Any]) -> str:
    """Where in a turn a chat request stands."""
    if form := wanted_form(request):
        return {"FilledPlan": "plan", "Judgement": "judge", "Translated": "hyde"}.get(form, "rerank")
    return "hyde" if "<question-" in str(request["messages"][-1]["content"]) else "answer"


class Ending(NamedTuple):
    """How a turn ended: "model", "sources" (an answer without a model), "said" (a plain statement) or "nothing"."""

    outcome: str
    seconds: float
    problems: list[str]  # tracebacks and errors that were logged


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--timeout", type=float, default=0.5, help="seconds of every time-out (0.5)")
    parser.add_argument("--fault", action="append", choices=FAULTS, help="only this one; may be given again")
    parser.add_argument("--place", action="append", choices=PLACES, help="only here; may be given again")


def run(options: argparse.Namespace) -> Report:
    return asyncio.run(_run(options))


async def _run(options: argparse.Namespace) -> Report:
    places = options.place or PLACES
    cases = [
        (name, place, second)
        for name in options.fault or FAULTS
        for place in places
        if fault(name, place, Reply())
        for second in (False, True)
    ]
    counts = dict.fromkeys(("tracebacks", "late", "without an answer", "not the second's", "never reached"), 0)
    table: dict[str, dict[str, str]] = {}
    notes = ["each cell: alone / with a healthy second provider, and the seconds that the turn took"]
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="citewise-failover-"))
        stored = manuals(1 + (len(cases) + WARM_UP) // 10, ("en",))  # a question for every case: nothing is remembered
        here = Where(folder, await _fill(folder, stored), options.timeout)
        healthy = stack.enter_context(model_server(script.reply))
        facts = iter([fact for manual in stored for fact in manual.facts])
        fine = [await _turn(Failing("", ""), fact, here, healthy) for fact in islice(facts, WARM_UP)]
        usual = max(ending.seconds for ending in fine[1:])  # the first one brings in modules
        for (name, place, second), fact in zip(progress(cases, "failing"), facts, strict=False):
            failing = Failing(name, place)
            ending = await _turn(failing, fact, here, healthy if second else None)
            counts["tracebacks"] += bool(ending.problems)
            counts["late"] += ending.seconds > allowance(place, options.timeout, usual)
            counts["without an answer"] += ending.outcome == "nothing"
            counts["not the second's"] += second and ending.outcome != "model"
            counts["never reached"] += not failing.faults
            if ending.problems:
                notes.append(f"{name}, {place}: {ending.problems[0]}")
            row = table.setdefault(name, {})
            row[place] = " / ".join([*filter(None, [row.get(place)]), f"{ending.outcome} {ending.seconds:.1f}"])
    return Report(
        {"usual seconds": usual, **table, **counts},
        {name: Bar(count, 0, most=True) for name, count in counts.items()},
        notes,
    )


def allowance(place: str, patience: float, usual: float) -> float:
    """Seconds that a turn may take whose calls at this place fail; `usual`: a turn where nothing does.

    A provider has its time-out to begin, whatever is tried again meanwhile, and a stream the same again to go on. Who
    has failed rests, so that nobody waits for it twice.
    """
    return patience * (2 if place in STREAMED else 1) + 2 * usual + 0.5


class Where(NamedTuple):
    """The library, the port at which the model of its vectors answers, and the seconds of every time-out."""

    folder: str
    port: int
    patience: float = 10.0

    def settings(self, **variables: str) -> Settings:
        given = {
            "CITEWISE_DATA_DIR": self.folder,
            "CITEWISE_INGEST_WORKERS": "0",
            "CITEWISE_OLLAMA": "false",
            "CITEWISE_LLM_TIMEOUT": str(self.patience),
            "CITEWISE_RERANKER": "llm",
            "CITEWISE_RERANK_TIMEOUT": str(self.patience),
            "CITEWISE_EMBEDDING": "compatible",
            "CITEWISE_EMBEDDING_MODEL": "e",
            "CITEWISE_EMBEDDING_API_KEY": "none",
            "CITEWISE_EMBEDDING_BASE_URL": f"http://127.0.0.1:{self.port}/v1",
            "CITEWISE_EMBEDDING_QUESTION_TIMEOUT": str(self.patience),
        }
        return Settings.from_mapping({**given, **variables})


async def _fill(folder: str, library_of: Sequence[Manual]) -> int:
    """A small library with vectors of a remote model, and the port at which that must answer from now on."""
    with model_server(script.reply) as server:
        port = urlsplit(server.base_url).port
        assert port is not None
        async with await Library.open(Where(folder, port).settings()) as library:
            for manual in library_of:
                await library.add(manual.name, manual.text.encode())
            await library.settle()
    return port


async def _turn(failing: Failing, fact: Fact, here: Where, second: ModelServer | None) -> Ending:
    with ExitStack() as stack:
        first = stack.enter_context(model_server(failing.chat))
        stack.enter_context(model_server(failing.chat, embed=failing.embed, port=here.port))
        problems = stack.enter_context(_problems())
        providers = {"CITEWISE_LLM_MODEL": "first", "CITEWISE_LLM_BASE_URL": first.base_url}
        if second:
            providers |= {"OPENAI_API_KEY": "k", "OPENAI_MODEL": "second", "OPENAI_BASE_URL": second.base_url}
        assistant = await Assistant.open(here.settings(**providers))
        try:
            began = time.monotonic()
            request = Request(fact.sentence, WORDING.format(q=fact.question.en))
            async with aclosing(assistant.run_turn(request)) as events:
                seen = [event async for event in events]
            seconds = time.monotonic() - began
        finally:
            await assistant.close()
        gc.collect()  # a task whose error nobody has looked at says so when it is deleted
        return Ending(_outcome(seen), seconds, problems)


def _outcome(events: Sequence[Event]) -> str:
    answered = [event.answer for event in events if isinstance(event, Answered)]
    if answered and answered[-1].text.strip():
        return "sources" if answered[-1].fallback_used else "model"
    stated = any(isinstance(event, Replied) or (isinstance(event, Failed) and not event.error_id) for event in events)
    return "said" if stated else "nothing"


@contextmanager
def _problems() -> Iterator[list[str]]:
    """What is logged meanwhile with a traceback, or as an error that nobody has caught."""
    found: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.exc_info or record.levelno >= logging.ERROR:
                found.append(self.format(record))

    listener = Listener()
    logging.getLogger().addHandler(listener)
    try:
        yield found
    finally:
        logging.getLogger().removeHandler(listener)
