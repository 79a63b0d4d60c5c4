"""What one question finds, in its order: the search, a model's help where it is weak, and the reranker's say."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from providers.llm import Model
from providers.rerankers import Reranker
from retrieval.blocking_search import BlockingSearch, SearchOutcome, SearchResources
from retrieval.by_language import Lead, lead, led_by
from retrieval.by_meaning import MOST as LOOKED_AT
from retrieval.by_meaning import WEAK, by_meaning
from retrieval.duplicates import split_duplicates
from retrieval.hyde import HypotheticalPassage
from retrieval.passage_fates import considered_passages
from retrieval.rerank import MOST, rerank
from retrieval.translated_form import glosses
from schema import ConsideredPassage, Hit, Message, SearchRequest, Step, StrategyName

_LONGEST = 20_000  # characters of a question that are read
Distinct = tuple[tuple[Hit, ...], Mapping[int, int]]  # hits, and of each that repeats one of them which it repeats
_SPARE = 4  # times as many candidates as are wanted: some take the places of those that repeat others


@dataclass(frozen=True, slots=True)
class QuestionRanking:
    """What a question, or a part of it, has found: by the search, without duplicates, and in the reranker's order."""

    part: str  # "" of the question as a whole
    look: BlockingSearch
    found: SearchOutcome
    imagined: HypotheticalPassage
    repeats: Mapping[int, int]
    given: Sequence[Hit]
    ranked: tuple[Hit, ...]
    confidence: float
    steps: Sequence[Step]
    notices: Sequence[Message]
    reranked: bool = False

    def considered(self, kept: Sequence[Hit], hits: Sequence[Hit]) -> Iterator[ConsideredPassage]:
        """`kept` was chosen of all rankings, and is read as `hits`."""
        found = self.found
        considered = considered_passages(found.hits, self.repeats, self.given, self.ranked, kept, hits, found.ways)
        yield from (replace(one, part=self.part) for one in (*considered, *found.behind))

    def glosses(self, kept: Sequence[Hit]) -> Mapping[str, str]:
        """The question's words by which the dictionary has found those of `kept` that are in another language."""
        return glosses(self.found.by_dictionary, self.look.language, kept)


async def rank_side_by_side(
    request: SearchRequest, strategy: StrategyName, parts: SearchResources, reranker: Reranker | None
) -> list[QuestionRanking]:
    """The question's ranking, then those of its parts. Each part is looked for by its share of the candidates."""
    settings = parts.settings
    wanted = request.top_k or settings.top_k
    count = max(wanted, min(2 * wanted, MOST)) if reranker else wanted
    silent, share = replace(parts, model=None), -(-count // max(len(request.parts), 1))
    whole = replace(request, question=request.question[:_LONGEST])
    imagines = parts if strategy == "hyde" or not request.parts else silent
    asked = [replace(request, question=part.question, translated="", parts=()) for part in request.parts]
    tasks = [
        asyncio.create_task(one)
        for one in (
            _ranking(whole, strategy, imagines, reranker, count),
            *(_ranking(one, strategy, silent, reranker, share, part=True) for one in asked),
        )
    ]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


async def _ranking(
    request: SearchRequest,
    strategy: StrategyName,
    parts: SearchResources,
    reranker: Reranker | None,
    count: int,
    part: bool = False,
) -> QuestionRanking:
    """The search, `count` of what it found sorted by the reranker."""
    spare = _SPARE if request.in_context and request.search_method is None else 1
    look = BlockingSearch(request, strategy, parts, spare * count)
    found, (hits, repeats), imagined, steps = await _found(look, parts, request.translated, count)
    notices = [_not_imagined(imagined.failure)] if imagined.failure else []
    ranked, confidence, done = hits, found.confidence, False
    if reranker and hits:
        again = await rerank(request.question, hits, confidence, reranker, parts.settings, found.ways)
        ranked, confidence, done, steps = again.hits, again.confidence, again.done, [*steps, again.step]
        notices += again.notices
    elif len(hits) > 1 and look.goes_by_words and not (imagined.passage or request.parts):
        began = time.perf_counter()
        first = await asyncio.to_thread(_lead, request.question, look, found)
        if first or confidence < WEAK:
            if request.in_context:  # of more than are read: the passage that answers may stand behind
                looked_at = len(found.hits) if first else LOOKED_AT
                hits, repeats = await asyncio.to_thread(split_duplicates, found.hits, max(count, looked_at))
            ranked = hits
            if confidence < WEAK:
                ranked = await asyncio.to_thread(by_meaning, request.question, hits, found.ways)
            if first:
                ranked = led_by(first, look.language, ranked, found.ways)
            steps = [*steps, Step("meaning", time.perf_counter() - began)]
    return QuestionRanking(
        request.question if part else "", look, found, imagined, repeats, hits, ranked, confidence,
        steps, [*notices, *look.notices], done,
    )  # fmt: skip


def _lead(question: str, look: BlockingSearch, found: SearchOutcome) -> Lead | None:
    if not (found.own and found.by_dictionary):
        return None
    return lead(question, look.language, found.own, found.by_dictionary, found.hits, found.ways)


async def _found(
    look: BlockingSearch, parts: SearchResources, translated: str, count: int
) -> tuple[SearchOutcome, Distinct, HypotheticalPassage, list[Step]]:
    """The search, and again with what the model imagines: for `hyde` always (it writes while the first search runs),
    for `default` when the first search is weak."""
    model, took, imagined = parts.model, [0.0], HypotheticalPassage()

    def search(translated: str, imagined: HypotheticalPassage | None) -> tuple[SearchOutcome, Distinct]:
        outcome = look.run(translated, imagined)
        return outcome, split_duplicates(outcome.hits, count) if look.request.in_context else (outcome.hits, {})

    async def run(translated: str, imagined: HypotheticalPassage | None = None) -> tuple[SearchOutcome, Distinct]:
        began = time.perf_counter()
        done = await asyncio.to_thread(search, translated, imagined)
        took[0] += time.perf_counter() - began
        return done

    async def imagine(model: Model) -> HypotheticalPassage:
        languages = await asyncio.to_thread(look.languages)
        translate = languages.both and not translated
        return await parts.hypothetical.ask(model, look.request.question, languages, translate=translate)

    if model is not None and look.strategy == "hyde":
        asking = asyncio.create_task(imagine(model))
        try:
            (found, kept), imagined = await run(translated), await asking
        finally:
            asking.cancel()
    else:
        found, kept = await run(translated)
        if model is not None and look.strategy == "default" and found.confidence < parts.settings.hyde_below:
            imagined = await imagine(model)
    if imagined.passage or imagined.translated:
        found, kept = await run(translated or imagined.translated, imagined)
    asked = imagined.passage or imagined.failure
    return found, kept, imagined, [Step("search", took[0]), *([Step("hyde", imagined.seconds)] if asked else [])]


def _not_imagined(failure: Message) -> Message:
    return Message(
        zh=f"没有得到假设文档，只按问题检索。{failure.zh}",
        en=f"There is no hypothetical document; the search went by the question alone. {failure.en}",
    )
