"""How well questions are answered without a model: whole turns over BEIR-style folders whose questions have answers.

An answer holds where one of the gold answers stands in it, whatever the space, case and bold type. BM25's best passage,
whole, stands beside it. `--fit` fits the weights that rank sentences and tells how they do on questions held out.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import uuid
from collections.abc import Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from answering.confidence import UNCERTAIN
from benchmarks.answers_fit import Sample, fitted
from benchmarks.report import DATA, Bar, Report, progress
from benchmarks.retrieval import read, rows, upload
from evaluation.answer_ranking import features
from evaluation.blocks import units
from evaluation.extractive import Embed, similarities
from evaluation.markers import without_markers
from evaluation.metrics import auroc
from graph.request import Request
from graph.turns import Assistant
from nodes.events import Answered, Failed
from schema import Answer, Hit
from settings import Settings

_CHARACTERS = {"squad_en": 420, "cmrc_zh": 150}  # of an answer at most, by the folder's name
_HELD, _FIRST = 0.90, 0.78


@dataclass(frozen=True)
class Asked:
    """One question, and what was said to it."""

    golds: Sequence[str]  # none: nothing in the folder answers it
    relevant: frozenset[str]  # names of files
    answer: Answer | None  # None: the message was not taken for a question
    doubted: bool  # refused, or shown with a notice that it may not hold
    passage: str  # BM25's best one
    sample: Sample | None  # to fit weights to


def add_arguments(parser: argparse.ArgumentParser) -> None:
    data = [DATA / "retrieval"]
    parser.add_argument("--data", type=Path, nargs="+", default=data, help="BEIR-style folders, each measured (ours)")
    parser.add_argument("--questions", type=int, help="only so many of each folder, drawn at random")
    parser.add_argument("--fit", action="store_true", help="fit the weights of answer_ranking to all folders together")


def run(options: argparse.Namespace) -> Report:
    report, samples = Report({}), list[Sample]()
    for folder in options.data:
        name = folder.resolve().name
        asked = asyncio.run(_asked(folder, options.questions, options.fit))
        report.metrics[name] = figures = figures_of(asked)
        report.bars |= bars_of(name, figures)
        samples += [one.sample for one in asked if one.sample]
    if options.fit:
        report.metrics["weights"], report.notes = fitted(samples)
    return report


def bars_of(name: str, figures: Mapping[str, float]) -> dict[str, Bar]:
    """Of a data set, by its name; none where nothing is promised."""
    if name not in _CHARACTERS:
        return {}
    return {
        f"{name}: held": Bar(figures["held"], _HELD),
        f"{name}: characters": Bar(figures["characters"], _CHARACTERS[name], most=True),
        f"{name}: first statement alone": Bar(figures["first alone"], _FIRST),
    }


async def _asked(folder: Path, limit: int | None, fit: bool) -> list[Asked]:
    dataset = read(folder)
    golds = {row["id"]: row["answers"] for row in rows(folder / "queries.jsonl")}
    unanswerable = folder / "unanswerable.jsonl"
    hard = [row["text"] for row in rows(unanswerable)] if unanswerable.exists() else []
    with tempfile.TemporaryDirectory(prefix="citewise-answers-") as data:
        own = {"CITEWISE_DATA_DIR": data, "CITEWISE_OLLAMA": "false", "CITEWISE_INGEST_WORKERS": "0"}
        assistant = await Assistant.open(Settings.from_mapping(own))
        try:
            owners = await upload(assistant.library, dataset.documents)
            await assistant.library.settle()
            names = {document: name for name, document in owners.items()}

            async def ask(question: str, golds: Sequence[str] = (), documents: Iterable[str] = ()) -> Asked:
                answer = await answer_of(assistant, question)
                doubted = (
                    answer is None
                    or not answer.statements
                    or UNCERTAIN in answer.notices
                    or answer.confidence < assistant.settings.min_confidence
                )
                best = (await assistant.library.search(question, strategy="keyword", top_k=1)).hits
                passage = best[0].text if golds and best else ""
                embed = assistant.library.embed_sync
                sample = _sample(question, golds, answer.sources, embed) if fit and golds and answer else None
                relevant = frozenset(names[document] for document in documents)
                return Asked(golds, relevant, answer, doubted, passage, sample)

            found = [
                await ask(dataset.queries[key], golds[key], dataset.relevant[key])
                for key in progress(_drawn(list(dataset.queries), limit), folder.name)
                if golds[key]
            ]
            if hard:
                found += [await ask(text) for text in progress(_drawn(hard, limit), "unanswerable")]
        finally:
            await assistant.close()
    return found


def _drawn(items: list[str], limit: int | None) -> list[str]:
    return items if limit is None else random.Random(0).sample(items, min(limit, len(items)))


async def answer_of(assistant: Assistant, question: str) -> Answer | None:
    """Of a conversation of its own. Raises what made the turn fail."""
    answer = None
    async with aclosing(assistant.run_turn(Request(str(uuid.uuid4()), question))) as events:
        async for event in events:
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, Answered):
                answer = event.answer
    return answer


def _sample(question: str, golds: Sequence[str], hits: Sequence[Hit], embed: Embed) -> Sample:
    found = [unit for number, hit in enumerate(hits, 1) for unit in units(number, hit)]
    similarity = similarities(question, [unit.text for unit in found], embed)
    right = np.array([unit.answers and holds(unit.text, golds) for unit in found], dtype=bool)
    return Sample(features(question, found, hits, similarity).values, right)


# --- figures -----------------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """An answer as it is read: without its markers, and without the marks of bold type."""
    return without_markers(text).replace("**", "")


def holds(text: str, golds: Iterable[str]) -> bool:
    said = "".join(plain(text).lower().split())
    return any("".join(gold.lower().split()) in said for gold in golds)


def figures_of(asked: Sequence[Asked]) -> dict[str, float]:
    """Means over the questions; those that nothing answers count for the confidence and the doubts alone."""
    answerable, hard = [one for one in asked if one.golds], [one for one in asked if not one.golds]
    held = [one.answer is not None and holds(one.answer.text, one.golds) for one in answerable]
    sure = [_confidence(one) for one in answerable]
    right, wrong = ([c for c, is_held in zip(sure, held, strict=True) if is_held == side] for side in (True, False))
    figures = {
        "held": _mean(held),
        "characters": _mean([len(plain(one.answer.text)) for one in answerable if one.answer]),
        "first alone": _mean([_first_holds(one) for one in answerable]),
        "first citation right": _mean([_first_cited(one) in one.relevant for one in answerable]),
        "bold": _mean([one.answer is not None and "**" in one.answer.text for one in answerable]),
        "doubted": _mean([one.doubted for one in answerable]),
        "passage held": _mean([holds(one.passage, one.golds) for one in answerable]),
        "passage characters": _mean([len(one.passage) for one in answerable]),
    }
    if right and wrong:
        figures["right auroc"] = auroc(right, wrong)
    if sure and hard:
        figures["unanswerable auroc"] = auroc(sure, [_confidence(one) for one in hard])
        figures["unanswerable doubted"] = _mean([one.doubted for one in hard])
    return figures


def _first_holds(one: Asked) -> bool:
    return one.answer is not None and any(holds(first.text, one.golds) for first in one.answer.statements[:1])


def _first_cited(one: Asked) -> str | None:
    """The file that the first citation points to."""
    if one.answer is None:
        return None
    cited = (citation.source for statement in one.answer.statements for citation in statement.citations)
    return next((one.answer.sources[source].document for source in cited), None)


def _confidence(one: Asked) -> float:
    return one.answer.confidence if one.answer else 0.0


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0
