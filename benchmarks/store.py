"""What the embedded store costs as it grows, beside the same by hand: rank_bm25 and LangChain's FAISS.

A made library of each size (Zipf's words, 120 tokens a chunk; clustered vectors) in a process of its own on each side;
all stay open, and are asked in turn, so that whatever else the machine does meets all of them. Questions are no stored
vectors; a query ends with the text of its hits. By hand, a document is added by a rebuilt BM25 and `merge_from`, and
deleted by a rebuilt BM25 and `delete`; its FAISS uses all cores.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.report import Bar, Report, progress
from benchmarks.store_corpus import Corpus, exact, write_questions
from benchmarks.store_work import CANDIDATES, HITS, WAYS, Worker

_SIZES = (1_000, 10_000, 100_000, 1_000_000)  # those up to the largest that is asked for
_QUESTIONS = 200
_OPENINGS, _WARM = 3, 100  # fresh processes; queries before the memory is read
_ROUNDS = 10  # of asking everybody, and of changing
_BY_HAND, _BY_HAND_CHANGES = 2, 3  # questions of a round; documents: one takes 100,000 times a chunk's time
_FASTER, _STEADY = 60, 3  # times the hybrid query of by hand's; p95 over p50
_CHEAPER, _LEVEL = 100, 1.5  # times a change of by hand's; of what it costs in the smallest library
_MEMORY, _OPEN, _GROWTH, _RECALL = 1.5, 0.05, 3, 0.99  # of the raw vectors; of by hand's build; over a tenth; @10


@dataclass
class Figures:
    """Of one side at one size: what was measured, by name."""

    worker: Worker
    values: dict[str, float]
    queries: dict[str, list[float]] = field(default_factory=lambda: {way: [] for way in WAYS})  # seconds
    changes: list[list[float]] = field(default_factory=list)  # seconds to add and to delete a document
    index: str = ""  # for vectors, where it says what it is

    def summary(self) -> dict[str, float]:
        ways = self.queries.items()
        shares = {f"{way}, p{share} ms": _ms(np.percentile(times, share)) for way, times in ways for share in (50, 95)}
        added, deleted = (median(times) for times in zip(*self.changes, strict=True))
        return {**self.values, **shares, "add a document, ms": _ms(added), "delete a document, ms": _ms(deleted)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--chunks", type=int, default=100_000, help="of the largest library (100000)")
    parser.add_argument("--dim", type=int, default=384, help="dimensions of the vectors (384)")
    parser.add_argument("--sizes", help="of all libraries, instead of 1000, 10000, ... up to the largest")
    parser.add_argument(
        "--backend",
        choices=("postgres", "milvus", "embedded"),
        help="no work by hand: in PostgreSQL beside it, with Milvus beside PostgreSQL, or it alone",
    )
    parser.add_argument("--beside", type=int, default=200, help="documents added while searching (200; 0: leave out)")


def run(options: argparse.Namespace) -> Report:
    sizes = [size for size in _SIZES if size < options.chunks] + [options.chunks]
    if options.sizes:
        sizes = sorted(map(int, options.sizes.split(",")))
    if options.backend:
        from benchmarks.store_backends import run as run_backends

        return run_backends(options, sizes)
    ours: dict[int, Figures] = {}
    hand: dict[int, Figures] = {}
    with tempfile.TemporaryDirectory(prefix="citewise-store-") as place, ExitStack() as workers:
        for size in progress(sizes, "libraries"):
            folder, corpus = Path(place) / f"{size}", Corpus(size, options.dim)
            folder.mkdir()
            questions = list(corpus.questions(_QUESTIONS))
            write_questions(folder / "questions.json", questions)
            hand[size] = _by_hand(folder, corpus, workers)
            ours[size] = _ours(folder, corpus, workers)
            ours[size].values |= recalls(ours[size].worker, exact(corpus, questions, HITS))
        for number in progress(range(_ROUNDS), "rounds"):
            for size in sizes:
                _round(number, ours[size], hand[size])
        beside = _beside(ours[sizes[-1]].worker, options.beside) if options.beside else {}
    return _report(ours, hand, options.dim, beside)


def _ours(folder: Path, corpus: Corpus, workers: ExitStack) -> Figures:
    library, questions = folder / "library", str(folder / "questions.json")
    with Worker("ours", corpus, library) as builder:
        values = builder.do("build")
    values["disk, MB"] = library_size(library)
    openings = []
    for _ in range(_OPENINGS):  # of fresh processes; the last one stays
        workers.enter_context(worker := Worker("ours", corpus, library))
        worker.do("read", questions)
        openings.append(worker.do("open"))
        if len(openings) < _OPENINGS:
            worker.end()
    worker.do("ask", "hybrid", list(range(_WARM)))
    values |= {"cold open to first hit, s": median(openings), **worker.do("memory")}
    return Figures(worker, values, index=worker.do("index"))


def _by_hand(folder: Path, corpus: Corpus, workers: ExitStack) -> Figures:
    saved = folder / "by hand"
    workers.enter_context(worker := Worker("by_hand", corpus, saved))
    worker.do("read", str(folder / "questions.json"))
    built = worker.do("open")
    for way in WAYS:
        worker.do("ask", way, [0])
    memory = worker.do("memory")
    worker.do("save")
    return Figures(
        worker, {"build, s": built, "disk, MB": library_size(saved), "cold open to first hit, s": built, **memory}
    )


def recalls(worker: Worker, truth: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, float]:
    """The mean share of the nearest that was found."""
    values = {}
    for among, wanted in truth.items():
        pairs = zip(wanted, worker.do("nearest", among), strict=True)
        values[f"recall@{HITS}, {among}"] = float(np.mean([len({*a} & {*b}) / len(a) for a, b in pairs]))
    return values


def _round(number: int, ours: Figures, hand: Figures) -> None:
    """Each is measured while the other rests."""
    for side, each in ((ours, _QUESTIONS // _ROUNDS), (hand, _BY_HAND)):
        for way in WAYS:
            side.queries[way] += side.worker.do("ask", way, list(range(number * each, (number + 1) * each)))
    ours.changes.append(ours.worker.do("change", 2 * number))
    ours.changes.append(ours.worker.do("change", 2 * number + 1))
    if number < _BY_HAND_CHANGES:
        hand.changes.append(hand.worker.do("change", number))


def _beside(worker: Worker, documents: int) -> dict[str, float]:
    idle = worker.do("ask", "hybrid", list(range(_QUESTIONS)))
    searches, writes = worker.do("beside", documents)
    return {
        "searches": len(searches),
        "idle p50, ms": _ms(median(idle)),
        "idle p95, ms": _ms(np.percentile(idle, 95)),
        "p95, ms": _ms(np.percentile(searches, 95)),
        "longest search, ms": _ms(max(searches)),
        "a document, p50 ms": _ms(median(writes)),
        "longest commit, ms": _ms(max(writes)),
    }


def _report(
    ours: Mapping[int, Figures], hand: Mapping[int, Figures], dimensions: int, beside: Mapping[str, float]
) -> Report:
    mine, theirs = ({size: one.summary() for size, one in side.items()} for side in (ours, hand))
    smallest, largest = min(mine), max(mine)
    tenth = min(mine, key=lambda size: abs(size - largest // 10))
    report = Report({name: _row(name, mine, theirs) for name in mine[largest]})
    report.metrics["vector index"] = {f"{size:,}": one.index for size, one in ours.items()}
    grown = {name: value / mine[tenth][name] for name, value in mine[largest].items() if "recall" not in name}
    report.metrics[f"growth from {tenth:,} to {largest:,}"] = grown
    raw = largest * dimensions * 4 / 1e6
    _set_bars(report, mine[smallest], mine[largest], theirs[largest], raw)
    report.bars["hybrid query, growth from a tenth"] = Bar(grown["hybrid, p50 ms"], _GROWTH, most=True)
    for size, figures in mine.items():
        for name in (name for name in figures if "recall" in name):
            report.bars[f"{name}, at {size:,}"] = Bar(figures[name], _RECALL)
    if beside:
        report.metrics["searching while documents are added"] = dict(beside)
        waited = (beside["longest search, ms"] - beside["idle p50, ms"]) / beside["longest commit, ms"]
        report.bars["longest wait of a search / longest commit"] = Bar(waited, 1, most=True)
    report.notes += [
        f"bars are of {largest:,} chunks, whose raw vectors are {raw:.1f} MB; memory: RSS above that after imports, "
        f"pages of mapped files included, after {_WARM} queries",
        f"{_QUESTIONS} questions of each kind, {_ROUNDS * _BY_HAND} by hand; hybrid: {CANDIDATES} of each ranking",
        "by hand, to open is to build (what could be loaded is a pickle), and rank_bm25 has no part in what is on disk",
    ]
    return report


def _set_bars(
    report: Report, small: Mapping[str, float], mine: Mapping[str, float], theirs: Mapping[str, float], raw: float
) -> None:
    bars, hybrid = report.bars, "hybrid, p50 ms"
    bars["hybrid query, by hand / ours"] = Bar(theirs[hybrid] / mine[hybrid], _FASTER)
    bars["hybrid query, p95 / p50"] = Bar(mine["hybrid, p95 ms"] / mine[hybrid], _STEADY, most=True)
    for what in ("add a document", "delete a document"):
        cost = f"{what}, ms"
        bars[f"{what}, by hand / ours"] = Bar(theirs[cost] / mine[cost], _CHEAPER)
        bars[f"{what}, ours / in the smallest"] = Bar(mine[cost] / small[cost], _LEVEL, most=True)
    bars["memory / raw vectors"] = Bar(mine["memory, MB"] / raw, _MEMORY, most=True)
    opening = mine["cold open to first hit, s"] / theirs["build, s"]
    bars["cold open / build by hand"] = Bar(opening, _OPEN, most=True)


def _row(
    name: str, mine: Mapping[int, Mapping[str, float]], theirs: Mapping[int, Mapping[str, float]]
) -> dict[str, float]:
    """One figure at every size, ours and, where there is one, by hand."""
    row = {f"{size:,}": figures[name] for size, figures in mine.items()}
    return row | {f"by hand {size:,}": figures[name] for size, figures in theirs.items() if name in figures}


def _ms(seconds: float | np.floating[Any]) -> float:
    return 1e3 * float(seconds)


def library_size(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
