"""From a question to evidence: one strategy runs, a model may help it, a reranker may sort what it found."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from errors import strategy_named
from providers.notices import without_repeats
from providers.rerankers import LLMReranker, Reranker
from retrieval.blocking_search import BlockingSearch, SearchOutcome, SearchResources
from retrieval.duplicates import distinct
from retrieval.joined_words import joined_words, with_joined
from retrieval.other_words import related_message, words_in_best
from retrieval.part_evidence import share_places
from retrieval.ranking import QuestionRanking, rank_side_by_side
from retrieval.regional_terms import WordChange, changed, library_words, regional_message, words_of_source
from retrieval.sections import merge_neighbours
from retrieval.spelling import corrected, corrected_words, corrections
from retrieval.translated_form import found_by_dictionary
from retrieval.words_apart import words_apart
from schema import EntityContext, Evidence, Hit, Message, SearchRequest, Step, StrategyName
from settings import Settings
from stores.base import Store
from text import detect_language

log = logging.getLogger(__name__)


class LibraryWords(NamedTuple):
    """A request in the words of the library."""

    request: SearchRequest  # its question and parts as they are searched
    misspelt: dict[str, str]  # words that were put right
    regional: tuple[WordChange, ...]  # for which the library says another region's, or which it writes apart or in one


async def search(request: SearchRequest, parts: SearchResources, words: LibraryWords | None = None) -> Evidence:
    """What the store holds on a question, best first.

    A chunk that only its vector found must be near enough: `settings.min_similarity` is the share of the way from the
    cosine of unrelated texts (0) to that of a usual match (1), as calibrated for the space. Whatever a model fails at
    becomes a notice. The parts of a question are searched beside it, and nothing is imagined for them, nor for it in
    the default strategy: each of them is to be found by its own words. Raises SpaceChanged when the space is swapped
    meanwhile.
    """
    began, settings = time.perf_counter(), parts.settings
    reranker = _reranker(parts)
    strategy, notices = _chosen(request, parts)
    if words is None:
        words = await asyncio.to_thread(in_library_words, request, parts.store, settings)
    request, misspelt, regional = words
    rankings = await rank_side_by_side(request, strategy, parts, reranker)
    whole, *others = rankings
    notices += dict.fromkeys(one for ranking in rankings for one in ranking.notices)
    steps = _slowest(whole.steps, rankings)
    if reranker is None and settings.reranker == "llm":
        steps.append(Step("rerank", 0.0, _NO_RERANKER))
        notices.append(_NO_RERANKER)
    contexts: tuple[EntityContext, ...] = ()
    if strategy == "abstract" and request.in_context and (parts.model or request.search_method is not None):
        contexts, step = await _contexts(whole.look, settings)
        steps.append(step)
    ranked, confidence, has_evidence = whole.ranked, whole.confidence, request.parts
    if others:
        shared = await asyncio.to_thread(share_places, request.parts, whole, others, parts.store)
        ranked, confidence, has_evidence = shared.ranked, shared.confidence, shared.has_evidence
        notices += shared.notices
        if request.in_context:
            ranked = await asyncio.to_thread(distinct, ranked, len(ranked))
    wanted = settings.rerank_top_k if whole.reranked else settings.top_k
    kept = ranked[: request.top_k or max(wanted, 1 + len(has_evidence))]
    hits = kept
    if request.in_context:
        hits = await asyncio.to_thread(merge_neighbours, kept, parts.store, settings.max_context_length)
    found, imagined = whole.found, whole.imagined
    _log(found.strategy, request.question, hits, confidence)
    said, related = _said_otherwise(request.question, found, hits)
    glosses = whole.glosses(kept)
    elsewhere = glosses if hits and detect_language(hits[0].text) not in (whole.look.language, None) else {}
    found_by = _found_by(hits, misspelt, (*regional, *said), related, elsewhere)
    notices += [found_by] if found_by else []
    return Evidence(
        changed(request.question, said),
        "default" if found.strategy == "hyde" and imagined.failure else found.strategy,
        hits,
        confidence,
        time.perf_counter() - began,
        without_repeats(notices, parts.model.calls if parts.model else ()),
        found_by=found_by,
        steps=tuple(steps),
        translated=request.translated or imagined.translated or " ".join(glosses.values()),
        hypothetical=imagined.passage,
        considered=tuple(one for ranking in rankings for one in ranking.considered(kept, hits)),
        parts=has_evidence,
        contexts=contexts,
    )


def _said_otherwise(
    question: str, found: SearchOutcome, hits: Sequence[Hit]
) -> tuple[tuple[WordChange, ...], Sequence[WordChange]]:
    """For which words of the question the best source says others that mean the same, in order, or related ones."""
    if not hits:
        return (), ()
    best = hits[0].indexed_text
    near = words_in_best(found.other_words, question, best)
    return tuple(sorted((*words_of_source(question, best), *near.same), key=lambda one: one.start)), near.related


def in_library_words(request: SearchRequest, store: Store, settings: Settings) -> LibraryWords:
    """Blocks."""
    literal = (request.strategy or settings.strategy) == "keyword"
    if request.search_method is not None:  # the path of seed 001 knows no parts
        request = replace(request, parts=())
    misspelt = corrections(request.question, store)
    question = _cut(corrected(request.question, misspelt), store)
    regional = library_words(question, store, literal)
    parts = [one._replace(question=_cut(corrected(one.question, misspelt), store)) for one in request.parts]
    others = [library_words(one.question, store, literal) for one in parts]
    searched = [one._replace(question=changed(one.question, words)) for one, words in zip(parts, others, strict=True)]
    question = changed(question, regional)
    joined = joined_words(question, store)
    request = replace(request, question=with_joined(question, joined), parts=tuple(searched))
    return LibraryWords(request, misspelt, (*regional, *joined))


def _cut(question: str, store: Store) -> str:
    return changed(question, words_apart(question, store))


def _found_by(
    hits: Sequence[Hit],
    misspelt: Mapping[str, str],
    regional: Sequence[WordChange],
    related: Sequence[WordChange],
    glosses: Mapping[str, str],
) -> Message | None:
    """By which words that were not typed: corrected ones, another region's or form's and those that mean the same,
    related ones, and those of a dictionary where the best source is in another language and no model has translated."""
    told = [
        *([corrected_words(misspelt)] if misspelt else []),
        *([regional_message(regional)] if regional and hits and not glosses else []),
        *([related_message(related)] if related else []),
        *([found_by_dictionary(glosses)] if glosses else []),
    ]
    return Message(zh="".join(one.zh for one in told), en=" ".join(one.en for one in told)) if told else None


def _slowest(steps: Sequence[Step], rankings: Sequence[QuestionRanking]) -> list[Step]:
    """The steps, each with the seconds of the ranking that took longest over it: they went side by side."""
    return [
        replace(step, seconds=max(one.seconds for each in rankings for one in each.steps if one.name == step.name))
        for step in steps
    ]


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
