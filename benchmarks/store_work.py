"""The processes of the benchmark `store`: each holds one side at one size, and does what it is told line by line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from benchmarks.store_corpus import Corpus, Question, read_questions
from retrieval.calibration import Calibration
from retrieval.fusion import fuse
from stores.base import DocumentBatch

WAYS = ("keyword", "vector", "hybrid", "hybrid, 1 % by set", "hybrid, 1 % by metadata", "hybrid, one document")
HITS, CANDIDATES = 10, 40  # with their text; of each ranking that is fused
_ROOT = Path(__file__).parent.parent
_CALIBRATION = Calibration(vector_weight=0.5)


class Worker:
    """A process of one side, from outside."""

    def __init__(self, side: Literal["ours", "by_hand", "postgres", "milvus"], corpus: Corpus, folder: Path) -> None:
        module, sizes = f"benchmarks.store_{side}", [str(corpus.chunks), str(corpus.dimensions)]
        command = [sys.executable, "-W", "ignore", "-m", module, *sizes, str(folder)]
        self._process = subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def do(self, job: str, *arguments: Any) -> Any:
        """Call a method of the side, which measures itself, and wait for what it returns."""
        told, heard = self._process.stdin, self._process.stdout
        assert told is not None
        assert heard is not None
        print(json.dumps([job, *arguments]), file=told, flush=True)
        said = heard.readline()
        if not said:
            raise RuntimeError(f"the process ended with {self._process.wait()} when told to {job}")
        return json.loads(said)

    def end(self) -> None:
        self._process.communicate()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


class Side(ABC):
    """What both sides are told to do."""

    def __init__(self, corpus: Corpus, folder: Path) -> None:
        self.corpus, self.folder = corpus, folder
        self.questions: list[Question] = []
        self._before: dict[str, int] = {}  # memory of this process before the library is opened

    def read(self, questions: str) -> None:
        self.questions = read_questions(Path(questions))
        self._before = _memory()

    @abstractmethod
    def open(self) -> float:
        """Seconds until it can be asked."""

    @abstractmethod
    def search(self, way: str, question: Question) -> Sequence[Any]:
        """The hits with their text."""

    @abstractmethod
    def add(self, batch: DocumentBatch) -> None: ...

    @abstractmethod
    def delete(self, batch: DocumentBatch) -> None: ...

    def ask(self, way: str, numbers: list[int]) -> list[float]:
        """Seconds of each of these questions."""
        return [seconds(self.search, way, self.questions[number]) for number in numbers]

    def change(self, number: int) -> tuple[float, float]:
        """Seconds to add a document, and to delete it again."""
        batch = self.corpus.later(number)
        return seconds(self.add, batch), seconds(self.delete, batch)

    def memory(self) -> dict[str, float]:
        """Above what the process had after its imports."""
        above = {name: size - self._before[name] for name, size in _memory().items()}
        return {"memory, MB": above["VmRSS"] / 1e6, "of it pages of mapped files, MB": above["RssFile"] / 1e6}


def serve(side: Callable[[Corpus, Path], Side], arguments: Sequence[str]) -> None:
    """Be such a process."""
    said = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints must not come between
    chunks, dimensions, folder = arguments
    jobs = side(Corpus(int(chunks), int(dimensions)), Path(folder))
    for line in sys.stdin:
        job, *told = json.loads(line)
        print(json.dumps(getattr(jobs, job)(*told)), file=said, flush=True)


def best(keyword: Mapping[int, float], cosine: Mapping[int, float]) -> list[int]:
    """Of one ranking as it is, or of two fused."""
    scores = fuse(keyword, cosine, _CALIBRATION) if keyword and cosine else keyword or cosine
    return sorted(scores, key=lambda one: -scores[one])[:HITS]


def seconds(work: Callable[..., object], *arguments: Any) -> float:
    begun = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - begun


def _memory() -> dict[str, int]:
    """Bytes of this process that are in memory, of all kinds (VmRSS) and of files."""
    lines = (line.partition(":") for line in Path("/proc/self/status").read_text().splitlines())
    return {name: 1024 * int(size.split()[0]) for name, _, size in lines if name in ("VmRSS", "RssFile")}
