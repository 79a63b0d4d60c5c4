"""Kill a process (SIGKILL) while it uploads, again and again: what was reported is there, nothing is half there."""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import string
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.report import Bar, Report, progress
from errors import StoreError
from library import Library
from schema import Document, Scope
from settings import Settings
from stores.base import Store
from stores.embedded import EmbeddedStore
from text import search_tokens

_ROOT = Path(__file__).parent.parent
_PATIENCE = 10.0  # seconds within which the processes of a killed one must end
_PAUSE = 2.0  # seconds after a change that failed, in which it is known by all whether it was done
_WORDS = {
    "en": "river stone bridge winter letter garden engine market silver window harbour teacher forest paper".split(),
    "zh": "河流 石头 桥梁 冬天 信件 花园 引擎 市场 白银 窗户 港口 老师 森林 纸张 医院 考勤 会议 预算 合同".split(),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--times", type=int, default=20, help="how often to kill (20)")
    parser.add_argument("--seed", type=int, default=7, help="of the documents and of the moments")


def run(options: argparse.Namespace) -> Report:
    begun, chance, ledger, counts = time.perf_counter(), random.Random(options.seed), Ledger(), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="citewise-kill-") as folder:
        for _ in progress(range(options.times), "killing"):
            _upload_and_kill(Path(folder), chance, ledger, counts)
            store = EmbeddedStore(Path(folder))
            for problem in problems(store, ledger):
                counts[problem] += 1
            ledger.forget({task.name for task in store.tasks()})
            store.close()
        kept = len(ledger.saved)
    metrics = {
        "kills": options.times,
        "reported": counts["reported"],
        "deleted": counts["deleted"],
        "kept": kept,
        "lost": counts["lost"],
        "half": counts["half"],
        "orphans": counts["orphans"],
        "seconds": round(time.perf_counter() - begun, 1),
    }
    bars = {name: Bar(counts[name], 0, most=True) for name in ("lost", "half", "orphans")}
    bars["reported"] = Bar(counts["reported"], options.times)  # else too little was tried
    return Report(metrics, bars)


# --- what is uploaded --------------------------------------------------------------------------------------------


def _mark(version: int) -> str:
    """A word that only this version holds; of letters alone and ending in q, so that it is one search term."""
    letters = ""
    while version:
        version, letter = divmod(version, 26)
        letters = string.ascii_lowercase[letter] + letters
    return f"zq{letters}q"


def _text(name: str, version: int) -> str:
    """The document's text, always the same for this name and version; in the language that the name begins with."""
    chance, words = random.Random(f"{name} {version}"), _WORDS[name[:2]]
    space, stop = ("", "。") if name.startswith("zh") else (" ", ". ")
    parts = [f"# {name}"]
    for number in range(chance.randrange(1, 40)):
        if chance.random() < 0.2:
            parts.append(f"## {space.join(chance.choices(words, k=2))}")
        sentences = (space.join(chance.choices(words, k=chance.randrange(4, 15))) for _ in range(4))
        parts.append(stop.join(sentences) + f"{stop}{_mark(version) if number == 0 else ''}")
    return "\n\n".join(parts) + f"\n\n{_mark(version)}\n"


@dataclass
class Ledger:
    """What the killed processes said: the version of each document, None for a deleted one."""

    saved: dict[str, int | None] = field(default_factory=dict)
    pending: dict[str, list[int | None]] = field(default_factory=dict)  # begun, and not reported
    steps: int = 0

    def read(self, line: str) -> str:
        event, name, version = json.loads(line)
        if event == "begin":
            self.pending.setdefault(name, []).append(version)
            self.steps += 1
        else:
            self.saved[name] = version
            del self.pending[name]
        return str(event)

    def forget(self, waiting: set[str]) -> None:
        """After a look at what is stored: open is only what goes on by itself when the library is opened again."""
        self.pending = {name: versions for name, versions in self.pending.items() if name in waiting}


async def upload(settings: Settings, step: int, patient: bool = False) -> None:
    """The child: upload, replace and delete until killed, saying so before and after each. Patient, it goes on when a
    change fails, which is begun then and may have been done."""
    library = await Library.open(settings)
    chance = random.Random(step)
    names = set(library.names())
    while True:
        step += 1
        old = sorted(names)
        choice = chance.random() if old else 1.0
        name = chance.choice(old) if choice < 0.5 else f"{chance.choice(['zh', 'en'])}-{step}.md"
        version = None if choice < 0.2 else step
        _say("begin", name, version)
        try:
            if version is None:
                await library.delete(name)
                names.discard(name)
                _say("deleted", name, None)
            else:
                await library.add(name, _text(name, version).encode())
                names.add(name)
                _say("reported", name, version)
        except StoreError:
            if not patient:
                raise
            await asyncio.sleep(_PAUSE)


def _say(*event: str | int | None) -> None:
    print(json.dumps(event), flush=True)


def child(folder: str, step: str) -> None:
    asyncio.run(upload(Settings.from_mapping({"CITEWISE_DATA_DIR": folder}), int(step)))


# --- killing and looking -----------------------------------------------------------------------------------------


def _upload_and_kill(folder: Path, chance: random.Random, ledger: Ledger, counts: Counter[str]) -> None:
    command = [sys.executable, "-c", "import sys; from benchmarks.kill import child; child(*sys.argv[1:])"]
    process = subprocess.Popen([*command, str(folder), str(ledger.steps)], stdout=subprocess.PIPE, text=True, cwd=_ROOT)
    assert process.stdout
    for _ in range(chance.randrange(1, 16)):  # lines: each change says that it begins, and that it is done
        if not (line := process.stdout.readline()):
            raise RuntimeError("the child ended by itself; its message is above")
        counts[ledger.read(line)] += 1
    time.sleep(chance.uniform(0.0, 0.3))
    below = _children(process.pid)
    process.send_signal(signal.SIGKILL)
    for line in process.stdout:
        if line.endswith("\n"):
            counts[ledger.read(line)] += 1
    process.wait()
    deadline = time.monotonic() + _PATIENCE
    while any(_runs(pid) for pid in below) and time.monotonic() < deadline:
        time.sleep(0.01)
    counts["orphans"] += sum(_runs(pid) for pid in below)


def _children(pid: int) -> list[int]:
    """Where the system tells (Linux); elsewhere none."""
    try:
        return [int(c) for task in Path(f"/proc/{pid}/task").iterdir() for c in (task / "children").read_text().split()]
    except OSError:
        return []


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def problems(store: Store, ledger: Ledger) -> Iterator[str]:
    """ "lost" for each reported change that is not there, "half" for each document that is not whole. What was begun
    and not reported may be there or not; the ledger learns which."""
    there = {info.name: info for info in store.documents()}
    for name in {*ledger.saved, *ledger.pending, *there}:
        document = store.document(name)
        possible = [*([ledger.saved[name]] if name in ledger.saved else []), *ledger.pending.get(name, [])]
        if name not in ledger.saved:
            possible.append(None)
        if document is None:
            found = None
        else:
            found = next((v for v in possible if v is not None and _text(name, v) == document.text), -1)
        if found not in possible:
            yield "lost"
        ledger.saved[name] = found
        if document is not None and not (found and found > 0 and _whole(store, document, there[name].chunks, found)):
            yield "half"


def _whole(store: Store, document: Document, chunks: int, version: int) -> bool:
    """Text and chunks fit, every chunk has a vector and is found by it, and the document's own word finds it alone."""
    scope = Scope(documents=(document.name,))
    chunk_ids = store.opening(scope, sys.maxsize)
    hits = store.hits(chunk_ids)
    uncovered = list(document.text)
    for hit in hits:
        if document.text[hit.start : hit.end] != hit.text:
            return False
        uncovered[hit.start : hit.end] = " " * (hit.end - hit.start)
    texts = {text for _, text in store.indexed_texts(chunk_ids)}
    vectors = store.vectors(chunk_ids)
    by_vector = store.search_vector(np.ones(vectors.shape[1], np.float32), chunks + 1, scope)
    by_term = store.search_terms(search_tokens(_mark(version)), 10)
    itself = [store.search_vector(vector, 1, scope)[0].score for vector in vectors if vector.any()]
    return (
        len(hits) == chunks > 0
        and not "".join(uncovered).strip("# \n")
        and store.known_vectors(list(texts)).keys() == texts
        and {ranked.chunk_id for ranked in by_vector} == set(chunk_ids)
        and bool(np.all(np.isclose(itself, 1.0, atol=1e-3)))
        and {hit.document for hit in store.hits([ranked.chunk_id for ranked in by_term])} == {document.name}
    )
