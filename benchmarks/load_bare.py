"""The bare graph behind FastAPI, with the same door as the program: what is compared with it under load."""

from __future__ import annotations

import argparse
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

from benchmarks.manuals import Manual, manuals
from schema import Language

if TYPE_CHECKING:
    from benchmarks.bare_graph import BareGraph

PASSAGES = 5  # that a search which costs nothing has found, as many as ours finds


def build(model: str, calls: bool, documents: int, languages: tuple[Language, ...]) -> FastAPI:
    from benchmarks.bare_graph import BareGraph  # LangChain, which whoever wants `passages` need not load

    graph, site = BareGraph(model, calls=calls), FastAPI(openapi_url=None)
    about = {
        question: passages(manual)
        for manual in manuals(documents, languages)
        for fact in manual.facts
        for question in fact.question
    }

    @site.post("/v1/chat/completions")
    async def chat(request: Request) -> StreamingResponse:
        question = (await request.json())["messages"][-1]["content"]
        return StreamingResponse(_events(graph, question, about.get(question, [])), media_type="text/event-stream")

    return site


def passages(manual: Manual) -> list[str]:
    """The manual in as many pieces of its sections."""
    sections = manual.text.split("\n\n")
    size = -(-len(sections) // PASSAGES)
    return ["\n\n".join(sections[start : start + size]) for start in range(0, len(sections), size)]


async def _events(graph: BareGraph, question: str, sources: list[str]) -> AsyncGenerator[str, None]:
    async with aclosing(graph.stream(question, sources)) as pieces:
        async for piece in pieces:
            yield f"data: {json.dumps(_chunk({'content': piece}))}\n\n"
    yield f"data: {json.dumps(_chunk({}, 'stop'))}\n\ndata: [DONE]\n\n"


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "bare", "object": "chat.completion.chunk", "created": 0, "model": "bare", "choices": [choice]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--model", required=True, help="address of the scripted server")
    parser.add_argument("--calls", action="store_true", help="plan and judge by the model as well")
    parser.add_argument("--documents", type=int, required=True)
    parser.add_argument("--languages", nargs="+", required=True)
    options = parser.parse_args()
    site = build(options.model, options.calls, options.documents, tuple(options.languages))
    uvicorn.run(site, host="127.0.0.1", port=options.port, log_level="warning")


if __name__ == "__main__":
    main()
