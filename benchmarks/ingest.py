"""What it costs to store a folder of Markdown files, beside the same by hand.

By hand, in a process of its own: the files read, split by LangChain's RecursiveCharacterTextSplitter (1000/200),
tokenised by our search tokens, put into rank_bm25 and, with vectors of the same kind, into one FAISS Flat index, all in
memory. Ours, also in a process of its own, is what `cli.py ingest` does. Processor time and memory (PSS, where the
system tells it, looked at four times a second) are those of the whole process tree.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.ingest_work import files_in
from benchmarks.report import Bar, Report
from schema import Language

_ROOT = Path(__file__).parent.parent
_LOOK = 0.25  # seconds between two looks at the memory
_TYPICAL = 5_000  # characters of a made file, the median; some have ten times as many
_MOST_KILLED, _MOST_ASKED = 1_000, 600  # files of these parts, which need not be large
_MANUALS, _IDLE = 300, 100  # documents of the library that is asked; questions while nothing else goes on


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--files", type=int, default=5_000, help="to make (5000)")
    parser.add_argument("--data", type=Path, action="append", help="text to make them of: a folder with .md or .jsonl")
    parser.add_argument("--folder", type=Path, help="a real folder, as it is, instead")
    parser.add_argument("--part", action="append", choices=["cost", "kill", "ask"], help="only this; may be repeated")


def run(options: argparse.Namespace) -> Report:
    parts = options.part or ["cost", "kill", "ask"]
    report = Report({}, notes=["CPU in seconds and memory in MB are those of the whole process tree."])
    with tempfile.TemporaryDirectory(prefix="citewise-ingest-") as place:
        folder = options.folder or make_folder(Path(place) / "files", options.files, options.data or [])
        sizes = [path.stat().st_size for path in files_in(folder)]
        report.metrics["files"] = {"count": len(sizes), "MB": sum(sizes) / 1e6}
        if "cost" in parts:
            _cost(folder, Path(place), sizes, report)
        if "kill" in parts:
            _kill(folder, Path(place), report)
        if "ask" in parts:
            _ask(folder, Path(place), report)
    return report


# --- the parts ---------------------------------------------------------------------------------------------------


def _cost(folder: Path, place: Path, sizes: Sequence[int], report: Report) -> None:
    data = str(place / "library")
    hand = process("by_hand", str(folder))
    first = process("ours", str(folder), data)
    second = process("ours", str(folder), data)
    documents = stored(Path(data))
    chunks = sum(count for count, _ in documents.values())
    for name, run, count in (("by hand", hand, hand.said["chunks"]), ("ours", first, chunks)):
        report.metrics[name] = {
            "files/s": len(sizes) / run.seconds, "MB/s": sum(sizes) / 1e6 / run.seconds,
            "chunks": count, "chunks/s": count / run.seconds, "seconds": run.seconds,
            "CPU": run.cpu, "of it vectors": run.said["vectors"], "peak MB": run.peak,
        }  # fmt: skip
    apart = (first.cpu - first.said["vectors"]) / (hand.cpu - hand.said["vectors"])
    report.metrics["second run"] = {"seconds": second.seconds, "without imports": second.said["seconds"]}
    report.metrics["CPU / by hand, without vectors on either side"] = apart
    # The product cuts with more overlap than is usual by hand.
    report.metrics["CPU a chunk / by hand"] = first.cpu / chunks / (hand.cpu / hand.said["chunks"])
    report.metrics["memory"] = first.kind
    report.metrics["refused"] = first.said["refused"]
    settled = (len(documents) + first.said["refused"]) / first.said["files"]
    report.bars["files stored, or refused with the reason"] = Bar(settled, 1.0)
    report.bars["CPU / by hand"] = Bar(first.cpu / hand.cpu, 1.3, most=True)
    report.bars["seconds / by hand"] = Bar(first.seconds / hand.seconds, 1.1, most=True)
    report.bars["peak MB"] = Bar(first.peak, 1_500, most=True)
    report.bars["second run / first"] = Bar(second.seconds / first.seconds, 0.03, most=True)


def _kill(folder: Path, place: Path, report: Report) -> None:
    """Killed half-way and started again, beside never killed."""
    some, whole, killed = _some(folder, place / "some", _MOST_KILLED), place / "whole", place / "killed"
    count = len(files_in(some))
    if count == len(files_in(folder)) and (place / "library").exists():
        whole = place / "library"  # what storing costs was measured with the same files
    else:
        process("ours", str(some), str(whole))
    command, environment = _command("ours", str(some), str(killed))
    with subprocess.Popen(command, cwd=_ROOT, env=environment, stdout=subprocess.DEVNULL) as begun:
        try:
            while documents_in(killed) < count // 2:
                if begun.poll() is not None:
                    raise RuntimeError("it ended before it could be killed")
                time.sleep(0.02)
        finally:
            begun.send_signal(signal.SIGKILL)
    half = documents_in(killed)
    process("ours", str(some), str(killed))
    expected, found = stored(whole), stored(killed)
    report.metrics["killed"] = {"files": count, "stored by then": half, "stored in the end": len(found)}
    report.bars["lost by the kill"] = Bar(len(expected.keys() - found.keys()), 0, most=True)
    differing = sum(found[name] != expected[name] for name in expected.keys() & found.keys())
    report.bars["stored differently or twice"] = Bar(differing + len(found.keys() - expected.keys()), 0, most=True)


def _ask(folder: Path, place: Path, report: Report) -> None:
    some = _some(folder, place / "asked", _MOST_ASKED)
    asked = process("asking", str(some), str(place / "asking"), str(_MANUALS), str(_IDLE)).said
    report.metrics["seconds of a turn"] = asked
    report.bars["p95 of a turn while files come in / idle"] = Bar(asked["busy p95"] / asked["idle p95"], 2.0, most=True)


def _some(folder: Path, place: Path, most: int) -> Path:
    """A folder with some of the files, evenly spread."""
    paths = files_in(folder)
    for path in paths[:: -(-len(paths) // most)]:
        target = place / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return place


def documents_in(data: Path) -> int:
    try:
        with sqlite3.connect(f"file:{data / 'library.db'}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT count(*) FROM documents").fetchone()[0])
    except sqlite3.OperationalError:  # not made yet
        return 0


def stored(data: Path) -> dict[str, tuple[int, str]]:
    """Chunks and digest of each document; raises where something is not as it should be in the end."""
    from stores.embedded import EmbeddedStore

    store = EmbeddedStore(data)
    try:
        documents = store.documents()
        found = {info.name: (info.chunks, info.digest) for info in documents}
        waiting = [task for task in store.tasks() if task.status in ("pending", "processing")]
        chunks = Counter(hit for info in documents for hit in [info.chunks])
        right = len(found) == len(documents) and sum(size * n for size, n in chunks.items()) == store.stats().chunks
        if not right or waiting or store.without_vectors():
            raise RuntimeError(f"the library is not whole: {len(waiting)} files wait, or a document is there twice")
        return found
    finally:
        store.close()


# --- processes ---------------------------------------------------------------------------------------------------


class Ran(NamedTuple):
    """What a process said, and what it and its children took."""

    said: dict[str, Any]
    seconds: float
    cpu: float
    peak: float  # MB
    kind: str  # of memory


def process(job: str, *arguments: str) -> Ran:
    command, environment = _command(job, *arguments)
    begun = time.perf_counter()
    with subprocess.Popen(command, cwd=_ROOT, env=environment, stdout=subprocess.PIPE, text=True) as child:
        with _watched(child.pid) as seen:
            assert child.stdout
            said = child.stdout.read()
            _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{job} ended with {child.returncode}")
    seconds = time.perf_counter() - begun
    kind = max(seen, key=lambda one: seen[one])
    return Ran(json.loads(said.splitlines()[-1]), seconds, usage.ru_utime + usage.ru_stime, seen[kind] / 1e6, kind)


def _command(job: str, *arguments: str) -> tuple[list[str], dict[str, str]]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("CITEWISE_")}
    return [sys.executable, "-m", "benchmarks.ingest_work", job, *arguments], own


@contextmanager
def _watched(pid: int) -> Iterator[dict[str, int]]:
    """The most bytes that a process and its descendants have had at a time, by how they were counted."""
    seen, ended = {"PSS": 0, "RSS": 0}, threading.Event()

    def watch() -> None:
        while not ended.wait(_LOOK):
            found = [_memory(one) for one in _tree(pid)]
            kind = "PSS" if any(of == "PSS" for of, _ in found) else "RSS"
            seen[kind] = max(seen[kind], sum(size for _, size in found))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        ended.set()
        thread.join()


def _tree(pid: int) -> list[int]:
    found = [pid]
    for one in found:
        for children in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += map(int, children.read_text().split())
            except OSError:  # a thread that has ended
                continue
    return found


def _memory(pid: int) -> tuple[str, int]:
    for kind, path, field in (("PSS", "smaps_rollup", "Pss:"), ("RSS", "status", "VmRSS:")):
        try:
            lines = Path(f"/proc/{pid}/{path}").read_text().splitlines()
            return kind, next((1024 * int(line.split()[1]) for line in lines if line.startswith(field)), 0)
        except OSError:
            continue
    return "RSS", 0


# --- the files ---------------------------------------------------------------------------------------------------


def make_folder(folder: Path, count: int, data: Sequence[Path]) -> Path:
    """Files in both languages, of passages drawn from the data or from made-up manuals; always the same."""
    passages = _passages(data)
    languages = sorted(passages)
    chance = random.Random(0)
    for number in range(count):
        language = languages[number % len(languages)]
        length = min(_TYPICAL * chance.lognormvariate(0, 0.8), 20 * _TYPICAL) / (3 if language == "zh" else 1)
        parts = [f"# {number} {language}"]
        while sum(map(len, parts)) < length:
            passage = chance.choice(passages[language])
            parts += [f"## {passage[:20].splitlines()[0]}", passage] if chance.random() < 0.5 else [passage]
        path = folder / f"{number // 100:03}" / f"{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return folder


def _passages(data: Sequence[Path]) -> dict[Language, list[str]]:
    from benchmarks.manuals import manuals
    from text import detect_language

    texts = [text for folder in data for text in _texts(folder)]
    texts = texts or [part for manual in manuals(400) for part in manual.text.split("\n\n")]
    found: dict[Language, list[str]] = {}
    for text in texts:
        if text.strip() and (language := detect_language(text)):
            found.setdefault(language, []).append(text.strip())
    return found


def _texts(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.md")):
        yield from path.read_text(encoding="utf-8", errors="replace").split("\n## ")
    for path in sorted(folder.rglob("*corpus*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line)["text"] for line in lines)
