"""Workers over one PostgreSQL: what a second one brings, and what becomes of files when one of them is killed."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from benchmarks.ingest import make_folder
from benchmarks.instances.workers import Worker, page, workers
from benchmarks.postgres_server import database, server
from benchmarks.program import cpu_of, memory_of
from benchmarks.report import Bar, Report, progress
from library import Library
from schema import IncomingFile, Scope, StoreOutcome, Task
from text import search_tokens

_LOOK = 0.01  # seconds between two looks
_LONG = 12  # texts of the benchmark `ingest` that one file of these is made of: some 100 KB


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--files", type=int, default=64, help="that one and two workers store (64)")
    parser.add_argument("--times", type=int, default=3, help="how often, in turn (3)")
    parser.add_argument("--looks", type=int, default=20, help="of another page at what has become of a file (20)")
    parser.add_argument("--worker-kills", type=int, default=5, help="of one of two workers (5)")
    parser.add_argument("--worker-files", type=int, default=200, help="that they store meanwhile (200)")
    parser.add_argument("--seed", type=int, default=7, help="of the moments")


def run(options: argparse.Namespace, report: Report) -> None:
    with tempfile.TemporaryDirectory(prefix="citewise-workers-") as place, server() as url:
        if options.times:
            asyncio.run(_throughput(url, Path(place), options, report))
        if options.looks:
            asyncio.run(_news(url, Path(place), options.looks, report))
        if options.worker_kills:
            asyncio.run(_kills(url, Path(place), options, report))


# --- throughput, of workers that have a core each ----------------------------------------------------------------


async def _throughput(url: str, place: Path, options: argparse.Namespace, report: Report) -> None:
    files = _files(place / "long", options.files, _LONG)
    seconds: dict[int, list[float]] = {1: [], 2: []}
    cores: dict[int, list[float]] = {1: [], 2: []}
    loads: list[float] = []
    memory: list[float] = []
    for number in progress(range(2 * options.times), "one and two workers"):
        count = 1 + number % 2
        loads.append(os.getloadavg()[0])
        with database(url, f"throughput_{number}") as address, workers(address, place, count, processes=0) as started:
            async with page(address, place / "page") as library:
                before = sum(cpu_of(worker.process.pid) for worker in started)
                seconds[count].append(await _time(library, files))
                spent = sum(cpu_of(worker.process.pid) for worker in started) - before
                cores[count].append(spent / seconds[count][-1])
                memory += [memory_of(worker.process.pid) / 1e6 for worker in started]
    rates = {count: len(files) / median(of) for count, of in seconds.items()}
    report.metrics["workers: files"] = {"count": len(files), "MB": sum(len(file.data or b"") for file in files) / 1e6}
    report.metrics["workers: files/s with"] = {str(count): rate for count, rate in rates.items()}
    report.metrics["workers: seconds"] = {
        str(count): str([round(one, 2) for one in taken]) for count, taken in seconds.items()
    }
    report.metrics["workers: cores that they had"] = {str(count): median(of) for count, of in cores.items()}
    report.metrics["workers: memory of each, MB"] = median(memory)
    report.metrics["workers: load before each run"] = str([round(load, 1) for load in loads])
    report.metrics["workers: cores of the machine"] = os.cpu_count()
    report.bars["files/s of two workers / of one"] = Bar(rates[2] / rates[1], 1.6)


async def _time(library: Library, files: Sequence[IncomingFile]) -> float:
    """Seconds until all of them are stored; a first file has made the space."""
    await library.add("first.md", b"# First\n\nWhatever is written here.\n")
    begun = time.perf_counter()
    tasks = await library.submit(files)
    outcomes = await library.finished([task.id for task in tasks])
    if not all(isinstance(outcome, StoreOutcome) for outcome in outcomes.values()):
        raise RuntimeError("a file could not be stored")
    return time.perf_counter() - begun


def _files(folder: Path, count: int, parts: int = 1) -> list[IncomingFile]:
    texts = [path.read_text(encoding="utf-8") for path in sorted(make_folder(folder, count * parts, []).rglob("*.md"))]
    joined = ["\n".join(texts[place : place + parts]) for place in range(0, len(texts), parts)]
    return [IncomingFile(f"{number:03}.md", text.encode()) for number, text in enumerate(joined)]


# --- what another page shows -------------------------------------------------------------------------------------


async def _news(url: str, place: Path, count: int, report: Report) -> None:
    """Seconds until a page at another program shows what this one has taken in, and what a worker has stored."""
    delays: list[float] = []
    with database(url, "news") as address, workers(address, place, 1):
        async with page(address, place / "page") as here, page(address, place / "another") as there:
            for number in progress(range(count), "looking"):
                delays += await _delays(here, there, f"{number}.md")
    report.metrics["workers: seconds until another page shows it, median"] = median(delays)
    report.bars["seconds until another page shows it, at most"] = Bar(max(delays), 2.0, most=True)


async def _delays(here: Library, there: Library, name: str) -> list[float]:
    [task] = await here.submit([IncomingFile(name, f"# {name}\n\nSome words.\n".encode())])
    taken = await _seconds_until(lambda: name in there.known_names())
    await here.finished([task.id])
    return [taken, await _seconds_until(lambda: not there.tasks() and name in there.names())]


async def _seconds_until(holds: Callable[[], bool]) -> float:
    begun = time.perf_counter()
    while not holds():  # noqa: ASYNC110 - a page looks as well
        await asyncio.sleep(_LOOK)
    return time.perf_counter() - begun


# --- kills -------------------------------------------------------------------------------------------------------


async def _kills(url: str, place: Path, options: argparse.Namespace, report: Report) -> None:
    chance, problems = random.Random(options.seed), Counter[str]()
    files = [
        IncomingFile(file.name, (file.data or b"") + f"\n\n{_mark(number)}\n".encode())
        for number, file in enumerate(_files(place / "short", options.worker_files))
    ]
    waits, usual = [], 0.0
    with database(url, "kills") as address, workers(address, place, 2) as started:
        async with page(address, place / "page") as library:
            for number in progress(range(options.worker_kills), "killing"):
                doc_set, begun = str(number), time.perf_counter()
                sent = [IncomingFile(file.name, file.data, doc_set=doc_set) for file in files]
                tasks = await library.submit(sent)
                await asyncio.sleep(chance.uniform(0, usual or 2.0))
                victim = chance.randrange(2)
                started[victim].kill()
                killed = time.perf_counter()
                problems += await _problems(library, sent, tasks)
                waits.append(time.perf_counter() - killed)
                usual = usual or min(waits[0], killed - begun + 1.0)
                replacement = Worker(address, place)
                started[victim] = replacement
                replacement.wait()
        for worker in started:
            worker.end()
    total = options.worker_kills * len(files)
    report.metrics["workers: seconds from a kill until all files are stored"] = str([round(wait, 1) for wait in waits])
    report.metrics["workers: problems after kills"] = dict(problems) or "none"
    report.bars["files whole after kills of a worker"] = Bar(total - problems["lost"] - problems["not whole"], total)
    report.bars["files twice"] = Bar(problems["twice"], 0, most=True)


async def _problems(library: Library, sent: Sequence[IncomingFile], tasks: Sequence[Task]) -> Counter[str]:
    outcomes = await library.finished([task.id for task in tasks])
    scope = Scope(doc_sets=(sent[0].doc_set,))
    infos = Counter(info.name for info in library.documents(scope))
    found = Counter[str]()
    for number, (file, task) in enumerate(zip(sent, tasks, strict=True)):
        found["lost"] += not (infos[file.name] and isinstance(outcomes[task.id], StoreOutcome))
        found["twice"] += infos[file.name] > 1
        found["not whole"] += bool(infos[file.name]) and not _is_whole(library, file, _mark(number), scope)
    return +found


def _is_whole(library: Library, file: IncomingFile, mark: str, scope: Scope) -> bool:
    """Its text is what was sent, and its last word finds it and nothing else in the set."""
    document = library.document(file.name, file.doc_set)
    text = (file.data or b"").decode()
    ranked = library.store.search_terms(search_tokens(mark), 10, scope)
    hits = library.store.hits([one.chunk_id for one in ranked])
    return document is not None and document.text == text and {hit.document for hit in hits} == {file.name}


def _mark(number: int) -> str:
    """A word of letters that no other file has."""
    return "zq" + "".join(chr(ord("a") + int(digit)) for digit in f"{number:05}") + "q"
