"""What hybrid search makes of keywords and vectors: offline vectors, and a synthetic embedder from useless to better
than BM25. How far to trust each is learned by the library from its own sentences, before a question is asked."""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.model_server import Reply, model_server
from benchmarks.report import DATA, Bar, Report, progress
from benchmarks.retrieval import Dataset, evaluate, read, upload
from benchmarks.synthetic import Quality, Truth
from library import Library
from schema import StrategyName
from settings import Settings
from text import detect_language

_SHARES = (0.3, 0.7)  # of BM25's nDCG@10 that weaker embedders reach
_MISSES = (0.3, 0.05)  # of what BM25 misses that better ones do
_CHUNKS = 50  # asked for, so that ten documents come out
_BELOW = 0.003  # nDCG@10 that hybrid may stay below its better part
_ABOVE = 0.015  # and must be above both where they are equally good
_ROOM = 0.75  # of what is missing to 1.0, where that is less
_KEPT = 0.5  # words of a question that is made harder
_MADE = (0.75, 1.33)  # how much nearer its passage a question made of a sentence may be than a person's
_STEPS = 10  # of the bisection for a strength
Ranking = dict[str, list[str]]  # query id -> document ids, best first


@dataclass(frozen=True)
class Row:
    """One embedder on one set of questions."""

    keyword: float
    vector: float
    hybrid: float
    weights: dict[str, float]  # learned, of the vectors, by language
    equal: bool = False  # the parts are meant to be equally good

    @property
    def better(self) -> float:
        return max(self.keyword, self.vector)

    @property
    def gain(self) -> float:
        """What is asked for where both parts are equally good: never more than part of what there is to gain."""
        return min(_ABOVE, _ROOM * (1 - self.better))

    def figures(self) -> dict[str, Any]:
        weights = {f"weight {language}": weight for language, weight in self.weights.items()}
        parts = {"keyword": self.keyword, "vector": self.vector, "hybrid": self.hybrid}
        return {**parts, "gain": self.hybrid - self.better, **weights}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    data = [DATA / "retrieval"]
    parser.add_argument(
        "--data", type=Path, nargs="+", default=data, help="BEIR-style folders, read as one library (ours)"
    )
    parser.add_argument("--limit", type=int, help="only so many questions of each, drawn at random")


def run(options: argparse.Namespace) -> Report:
    dataset = _together([_sampled(read(folder), options.limit) for folder in options.data])
    rows = asyncio.run(_measure(dataset))
    bars = {name: Bar(row.hybrid, row.better - _BELOW) for name, row in rows.items()}
    bars |= {f"{name}, gain": Bar(row.hybrid - row.better, row.gain) for name, row in rows.items() if row.equal}
    notes = [
        f"{len(dataset.queries)} questions, nDCG@10; weight: of the vectors, as the library learned it by itself",
        "truth: a synthetic embedder that knows which passage a question belongs to, and adds noise to it",
        *(
            f"{name}: {_ABOVE} more than {row.better:.4f} would be {row.better + _ABOVE:.4f}; asked for is "
            f"{_ROOM:.0%} of what is missing to 1"
            for name, row in rows.items()
            if row.equal and row.gain < _ABOVE
        ),
    ]
    return Report({name: row.figures() for name, row in rows.items()}, bars, notes)


def _sampled(dataset: Dataset, limit: int | None) -> Dataset:
    keys = sorted(dataset.queries)
    kept = random.Random(0).sample(keys, min(limit or len(keys), len(keys)))
    return Dataset(
        dataset.documents,
        {key: dataset.queries[key] for key in kept},
        {key: dataset.relevant[key] for key in kept},
    )


def _together(datasets: Sequence[Dataset]) -> Dataset:
    whole = Dataset({}, {}, {})
    for dataset in datasets:
        whole.documents.update(dataset.documents)
        whole.queries.update(dataset.queries)
        whole.relevant.update(dataset.relevant)
    return whole


def _harder(dataset: Dataset) -> Dataset:
    """Of each question only some words."""
    import rjieba

    shorter = {}
    for key, question in dataset.queries.items():
        chance, words = random.Random(f"harder {key}"), rjieba.cut(question)
        kept = [word for word in words if chance.random() < _KEPT] or words
        shorter[key] = ("" if detect_language(question) == "zh" else " ").join(kept)
    return Dataset(dataset.documents, shorter, dataset.relevant)


async def _measure(dataset: Dataset) -> dict[str, Row]:
    qualities: dict[str, Quality] = {}
    with tempfile.TemporaryDirectory(prefix="citewise-fusion-") as folder:
        bench = _Bench(Path(folder))
        rows = {"tfidf": await bench.row(dataset, "tfidf"), "hashing": await bench.row(dataset, "hashing")}
        truth = Truth(bench.passages, _answers(dataset))

        def embed(request: dict[str, Any]) -> Reply:
            return Reply(vectors=truth.vectors(request["input"], qualities[request["model"]]).tolist())

        with model_server(lambda _: Reply(status=404), embed=embed) as server:
            bench.base_url = server.base_url
            for name, quality in _sweep(truth, dataset, rows["tfidf"].keyword).items():
                qualities[quality.model] = quality
                rows[f"truth, {name}"] = await bench.row(dataset, quality, equal=name.startswith("equal"))
            harder = _harder(dataset)
            truth.answers = _answers(harder)
            quality = Quality(_strength(truth, harder, await bench.keyword(harder)))
            qualities[quality.model] = quality
            rows["truth, equal, harder questions"] = await bench.row(harder, quality, equal=True)
    return rows


def _answers(dataset: Dataset) -> dict[str, str]:
    """Question -> the document that answers it best."""
    grades = dataset.relevant
    return {text: max(grades[key], key=lambda document: grades[key][document]) for key, text in dataset.queries.items()}


def _sweep(truth: Truth, dataset: Dataset, keyword: float) -> dict[str, Quality]:
    """From useless to better than BM25; where both are equal, also with questions made of sentences that are harder or
    easier to embed than those of people."""
    equal = _strength(truth, dataset, keyword)
    sweep = {"useless": Quality(0.0)}
    for share in _SHARES:
        sweep[f"{share:g} of BM25"] = Quality(_strength(truth, dataset, share * keyword))
    sweep["equal"] = Quality(equal)
    sweep |= {f"equal, sentences x {made:g}": Quality(equal, made) for made in _MADE}
    for share in _MISSES:
        sweep[f"better, {share:g} of BM25's misses"] = Quality(_strength(truth, dataset, 1 - share * (1 - keyword)))
    asked = {detect_language(question) for question in dataset.queries.values()}
    if asked >= {"zh", "en"}:
        sweep |= {"reads Chinese only": Quality(equal, reads="zh"), "reads English only": Quality(equal, reads="en")}
    return sweep


def _strength(truth: Truth, dataset: Dataset, target: float) -> float:
    """At which the vectors alone have this nDCG@10."""
    passages = list(truth.passages)
    vectors, low, high = truth.vectors(passages, Quality(0.0)), 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        cosines = truth.vectors(list(dataset.queries.values()), Quality(middle)) @ vectors.T
        places = np.argsort(-cosines, axis=1)[:, :_CHUNKS]
        ranking = {
            key: list(dict.fromkeys(truth.passages[passages[place]] for place in best))
            for key, best in zip(dataset.queries, places, strict=True)
        }
        low, high = (middle, high) if evaluate(ranking, dataset)["ndcg@10"] < target else (low, middle)
    return high


@dataclass
class _Bench:
    """One library, opened anew for every embedder."""

    folder: Path
    base_url: str = ""
    passages: dict[str, str] = field(default_factory=dict)  # text of a chunk -> document id
    _owners: dict[str, str] = field(default_factory=dict)  # file -> document id
    _keyword: dict[int, float] = field(default_factory=dict)

    async def row(self, dataset: Dataset, embedding: str | Quality, equal: bool = False) -> Row:
        async with await Library.open(self._settings(embedding)) as library:
            if not self._owners:
                self._owners = await upload(library, dataset.documents)
            await library.settle()
            if not self.passages:
                texts = dict(library.store.indexed_texts())
                hits = library.store.hits(list(texts))
                self.passages = {texts[hit.chunk_id]: self._owners[hit.document] for hit in hits}
            space = library.store.space()
            calibration = (space and space.calibration) or {}
            learned = {of: calibration[of]["vector_weight"] for of in calibration.keys() & {"zh", "en"}}
            what = embedding if isinstance(embedding, str) else embedding.model
            found = await self._search(library, dataset, ("vector", "hybrid"), what)
        return Row(await self.keyword(dataset), found["vector"], found["hybrid"], learned, equal)

    async def keyword(self, dataset: Dataset) -> float:
        if id(dataset) not in self._keyword:
            async with await Library.open(self._settings("hashing")) as library:
                found = await self._search(library, dataset, ("keyword",), "keyword")
                self._keyword[id(dataset)] = found["keyword"]
        return self._keyword[id(dataset)]

    def _settings(self, embedding: str | Quality) -> Settings:
        values = {
            "CITEWISE_DATA_DIR": str(self.folder),
            "CITEWISE_OLLAMA": "false",
            "CITEWISE_INGEST_WORKERS": "0",  # a process for every opening would only take time
        }
        if isinstance(embedding, str):
            return Settings.from_mapping({**values, "CITEWISE_EMBEDDING": embedding})
        at = {"CITEWISE_EMBEDDING_BASE_URL": self.base_url, "CITEWISE_EMBEDDING_MODEL": embedding.model}
        return Settings.from_mapping({**values, **at, "CITEWISE_EMBEDDING": "compatible"})

    async def _search(
        self, library: Library, dataset: Dataset, strategies: Sequence[StrategyName], what: str
    ) -> dict[str, float]:
        """nDCG@10 of each."""
        found: dict[str, Ranking] = {strategy: {} for strategy in strategies}
        for key, question in progress(dataset.queries.items(), what):
            for strategy in strategies:
                evidence = await library.search(question, strategy=strategy, top_k=_CHUNKS)
                found[strategy][key] = list(dict.fromkeys(self._owners[hit.document] for hit in evidence.hits))
        return {strategy: evaluate(ranking, dataset)["ndcg@10"] for strategy, ranking in found.items()}
