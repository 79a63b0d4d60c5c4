"""A run of the lab that is killed at random moments (SIGKILL) and begun again: does it ask anything twice?"""

from __future__ import annotations

import asyncio
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.crash_process import Process
from benchmarks.lab_defects import Corpus, fill, settings_of
from benchmarks.report import progress
from evaluation.lab.cases import LabCase
from graph.lab.case_asker import CaseAsker
from graph.lab.laboratory import Laboratory
from graph.turns import Assistant
from stores.lab import LAB

_RUN = "killed"
_PAUSE = 0.02  # seconds at most between the moment that is drawn and the kill


def killed_run(corpus: Corpus, kills: int, seed: int = 0) -> dict[str, float]:
    """How often it was killed, how many cases were asked although their result was kept, and how many have one now."""
    chance, kept, again = random.Random(seed), set[str](), 0
    with tempfile.TemporaryDirectory(prefix="citewise-lab-") as folder:
        asyncio.run(_store(folder, corpus))
        for left in progress(range(kills, -1, -1), "kills"):
            most = (len(corpus.cases) - len(kept)) // (left + 1)  # so that something is left for the last one
            asked, status = _asked(folder, corpus.cases, chance.randint(1, max(1, most)) if left else None, chance)
            if (status < 0) != bool(left):
                raise RuntimeError(f"the run ended with {status}; its message is above")
            again += len(kept & asked)
            kept = _kept(folder)
    return {"kills": kills, "asked again": again, "results": len(kept), "cases": len(corpus.cases)}


async def _store(folder: str, corpus: Corpus) -> None:
    assistant = await Assistant.open(settings_of(folder), warm=False)
    try:
        await fill(assistant, corpus)
    finally:
        await assistant.close()


def _kept(folder: str) -> set[str]:
    """Cases that have a result."""
    with closing(sqlite3.connect(Path(folder) / LAB)) as database:
        found = database.execute("SELECT case_id FROM lab_results WHERE run = ?", (_RUN,))
        return {row[0] for row in found}


def _asked(folder: str, cases: Sequence[LabCase], until: int | None, chance: random.Random) -> tuple[set[str], int]:
    """Cases that a process has asked, and its exit status; it is killed soon after so many of them."""
    process = Process(_run, folder, list(cases))
    asked = set[str]()
    for case in process.heard():
        asked.add(case)
        if len(asked) == until:
            time.sleep(chance.uniform(0, _PAUSE))
            process.kill()
    return asked, process.ended()


def _run(folder: str, cases: list[LabCase], said: Connection) -> None:
    """In a process of its own: says each case before it is asked."""
    ask: Callable[..., Any] = CaseAsker.ask

    async def told(self: CaseAsker, case: LabCase) -> Any:
        said.send(case.id)
        return await ask(self, case)

    CaseAsker.ask = told  # type: ignore[method-assign]
    asyncio.run(_go_on(folder, cases))


async def _go_on(folder: str, cases: list[LabCase]) -> None:
    assistant = await Assistant.open(settings_of(folder), warm=False)
    try:
        await Laboratory(assistant).run(_RUN, "made", cases)
    finally:
        await assistant.close()
