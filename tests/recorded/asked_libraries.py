"""Small libraries that are asked, without a model: what they find, what they answer, and what speaks for it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import opencc
import yaml
from pydantic import TypeAdapter

from benchmarks.report import DATA
from benchmarks.small_libraries import SmallLibrary
from evaluation.answer_units import read_units
from evaluation.blocks import units
from evaluation.extractive import choose
from evaluation.scored_units import FOREIGN, scored_units
from nodes.events import Answered, Evaluated, EvidenceFound, Offer, Replied, Traced
from schema import Language, QuestionPart, Scope, SearchRequest, StrategyName
from tests.recorded.evidence_rows import (
    answer_row,
    coverage_row,
    evidence_row,
    rounded,
    scored_rows,
    source_unit_row,
    told,
    verdict_row,
)
from tests.recorded.normal import Json
from tests.recorded.product import opened, request_of, run_turn, settings_of, settled
from text import search_tokens

# Each holds the files of these sets, and is asked each so manieth of their questions.
LIBRARIES: dict[str, tuple[tuple[str, ...], int]] = {
    "fifth": (("fifth",), 6),
    "third and ninth": (("third", "ninth"), 11),
    "tenth and eleventh": (("tenth", "eleventh"), 19),
}
STRATEGIES: tuple[StrategyName, ...] = ("keyword", "vector", "hybrid", "rm3", "abstract", "hyde")


class AskedQuestion(NamedTuple):
    text: str
    language: Language
    gold: tuple[str, ...] = ()  # none: no file answers it


@dataclass(frozen=True)
class AskedLibrary:
    """A library that is open, and what it is asked; `run` waits for what goes on in its loop."""

    name: str
    assistant: Any
    documents: Mapping[str, str]
    asked: tuple[AskedQuestion, ...]
    run: Callable[[Coroutine[Any, Any, Any]], Any]

    @property
    def step(self) -> int:
        return LIBRARIES[self.name][1]

    def every(self, step: int, first: int = 0) -> tuple[AskedQuestion, ...]:
        return self.asked[first::step]


@contextmanager
def asked_library(name: str) -> Iterator[AskedLibrary]:
    """All files of its sets in one library, whatever language a question has."""
    documents, asked = files_and_questions(*LIBRARIES[name][0])
    with tempfile.TemporaryDirectory(prefix="recorded-") as folder, asyncio.Runner() as runner:
        opening = opened(settings_of(Path(folder)))
        assistant = runner.run(opening.__aenter__())
        try:
            runner.run(_fill(assistant, documents))
            yield AskedLibrary(name, assistant, documents, asked, runner.run)
        finally:
            runner.run(opening.__aexit__(None, None, None))


def files_and_questions(*sets: str) -> tuple[dict[str, str], tuple[AskedQuestion, ...]]:
    documents: dict[str, str] = {}
    asked: list[AskedQuestion] = []
    for name in sets:
        text = (DATA / "small_libraries" / f"{name}.yaml").read_text(encoding="utf-8")
        loaded = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        for library in TypeAdapter(list[SmallLibrary]).validate_python(loaded):
            documents |= library.documents
            asked += [
                AskedQuestion(question.question, library.language, (*question.gold,)) for question in library.asked
            ]
    return documents, tuple(asked)


async def _fill(assistant: Any, documents: Mapping[str, str]) -> None:
    """One after another: those that come together may be stored in another order each time."""
    for name, text in documents.items():
        await assistant.library.add(name, text.encode())
    await settled(assistant)


# --- whole turns --------------------------------------------------------------------------------------------------


def turn_rows(library: AskedLibrary) -> Iterator[Json]:
    """Questions as they are asked, misspelt, in traditional script, two at once, of one file, in another language."""
    asked, names = library.every(library.step), [*library.documents]
    for number, question in enumerate(asked):
        message, controls = _varied(number, question, asked[number - 1], names)
        yield library.run(_turn(library, f"thread {number}", message, controls))
    in_chinese = " and " in library.name
    about = (f"What is {names[0]} about?", "And who is responsible for it?", "What do my files say?")
    if in_chinese:
        about = (f"总结一下 {names[0]}", "那要多少钱？", "我的文件里都讲了什么？")
    for message in about:
        yield library.run(_turn(library, f"about {names[0]}", message, {}))


def _varied(number: int, question: AskedQuestion, other: AskedQuestion, names: list[str]) -> tuple[str, dict[str, Any]]:
    zh = question.language == "zh"
    match number % 8:
        case 1:
            return (f"{question.text}{'另外，' if zh else ' And '}{other.text}", {})
        case 3:
            return (_traditional(question.text) if zh else _misspelt(question.text), {})
        case 5:
            return (f"用英文回答：{question.text}" if zh else f"Answer in Chinese: {question.text}", {})
        case 7:
            return (question.text, {"scope": {"documents": [names[number % len(names)]]}})
    return question.text, {}


def _traditional(text: str) -> str:
    return str(_converter().convert(text))


@cache
def _converter() -> opencc.OpenCC:
    """Its dictionaries take a quarter of a second to be read."""
    return opencc.OpenCC("s2twp")


def _misspelt(text: str) -> str:
    """Two letters of the longest word change places."""
    word = max(text.split(), key=lambda one: len(one.strip("?,.")))
    middle = len(word) // 2
    return text.replace(word, word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :], 1)


async def _turn(library: AskedLibrary, thread: str, message: str, controls: dict[str, Any]) -> Json:
    events = await run_turn(library.assistant, request_of(thread, message, controls=controls))
    row: dict[str, Any] = {"row": f"turn, {library.name}: {thread}: {message}", "offered": [], "evaluated": []}
    for event in events:
        match event:
            case EvidenceFound():
                row["evidence"] = evidence_row(event.evidence)
                row["coverage"] = coverage_row(event.coverage) if event.coverage else None
            case Answered():
                row["answer"] = answer_row(event.answer)
            case Evaluated():
                row["evaluated"].append(verdict_row(event.verdict))
            case Offer():
                row["offered"] += told([event.text])
            case Replied():
                row["replied"] = event.text
            case Traced():
                row["steps"] = [[one.name, *told([one.note] if one.note else [])] for one in event.trace.steps]
    return row


# --- searches and sentences ---------------------------------------------------------------------------------------


def search_rows(library: AskedLibrary) -> Iterator[Json]:
    """Each question by several strategies and in several ways: to be read, in a part of the library, with words beside
    it; and whether what is found says it in its own words."""
    asked, names = library.every(2 * library.step, first=1), sorted(library.documents)
    for number, question in enumerate(asked):
        other, name = asked[number - 1].text, names[number % len(names)]
        parts = tuple(QuestionPart(text, f"part {place}") for place, text in enumerate((question.text, other)))
        ways: list[SearchRequest] = [
            SearchRequest(question.text, in_context=True),
            SearchRequest(question.text, STRATEGIES[number % 6], top_k=4),
            SearchRequest(question.text, STRATEGIES[(number + 3) % 6], in_context=True, terms=(*search_tokens(other),)),
            SearchRequest(question.text, search_method=number % 8, in_context=True, max_hierarchy_depth=number % 4),
            SearchRequest(f"{question.text} {other}", parts=parts, in_context=number % 2 == 0),
            SearchRequest(question.text, translated=other, scope=Scope(without=(name,), kinds=("markdown",))),
            SearchRequest(_misspelt(question.text) if question.text.isascii() else _traditional(question.text)),
        ]
        for place, request in enumerate(ways):
            found = library.run(library.assistant.library.evidence_for(request))
            yield {"row": f"search, {library.name}: {place}: {question.text}", **evidence_row(found)}
        texts = [hit.text for hit in found.hits]
        said = library.run(library.assistant.library.said_in_own_words(question.text, question.language, texts))
        yield {"row": f"search, {library.name}: in own words: {question.text}", "said": said}


def sentence_rows(library: AskedLibrary) -> Iterator[Json]:
    """What each file is read as, and which of its sentences speak for a question, by what."""
    for name in library.documents:
        for hit in library.assistant.library.store.chunks(name):
            row = f"sentences of {name}, {hit.start_line}"
            yield {"row": row, "units": [source_unit_row(one) for one in units(1, hit)]}
    for question in library.every(library.step, first=2):
        hits = library.run(library.assistant.library.evidence_for(SearchRequest(question.text))).hits
        among = read_units(question.text, hits, library.assistant.library.embed_sync)
        chosen = choose(among, question.language)
        yield {
            "row": f"sentences, {library.name}: {question.text}",
            "features": [rounded(one) for one in among.features.values.sum(axis=0)],
            "similar": rounded(sum(among.similarity)),
            "coverage": rounded(among.features.coverage.sum()),
            "named": sorted(among.named),
            "scored": scored_rows(scored_units(among, question.language, FOREIGN, None)),
            "chosen": [chosen.text, rounded(chosen.probability or 0), rounded(chosen.consistent)],
        }
