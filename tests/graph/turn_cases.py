"""What tests of whole turns share: two small documents, an assistant, how to talk to it, and a scripted model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from benchmarks.model_server import ModelServer, Reply, filled, model_server, wanted_form
from graph.request import Request
from graph.turns import Assistant
from nodes.state import Controls, Upload
from settings import Settings

HANDBOOK = (
    "# 员工手册\n\n## 休假\n\n员工每年有十五天带薪年假。年假须提前两周申请。\n\n## 报销\n\n报销上限为每月三千元。\n"
)
GUIDE = (
    "# Pump guide\n\n## Start\n\nPrime the pump before the first start. Wait for ninety seconds.\n\n"
    "## Noise\n\nA rattling noise means air in the line.\n"
)


@asynccontextmanager
async def assistant_of(settings: Settings) -> AsyncIterator[Assistant]:
    assistant = await Assistant.open(settings)
    try:
        yield assistant
    finally:
        await assistant.close()


def upload(folder: Path, name: str, content: str) -> Upload:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return Upload(name=name, path=str(path))


async def say(assistant: Assistant, message: str, *uploads: Upload, thread: str = "t", **controls: object) -> list:
    request = Request(thread, message, tuple(uploads), Controls.model_validate(controls))
    return [event async for event in assistant.run_turn(request)]


def of(events: list, kind: type) -> list:
    return [event for event in events if isinstance(event, kind)]


# --- a scripted model ---------------------------------------------------------------------------------------------

PLAN = {"reason": "a question", "intent": "retrieve", "question": "", "translation": "", "files": []}
SCORES = {"faithfulness": 5, "relevance": 4, "completeness": 3}
JUDGEMENT = {**{f"{key}_reason": f"why {key}" for key in SCORES}, **SCORES}
PASSAGE = "The pump is primed with water and then waits for ninety seconds."


def purpose(request: dict[str, Any]) -> str:
    """What a request is for."""
    form = wanted_form(request)
    if form:
        return {"FilledPlan": "plan", "Judgement": "judge", "Translated": "hyde", "ProposedQuery": "query"}[form]
    content = request["messages"][-1]["content"]
    if "<question-" in content:
        return "hyde"
    if "<note-" in content:
        return "merge"
    return "answer" if request.get("stream") else "note"


class Script:
    """A model that says what it is told to for each purpose; functions get the request."""

    def __init__(self, **replies: Any) -> None:
        self.replies = {"plan": PLAN, "judge": JUDGEMENT, "hyde": PASSAGE, "answer": "Prime the pump [1].", **replies}

    def __call__(self, request: dict[str, Any]) -> Reply:
        reply = self.replies[purpose(request)]
        reply = reply(request) if callable(reply) else reply
        return (
            filled(request, reply) if isinstance(reply, dict) else reply if isinstance(reply, Reply) else Reply(reply)
        )


@asynccontextmanager
async def talking(
    make_settings: Callable[..., Any], script: Callable[[dict], Reply], *, both: bool = False, **variables: str
) -> AsyncIterator[tuple[Assistant, ModelServer]]:
    """An assistant with an English document, or one in both languages, and the model's server."""
    with model_server(script) as server:
        settings = make_settings(CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url, **variables)
        async with assistant_of(settings) as assistant:
            await assistant.library.add("guide.md", GUIDE.encode())
            if both:
                await assistant.library.add("员工手册.md", HANDBOOK.encode())
            await assistant.library.settle()  # no refit comes in between: it would change the library's generation
            yield assistant, server


def purposes(server: ModelServer) -> list[str]:
    return [purpose(request) for request in server.requests]


CERTAIN, UNCERTAIN_ONE = "How do I prime the pump?", "Keep this short: how do I prime the pump?"


def numbers(request: dict) -> list[int]:
    """The source numbers that a request shows."""
    content = request["messages"][-1]["content"]
    return [int(part.split('"')[0]) for part in content.split(' number="')[1:]]


def note(request: dict) -> str:
    return " ".join(f"Source {n} is about a part [{n}]." for n in numbers(request))
