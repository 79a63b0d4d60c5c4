"""How well the gate to the web tells questions that the library covers from others: half of the titles are left out.

Printed beside it, without a bar: unanswerable questions, whose subject is there, and a small library of both languages.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks import coverage_small
from benchmarks.report import DATA, Bar, Report, progress
from benchmarks.retrieval import Dataset, read, rows
from evaluation.metrics import auroc
from library import Library
from schema import IncomingFile
from settings import Settings
from web.gate import is_covered

_NEEDLESS = 0.05  # of the covered questions that may be searched for in the web
_BARS = {"squad_en": 0.85, "cmrc_zh": 0.85}  # of the uncovered ones that are, by the folder's name
_MARGIN = 0.02  # how far from that the share may be that the default threshold fetches


@dataclass
class Scores:
    """Coverage scores of questions, by where their documents are."""

    inside: list[float] = field(default_factory=list)
    outside: list[float] = field(default_factory=list)
    hard: list[float] = field(default_factory=list)  # the subject is there, the answer is not
    threshold: float = 0.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=DATA / "retrieval", help="a BEIR-style folder (ours)")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--manuals", type=int, default=10, help="of the small libraries (10; 0: leave them out)")
    parser.add_argument("--limit", type=int, help="only the first so many questions")


def run(options: argparse.Namespace) -> Report:
    dataset = read(options.data, options.limit)
    titles = {row["id"]: row["title"] for row in rows(options.data / "corpus.jsonl")}
    unanswerable = options.data / "unanswerable.jsonl"
    hard = [row["text"] for row in rows(unanswerable)][: options.limit] if unanswerable.exists() else []
    found = [asyncio.run(_measure(dataset, titles, hard, seed)) for seed in range(options.seeds)]
    metrics = {f"seed {seed}": _figures(scores) for seed, scores in enumerate(found)}
    mean = {name: float(np.mean([figures[name] for figures in metrics.values()])) for name in metrics["seed 0"]}
    metrics["mean"] = mean
    for languages in coverage_small.LIBRARIES if options.manuals else ():
        shares = coverage_small.shares(languages, options.manuals, list(dataset.queries.values()))
        metrics[f"covered by {options.manuals} manuals in {' and '.join(languages)}"] = asyncio.run(shares)
    return Report(metrics, bars_of(options.data.resolve().name, mean))


def bars_of(name: str, mean: Mapping[str, float]) -> dict[str, Bar]:
    """Of a data set, by its name; none where nothing is promised."""
    if name not in _BARS:
        return {}
    away = abs(mean["fetched by default"] - mean["fetched"])
    return {
        "fetched at 5 % needless": Bar(mean["fetched"], _BARS[name]),
        "fetched by default, away from that": Bar(away, _MARGIN, most=True),
    }


async def _measure(dataset: Dataset, titles: Mapping[str, str], hard: Iterable[str], seed: int) -> Scores:
    chosen = sorted(set(titles.values()))
    inside = set(random.Random(seed).sample(chosen, len(chosen) // 2))
    documents = {key: text for key, text in dataset.documents.items() if titles[key] in inside}
    scores = Scores()
    with tempfile.TemporaryDirectory(prefix="citewise-coverage-") as folder:
        settings = Settings.from_mapping({"CITEWISE_DATA_DIR": folder, "CITEWISE_INGEST_WORKERS": "0"})
        async with await Library.open(settings) as library:
            files = [IncomingFile(f"{number:06}.txt", text.encode()) for number, text in enumerate(documents.values())]
            await library.finished([task.id for task in await library.submit(files)])
            await library.settle()
            chunks = library.stats().chunks

            async def score(question: str) -> float:
                coverage = is_covered(await library.search(question), settings, chunks)
                scores.threshold = coverage.threshold
                return coverage.score

            for key, question in progress(dataset.queries.items(), f"seed {seed}"):
                there = any(document in documents for document in dataset.relevant[key])
                (scores.inside if there else scores.outside).append(await score(question))
            scores.hard = [await score(question) for question in hard]
    return scores


def _figures(scores: Scores) -> dict[str, float]:
    inside, outside, hard = (np.array(one) for one in (scores.inside, scores.outside, scores.hard))
    threshold = float(np.quantile(inside, _NEEDLESS))
    figures = {
        "auroc": auroc(inside, outside),
        "threshold": threshold,
        "fetched": float((outside < threshold).mean()),
        "fetched by default": float((outside < scores.threshold).mean()),
        "needless by default": float((inside < scores.threshold).mean()),
    }
    if len(hard):
        figures |= {"hard auroc": auroc(inside, hard), "hard fetched": float((hard < threshold).mean())}
    return figures
