"""Questions to small libraries as people have them: two or three files of an office, a house, a club; without a model.

Of questions that a file answers: whether the answer, and its first sentence alone, hold one of the gold answers; how
often the web is offered, or the answer doubted, although it is right. Of questions that no file answers: how often
the web is offered, and how often something is answered without any doubt: a notice that the answer may not hold, that
no document, or nothing shown, mentions a noun of the question, that it names no place, nobody or no amount, or that it
is only what is closest in meaning. `--mistakes` names the questions whose answer or offer is wrong, but for those of
the second set, which is never looked at.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import BaseModel, TypeAdapter

from answering.closest import CLOSEST
from answering.confidence import UNCERTAIN
from answering.missing_words import not_shown, nowhere_said
from answering.unnamed import UNNAMED
from benchmarks.answers_judged import holds, plain
from benchmarks.report import DATA, Report, progress
from graph.request import Request
from graph.turns import Assistant
from nodes.events import Answered, Failed, Offer
from nodes.retrieve import NEAREST, NO_MATCH
from schema import Answer, IncomingFile, Language
from settings import Settings


class AskedQuestion(BaseModel):
    question: str
    gold: list[str] = []  # none where no file answers it


class SmallLibrary(BaseModel):
    language: Language
    documents: dict[str, str]  # by the name of the file
    asked: list[AskedQuestion]


@dataclass(frozen=True)
class Outcome:
    name: str  # of its set, the stem of the file
    language: Language
    question: AskedQuestion
    answer: Answer | None  # None: the message was not taken for a question
    offered: bool  # the web

    @property
    def right(self) -> bool:
        return self.answer is not None and holds(self.answer.text, self.question.gold)

    @property
    def right_at_once(self) -> bool:
        cited = (one for one in self.answer.statements if one.citations) if self.answer else iter(())
        first = next(cited, None)  # the header of a table says nothing by itself
        return first is not None and holds(first.text, self.question.gold)

    @property
    def doubted(self) -> bool:
        if not self.answer or not self.answer.statements or self.answer.text.startswith((CLOSEST.zh, CLOSEST.en)):
            return True
        return not {UNCERTAIN, NEAREST, NO_MATCH}.isdisjoint(self.answer.notices) or any(
            one.en.startswith(_LACKING) for one in self.answer.notices
        )


_KEPT_BACK = "second"
_LACKING = (*(told([""]).en.partition("“")[0] for told in (nowhere_said, not_shown)), *(one.en for one in UNNAMED))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    own = DATA / "small_libraries"
    parser.add_argument("--data", type=Path, default=own, help="a folder of YAML files, one for each set (ours)")
    parser.add_argument("--mistakes", action="store_true", help="name what is wrong, but for the second set")


def run(options: argparse.Namespace) -> Report:
    outcomes = asyncio.run(_ask_all(sorted(options.data.glob("*.yaml"))))
    report = Report({"all": figures_of(outcomes)})
    for name in dict.fromkeys(one.name for one in outcomes):
        report.metrics[name] = figures_of([one for one in outcomes if one.name == name])
        for language in ("en", "zh"):
            some = [one for one in outcomes if (one.name, one.language) == (name, language)]
            report.metrics[f"{name}, {language}"] = figures_of(some)
    if options.mistakes:
        report.notes += _mistakes([one for one in outcomes if one.name != _KEPT_BACK])
    return report


def figures_of(outcomes: Sequence[Outcome]) -> dict[str, float]:
    there = [one for one in outcomes if one.question.gold]
    absent = [one for one in outcomes if not one.question.gold]
    right = [one for one in there if one.right]
    return {
        "questions": len(outcomes),
        "right": _share([one.right for one in there]),
        "first sentence right": _share([one.right_at_once for one in there]),
        "characters": sum(len(plain(one.answer.text)) for one in there if one.answer) / max(1, len(there)),
        "offered though right": _share([one.offered for one in right]),
        "doubted though right": _share([one.doubted for one in right]),
        "offered, nothing answers": _share([one.offered for one in absent]),
        "undoubted, nothing answers": _share([not (one.offered or one.doubted) for one in absent]),
    }


async def _ask_all(paths: Sequence[Path]) -> list[Outcome]:
    return [
        outcome
        for path in paths
        for library in TypeAdapter(list[SmallLibrary]).validate_python(yaml.safe_load(path.read_text("utf-8")))
        for outcome in await _ask_one(path.stem, library)
    ]


async def _ask_one(name: str, library: SmallLibrary) -> list[Outcome]:
    files = [IncomingFile(document, text.encode()) for document, text in library.documents.items()]
    with tempfile.TemporaryDirectory(prefix="citewise-small-") as folder:
        own = {"CITEWISE_DATA_DIR": folder, "CITEWISE_OLLAMA": "false", "CITEWISE_INGEST_WORKERS": "0"}
        assistant = await Assistant.open(Settings.from_mapping(own))
        try:
            tasks = await assistant.library.submit(files)
            await assistant.library.finished([task.id for task in tasks])
            await assistant.library.settle()
            asked = progress(library.asked, f"{name}, {library.language}")
            return [await _ask(assistant, name, library.language, one) for one in asked]
        finally:
            await assistant.close()


async def _ask(assistant: Assistant, name: str, language: Language, asked: AskedQuestion) -> Outcome:
    """In a conversation of its own. Raises what made the turn fail."""
    answer, offered = None, False
    async with aclosing(assistant.run_turn(Request(str(uuid.uuid4()), asked.question))) as events:
        async for event in events:
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, Answered):
                answer = event.answer
            offered = offered or isinstance(event, Offer)
    return Outcome(name, language, asked, answer, offered)


def _mistakes(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for one in outcomes:
        wrong = [] if one.right_at_once or not one.question.gold else ["wrong"] if not one.right else ["not at once"]
        wrong += ["offered"] if one.offered and one.right else []
        wrong += ["undoubted"] if not (one.question.gold or one.offered or one.doubted) else []
        if wrong:
            shown = plain(one.answer.text).replace("\n", " ")[:160] if one.answer else "no answer"
            sure = f"{one.answer.confidence:.2f}" if one.answer else "-"
            yield f"{', '.join(wrong)}: {one.question.question} ({sure}) {shown}"


def _share(found: Sequence[bool]) -> float:
    return sum(found) / len(found) if found else 0.0
