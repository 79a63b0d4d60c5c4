"""Seconds to the first token of an answer from a page fetched for it, however slow a model is to describe the page."""

from __future__ import annotations

import asyncio
import tempfile
import time
import uuid
from contextlib import aclosing
from statistics import median

from benchmarks.manuals import manuals
from benchmarks.model_server import spawned_server
from benchmarks.report import Bar, Report
from benchmarks.script import EXTRACTION
from benchmarks.web_pages import article
from benchmarks.web_site import Page, web_site
from graph.request import Request
from graph.turns import Assistant
from nodes.events import Failed, Token
from settings import Settings

NOISE = 0.5  # seconds: an eighth of what a turn that waited would take longer
_SCRIPTS = {"at once": "reply", "slowly": "slow_to_extract"}


def add_to(report: Report, pages: int) -> None:
    """So many turns with each of two models, which differ in how fast they say what a page is about."""
    seconds = {said: median(asyncio.run(_turns(script, pages))) for said, script in _SCRIPTS.items()}
    report.metrics[f"first token from a page that a model describes at once, or in {EXTRACTION:g} s"] = seconds
    report.bars["first token: seconds more where a model describes pages slowly"] = Bar(
        seconds["slowly"] - seconds["at once"], NOISE, most=True
    )


async def _turns(script: str, pages: int) -> list[float]:
    """Seconds to the first token of each; every turn fetches a page that nobody has read yet."""
    shelf = manuals(pages + 1, ("en",))
    site_pages = {
        f"/{number}": Page(article("en", f"Page {number}", tuple(one.text.split("\n\n"))))
        for number, one in enumerate(shelf)
    }
    with (
        web_site(site_pages) as site,
        spawned_server(f"benchmarks.script:{script}") as models,
        tempfile.TemporaryDirectory(prefix="citewise-first-") as folder,
    ):
        variables = {
            "CITEWISE_DATA_DIR": folder, "CITEWISE_OLLAMA": "false", "CITEWISE_LLM_MODEL": "m",
            "CITEWISE_LLM_BASE_URL": models.base_url, "CITEWISE_WEB_ALLOW": ",".join(site.hosts),
        }  # fmt: skip
        assistant = await Assistant.open(Settings.from_mapping(variables))
        try:
            taken = [await _first_token(assistant, f"Read {site.url(path)} and summarize it") for path in site_pages]
        finally:
            await assistant.close()
    return taken[1:]  # the first turn loads what all need


async def _first_token(assistant: Assistant, message: str) -> float:
    begun, first = time.perf_counter(), 0.0
    async with aclosing(assistant.run_turn(Request(str(uuid.uuid4()), message))) as events:
        async for event in events:
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, Token):
                first = first or time.perf_counter() - begun
    if not first:
        raise RuntimeError(f"no answer to {message!r}")
    return first
