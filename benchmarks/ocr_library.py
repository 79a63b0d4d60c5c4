"""Scans in a library: whether answers over them cite the right line, and whether questions wait while one is read.

The same pages of our own texts are stored twice, as a PDF with its text and as pictures of its pages, and asked the
same questions, without a model. An answer is right where the boxes of its citations lie over the sentence that was
asked for. Then a scan of many pages is added beside questions to a library that needs nothing of it. Needs the extra
`ocr`.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import random
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.answers import turn_of
from benchmarks.page_boxes import Layout, prose, typeset
from benchmarks.report import DATA, Bar, Report, progress
from graph.turns import Assistant
from ingestion.page_pictures import Box
from ingestion.readers.ocr import engine
from schema import Answer, StoreOutcome
from settings import Settings

_SEED = 11
_words = re.compile(r"[A-Za-z][A-Za-z-]{4,}|[\u4e00-\u9fff]{2,6}")
_BLOCK = 10  # questions in turn with and without the scan


class PrintedSentence(NamedTuple):
    """What is asked for, and where it stands."""

    question: str
    page: int
    boxes: list[Box]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, default=DATA / "crosslingual", help="a folder with Markdown in en/ and zh/"
    )
    parser.add_argument("--paragraphs", type=int, default=60, help="of each language that are asked about")
    parser.add_argument("--questions", type=int, default=40, help="of each language")
    parser.add_argument("--pages", type=int, default=100, help="of the scan that is read beside questions")
    parser.add_argument("--most", type=float, default=900.0, help="seconds that it is waited for")


def run(options: argparse.Namespace) -> Report:
    engine()
    return asyncio.run(_measured(options))


async def _measured(options: argparse.Namespace) -> Report:
    right = {"text": 0, "scan": 0}
    asked = 0
    for language in ("en", "zh"):
        printed = typeset(prose(options.data / language)[: options.paragraphs], Layout(language == "zh"))
        async with _library() as texts, _library() as scans:
            await texts.library.add("pages.pdf", printed)
            await scans.library.add("pages.pdf", _scanned(printed))
            sentences = await asyncio.to_thread(_sentences, texts, language == "zh", options.questions)
            for one in progress(sentences, f"asking, {language}"):
                asked += 1
                for kind, assistant in (("text", texts), ("scan", scans)):
                    right[kind] += _is_cited(assistant, (await turn_of(assistant, one.question))[1], one)
    async with _library(CITEWISE_INGEST_WORKERS="1") as assistant:
        alone, beside, pages = await _beside_a_scan(assistant, options)
    load = os.getloadavg()[0]
    return Report(
        {
            "questions": asked,
            "right over text": right["text"] / asked,
            "right over scans": right["scan"] / asked,
            "p95 of a question alone, ms": 1000 * _p95(alone),
            "p95 beside the scan, ms": 1000 * _p95(beside),
            "questions beside it": len(beside),
            "pages that were read meanwhile": pages,
            "load of the machine": load,
        },
        {
            "right line boxes over scans, of those over text": Bar(right["scan"] / max(1, right["text"]), 0.95),
            "p95 beside a scan, of that alone": Bar(_p95(beside) / _p95(alone), 1.5, most=True),
        },
    )


@asynccontextmanager
async def _library(**more: str) -> AsyncIterator[Assistant]:
    with tempfile.TemporaryDirectory() as folder:
        own = {"CITEWISE_DATA_DIR": folder, "CITEWISE_INGEST_WORKERS": "0", "CITEWISE_OLLAMA": "false"}
        own["CITEWISE_ANSWER_CACHE"] = "0"  # some questions are asked again
        assistant = await Assistant.open(Settings.from_mapping({**own, **more}))
        try:
            yield assistant
        finally:
            await assistant.close()


def _scanned(printed: bytes, copies: int = 1) -> bytes:
    """Its pages as pictures, as a scanner would put them into a PDF."""
    import pypdfium2 as pdfium

    pages = [page.render(scale=150 / 72).to_pil().convert("RGB") for page in pdfium.PdfDocument(printed)] * copies
    file = io.BytesIO()
    pages[0].save(file, "PDF", save_all=True, append_images=pages[1:], resolution=150)
    return file.getvalue()


def _sentences(assistant: Assistant, chinese: bool, most: int) -> list[PrintedSentence]:
    """Sentences of the printed pages with words that no other one has so many of, and where they are printed."""
    document = assistant.library.document("pages.pdf")
    assert document is not None
    ends = "。！？" if chinese else ".!?"
    least, longest = (15, 80) if chinese else (50, 200)
    found = list(re.finditer(rf"[^{ends}\n]{{{least},{longest}}}[{ends}]", document.text))
    made: list[PrintedSentence] = []
    for sentence in random.Random(_SEED).sample(found, min(len(found), 3 * most)):
        words = sorted(set(_words.findall(sentence[0])), key=lambda word: (document.text.count(word), -len(word)))[:4]
        page = max(place.number for place in document.places if place.start <= sentence.start())
        boxes = assistant.library.page_boxes("pages.pdf", "", page, [sentence.span()])
        if len(words) < 3 or boxes is None or not boxes.boxes or len(made) == most:
            continue
        named = [word for word in words if word in sentence[0]]
        said = ("、" if chinese else ", ").join(sorted(named, key=sentence[0].index))
        made.append(
            PrintedSentence(f"文中关于{said}怎么说？" if chinese else f"What is said of {said}?", page, boxes.boxes)
        )
    return made


def _is_cited(assistant: Assistant, answer: Answer | None, wanted: PrintedSentence) -> bool:
    """Whether the boxes of what is cited lie over the middle of a line of the sentence."""
    boxes: list[Box] = []
    for statement in answer.statements if answer else ():
        for citation in statement.citations:
            for page in {place.number for place in citation.places} & {wanted.page}:
                found = assistant.library.page_boxes("pages.pdf", "", page, [(citation.start, citation.end)])
                boxes += found.boxes if found else []
    return any(_covers(box, line) for box in boxes for line in wanted.boxes)


def _covers(box: Box, line: Box) -> bool:
    across, down = (line[0] + line[2]) / 2, (line[1] + line[3]) / 2
    return box[0] <= across <= box[2] and box[1] <= down <= box[3]


async def _beside_a_scan(assistant: Assistant, options: argparse.Namespace) -> tuple[list[float], list[float], int]:
    """Seconds of questions alone, and while a scan is read, and how many of its pages were.

    Both in turn: whatever else the machine does would be taken for the scan. Alone they are while the process that
    reads it stands still.
    """
    texts = prose(options.data / "en")
    await assistant.library.add("pages.pdf", typeset(texts[: options.paragraphs], Layout(False)))
    questions = [one.question for one in await asyncio.to_thread(_sentences, assistant, False, _BLOCK)]
    for question in questions * 2:
        await turn_of(assistant, question)
    scan = await asyncio.to_thread(_scanned, typeset(texts[:8], Layout(False)), options.pages)
    before = _children()
    adding = asyncio.create_task(assistant.library.add("scan.pdf", scan))
    reading = await _begun_since(before, adding)
    alone: list[float] = []
    beside: list[float] = []
    end = time.monotonic() + options.most
    while not adding.done() and time.monotonic() < end:
        for seconds, order in ((beside, signal.SIGCONT), (alone, signal.SIGSTOP)):
            for pid in reading & _children():
                os.kill(pid, order)
            seconds += [await _seconds(assistant, question) for question in questions]
        for pid in reading & _children():
            os.kill(pid, signal.SIGCONT)
    share = next((task.fraction for task in assistant.library.tasks()), 1.0)
    read = options.pages if adding.done() else round(min(1.0, share / 0.1) * options.pages)
    if not adding.done():
        await assistant.library.cancel([task.id for task in assistant.library.tasks()])
    await asyncio.gather(adding, return_exceptions=True)
    return alone, beside, read


async def _begun_since(before: set[int], adding: asyncio.Task[StoreOutcome]) -> set[int]:
    """The process that reads pages, as soon as there is one."""
    while not adding.done():
        done, _ = await asyncio.wait([adding], timeout=0.2)
        if done or (found := _children() - before):
            return set() if done else found
    return set()


def _children() -> set[int]:
    """Processes that this one has begun."""
    listed = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    return {int(pid) for pid, name in (line.split(None, 1) for line in listed.stdout.splitlines()) if name != "ps"}


async def _seconds(assistant: Assistant, question: str) -> float:
    began = time.perf_counter()
    await turn_of(assistant, question)
    return time.perf_counter() - began


def _p95(seconds: Sequence[float]) -> float:
    return float(np.quantile(seconds, 0.95)) if seconds else 0.0
