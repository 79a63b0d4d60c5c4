"""What a page is about. An extractor is one class in one file, registered here."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from errors import CitewiseError
from providers.llm import Model
from schema import Language, Message, StructuredSummary
from web.base import Extractor
from web.extracting.model import ModelExtractor
from web.extracting.statistics import StatisticsExtractor, Usage

__all__ = ["EXTRACTORS", "ExtractionAids", "ExtractionResult", "Usage", "extract"]
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ExtractionAids:
    """What an extractor may use, as far as it is there."""

    model: Model | None = None
    usage: Usage | None = None
    tokens: int = 4000  # that a model reads of a page


class ExtractionResult(NamedTuple):
    structured: StructuredSummary
    note: Message | None = None  # why it is not by the extractor that was asked first


EXTRACTORS: dict[str, Callable[[ExtractionAids], Extractor | None]] = {  # in this order; None: it lacks something
    "model": lambda aids: ModelExtractor(aids.model, aids.tokens) if aids.model else None,
    "statistics": lambda aids: StatisticsExtractor(aids.usage),
}


async def extract(
    title: str, text: str, language: Language, model: Model | None = None, *, usage: Usage | None = None,
    tokens: int = 4000,
) -> ExtractionResult:  # fmt: skip
    """By the first extractor that can; `text` is the page in Markdown, `tokens` how much of it a model reads."""
    aids, note = ExtractionAids(model, usage, tokens), None
    for make in EXTRACTORS.values():
        extractor = make(aids)
        if extractor is None:
            continue
        try:
            return ExtractionResult(await extractor.extract(title, text, language), note)
        except CitewiseError as error:
            log.info("extracting by %s: %s", extractor.name, error.message.en)
            note = Message(
                zh=f"要点由统计得出，因为模型没有给出：{error.message.zh}",
                en=f"What the page is about was found by statistics, since the model did not say: {error.message.en}",
            )
    return ExtractionResult(StructuredSummary(title=title), note)
