"""The gate in a small library of one language or of both: a few manuals, asked in their own language and in the other
one, with and without what a model adds to a question; and asked about other things.

Found: an imagined passage alone covers nothing, right or wrong: it is worth less than the threshold. Whoever asks in
the other language is covered by the translated question, which a model gives with the passage."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from itertools import cycle
from types import SimpleNamespace
from typing import Any, cast

from benchmarks.manuals import LANGUAGES, Fact, manuals
from library import Library
from providers.llm import Model
from retrieval.hyde import HypotheticalPassage, HypotheticalRequest, Languages
from schema import Evidence, IncomingFile, Language, SearchRequest
from settings import Settings
from web.gate import is_covered

_STRANGERS = 200
LIBRARIES: tuple[tuple[Language, ...], ...] = (("en",), ("zh",), LANGUAGES)
_MODEL = cast(Model, SimpleNamespace(calls=[]))  # it is there and is never asked: what it would say is given


class _Imagined(HypotheticalRequest):
    """A sentence of the library, as a model that knows its manuals would have imagined it."""

    def __init__(self, fact: Fact) -> None:
        super().__init__()
        self._given = HypotheticalPassage(fact.sentence, fact.language)

    async def ask(self, model: Model, question: str, languages: Languages, *, translate: bool) -> HypotheticalPassage:
        return self._given


async def shares(languages: tuple[Language, ...], documents: int, strangers: Sequence[str]) -> dict[str, float]:
    """Of the questions of each kind, those that the library covers by the default threshold."""
    shelf = manuals(documents, languages)
    facts = [fact for manual in shelf for fact in manual.facts]
    others = strangers[:: max(1, len(strangers) // _STRANGERS)][:_STRANGERS]
    with tempfile.TemporaryDirectory(prefix="citewise-coverage-") as folder:
        own = {"CITEWISE_DATA_DIR": folder, "CITEWISE_OLLAMA": "false", "CITEWISE_INGEST_WORKERS": "0"}
        settings = Settings.from_mapping(own)
        async with await Library.open(settings) as library:
            tasks = await library.submit([IncomingFile(one.name, one.text.encode()) for one in shelf])
            await library.finished([task.id for task in tasks])
            await library.settle()
            chunks = library.stats().chunks

            def share(found: Sequence[Evidence]) -> float:
                return sum(is_covered(one, settings, chunks).covered for one in found) / len(found)

            async def asked(fact: Fact, translated: str = "", **more: Any) -> Evidence:
                request = SearchRequest(fact.question.to(_other(fact.language)), translated=translated)
                return await library.evidence_for(request, **more)

            return {
                "own language": share([await library.search(one.question.to(one.language)) for one in facts]),
                "other language": share([await asked(one) for one in facts]),
                "translated": share([await asked(one, translated=one.question.to(one.language)) for one in facts]),
                "imagined": share([await asked(one, model=_MODEL, hypothetical=_Imagined(one)) for one in facts]),
                "about other things": share([await library.search(one) for one in others]),
                "and imagined": share(
                    [
                        await library.evidence_for(SearchRequest(one), model=_MODEL, hypothetical=_Imagined(fact))
                        for one, fact in zip(others, cycle(facts), strict=False)
                    ]
                ),
            }


def _other(language: Language) -> Language:
    return "zh" if language == "en" else "en"
