"""How well each strategy finds the right document: a BEIR-style folder goes through the real library, text alone."""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_lowercase
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.report import DATA, Bar, Report, progress
from errors import FileError
from evaluation.lab.public_sets import read_beir
from evaluation.lab.retrieval_figures import ranking_figures
from library import Library
from retrieval.strategies import STRATEGIES
from schema import StrategyName
from settings import Settings
from text import STOP_WORDS, fold

_STRATEGIES: tuple[StrategyName, ...] = ("keyword", "vector", "hybrid", "default")  # of those that need no model
_KEYWORD_BARS = {"squad_en": 0.880, "cmrc_zh": 0.980}  # nDCG@10, by the folder's name
_DEFAULT_MARGIN = 0.003  # how far default may stay below the better of keyword and vector
_FIGURES = ("recall@1", "recall@5", "recall@10", "mrr@10", "ndcg@10")
_APART = 0.002  # nDCG@10 of the two stores
_CHUNKS = 50  # asked for, so that ten documents come out
TAIWAN = ("questions", "documents", "half", "nothing")
_plain_word = re.compile(r"(?<![\w'-])[A-Za-z][a-z]{4,23}(?![\w'-])")
_UPLOADS = 8  # on their way at once


@dataclass(frozen=True)
class Dataset:
    documents: dict[str, str]  # id -> text
    queries: dict[str, str]  # those that have a relevant document
    relevant: dict[str, dict[str, int]]  # query id -> document id -> grade > 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=DATA / "retrieval", help="a BEIR-style folder (ours)")
    parser.add_argument("--strategy", choices=STRATEGIES, help=f"only this one ({', '.join(_STRATEGIES)})")
    parser.add_argument("--titles", action="store_true", help="a text's title becomes its first heading")
    parser.add_argument("--limit", type=int, help="only the first so many questions")
    parser.add_argument("--typos", action="store_true", help="one typing error in a word of each English question")
    help_ = "only questions for which Taiwan has words of its own, and this in the script and words of Taiwan"
    parser.add_argument("--taiwan", choices=TAIWAN, help=help_)
    parser.add_argument("--backend", choices=("postgres",), help="beside the embedded store: this one")


def run(options: argparse.Namespace) -> Report:
    dataset = read(options.data, options.limit, titles=options.titles)
    if options.typos:
        dataset = replace(dataset, queries=with_typos(dataset))
    if options.taiwan:
        dataset = as_in_taiwan(dataset, options.taiwan)
    strategies = (options.strategy,) if options.strategy else _STRATEGIES
    metrics, notes = asyncio.run(_measure(dataset, strategies))
    bars = {}
    if options.backend == "postgres":
        bars = _add_postgres(dataset, strategies, metrics, notes)
    baseline = RankBM25(dataset.documents)
    metrics["rank_bm25"] = evaluate(
        {key: baseline.top(text) for key, text in progress(dataset.queries.items(), "rank_bm25")}, dataset
    )
    if options.data.resolve().name in _KEYWORD_BARS and "keyword" in metrics:
        bars["keyword"] = Bar(metrics["keyword"]["ndcg@10"], _KEYWORD_BARS[options.data.resolve().name])
    if len(strategies) > 1:
        better = max(metrics[name]["ndcg@10"] for name in ("keyword", "vector"))
        bars["default"] = Bar(metrics["default"]["ndcg@10"], better - _DEFAULT_MARGIN)
    return Report(metrics, bars, notes)


def _add_postgres(
    dataset: Dataset, strategies: Sequence[StrategyName], metrics: dict[str, dict[str, float]], notes: list[str]
) -> dict[str, Bar]:
    from benchmarks.postgres_server import database, server

    with server() as url, database(url, "citewise_retrieval") as address:
        found, more = asyncio.run(_measure(dataset, strategies, {"CITEWISE_DATABASE_URL": address}))
    notes += [f"PostgreSQL: {note}" for note in more]
    bars = {}
    for name in strategies:
        metrics[f"{name}, PostgreSQL"] = found[name]
        apart = abs(found[name]["ndcg@10"] - metrics[name]["ndcg@10"])
        bars[f"{name}, PostgreSQL from embedded"] = Bar(apart, _APART, most=True)
    return bars


def read(folder: Path, limit: int | None = None, *, titles: bool = False) -> Dataset:
    """With `titles` each text that has one is Markdown, with its title as the first heading."""
    cases = list(read_beir(folder))[:limit]
    documents = {
        row["id"]: f"# {row['title']}\n\n{row['text']}" if titles and row.get("title") else row["text"]
        for row in rows(folder / "corpus.jsonl")
    }
    relevant = {case.id: {one.document: one.grade for one in case.evidence} for case in cases}
    return Dataset(documents, {case.id: case.question for case in cases}, relevant)


def with_typos(dataset: Dataset) -> dict[str, str]:
    """Each question with one typing error, always the same, in a word of five letters or more that a document says."""
    said = {word.lower() for text in dataset.documents.values() for word in _plain_word.findall(text)}
    chance, questions = random.Random(1), dict[str, str]()
    for key, question in dataset.queries.items():
        words = [match for match in _plain_word.finditer(question) if match[0].lower() in said - STOP_WORDS]
        if words:
            match = chance.choice(words)
            question = question[: match.start()] + _mistyped(match[0], chance) + question[match.end() :]
        questions[key] = question
    return questions


def as_in_taiwan(dataset: Dataset, what: str) -> Dataset:
    """With the questions, the documents, or every second document in the script and with the words of Taiwan, by
    OpenCC; of the questions those that have such words, so that a figure says what becomes of these."""
    import opencc

    written = opencc.OpenCC("s2twp").convert
    queries = {key: text for key, text in dataset.queries.items() if fold(written(text)) != fold(text)}
    relevant = {key: dataset.relevant[key] for key in queries}
    if what == "nothing":
        return Dataset(dataset.documents, queries, relevant)
    if what == "questions":
        return Dataset(dataset.documents, {key: written(text) for key, text in queries.items()}, relevant)
    every = 2 if what == "half" else 1
    documents = {key: text if n % every else written(text) for n, (key, text) in enumerate(dataset.documents.items())}
    return Dataset(documents, queries, relevant)


def _mistyped(word: str, chance: random.Random) -> str:
    """A letter left out, put in, or wrong, or two of them exchanged; not the first one."""
    place = chance.randrange(1, len(word) - 1)
    before, here, after = word[:place], word[place], word[place + 1 :]
    letter = chance.choice([one for one in ascii_lowercase if one != here])
    kinds = (
        before + after,
        before + letter + here + after,
        before + letter + after,
        before + after[0] + here + after[1:],
    )
    return chance.choice(kinds)


def rows(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


async def _measure(
    dataset: Dataset, strategies: Sequence[StrategyName], more: Mapping[str, str] = MappingProxyType({})
) -> tuple[dict[str, dict[str, float]], list[str]]:
    metrics: dict[str, dict[str, float]] = {}
    notes: list[str] = []
    with tempfile.TemporaryDirectory(prefix="citewise-retrieval-") as folder:
        async with await Library.open(Settings.from_mapping({"CITEWISE_DATA_DIR": folder, **more})) as library:
            began = time.perf_counter()
            owners = await upload(library, dataset.documents)
            await library.settle()
            stats = library.stats()
            notes.append(f"{stats.documents} documents, {stats.chunks} chunks in {time.perf_counter() - began:.1f} s")
            for strategy in strategies:
                began = time.perf_counter()
                ranking = {}
                for key, question in progress(dataset.queries.items(), strategy):
                    evidence = await library.search(question, strategy=strategy, top_k=_CHUNKS)
                    # A document scores as its best chunk.
                    ranking[key] = list(dict.fromkeys(owners[hit.document] for hit in evidence.hits))
                metrics[strategy] = evaluate(ranking, dataset)
                milliseconds = 1000 * (time.perf_counter() - began) / max(len(ranking), 1)
                notes.append(f"{strategy}: {milliseconds:.1f} ms a question")
    return metrics, notes


async def upload(library: Library, documents: dict[str, str]) -> dict[str, str]:
    """Every text as a file of its own; file name -> document id."""
    kinds = {key: "md" if text.startswith("# ") else "txt" for key, text in documents.items()}
    owners = {f"{number:06}.{kinds[key]}": key for number, key in enumerate(documents)}
    places = asyncio.Semaphore(_UPLOADS)

    async def add(name: str) -> None:
        async with places:
            try:
                await library.add(name, documents[owners[name]].encode())
            except FileError:
                if documents[owners[name]].strip():  # a text of nothing cannot be stored, nor found
                    raise

    tasks = [asyncio.create_task(add(name)) for name in owners]
    for task in progress(asyncio.as_completed(tasks), "uploading", total=len(tasks)):
        await task
    return owners


def evaluate(ranking: dict[str, list[str]], dataset: Dataset) -> dict[str, float]:
    """Means over the questions; nDCG with linear gain, as trec_eval and BEIR have it."""
    rows = [ranking_figures(ranking.get(query, []), grades) for query, grades in dataset.relevant.items()]
    return {name: float(np.mean([row[name] for row in rows] or [0.0])) for name in _FIGURES}


class RankBM25:
    """LangChain's BM25Retriever as it comes: BM25Okapi over text split at white space. Its formula over postings
    instead of over all documents a term: the same sums in a hundredth of the time."""

    def __init__(self, documents: dict[str, str]) -> None:
        from rank_bm25 import BM25Okapi

        split = [text.split() for text in documents.values()]
        self._keys, self._bm25 = list(documents), BM25Okapi(split)
        self._lengths = np.array(self._bm25.doc_len)
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, terms in enumerate(split):
            for term, count in Counter(terms).items():
                postings[term].append((number, count))
        self._postings = {term: np.array(pairs) for term, pairs in postings.items()}

    def scores(self, question: str) -> npt.NDArray[np.float64]:
        model = self._bm25
        scores = np.zeros(len(self._keys))
        for term in question.split():
            if term in self._postings:
                places, counts = self._postings[term].T
                norm = model.k1 * (1 - model.b + model.b * self._lengths[places] / model.avgdl)
                scores[places] += (model.idf.get(term) or 0) * (counts * (model.k1 + 1) / (counts + norm))
        return scores

    def top(self, question: str, k: int = 10) -> list[str]:
        return [self._keys[place] for place in np.argsort(self.scores(question))[::-1][:k]]
