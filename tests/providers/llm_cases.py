"""A chain of providers against local servers, and what a reader hears of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from pydantic import BaseModel

from benchmarks.model_server import ModelServer, Reply, filled, model_server, nobody_listening, wanted_form
from providers.llm import Chain, Model, Restart
from settings import Settings

PROMPT = [("system", "be brief"), ("user", "hello")]
ANSWER = "年假有十天 [1]。"
QUICK = "1"  # seconds: a time-out that a test waits for


class Colour(BaseModel):
    reason: str
    name: str


BLUE = {"reason": "sky", "name": "blue"}


def healthy(request: dict) -> Reply:
    return filled(request, BLUE) if wanted_form(request) else Reply(ANSWER)


@asynccontextmanager
async def chain_of(tmp_path: Path, *addresses: str, seconds: str = "600", **how) -> AsyncIterator[Chain]:
    """A chain of addresses a, b, ... with models model-a, model-b, ...; `seconds` is the time-out of the first."""
    entries = {
        name: {"base_url": address, "model": f"model-{name}", "api_key": f"key-{name}"}
        for name, address in zip("abcde", addresses, strict=False)
    }
    entries["a"]["timeout"] = seconds
    for name, weight in zip("abcde", how.pop("weights", ()), strict=False):
        entries[name]["weight"] = weight
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps({"llm_providers": {"primary": "a", "fallback": [*entries][1:], **entries}}))
    settings = {"CITEWISE_CONFIG": str(path), "CITEWISE_OLLAMA": "false", "CITEWISE_LLM_TIMEOUT": "600"}
    settings["CITEWISE_ANSWER_TIMEOUT"] = how.pop("in_all", "")
    chain = Chain(Settings.from_mapping(settings), **how)
    try:
        yield chain
    finally:
        await chain.close()


async def heard(model: Model) -> tuple[str, list[Restart]]:
    """What a reader ends up with, and what was void before."""
    text, restarts = "", []
    async for piece in model.stream(PROMPT):
        if isinstance(piece, Restart):
            text, restarts = "", [*restarts, piece]
        else:
            text += piece
    return text, restarts


@contextmanager
def failing(fault: Reply | None) -> Iterator[tuple[str, ModelServer | None]]:
    """An address that fails so; None: nobody listens there."""
    if fault is None:
        with nobody_listening() as address:
            yield address, None
    else:
        with model_server(lambda _: fault) as server:
            yield server.base_url, server


LONG = "the answer that is not finished "


# fault, what is said of it, requests when alone, requests when another one can step in, whether text was out before
FAULTS = {
    "401": (Reply(status=401), "does not accept the key (401)", 1, 1, False),
    "403": (Reply(status=403), "denies access (403)", 1, 1, False),
    "quota": (Reply(raw='{"error": {"code": "insufficient_quota"}}', status=429), "has no credit", 1, 1, False),
    "context": (Reply("maximum context length is 4096 tokens", status=400), "cannot take so long a text", 1, 1, False),
    "402": (Reply(status=402), "has no credit", 1, 1, False),
    "404": (Reply(status=404), "no such model", 1, 1, False),
    "400": (Reply(status=400), "refused this request (400)", 1, 1, False),
    "429 for long": (Reply(status=429, retry_after=60), "too many requests (429), 60 s", 1, 1, False),
    "429": (Reply(status=429), "too many requests (429)", 3, 1, False),
    "500": (Reply(status=500), "has an error (500)", 3, 2, False),
    "503": (Reply(status=503, retry_after=30), "has an error (503)", 1, 1, False),
    "no answer": (Reply(LONG, drop_after=0), "closed the connection", 3, 2, False),
    "garbage": (Reply(raw="<html>welcome</html>"), "has an error", 3, 2, False),
    "odd date": (Reply(status=503, retry_after="Fri, 31 Dec 2099 99:99:99 GMT"), "has an error (503)", 3, 2, False),
    "odd wait": (Reply(status=503, retry_after="soon"), "has an error (503)", 3, 2, False),
    "no number": (Reply(status=503, retry_after="inf"), "has an error (503)", 3, 2, False),
    "too deep": (Reply(raw="[" * 100_000), "has an error", 3, 2, False),
    "odd role": (Reply(raw='{"choices": [{"message": {"role": "x", "content": "a"}}]}'), "has an error", 3, 2, False),
    "no choices": (Reply(raw='{"choices": null}'), "has an error", 3, 2, False),
    "empty": (Reply(""), "said nothing", 1, 1, False),
    "blank": (Reply(" \n "), "said nothing", 1, 1, False),
    "only thoughts": (Reply("<think>so many thoughts"), "said nothing", 1, 1, False),
    "refused": (None, "cannot be reached", 2, 1, False),
    "late": (Reply(ANSWER, first_delay=60), "did not respond within 1 seconds", 1, 1, False),
    "silent": (Reply(ANSWER, stall_after=0), "did not respond within 1 seconds", 1, 1, False),
    "stalled": (Reply(LONG, stall_after=3), "did not respond within 1 seconds", 1, 1, True),
    "cut": (Reply(LONG, cut_after=3), "broke off its answer", 1, 1, True),
    "dropped": (Reply(LONG, drop_after=3), "broke off its answer", 1, 1, True),
}
