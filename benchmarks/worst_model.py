"""The worst model in the world at every door: it fails over forms, and what it says is nonsense.

Questions in both languages go through the page, /v1, MCP and Gradio's API, each through all of them. Each must be
answered from the sources, each sentence without a source marked, none be later than the time-out. `--server` is the
address of a running OpenAI-compatible server, such as llama-cpp-python over random weights; without one it is the
scripted server.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import importlib.util
import itertools
import logging
import random
import socket
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, aclosing, asynccontextmanager
from typing import Any, NamedTuple

from benchmarks.manuals import Fact, manuals
from benchmarks.model_server import Reply, model_server, wanted_form
from benchmarks.report import Bar, Report, progress
from doors.results import ask_result
from graph.request import Request
from graph.turn_result import TurnResult
from graph.turns import Assistant
from settings import Settings

_WORDS = {
    "zh": "的一是了我不人在有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小",
    "en": "the of river mountain query music memory however therefore city index page because first history second",
}
_ENDLESS = 40_000  # characters: twice what is read of an answer


class DoorAnswer(NamedTuple):
    """One answer, as one door gave it."""

    door: str
    seconds: float
    text: str
    statements: list[dict[str, Any]]
    covered: bool | None  # None: it was not taken for a question
    by_model: bool


class Worst:
    """A scripted model: 500 for a JSON schema, then one nonsense after the other."""

    def __init__(self) -> None:
        self._chance = random.Random(0)

    def __call__(self, request: dict[str, Any]) -> Reply:
        if (request.get("response_format") or {}).get("type") == "json_schema":
            return Reply("json_schema is not supported", status=500)
        nonsense = self._sentences(3)
        forms = ('{"reason": 7, "intent": [', nonsense, '{"intent": "small_talk", "question": ""}', "{}")
        if wanted_form(request):
            return Reply(self._chance.choice(forms))
        kinds = (
            Reply(nonsense),
            Reply(self._sentences(2) + " [1] [77]. " + nonsense),
            Reply("the city " * (_ENDLESS // 9), piece=2_000),
            Reply(""),
            Reply("的" * 500 + "。" + nonsense),
            Reply("half a sign \ud83d " + nonsense),
            Reply(raw='{"choices": null}'),
            Reply(nonsense, cut_after=9),
        )
        return self._chance.choice(kinds)

    def _sentences(self, count: int) -> str:
        zh = "".join("".join(self._chance.choices(_WORDS["zh"], k=14)) + "。" for _ in range(count))
        en = " ".join(
            " ".join(self._chance.choices(_WORDS["en"].split(), k=9)).capitalize() + "." for _ in range(count)
        )
        return f"{en} {zh}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--server", metavar="URL", help="of a running server, as http://127.0.0.1:8000/v1")
    parser.add_argument("--model", default="m", help="its name there")
    parser.add_argument("--questions", type=int, default=40, help="half in each language, at every door (40)")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds in which an answer must be there (60)")


def run(options: argparse.Namespace) -> Report:
    with ExitStack() as stack:
        address = options.server or stack.enter_context(model_server(Worst())).base_url
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="citewise-worst-"))
        given = {
            "CITEWISE_DATA_DIR": folder, "CITEWISE_INGEST_WORKERS": "0", "CITEWISE_OLLAMA": "false",
            "CITEWISE_WEB": "never", "CITEWISE_MAX_CONTEXT_LENGTH": "2000",
            "CITEWISE_LLM_MODEL": options.model, "CITEWISE_LLM_BASE_URL": address,
            # before an answer come at most a plan and an imagined one, and behind it its verdict
            "CITEWISE_LLM_API_KEY": "none", "CITEWISE_LLM_TIMEOUT": str(options.timeout / 6),
            "CITEWISE_ANSWER_TIMEOUT": str(options.timeout / 3),
            "CITEWISE_LLM_TEMPERATURE": "1",  # at 0 random weights always say the same
            "CITEWISE_ANSWER_CACHE": "0",
        }  # fmt: skip
        found = asyncio.run(_ask_all(Settings.from_mapping(given), options.questions))
    return _report(found, options.timeout)


async def _ask_all(settings: Settings, count: int) -> list[DoorAnswer]:
    stored = manuals(2 + count // 5)
    facts = [fact for manual in stored for fact in manual.facts]
    by_language = [[fact for fact in facts if fact.language == language] for language in ("zh", "en")]
    wanted = [fact for pair in zip(*by_language, strict=False) for fact in pair][:count]
    assistant = await Assistant.open(settings)
    try:
        for manual in stored:
            await assistant.library.add(manual.name, manual.text.encode())
        await assistant.library.settle()
        async with _served(assistant) as address, _doors(assistant, address) as doors:
            turns = list(itertools.product(wanted, doors.items()))
            return [await _timed(name, ask, fact) for fact, (name, ask) in progress(turns, "asking")]
    finally:
        await assistant.close()


Ask = Callable[[str], Awaitable[tuple[str, dict[str, Any]]]]  # question -> text as it is shown, fields


async def _timed(door: str, ask: Ask, fact: Fact) -> DoorAnswer:
    began = time.monotonic()
    text, fields = await ask(fact.question.to(fact.language))
    seconds = time.monotonic() - began
    by_model = fields["answered_by"] != "extractive"
    return DoorAnswer(door, seconds, text, fields["statements"], fields["covered"], by_model)


@asynccontextmanager
async def _served(assistant: Assistant) -> AsyncIterator[str]:
    """The address of the site, on a free port of this machine."""
    import uvicorn

    from ui.closing import not_cancelled
    from ui.site import build_site

    logging.getLogger("uvicorn.error").addFilter(not_cancelled)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)  # who is early waits instead of being refused
        server = uvicorn.Server(uvicorn.Config(build_site(assistant), log_level="warning", timeout_graceful_shutdown=1))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await serving


@asynccontextmanager
async def _doors(assistant: Assistant, address: str) -> AsyncIterator[dict[str, Ask]]:
    """Without the package of MCP its door is left out."""
    import httpx2
    from gradio_client import Client  # type: ignore[import-untyped]

    from ui.render import TurnView

    api = await asyncio.to_thread(Client, address, verbose=False)
    numbers = itertools.count()

    async def page(question: str) -> tuple[str, dict[str, Any]]:
        view, heard = TurnView("zh"), TurnResult()
        async with aclosing(assistant.run_turn(Request(f"page-{next(numbers)}", question))) as events:
            async for event in events:
                heard.apply(event)
                view.apply(event)
        asked = ask_result(heard.answer()).model_dump(mode="json")
        return str(view.parts.get("answer", {}).get("content", "")), asked

    async def v1(question: str) -> tuple[str, dict[str, Any]]:
        body = {"messages": [{"role": "user", "content": question}]}
        async with httpx2.AsyncClient(base_url=address, timeout=None) as client:
            message = (await client.post("/v1/chat/completions", json=body)).json()["choices"][0]["message"]
        return message["content"], message

    async def gradio(question: str) -> tuple[str, dict[str, Any]]:
        found = await asyncio.to_thread(api.predict, question=question, api_name="/ask")
        return found["answer"], found

    async def mcp(question: str) -> tuple[str, dict[str, Any]]:
        async with importlib.import_module("mcp").Client(f"{address}/mcp") as client:
            found = (await client.call_tool("ask", {"question": question})).structured_content
        assert found is not None
        return found["answer"], found

    doors: dict[str, Ask] = {"page": page, "/v1": v1, "Gradio's API": gradio}
    try:
        yield {**doors, "MCP": mcp} if importlib.util.find_spec("mcp") else doors
    finally:
        await asyncio.to_thread(api.close)


def _report(found: list[DoorAnswer], timeout: float) -> Report:
    metrics: dict[str, Any] = {}
    for door in dict.fromkeys(one.door for one in found):
        here = [one for one in found if one.door == door]
        metrics[door] = {
            "questions": len(here),
            "answered": sum(map(_answered, here)),
            "by the model": sum(one.by_model for one in here),
            "sentences without a source": sum(len(_unsourced(one)) for one in here),
            "not marked": sum(map(_unmarked, here)),
            "seconds (median)": statistics.median(one.seconds for one in here),
            "seconds (most)": max(one.seconds for one in here),
        }
    bars = {
        "not answered from the sources": Bar(sum(not _answered(one) for one in found), 0, most=True),
        "sentences without a source and without a mark": Bar(sum(map(_unmarked, found)), 0, most=True),
        "sentences without a source": Bar(sum(len(_unsourced(one)) for one in found), 1),
        "later than the time-out": Bar(sum(one.seconds > timeout for one in found), 0, most=True),
    }
    return Report(metrics, bars)


def _answered(one: DoorAnswer) -> bool:
    """It was taken for a question, and something that is said holds by its source."""
    return one.covered is not None and any(said["supported"] for said in one.statements)


def _unsourced(one: DoorAnswer) -> list[dict[str, Any]]:
    return [said for said in one.statements if not said["supported"] and not said["markers"]]


def _unmarked(one: DoorAnswer) -> int:
    """Of the sentences that have no source, those that more are than there are marks in the answer itself."""
    said = one.text.partition("\n\n> ")[0] if one.door == "page" else one.text.partition("\n\n来源：")[0]
    for heading in ("\n\nSources:\n", "\n\n请注意：\n", "\n\nPlease note:\n"):
        said = said.partition(heading)[0]
    return max(0, len(_unsourced(one)) - said.count("⚠"))
