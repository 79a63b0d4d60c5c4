"""Conversations at two instances: many at once, the same one at both, logouts, an instance that ends, and one that is
killed while it answers."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path

import httpx2
import numpy as np

from benchmarks.instances.browser import PASSWORD, USER, Browser, Talk, problems
from benchmarks.instances.proxy import sticky_proxy
from benchmarks.load import SCRIPT, Reply, judged
from benchmarks.manuals import Fact, Manual, manuals
from benchmarks.model_server import spawned_server
from benchmarks.postgres_server import database, server
from benchmarks.program import Program, free_port, memory_of, started_at
from benchmarks.report import Bar, Report, progress
from doors.passwords import hash_password
from library import Library
from schema import IncomingFile
from settings import Settings

WITHIN = 1.0  # seconds until a logout at one instance holds at the other
_TURNS = 3  # of each of many conversations


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--conversations", type=int, default=50, help="at once, of three turns each (50)")
    parser.add_argument("--kills", type=int, default=20, help="of an instance while it answers (20)")
    parser.add_argument("--ends", type=int, default=2, help="of an instance by SIGTERM while it answers (2)")
    parser.add_argument("--trials", type=int, default=10, help="of a logout, and of one conversation at both (10)")
    parser.add_argument("--latency", type=float, default=0.5, help="seconds per call of the model (0.5)")


class Instance:
    """The program on one port, which can be ended and started again."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.port, self._running = free_port(), ExitStack()
        self._variables = {"CITEWISE_DATA_DIR": str(folder), **variables}
        self.url = f"http://127.0.0.1:{self.port}"
        self.program: Program | None = None

    def start(self) -> Program:
        self._running.close()
        running = started_at(self.port, "app.py", "--no-browser", uv=False, **self._variables)
        self.program = self._running.enter_context(running)
        return self.program

    async def ready(self) -> None:
        """Raises RuntimeError where it does not start."""
        assert self.program is not None
        await asyncio.to_thread(self.program.wait)
        async with httpx2.AsyncClient(timeout=120, trust_env=False) as client:
            while (await client.get(f"{self.url}/ready")).status_code != 200:  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0.1)

    def close(self) -> None:
        self._running.close()


def run(options: argparse.Namespace, report: Report) -> None:
    shelf = manuals(max(12, options.conversations), ("en", "zh"))
    with server() as url, database(url, f"instances_{os.getpid()}") as address:
        asyncio.run(_fill(address, shelf))
        with (
            spawned_server(SCRIPT, latency=options.latency) as model,
            _two(address, model.base_url) as two,
            sticky_proxy([one.port for one in two]) as proxy,
        ):
            asyncio.run(_measure(options, report, two, proxy, _facts(shelf)))
    report.notes.append(f"load of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


async def _fill(address: str, shelf: Sequence[Manual]) -> None:
    with tempfile.TemporaryDirectory(prefix="citewise-instances-") as folder:
        settings = Settings.from_mapping({"CITEWISE_DATA_DIR": folder, "CITEWISE_DATABASE_URL": address})
        async with await Library.open(settings) as library:
            files = [IncomingFile(one.name, one.text.encode()) for one in shelf]
            tasks = await library.submit(files)
            await library.finished([task.id for task in tasks])
            await library.settle()


@contextmanager
def _two(address: str, model: str) -> Iterator[list[Instance]]:
    """With folders of their own, which hold nothing that is missed."""
    variables = {
        "CITEWISE_DATABASE_URL": address, "CITEWISE_LLM_MODEL": "m", "CITEWISE_LLM_BASE_URL": model,
        "CITEWISE_USERS": f"{USER}:{hash_password(PASSWORD)}", "CITEWISE_INGEST_WORKERS": "0",
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="citewise-instances-") as folder, ExitStack() as running:
        two = [Instance(Path(folder) / name, **variables) for name in ("a", "b")]
        for one in two:
            running.callback(one.close)
            one.start()
        yield two


def _facts(shelf: Sequence[Manual]) -> Iterator[Fact]:
    """Each once, neighbours about different machines; from the beginning again when all were asked."""
    while True:
        for turn in range(len(shelf[0].facts)):
            for number, manual in enumerate(shelf):
                yield manual.facts[(number + turn) % len(manual.facts)]


async def _measure(
    options: argparse.Namespace, report: Report, two: list[Instance], proxy: str, facts: Iterator[Fact]
) -> None:
    await asyncio.gather(*(one.ready() for one in two))
    await _many_at_once(options.conversations, report, two, proxy, facts)
    await _one_at_both(options.trials, report, two, facts)
    await _logged_out(options.trials, report, two)
    await _ended(options.ends, report, two, proxy, facts)
    await _killed(options.kills, report, two, proxy, facts)


async def _many_at_once(count: int, report: Report, two: list[Instance], proxy: str, facts: Iterator[Fact]) -> None:
    async with await Browser.logged_in(proxy) as browser:
        talks = [Talk(f"many-{number}", browser.another()) for number in range(count)]
        asked = [list(islice(facts, _TURNS)) for _ in talks]

        async def converse(talk: Talk, questions: list[Fact]) -> None:
            for fact in questions:
                await talk.ask(fact)

        await asyncio.gather(*map(converse, talks, asked))
        replies = [Reply(fact, text, 0.0, 0.0) for talk in talks for fact, text in talk.said]
        _, crossed = judged(replies)
        seconds = [one for talk in talks for one in talk.seconds] or [float("inf")]
        homes = [sum(talk.browser.instance == str(number) for talk in talks) for number in range(len(two))]
        report.metrics["at once"] = {
            "conversations": count, "turns": len(replies), "at each instance": homes,
            "turn p50 s": float(np.median(seconds)), "p95 s": float(np.percentile(seconds, 95)),
            "memory of each instance, MB": [memory_of(one.program.process.pid) // 10**6 for one in two if one.program],
        }  # fmt: skip
        report.bars["at once: errors"] = Bar(sum(len(talk.errors) for talk in talks), 0, most=True)
        report.bars["at once: crossed"] = Bar(crossed, 0, most=True)
        report.bars["at once: turns answered"] = Bar(len(replies), count * _TURNS)
        report.bars["at once: turns lost"] = Bar((await _wrong(talks, two))["lost"], 0, most=True)
        report.notes += sorted({error for talk in talks for error in talk.errors})[:5]


async def _wrong(talks: Sequence[Talk], two: list[Instance]) -> dict[str, int]:
    """Answered turns that are lost or there twice, as each instance tells it."""
    wrong = {"lost": 0, "twice": 0}
    for instance in two:
        for talk in talks:
            there = Talk(talk.name, talk.browser.another(instance.url), talk.said)
            for name, number in problems(there, await there.read()).items():
                wrong[name] += number
    return wrong


async def _one_at_both(trials: int, report: Report, two: list[Instance], facts: Iterator[Fact]) -> None:
    """The same conversation is asked at both at one moment: each question is answered and stored, or refused."""
    lost = refused = 0
    async with await Browser.logged_in(two[0].url) as browser:
        for number in range(trials):
            both = [Talk(f"both-{number}", browser.another(one.url)) for one in two]
            await asyncio.gather(*(talk.ask(next(facts)) for talk in both))
            refused += sum(bool(talk.errors) for talk in both)
            lost += (await _wrong(both, two))["lost"]
    report.metrics["one conversation at both"] = {"questions": 2 * trials, "refused": refused}
    report.bars["one conversation at both: turns lost"] = Bar(lost, 0, most=True)


async def _logged_out(trials: int, report: Report, two: list[Instance]) -> None:
    """Whoever has just been let in at the other instance logs out at this one."""
    seconds = []
    for number in range(trials):
        here, there = two[number % 2], two[1 - number % 2]
        async with await Browser.logged_in(here.url) as browser:
            elsewhere = browser.another(there.url)
            assert await elsewhere.is_let_in()
            begun = time.monotonic()
            await browser.client.post("/logout", follow_redirects=False)
            while await elsewhere.is_let_in():  # noqa: ASYNC110 - a page that looks again and again
                await asyncio.sleep(0.02)
            seconds.append(time.monotonic() - begun)
    report.bars["logout: seconds until it holds at the other"] = Bar(max(seconds), WITHIN, most=True)


async def _ended(ends: int, report: Report, two: list[Instance], proxy: str, facts: Iterator[Fact]) -> None:
    """SIGTERM while it answers: what runs comes to its end, what comes then is answered by the other."""
    lost = 0
    for number in range(ends):
        instance = two[number % 2]
        async with await Browser.logged_in(proxy) as browser:
            talk = Talk(f"ended-{number}", browser.another(proxy, instance=number % 2))
            await talk.ask(next(facts))
            running = asyncio.create_task(talk.ask(next(facts)))
            await asyncio.sleep(0.1)
            assert instance.program is not None
            instance.program.process.terminate()
            lost += not await running
            lost += await asyncio.to_thread(instance.program.process.wait, 60) != 0
            lost += not await talk.ask(next(facts))
            instance.start()
            await instance.ready()
            lost += (await _wrong([talk], two))["lost"]
            report.notes += talk.errors
    report.bars["SIGTERM: turns lost, and ends that were none"] = Bar(lost, 0, most=True)


async def _killed(kills: int, report: Report, two: list[Instance], proxy: str, facts: Iterator[Fact]) -> None:
    chance, broken, gone = random.Random(kills), 0, 0
    wrong = {"lost": 0, "twice": 0}
    for number in progress(range(kills), "kill -9"):
        victim = two[number % 2]
        async with await Browser.logged_in(proxy) as browser:
            talks = [Talk(f"killed-{number}-{n}", browser.another(proxy, instance=n % 2)) for n in range(4)]
            await asyncio.gather(*(talk.ask(next(facts)) for talk in talks))
            asked = [next(facts) for _ in talks]
            running = [asyncio.create_task(talk.ask(fact)) for talk, fact in zip(talks, asked, strict=True)]
            usual = float(np.median([one for talk in talks for one in talk.seconds]))
            await asyncio.sleep(chance.uniform(0, usual))
            assert victim.program is not None
            victim.program.process.kill()
            answered = await asyncio.gather(*running)
            for talk, fact, done in zip(talks, asked, answered, strict=True):
                if not done:
                    broken += 1
                    gone += not await talk.come_back(fact)
            await asyncio.gather(*(talk.ask(next(facts)) for talk in talks))  # it goes on
            victim.start()
            await victim.ready()
            for name, count in (await _wrong(talks, two)).items():
                wrong[name] += count
            gone += sum(len(talk.said) < 2 for talk in talks)
    report.metrics["kill -9"] = {"kills": kills, "turns that were broken off": broken}
    report.bars["kill -9: answered turns lost"] = Bar(wrong["lost"], 0, most=True)
    report.bars["kill -9: turns there twice"] = Bar(wrong["twice"], 0, most=True)
    report.bars["kill -9: conversations that did not come up at the other"] = Bar(gone, 0, most=True)
