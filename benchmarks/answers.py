"""How well questions are answered without a model: whole turns over BEIR-style folders whose questions have answers.

An answer holds where one of the gold answers stands in it, whatever the space, case and bold type. BM25's best passage,
whole, stands beside it. Questions of a quarter of the documents are asked again without these: nothing answers them.
Where nothing is found to answer a question, what is closest in meaning may be listed: how often that is, is told of
questions that have an answer and of those near no text (`unanswerable.jsonl`).
`--fit` fits the weights that rank sentences, and those of the confidence, and tells how they do on documents held out.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from answering.closest import CLOSEST
from answering.confidence import UNCERTAIN
from benchmarks.answers_fit import Sample, fitted
from benchmarks.answers_judged import calibration_error, holds, plain, reliability
from benchmarks.report import DATA, Bar, Report, progress
from benchmarks.retrieval import read, rows, upload
from evaluation.answer_units import read_units
from evaluation.metrics import auroc
from graph.request import Request
from graph.turns import Assistant
from nodes.events import Answered, EvidenceFound, Failed
from schema import Answer, Evidence
from settings import Settings

_CHARACTERS = {"squad_en": 420, "cmrc_zh": 150}  # of an answer at most, by the folder's name
_HELD, _FIRST = 0.90, 0.78
_MISSING = 4  # of so many documents one is deleted before its questions are asked again


Kind = Literal["answerable", "near", "missing"]  # near: no text answers it; missing: the text that does was deleted


@dataclass(frozen=True)
class AnsweredQuestion:
    """One question, and what was said to it."""

    kind: Kind
    golds: Sequence[str]  # none where nothing answers it
    relevant: frozenset[str]  # names of files
    answer: Answer | None  # None: the message was not taken for a question
    doubted: bool  # refused, or shown with a notice that it may not hold
    passage: str  # BM25's best one
    sample: Sample | None  # to fit weights to

    @property
    def right(self) -> bool:
        return self.answer is not None and holds(self.answer.text, self.golds)

    @property
    def lists_closest(self) -> bool:
        return self.answer is not None and self.answer.text.startswith(CLOSEST.to(self.answer.language))

    @property
    def confidence(self) -> float:
        return self.answer.confidence if self.answer else 0.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    data = [DATA / "retrieval"]
    parser.add_argument("--data", type=Path, nargs="+", default=data, help="BEIR-style folders, each measured (ours)")
    parser.add_argument("--questions", type=int, help="only so many of each folder, drawn at random")
    parser.add_argument("--fit", action="store_true", help="fit the weights of answer_ranking to all folders together")


def run(options: argparse.Namespace) -> Report:
    report, samples = Report({}), list[Sample]()
    for folder in options.data:
        name = folder.resolve().name
        asked = asyncio.run(_ask_all(folder, options.questions, options.fit))
        report.metrics[name] = figures = figures_of(asked)
        report.bars |= bars_of(name, figures)
        sure = np.array([one.confidence for one in asked])
        report.notes += [f"{name}: {line}" for line in reliability(sure, np.array([one.right for one in asked]))]
        samples += [one.sample for one in asked if one.sample]
    if options.fit:
        held_out, notes = fitted(samples)
        report.metrics |= held_out
        report.notes += notes
        for folder in options.data:
            name = folder.resolve().name
            report.bars |= bars_of(name, held_out[f"{name} held out"], " held out")
    return report


def bars_of(name: str, figures: Mapping[str, float], which: str = "") -> dict[str, Bar]:
    """Of a data set, by its name; none where nothing is promised."""
    if name not in _CHARACTERS:
        return {}
    return {
        f"{name}{which}: held": Bar(figures["held"], _HELD),
        f"{name}{which}: characters": Bar(figures["characters"], _CHARACTERS[name], most=True),
        f"{name}{which}: first statement alone": Bar(figures["first alone"], _FIRST),
    }


async def _ask_all(folder: Path, limit: int | None, fit: bool) -> list[AnsweredQuestion]:
    dataset = read(folder)
    golds = {row["id"]: row["answers"] for row in rows(folder / "queries.jsonl")}
    near = folder / "unanswerable.jsonl"
    hard = [row["text"] for row in rows(near)] if near.exists() else []
    with tempfile.TemporaryDirectory(prefix="citewise-answers-") as data:
        own = {"CITEWISE_DATA_DIR": data, "CITEWISE_OLLAMA": "false", "CITEWISE_INGEST_WORKERS": "0"}
        assistant = await Assistant.open(Settings.from_mapping(own))
        try:
            owners = await upload(assistant.library, dataset.documents)
            await assistant.library.settle()
            names = {document: name for name, document in owners.items()}
            keys = [key for key in _sample(list(dataset.queries), limit) if golds[key]]

            async def ask(kind: Kind, key: str) -> AnsweredQuestion:
                documents = frozenset(names[document] for document in dataset.relevant[key])
                gold = golds[key] if kind == "answerable" else ()
                return await _ask(assistant, kind, dataset.queries[key], gold, documents, folder.name if fit else None)

            found = [await ask("answerable", key) for key in progress(keys, folder.name)]
            for text in progress(_sample(hard, limit), "unanswerable"):
                found.append(await _ask(assistant, "near", text, (), frozenset(), folder.name if fit else None))
            asked_of = sorted({names[document] for key in keys for document in dataset.relevant[key]})
            gone = {*random.Random(1).sample(asked_of, len(asked_of) // _MISSING)}
            await assistant.library.delete_all([(name, "") for name in gone])
            await assistant.library.settle()
            left = [key for key in keys if {names[document] for document in dataset.relevant[key]} <= gone]
            found += [await ask("missing", key) for key in progress(left, "without their documents")]
        finally:
            await assistant.close()
    return found


async def _ask(
    assistant: Assistant,
    kind: Kind,
    question: str,
    golds: Sequence[str],
    relevant: frozenset[str],
    folder: str | None,
) -> AnsweredQuestion:
    """With a sample where a folder is given."""
    evidence, answer = await turn_of(assistant, question)
    least, passage, sample = assistant.settings.min_confidence, "", None
    doubted = not answer or not answer.statements or UNCERTAIN in answer.notices or answer.confidence < least
    if golds:
        best = (await assistant.library.search(question, strategy="keyword", top_k=1)).hits
        passage = best[0].text if best else ""
    if folder and evidence and answer:
        sentences = read_units(question, answer.sources, assistant.library.embed_sync)
        document = f"{folder}/{min(relevant, default=question)}"
        sample = Sample(folder, kind, document, golds, sentences, evidence.confidence, evidence.confidence < least)
    return AnsweredQuestion(kind, golds, relevant, answer, doubted, passage, sample)


def _sample(items: list[str], limit: int | None) -> list[str]:
    return items if limit is None else random.Random(0).sample(items, min(limit, len(items)))


async def answer_of(assistant: Assistant, question: str) -> Answer | None:
    """Of a conversation of its own. Raises what made the turn fail."""
    return (await turn_of(assistant, question))[1]


async def turn_of(assistant: Assistant, question: str) -> tuple[Evidence | None, Answer | None]:
    """The same, with what was found."""
    evidence = answer = None
    async with aclosing(assistant.run_turn(Request(str(uuid.uuid4()), question))) as events:
        async for event in events:
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, EvidenceFound):
                evidence = event.evidence
            if isinstance(event, Answered):
                answer = event.answer
    return evidence, answer


# --- figures -----------------------------------------------------------------------------------------------------


def figures_of(asked: Sequence[AnsweredQuestion]) -> dict[str, float]:
    """Means over the questions; those that nothing answers count for the confidence and the doubts alone."""
    answerable, near, missing = ([one for one in asked if one.kind == kind] for kind in get_args(Kind))
    right, wrong = ([one.confidence for one in answerable if one.right == side] for side in (True, False))
    figures = {
        "held": _mean([one.right for one in answerable]),
        "characters": _mean([len(plain(one.answer.text)) for one in answerable if one.answer]),
        "first alone": _mean([_first_holds(one) for one in answerable]),
        "first citation right": _mean([_first_cited(one) in one.relevant for one in answerable]),
        "bold": _mean([one.answer is not None and "**" in one.answer.text for one in answerable]),
        "doubted": _mean([one.doubted for one in answerable]),
        "closest listed": _mean([one.lists_closest for one in answerable]),
        "passage held": _mean([holds(one.passage, one.golds) for one in answerable]),
        "passage characters": _mean([len(one.passage) for one in answerable]),
    }
    if right and wrong:
        figures["right auroc"] = auroc(right, wrong)
    for name, others in {"unanswerable": near, "missing": missing}.items():
        if answerable and others:
            figures[f"{name} auroc"] = auroc([one.confidence for one in answerable], [one.confidence for one in others])
            figures[f"{name} doubted"] = _mean([one.doubted for one in others])
            figures[f"{name} closest listed"] = _mean([one.lists_closest for one in others])
    figures["calibration error"] = calibration_error(
        np.array([one.confidence for one in asked]), np.array([one.right for one in asked])
    )
    return figures


def _first_holds(one: AnsweredQuestion) -> bool:
    return one.answer is not None and any(holds(first.text, one.golds) for first in one.answer.statements[:1])


def _first_cited(one: AnsweredQuestion) -> str | None:
    """The file that the first citation points to."""
    if one.answer is None:
        return None
    cited = (citation.source for statement in one.answer.statements for citation in statement.citations)
    return next((one.answer.sources[source].document for source in cited), None)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0
