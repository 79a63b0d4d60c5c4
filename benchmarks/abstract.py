"""Questions that need more than one passage: what each step beyond the order by score gains, question by question."""

from __future__ import annotations

import argparse
import asyncio
import math
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.abstract_cost import add_costs
from benchmarks.report import DATA, Bar, Report, progress
from benchmarks.retrieval import Dataset, read, upload
from evaluation.metrics import ndcg_at, recall_at
from library import Library
from planning.question_parts import question_parts
from retrieval.blocking_search import BlockingSearch, SearchResources
from retrieval.bridges import bridged
from retrieval.complement import complementary
from retrieval.name_graph import name_graph
from retrieval.name_rank import ranked_by_names
from retrieval.search import search
from retrieval.strategies import Candidate, Order, Query
from retrieval.strategies.abstract import connected
from retrieval.two_views import THRESHOLD, by_two_views
from schema import SearchRequest, StrategyName
from settings import Settings

_CHUNKS = 50  # asked for, so that ten documents come out
_FOUND = 10  # by two views
_BEFORE = "by score"


def _by_names(query: Query, candidates: Sequence[Candidate]) -> list[Candidate]:
    return ranked_by_names(name_graph(query, candidates), candidates)


def _bridged(query: Query, candidates: Sequence[Candidate]) -> list[Candidate]:
    return bridged(query, name_graph(query, candidates), candidates)


def _two_views(query: Query, _: Sequence[Candidate]) -> list[Candidate]:
    return by_two_views(replace(query, min_similarity=THRESHOLD), _FOUND)


STEPS: dict[str, Order | None] = {
    _BEFORE: None,
    "default": complementary,  # the complementary order alone
    "by names": _by_names,
    "bridged": _bridged,
    "abstract": connected,  # all of it
    "two views": _two_views,  # for comparison
}
IN_PARTS: dict[str, StrategyName] = {"default in parts": "default", "abstract in parts": "abstract"}
_ALL = (*STEPS, *IN_PARTS)
_SEVERAL = 1.5  # relevant passages for a question, on average, from which on a set asks for several
_GAINS = {  # over `by score`, on all sets together that ask for several
    ("default", "ndcg@10"): 0.01,
    ("abstract", "ndcg@10"): 0.06,
    ("abstract", "recall@5"): 0.09,
}
_TAKEN_APART = 0.01  # of the questions that one passage answers
_PAIRS = 100  # of questions, asked two at a time
_HARM = -0.003  # nDCG@10, on each set that one passage answers


class QuestionFigures(NamedTuple):
    """Of one question."""

    recall2: float
    recall5: float
    all5: float  # whether all of its passages are among the first five
    ndcg10: float


NAMES = ("recall@2", "recall@5", "all@5", "ndcg@10")
Results = dict[str, list[QuestionFigures]]  # by step


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        nargs="+",
        default=[DATA / "two_passages"],
        help="BEIR-style folders (ours)",
    )
    parser.add_argument("--limit", type=int, help="only the first so many questions of each")
    parser.add_argument("--sizes", type=int, nargs="*", default=[], help="made libraries in which the time is measured")
    parser.add_argument("--no-titles", action="store_true", help="titles are left out (they become the first heading)")


def run(options: argparse.Namespace) -> Report:
    notes: list[str] = []
    metrics: dict[str, dict[str, str]] = {}
    bars: dict[str, Bar] = {}
    several: list[Results] = []
    for folder in options.data:
        dataset = read(folder, options.limit, titles=not options.no_titles)
        one_each = np.mean([len(grades) for grades in dataset.relevant.values()]) < _SEVERAL
        pairs = in_pairs(dataset) if one_each else {}
        (results, seconds), paired = asyncio.run(_measure(dataset, pairs))
        name = folder.resolve().name
        notes += [f"{name}, {step}: {1000 * took:.1f} ms a question" for step, took in seconds.items()]
        metrics |= {f"{name}, {step}": row for step, row in figures(results).items()}
        split = [bool(question_parts(question)) for question in dataset.queries.values()]
        metrics[f"{name}, taken apart"] = {"share": f"{np.mean(split):.4f}", "questions": str(sum(split))}
        if not one_each:
            several.append(results)
            continue
        bars |= {f"{name}, {step}": Bar(_change(results, step, "ndcg@10"), _HARM) for step in (*_compared(), *IN_PARTS)}
        bars[f"{name}, taken apart"] = Bar(float(np.mean(split)), _TAKEN_APART, most=True)
        if pairs:
            metrics |= {f"{name} in pairs, {step}": row for step, row in figures(paired).items()}
            gained = _change(paired, "default in parts", "all@5") - _change(paired, "default", "all@5")
            bars[f"{name} in pairs, all@5 by parts"] = Bar(gained, 0.0)
    if several:
        together = {step: [one for results in several for one in results[step]] for step in _ALL}
        metrics |= {f"together, {step}": row for step, row in figures(together).items()}
        bars |= {f"{step}, {what}": Bar(_change(together, step, what), least) for (step, what), least in _GAINS.items()}
        by_parts = _change(together, "default in parts", "recall@5") - _change(together, "default", "recall@5")
        bars["recall@5 by parts"] = Bar(by_parts, 0.0)
    report = Report(metrics, bars, [f"± is the standard error of the paired difference to `{_BEFORE}`", *notes])
    add_costs(report, options.sizes)
    return report


def in_pairs(dataset: Dataset) -> dict[str, list[str]]:
    """Two neighbouring questions of a set as one message, with the keys of both."""
    rows = list(dataset.queries.items())[: 2 * _PAIRS]
    return {
        f"{first.rstrip('?？。. ')}? {second}": [one, other]
        for (one, first), (other, second) in zip(rows[::2], rows[1::2], strict=False)
    }


def _compared() -> list[str]:
    return list(dict.fromkeys(step for step, _ in _GAINS))


def figures(results: Results) -> dict[str, dict[str, str]]:
    """By step each figure, and of those after the first its difference to the first with the paired standard error."""
    first = np.array(results[_BEFORE])
    written = {}
    for step, rows in results.items():
        values = np.array(rows)
        change, error = (values - first).mean(0), (values - first).std(0, ddof=1) / math.sqrt(len(rows))
        written[step] = {
            name: f"{mean:.4f}" + (f" ({by:+.4f} ±{within:.4f})" if step != _BEFORE else "")
            for name, mean, by, within in zip(NAMES, values.mean(0), change, error, strict=True)
        }
    return written


def _change(results: Results, step: str, what: str) -> float:
    place = NAMES.index(what)
    return float(np.mean([one[place] for one in results[step]]) - np.mean([one[place] for one in results[_BEFORE]]))


async def _measure(
    dataset: Dataset, pairs: Mapping[str, Sequence[str]]
) -> tuple[tuple[Results, dict[str, float]], Results]:
    """Of the questions, and of pairs of them."""
    both = Dataset(
        dataset.documents,
        {question: question for question in pairs},
        {question: {**dataset.relevant[one], **dataset.relevant[other]} for question, (one, other) in pairs.items()},
    )
    with tempfile.TemporaryDirectory(prefix="citewise-abstract-") as folder:
        async with await Library.open(Settings.from_mapping({"CITEWISE_DATA_DIR": folder})) as library:
            owners = await upload(library, dataset.documents)
            await library.settle()
            alone = await asyncio.to_thread(_search, library, dataset, owners)
            paired, _ = await asyncio.to_thread(_search, library, both, owners)
            return alone, paired


def _search(library: Library, dataset: Dataset, owners: Mapping[str, str]) -> tuple[Results, dict[str, float]]:
    """All steps side by side, a question after the other: what they share is read by the first of them."""
    results: Results = {step: [] for step in _ALL}
    seconds = dict.fromkeys(_ALL, 0.0)
    parts = SearchResources(library.store, library.embedder(), library.settings)
    for key, question in progress(dataset.queries.items(), "searching"):
        asked = question_parts(question)
        for step, order in STEPS.items():
            began = time.perf_counter()
            look = BlockingSearch(SearchRequest(question), "default", parts, _CHUNKS)
            look.order = order
            hits = look.run().hits
            seconds[step] += (time.perf_counter() - began) / len(dataset.queries)
            found = list(dict.fromkeys(owners[hit.document] for hit in hits))
            results[step].append(figures_of(found, dataset.relevant[key]))
        for step, strategy in IN_PARTS.items():
            if not asked:
                results[step].append(results[strategy][-1])
                continue
            began = time.perf_counter()
            evidence = asyncio.run(search(SearchRequest(question, strategy, top_k=_CHUNKS, parts=asked), parts))
            seconds[step] += (time.perf_counter() - began) / len(dataset.queries)
            found = list(dict.fromkeys(owners[hit.document] for hit in evidence.hits))
            results[step].append(figures_of(found, dataset.relevant[key]))
    return results, seconds


def figures_of(found: Sequence[str], grades: Mapping[str, int]) -> QuestionFigures:
    five = recall_at(found, grades.keys(), 5)
    return QuestionFigures(recall_at(found, grades.keys(), 2), five, float(five == 1), ndcg_at(found, grades, 10))
