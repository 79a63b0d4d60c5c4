"""How well "How do I …" is answered from manuals without a model: whole turns over the Markdown files of a folder.

A question names the sections that answer it; a citation is right where its lines stand in one of them or below it.
BM25's best passage, whole, stands beside the answer: it is right where it touches such a section.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from pydantic import BaseModel

from benchmarks.answers import answer_of
from benchmarks.answers_judged import plain
from benchmarks.report import DATA, Bar, Report, progress
from benchmarks.retrieval import rows
from graph.turns import Assistant
from schema import Answer, Citation, Hit, Language
from settings import Settings

# Questions on pages of two projects, which are not shipped.
_DOCUMENTATION = (DATA / "documentation.jsonl", DATA / "documentation_plain.jsonl")
_FIRST = 0.85  # share of the questions whose first citation is right
_RANKED = 50  # passages of which the best by BM25 alone is taken
_heading = re.compile(r"(#{1,6})\s+(.+?)\s*(?:\{\s*#[\w-]+\s*\})?\s*\Z")

Half = Literal["first", "second", "plain"]
Lines = tuple[int, int]  # of a file, from 1, the last one included


class Section(BaseModel):
    file: str
    heading: str


class Question(BaseModel):
    """`steps` are words of the section that a whole answer holds in this order; none where it has no steps."""

    text: str
    lang: Language
    words: Literal["heading", "other"] = "heading"  # whether it is asked in those of the heading
    # No mistake of the second half was looked at; the plain ones are as somebody types who does not know the words.
    half: Half = "first"
    sections: list[Section]
    steps: list[str] = []


@dataclass(frozen=True)
class AnsweredHowTo:
    """One question, whether each citation of its answer is right, and what else is measured."""

    question: Question
    right: tuple[bool, ...]  # of the citations, in the order of the answer
    whole: bool  # all steps, in order
    characters: int
    passage_right: bool
    passage_whole: bool
    passage_characters: int
    cited: str  # the first citation, for people


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=DATA / "manuals", help="a folder of Markdown files (ours)")
    parser.add_argument("--mistakes", action="store_true", help="tell what is cited wrongly, but for the second half")


def run(options: argparse.Namespace) -> Report:
    files = {path.relative_to(options.data).as_posix(): path.read_bytes() for path in options.data.rglob("*.md")}
    asked = asyncio.run(_ask_all(files, questions(options.data)))
    halves = {half: [one for one in asked if one.question.half == half] for half in get_args(Half)}
    by_words = {words: [one for one in asked if one.question.words == words] for words in ("heading", "other")}
    by_language = {language: [one for one in asked if one.question.lang == language] for language in ("en", "zh")}
    parts = {
        "all": asked,
        "first half": halves["first"],
        "second half": halves["second"],
        "plain words": halves["plain"],
        "words of the heading": by_words["heading"],
        "other words": by_words["other"],
        **by_language,
    }
    report = Report({name: figures_of(found) for name, found in parts.items() if found})
    if not (options.data / "questions.jsonl").exists():
        report.bars = {"right section first": Bar(report.metrics["all"]["first"], _FIRST)}
    if options.mistakes:
        wrong = [one for one in (*halves["first"], *halves["plain"]) if not any(one.right[:1])]
        report.notes = [f"{one.question.text} -> {one.cited}" for one in wrong]
    return report


def questions(folder: Path) -> list[Question]:
    """Those that lie with the files; else those of ours whose files are all there."""
    own = folder / "questions.jsonl"
    files = [own] if own.exists() else _DOCUMENTATION
    asked = [Question.model_validate(row) for file in files for row in rows(file)]
    return [one for one in asked if all((folder / section.file).exists() for section in one.sections)]


async def _ask_all(files: Mapping[str, bytes], asked: Sequence[Question]) -> list[AnsweredHowTo]:
    with tempfile.TemporaryDirectory(prefix="citewise-manuals-") as data:
        own = {"CITEWISE_DATA_DIR": data, "CITEWISE_OLLAMA": "false", "CITEWISE_INGEST_WORKERS": "0"}
        assistant = await Assistant.open(Settings.from_mapping(own))
        try:
            library = assistant.library
            for name in progress(sorted(files), "uploading"):
                await library.add(name, files[name])
            await library.settle()

            def lines(section: Section) -> Lines:
                document = library.document(section.file)
                return lines_of(section, document.text if document else "")

            found = []
            for one in progress(asked, "how to"):
                right = [(section.file, lines(section)) for section in one.sections]
                answer = await answer_of(assistant, one.text)
                ranked = (await library.search(one.text, strategy="keyword", top_k=_RANKED)).hits
                best = max(ranked, key=lambda hit: hit.scores.get("bm25", 0.0), default=None)
                found.append(judged(one, right, answer, best))
        finally:
            await assistant.close()
    return found


def lines_of(section: Section, text: str) -> Lines:
    """From its heading to the next one that is as high. Raises ValueError unless the heading stands there once."""
    levels = {number: (len(found[1]), found[2]) for number, found in _headings(text)}
    places = [number for number, (_, title) in levels.items() if title == section.heading]
    if len(places) != 1:
        raise ValueError(f"{section.file}: {section.heading!r} is there {len(places)} times")
    begins, level = places[0], levels[places[0]][0]
    ends = [number for number, (other, _) in levels.items() if number > begins and other <= level]
    return begins, (ends[0] if ends else text.count("\n") + 2) - 1


def _headings(text: str) -> Iterable[tuple[int, re.Match[str]]]:
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        marks = re.match(r"\s*(`{3,}|~{3,})", line)
        if marks and not fence:
            fence = marks[1]
        elif marks and marks[1].startswith(fence):
            fence = ""
        elif not fence and (found := _heading.match(line)):
            yield number, found


def judged(
    question: Question, right: Sequence[tuple[str, Lines]], answer: Answer | None, passage: Hit | None
) -> AnsweredHowTo:
    """`right` are the sections that answer, by file and lines."""

    def stands(document: str, first: int, last: int) -> bool:
        return any(document == file and first <= end and last >= start for file, (start, end) in right)

    cited: list[Citation] = [one for said in answer.statements for one in said.citations] if answer else []
    places = [(answer.sources[one.source].document, one) for one in cited] if answer else []
    return AnsweredHowTo(
        question,
        tuple(stands(document, one.start_line, one.start_line) for document, one in places),
        holds_in_order(answer.text if answer else "", question.steps),
        len(plain(answer.text)) if answer else 0,
        passage is not None and stands(passage.document, passage.start_line, passage.end_line),
        passage is not None and holds_in_order(passage.text, question.steps),
        len(passage.text) if passage else 0,
        f"{places[0][0]}:{places[0][1].start_line} {places[0][1].quote[:60]!r}" if places else "nothing",
    )


def holds_in_order(text: str, steps: Sequence[str]) -> bool:
    """Whether all steps stand in the text, one behind the other, whatever the space and the type."""
    said, at = _bare(plain(text)), 0
    for step in map(_bare, steps):
        found = said.find(step, at)
        if found < 0:
            return False
        at = found + len(step)
    return True


def _bare(text: str) -> str:
    return re.sub(r"[\s`*_]+", "", text).lower()


def figures_of(asked: Sequence[AnsweredHowTo]) -> dict[str, float]:
    stepped = [one for one in asked if one.question.steps]
    figures = {
        "questions": float(len(asked)),
        "first": _mean([any(one.right[:1]) for one in asked]),
        "among three": _mean([any(one.right[:3]) for one in asked]),
        "characters": _mean([one.characters for one in asked]),
        "passage right": _mean([one.passage_right for one in asked]),
        "passage characters": _mean([one.passage_characters for one in asked]),
    }
    if stepped:
        figures["with steps"] = float(len(stepped))
        figures["steps whole"] = _mean([one.whole for one in stepped])
        figures["passage steps whole"] = _mean([one.passage_whole for one in stepped])
    return figures


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0
