"""What a question takes while pages come into the library, in a process that imports what an app does, and no more."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import aclosing
from itertools import cycle

import numpy as np

from benchmarks.manuals import manuals
from benchmarks.whole_turn import turn_seconds
from graph.turns import Assistant
from schema import IncomingFile
from settings import Settings
from web.gathering import Gathering

CLEANING = ("trafilatura", "lxml", "justext")  # what reads a page is imported where pages are read
_WARM_UP = 5  # turns that are not counted


def asked(variables: Mapping[str, str], urls: Sequence[str], documents: int, idle: int) -> dict[str, float]:
    """Seconds of whole turns, so many while nothing else goes on, then as many as there is time for while the pages
    are fetched, cleaned, stored and recorded, until the library rests. To be called in a new process."""
    with tempfile.TemporaryDirectory(prefix="citewise-web-") as folder:
        own = {"CITEWISE_DATA_DIR": folder, "CITEWISE_OLLAMA": "false"}
        return asyncio.run(_turn_seconds(Settings.from_mapping({**own, **variables}), urls, documents, idle))


async def _turn_seconds(settings: Settings, urls: Sequence[str], documents: int, idle: int) -> dict[str, float]:
    shelf = manuals(documents)
    facts = [fact for turn in range(len(shelf[0].facts)) for fact in (manual.facts[turn] for manual in shelf)]
    questions = cycle([fact.question.to(fact.language) for fact in facts])
    assistant = await Assistant.open(settings)
    try:
        tasks = await assistant.library.submit([IncomingFile(one.name, one.text.encode()) for one in shelf])
        await assistant.library.finished([task.id for task in tasks])
        await assistant.library.settle()
        for _ in range(_WARM_UP):
            await turn_seconds(assistant, next(questions))
        alone = [await turn_seconds(assistant, next(questions)) for _ in range(idle)]
        begun = time.perf_counter()
        work = asyncio.create_task(_gathered(assistant, settings, urls))
        beside: list[float] = []
        while not work.done():
            beside.append(await turn_seconds(assistant, next(questions)))
        gathered, seconds = await work, time.perf_counter() - begun
    finally:
        await assistant.close()
    return {
        "pages": gathered, "in": seconds, "idle p50": float(np.median(alone)),
        "idle p95": float(np.percentile(alone, 95)), "meanwhile p50": float(np.median(beside)),
        "meanwhile p95": float(np.percentile(beside, 95)), "longest": max(beside), "turns meanwhile": len(beside),
        "modules that clean": modules_that_clean(sys.modules),
    }  # fmt: skip


def modules_that_clean(imported: Iterable[str]) -> int:
    return sum(name.partition(".")[0] in CLEANING for name in imported)


async def _gathered(assistant: Assistant, settings: Settings, urls: Sequence[str]) -> int:
    """How many pages are in the library in the end."""
    gathering = Gathering(settings, assistant.library, pages=assistant.pages)
    async with aclosing(gathering.fetch(urls, doc_set="web")) as events:
        async for _ in events:
            pass
    await assistant.library.settle()
    return len(gathering.gathered)
