"""Whether a question in one language finds the page in the other without a model: translated manuals, by section.

A section's question is its first sentence in one language, the target is the same section in the other (sections are
the same where their anchors agree). Code blocks are left out, since identifiers in them need no translation.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.crosslingual_cost import add_costs
from benchmarks.crosslingual_small import small_report
from benchmarks.manuals import LANGUAGES
from benchmarks.report import DATA, Bar, Report, progress
from benchmarks.retrieval import Dataset, evaluate, upload
from library import Library
from nodes.message_plan import why_no_plan
from schema import Language, SearchRequest
from settings import Settings
from text import detect_language, sentences

_BAR, _BOTH = 0.80, 0.70  # nDCG@10 in one language; recall@10 of the other language's section in a library of both
_LOSS = 0.003  # that the own language's section may come first less often
_SHORTEST = {"en": 20, "zh": 8}  # characters of a sentence that asks for anything
_PARTS = ("text", "question")  # of a section
_heading = re.compile(r"^#{1,6}\s+(?P<title>.*?)\s*\{\s*#(?P<anchor>[\w.-]+)\s*\}\s*$", re.M)
_code = re.compile(r"^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)\s*$", re.M | re.S)
_markup = re.compile(r"<[^>]*>|\{\*.*?\*\}|^/{3}.*$|[*_`#>]|\]\([^)]*\)|\[", re.M)


@dataclass(frozen=True)
class Section:
    key: str  # page and anchor
    text: dict[Language, str]
    question: dict[Language, str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        default=DATA / "crosslingual",
        help="a folder with en/ and zh/ (ours); with questions.jsonl: small libraries of one file each",
    )
    parser.add_argument("--mistakes", action="store_true", help="name what is wrong in the first half")
    parser.add_argument("--limit", type=int, help="only the first so many sections")
    help_ = "made libraries in which the time of a translation is measured, and nothing else"
    parser.add_argument("--sizes", type=int, nargs="*", default=[], help=help_)


def run(options: argparse.Namespace) -> Report:
    if (options.data / "questions.jsonl").exists():
        return small_report(options.data, options.limit, mistakes=options.mistakes)
    found = sections(options.data)[: options.limit]
    if options.sizes:
        report = Report({}, {}, [f"sentences of {len(found)} sections"])
        texts, questions = ({one: [getattr(each, of)[one] for each in found] for one in LANGUAGES} for of in _PARTS)
        add_costs(report, texts, questions, options.sizes)
        return report
    metrics = {}
    ways: tuple[tuple[Language, Language], ...] = (("zh", "en"), ("en", "zh"))
    for asked, held in ways:
        documents = {one.key: one.text[held] for one in found}
        queries = {one.key: one.question[asked] for one in found}
        dataset = Dataset(documents, queries, {key: {key: 1} for key in queries})
        metrics[f"{asked} to {held}"] = asyncio.run(_alone(dataset))
    metrics |= asyncio.run(_together(found))
    bars = {name: Bar(metrics[name]["ndcg@10"], _BAR) for name in ("zh to en", "en to zh")}
    bars["other language, recall@10"] = Bar(metrics["both: the other language"]["recall@10"], _BOTH)
    own, before = metrics["both: the own language"], metrics["own language alone"]
    bars["own language first"] = Bar(own["recall@1"], before["recall@1"] - _LOSS)
    return Report(metrics, bars, [f"{len(found)} sections"])


def sections(folder: Path) -> list[Section]:
    """The sections that both languages have, with a question in each."""
    pages = {language: _pages(folder / language) for language in LANGUAGES}
    found = []
    for key in pages["en"].keys() & pages["zh"].keys():
        text = {language: pages[language][key] for language in LANGUAGES}
        question = {language: _first_sentence(text[language], language) for language in LANGUAGES}
        if all(question.values()):
            found.append(Section(key, text, question))
    return sorted(found, key=lambda one: one.key)


def _pages(folder: Path) -> dict[str, str]:
    found = {}
    for path in sorted(folder.rglob("*.md")):
        text = _code.sub("", path.read_text(encoding="utf-8"))
        headings = [*_heading.finditer(text), None]
        for heading, following in pairwise(headings):
            assert heading is not None
            body = _markup.sub("", text[heading.end() : following.start() if following else len(text)]).strip()
            found[f"{path.relative_to(folder)}#{heading['anchor']}"] = f"{heading['title']}\n\n{body}"
    return found


def _first_sentence(text: str, language: Language) -> str:
    body = text.partition("\n")[2]
    for start, end in sentences(body):
        sentence = " ".join(body[start:end].split())
        if len(sentence) >= _SHORTEST[language] and detect_language(sentence) == language:
            return sentence
    return ""


async def _alone(dataset: Dataset) -> dict[str, float]:
    """A library of one language, asked in the other."""
    with tempfile.TemporaryDirectory(prefix="citewise-crosslingual-") as folder:
        async with await Library.open(Settings.from_mapping({"CITEWISE_DATA_DIR": folder})) as library:
            owners = await upload(library, dataset.documents)
            await library.settle()
            return evaluate(await _ranked(library, dataset.queries, owners), dataset)


async def _together(found: Sequence[Section]) -> dict[str, dict[str, float]]:
    """A library of both: the section in the question's language, and in the other; before that each language alone."""
    metrics = {}
    documents = {(one.key, language): one.text[language] for one in found for language in one.text}
    queries = {(one.key, language): one.question[language] for one in found for language in one.question}
    alone: dict[str, list[str]] = {}
    for language in LANGUAGES:
        own = {key: text for key, text in documents.items() if key[1] == language}
        alone |= await _ranking(own, {key: text for key, text in queries.items() if key[1] == language})
    metrics["own language alone"] = _measured(alone, queries, other=False)
    suffices: dict[str, bool] = {}
    both = await _ranking(documents, queries, suffices)
    for asked, held in (("zh", "en"), ("en", "zh")):
        own = {key: text for key, text in queries.items() if key[1] == asked}
        for name, sure in (("rules suffice", True), ("a plan call is wanted", False)):
            part = {key: text for key, text in own.items() if suffices[_name(key)] == sure}
            found_there = _measured({_name(key): both[_name(key)] for key in part}, part, other=True) if part else {}
            metrics[f"{asked} to {held}, {name}"] = {
                "of the questions": len(part) / len(own),
                "recall@10": found_there.get("recall@10", 0.0),
            }
    metrics["both: the own language"] = _measured(both, queries, other=False)
    metrics["both: the other language"] = _measured(both, queries, other=True)
    return metrics


Key = tuple[str, Language]


def _measured(ranking: dict[str, list[str]], queries: dict[Key, str], *, other: bool) -> dict[str, float]:
    swapped: dict[Language, Language] = {"en": "zh", "zh": "en"}
    relevant = {_name(key): {_name((key[0], swapped[key[1]])) if other else _name(key): 1} for key in queries}
    return evaluate(ranking, Dataset({}, {}, relevant))


async def _ranking(
    documents: dict[Key, str], queries: dict[Key, str], suffices: dict[str, bool] | None = None
) -> dict[str, list[str]]:
    """Each question's ranking; into `suffices` goes whether a turn with a model would wait for no translation."""
    with tempfile.TemporaryDirectory(prefix="citewise-crosslingual-") as folder:
        async with await Library.open(Settings.from_mapping({"CITEWISE_DATA_DIR": folder})) as library:
            owners = await upload(library, {_name(key): text for key, text in documents.items()})
            await library.settle()
            if suffices is not None:
                for key, text in queries.items():
                    asked = SearchRequest(text, in_context=True)
                    suffices[_name(key)] = bool(await why_no_plan(asked, key[1], library, library.settings))
            return await _ranked(library, {_name(key): text for key, text in queries.items()}, owners)


async def _ranked(library: Library, queries: dict[str, str], owners: dict[str, str]) -> dict[str, list[str]]:
    ranking = {}
    for key, question in progress(queries.items(), "asking"):
        evidence = await library.search(question, strategy="default", top_k=50)
        ranking[key] = list(dict.fromkeys(owners[hit.document] for hit in evidence.hits))
    return ranking


def _name(key: Key) -> str:
    return f"{key[1]}:{key[0]}"
