"""What the configured model, as judge, says of labelled answers: many at once, each in a call of its own."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Sequence
from contextlib import ExitStack
from typing import NamedTuple
from urllib.error import URLError

from benchmarks.model_server import model_server
from benchmarks.report import progress
from benchmarks.script import reply
from errors import ModelError
from evaluation.judges import findings, judge
from providers.llm import Chain
from schema import Answer, Hit, Language, Statement
from settings import Settings
from text import sentences

AT_ONCE = 8  # calls


class Item(NamedTuple):
    """An answer to be judged by the texts that it was given from."""

    question: str
    answer: str
    context: Sequence[str]
    language: Language


class Opinion(NamedTuple):
    """The judge's score from 1 to 5, finer by the share of sentences that it calls supported."""

    faithfulness: int
    supported: float

    @property
    def score(self) -> float:
        return self.faithfulness + self.supported


class Judged(NamedTuple):
    judge: str  # the model's name; empty: none is configured
    scripted: bool  # it is the scripted server, which knows nothing
    opinions: list[Opinion | None]  # None: not judged


def ask(items: Sequence[Item], *, scripted: bool = False) -> Judged:
    """Every item's opinion by the model of the environment, or by the scripted one."""
    with ExitStack() as stack:
        settings = Settings()
        if scripted:
            server = stack.enter_context(model_server(reply))
            settings = Settings.from_mapping(
                {"CITEWISE_LLM_MODEL": "scripted", "CITEWISE_LLM_BASE_URL": server.base_url, "CITEWISE_OLLAMA": "false"}
            )
        return asyncio.run(_ask(items, settings))


async def _ask(items: Sequence[Item], settings: Settings) -> Judged:
    chain, slots = Chain(settings), asyncio.Semaphore(AT_ONCE)

    async def opinion(item: Item) -> Opinion | None:
        model = chain.model()
        assert model is not None
        async with slots:
            try:
                said = await judge(model, item.question, answer := _answer(item), list(enumerate(answer.sources, 1)))
            except ModelError:
                return None
        found = findings(said, answer)
        return Opinion(said.faithfulness, sum(one.supported for one in found) / len(found) if found else 0.0)

    try:
        model = chain.model()
        if model is None:
            return Judged("", False, [])
        tasks = [asyncio.create_task(opinion(item)) for item in items]
        for task in progress(asyncio.as_completed(tasks), f"judged by {model.name}", total=len(tasks)):
            await task
        return Judged(
            model.name,
            any(map(_is_scripted, (settings.llm_base_url, settings.openai_base_url))),
            [task.result() for task in tasks],
        )
    finally:
        await chain.close()


def _answer(item: Item) -> Answer:
    statements = tuple(Statement(item.answer[start:end]) for start, end in sentences(item.answer))
    hits = tuple(Hit(n, f"source {n}", "", text, 0, len(text), 1, 1) for n, text in enumerate(item.context, 1))
    return Answer(item.answer, statements, hits, language=item.language)


def _is_scripted(base_url: str | None) -> bool:
    """Whether the address is a scripted server, which can show the requests that it has seen."""
    if base_url is None or not base_url.startswith("http://127.0.0.1:"):
        return False
    try:
        with urllib.request.urlopen(f"{base_url.removesuffix('/v1')}/seen", timeout=2) as answer:
            return "requests" in json.load(answer)
    except (URLError, ValueError):
        return False
