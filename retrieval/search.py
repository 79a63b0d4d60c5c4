"""From a question to evidence: one strategy runs, a model may help it, a reranker may sort what it found."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import replace

from errors import strategy_named
from providers.llm import Model
from providers.notices import without_repeats
from providers.rerankers import LLMReranker, Reranker
from retrieval.blocking_search import BlockingSearch, SearchOutcome, SearchResources
from retrieval.duplicates import split_duplicates
from retrieval.hyde import HypotheticalPassage
from retrieval.passage_fates import considered_passages
from retrieval.rerank import MOST, rerank
from retrieval.sections import merge_neighbours
from retrieval.translated_form import found_by_dictionary
from schema import EntityContext, Evidence, Hit, Message, SearchRequest, Step, StrategyName
from settings import Settings
from text import detect_language

log = logging.getLogger(__name__)

_LONGEST = 20_000  # characters of a question that are read
_SPARE = 4  # times as many candidates as are wanted: some take the places of those that repeat others


async def search(request: SearchRequest, parts: SearchResources) -> Evidence:
    """What the store holds on a question, best first.

    A chunk that only its vector found must be near enough: `settings.min_similarity` is the share of the way from the
    cosine of unrelated texts (0) to that of a usual match (1), as calibrated for the space. Whatever a model fails at
    becomes a notice. Raises SpaceChanged when the space is swapped meanwhile.
    """
    began, settings = time.perf_counter(), parts.settings
    wanted = request.top_k or settings.top_k
    reranker = _reranker(parts)
    strategy, notices = _chosen(request, parts)
    count = max(wanted, min(2 * wanted, MOST)) if reranker else wanted
    request = replace(request, question=request.question[:_LONGEST])
    spare = _SPARE if request.in_context and request.search_method is None else 1
    look = BlockingSearch(request, strategy, parts, spare * count)
    found, imagined, steps = await _found(look, parts, request.translated)
    if imagined.failure:
        notices.append(_not_imagined(imagined.failure))
    hits, confidence = found.hits, found.confidence
    repeats: dict[int, int] = {}
    if request.in_context:
        hits, repeats = await asyncio.to_thread(split_duplicates, hits, count)
    ranked = given = hits
    if reranker and hits:
        again = await rerank(request.question, hits, confidence, reranker, settings, found.ways)
        ranked, confidence, steps = again.hits, again.confidence, [*steps, again.step]
        notices += again.notices
        wanted = request.top_k or settings.rerank_top_k if again.done else wanted
    elif settings.reranker == "llm" and parts.model is None:
        steps = [*steps, Step("rerank", 0.0, _NO_RERANKER)]
        notices.append(_NO_RERANKER)
    contexts: tuple[EntityContext, ...] = ()
    if found.strategy == "abstract" and request.in_context and (parts.model or request.search_method is not None):
        contexts, step = await _contexts(look, settings)
        steps = [*steps, step]
    hits = kept = ranked[:wanted]
    if request.in_context:
        hits = await asyncio.to_thread(merge_neighbours, kept, parts.store, settings.max_context_length)
    _log(found.strategy, request.question, hits, confidence)
    if found.glosses and hits and parts.model is None and detect_language(hits[0].text) not in (look.language, None):
        notices.append(found_by_dictionary(found.glosses))
    return Evidence(
        request.question,
        "default" if found.strategy == "hyde" and imagined.failure else found.strategy,
        hits,
        confidence,
        time.perf_counter() - began,
        without_repeats((*notices, *look.notices), parts.model.calls if parts.model else ()),
        steps=tuple(steps),
        translated=request.translated or imagined.translated or " ".join(found.glosses.values()),
        hypothetical=imagined.passage,
        considered=(*considered_passages(found.hits, repeats, given, ranked, kept, hits, found.ways), *found.behind),
        contexts=contexts,
    )


async def _contexts(look: BlockingSearch, settings: Settings) -> tuple[tuple[EntityContext, ...], Step]:
    """Within a budget of their own: as large as that of the sources on the path of seed 001, else a third of it."""
    began, most = time.perf_counter(), settings.max_context_length
    contexts = await asyncio.to_thread(look.contexts, most if look.request.search_method else most // 3)
    return contexts, Step("context", time.perf_counter() - began)


def _log(strategy: str, question: str, hits: Sequence[Hit], confidence: float) -> None:
    """Every score, for whoever asks for them (CITEWISE_LOG_LEVEL=DEBUG)."""
    log.debug("%s found %d for %r, confidence %.3f", strategy, len(hits), question, confidence)
    for hit in hits:
        log.debug("  chunk_id=%d, score=%.4f, %s", hit.chunk_id, hit.score, hit.scores)


async def _found(
    look: BlockingSearch, parts: SearchResources, translated: str
) -> tuple[SearchOutcome, HypotheticalPassage, list[Step]]:
    """The search, and again with what the model imagines: for `hyde` always (it writes while the first search runs),
    for `default` when the first search is weak."""
    model, took, imagined = parts.model, [0.0], HypotheticalPassage()

    async def run(translated: str, imagined: HypotheticalPassage | None = None) -> SearchOutcome:
        began = time.perf_counter()
        found = await asyncio.to_thread(look.run, translated, imagined)
        took[0] += time.perf_counter() - began
        return found

    async def imagine(model: Model) -> HypotheticalPassage:
        languages = await asyncio.to_thread(look.languages)
        translate = languages.both and not translated
        return await parts.hypothetical.ask(model, look.request.question, languages, translate=translate)

    if model is not None and look.strategy == "hyde":
        asking = asyncio.create_task(imagine(model))
        try:
            found, imagined = await run(translated), await asking
        finally:
            asking.cancel()
    else:
        found = await run(translated)
        if model is not None and look.strategy == "default" and found.confidence < parts.settings.hyde_below:
            imagined = await imagine(model)
    if imagined.passage or imagined.translated:
        found = await run(translated or imagined.translated, imagined)
    asked = imagined.passage or imagined.failure
    return found, imagined, [Step("search", took[0]), *([Step("hyde", imagined.seconds)] if asked else [])]


def _chosen(request: SearchRequest, parts: SearchResources) -> tuple[StrategyName, list[Message]]:
    """The strategy that runs, and what is to be said about it."""
    if request.search_method is not None:
        return "abstract" if request.search_method else "vector", []
    wanted = strategy_named(request.strategy or parts.settings.strategy)
    if wanted == "hyde" and parts.model is None:
        return "rm3", [_NO_MODEL]
    return wanted, []


def _reranker(parts: SearchResources) -> Reranker | None:
    if parts.reranker is None and parts.settings.reranker == "llm" and parts.model is not None:
        return LLMReranker(parts.model, parts.settings)
    return parts.reranker


_NO_MODEL = Message(
    zh="“假设文档”检索需要语言模型；没有模型时由伪相关反馈（RM3）代替。",
    en="A hypothetical document (hyde) is written by a language model; without one, pseudo-relevance feedback (RM3) "
    "took its place.",
)
_NO_RERANKER = Message(
    zh="没有重排，按检索得分排列：重排由语言模型完成，目前没有可用的模型。",
    en="Not reranked; this is the order of the search. A language model is to rerank, and there is none.",
)


def _not_imagined(failure: Message) -> Message:
    return Message(
        zh=f"没有得到假设文档，只按问题检索。{failure.zh}",
        en=f"There is no hypothetical document; the search went by the question alone. {failure.en}",
    )
