"""Small libraries of two languages, one file of each: is what a person would expect to be found there found?

Every file is asked about in the other language, beside a file of that language on something else. A question counts as
found where the best passage has the words that answer it and the gate to the web says that the library covers it.
Questions on other things are to be covered by nothing.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.manuals import LANGUAGES
from benchmarks.report import Report
from benchmarks.retrieval import rows
from library import Library
from schema import IncomingFile
from settings import Settings
from text import detect_language
from web.gate import is_covered


class SmallQuestion(NamedTuple):
    """`file` and the words of the answer are empty for a question on something else."""

    text: str
    file: str
    words: str
    half: str  # "first" was looked at, "kept back" was not


class Outcome(NamedTuple):
    question: SmallQuestion
    first: bool  # the best passage has the answer
    covered: bool
    confidence: float

    @property
    def right(self) -> bool:
        return self.first and self.covered if self.question.file else not self.covered


def read_small(folder: Path) -> list[SmallQuestion]:
    """The questions of a folder, whose files are beside them in en/ and zh/."""
    return [
        SmallQuestion(row["question"], row["file"], row["words"], row["half"])
        for row in rows(folder / "questions.jsonl")
    ]


def small_report(folder: Path, limit: int | None, *, mistakes: bool) -> Report:
    """Of the first so many libraries. Questions of the first half that went wrong are told where `mistakes` says."""
    outcomes = asyncio.run(_asked(folder, read_small(folder), limit))
    metrics = {}
    for half in ("first", "kept back"):
        for language, other in (("zh", "en"), ("en", "zh")):
            asked = [one for one in outcomes if one.question.half == half]
            mine = [one for one in asked if detect_language(one.question.text) == language]
            metrics[f"{half}, {language} to {other}"] = _figures(mine)
    wrong = [one for one in outcomes if mistakes and one.question.half == "first" and not one.right]
    told = [f"{one.question.text} covered: {one.covered}, confidence {one.confidence:.2f}" for one in wrong]
    return Report(metrics, {}, [f"{sum(bool(one.question.file) for one in outcomes)} questions", *told])


def _figures(outcomes: Sequence[Outcome]) -> dict[str, float]:
    asked = [one for one in outcomes if one.question.file]
    others = [one for one in outcomes if not one.question.file]
    found, first = sum(one.right for one in asked), sum(one.first for one in asked)
    figures = {"found": found / max(1, len(asked)), "first": first / max(1, len(asked))}
    return figures | ({"other things covered": sum(one.covered for one in others) / len(others)} if others else {})


async def _asked(folder: Path, questions: Sequence[SmallQuestion], limit: int | None) -> list[Outcome]:
    found = list[Outcome]()
    for pair in list(_libraries(folder))[:limit]:
        names = {f"{path.parent.name}/{path.name}" for path in pair}
        with tempfile.TemporaryDirectory(prefix="citewise-crosslingual-") as data:
            own = {"CITEWISE_DATA_DIR": data, "CITEWISE_OLLAMA": "false", "CITEWISE_INGEST_WORKERS": "0"}
            settings = Settings.from_mapping(own)
            async with await Library.open(settings) as library:
                files = [IncomingFile(path.name, path.read_bytes()) for path in pair]
                await library.finished([task.id for task in await library.submit(files)])
                await library.settle()
                chunks = library.stats().chunks
                for one in questions:
                    if one.file in names or not one.file:
                        evidence = await library.search(one.text)
                        first = bool(evidence.hits) and bool(one.words) and one.words in evidence.hits[0].text
                        covered = is_covered(evidence, settings, chunks).covered
                        found.append(Outcome(one, first, covered, evidence.confidence))
    return found


def _libraries(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Each English file with a Chinese one, by the order of their names."""
    english, chinese = (sorted((folder / language).glob("*.md")) for language in LANGUAGES)
    yield from zip(english, chinese, strict=True)
