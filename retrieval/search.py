"""From a question to evidence: one strategy runs, its candidates become hits with comparable scores."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace

from providers.base import Embedder
from retrieval.calibration import Calibration
from retrieval.lexical import Weighted
from retrieval.strategies import STRATEGIES, Candidate, Query
from schema import EVERYWHERE, Evidence, Hit, Message, Scope, StrategyName
from settings import Settings
from stores.base import SpaceChanged, Store
from text import detect_language, language_of, question_terms

log = logging.getLogger(__name__)

_CANDIDATES = 50  # of each ranking, before fusion
_JUDGED = 3  # hits that confidence looks at: one question is rarely answered by more passages
_RESORTED = 30  # candidates whose language is looked at
_FOREIGN = 0.8
_LONGEST = 20_000  # characters of a question that are read

_INSTEAD = {
    "hyde": Message(
        zh="“假设文档”检索需要语言模型，本版本尚未提供；已改用默认检索。",
        en="Retrieval by a hypothetical document (hyde) needs a language model and is not part of this version yet; "
        "the default retrieval was used instead.",
    ),
    "abstract": Message(
        zh="“摘要”检索需要语言模型事先写好的摘要，本版本尚未提供；已改用默认检索。",
        en="Retrieval by abstracts needs summaries written by a language model and is not part of this version yet; "
        "the default retrieval was used instead.",
    ),
}
_NO_VECTORS = Message(
    zh="资料库的向量暂不可用，本次只按关键词检索。",
    en="The library's vectors cannot be used right now; this search went by keywords alone.",
)


def search(
    question: str,
    *,
    store: Store,
    embedder: Embedder | None,
    settings: Settings,
    strategy: StrategyName | None = None,
    scope: Scope = EVERYWHERE,
    top_k: int | None = None,
    extra_terms: Sequence[str] = (),
) -> Evidence:
    """What the store holds on a question, best first; the settings' strategy and top_k where none is given.

    `extra_terms` are search tokens of the conversation before; they count less than the question's own. A chunk that
    only its vector found must be near enough: `settings.min_similarity` is the share of the way from the cosine of
    unrelated texts (0) to that of a usual match (1), as calibrated for the space. Without an embedder of the serving
    space BM25 runs alone, with a notice. Safe in any thread. Raises SpaceChanged when the space is swapped meanwhile.
    """
    began = time.perf_counter()
    wanted = strategy or settings.strategy
    notices = [_INSTEAD[wanted]] if wanted in _INSTEAD else []
    running: StrategyName = "default" if wanted in _INSTEAD else wanted
    serving = store.space_key()
    if embedder is None or embedder.space.key != serving:
        if running != "keyword":
            notices += [_NO_VECTORS] if serving else []  # an empty library has none to miss
            running = "keyword"
        embedder = None
    count = top_k or settings.top_k
    question = question[:_LONGEST]
    query = Query(
        question,
        Weighted.of(question_terms(question), store, extra_terms),
        store,
        embedder,
        Calibration.of(embedder.space if embedder else None, language_of(question, settings.fallback_language)),
        max(_CANDIDATES, count),
        scope,
        settings.min_similarity,
    )
    candidates = _own_language_first(query, STRATEGIES[running](query))
    if embedder and store.space_key() != serving:
        raise SpaceChanged(serving)
    hits, confidence = _judged(query, candidates[:count])
    seconds = time.perf_counter() - began
    log.debug("%s found %d for %r in %.3f s, confidence %.3f", running, len(hits), question, seconds, confidence)
    for candidate in candidates:
        log.debug("  %s", candidate)
    return Evidence(question, running, hits, confidence, seconds, tuple(notices))


def _own_language_first(query: Query, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with those in another language than the question's taken down by `_FOREIGN`.

    A question that meets both languages of a library does so by names and identifiers, and these say less in a text
    whose other words it could not meet at all. Nothing changes where all candidates are of one language.
    """
    asked = detect_language(query.question)
    found = query.hits(candidate.chunk_id for candidate in candidates[:_RESORTED])
    weighed = [
        replace(one, score=one.score * _FOREIGN)
        if one.chunk_id in found and asked and detect_language(found[one.chunk_id].text) not in {asked, None}
        else one
        for one in candidates[:_RESORTED]
    ]
    return sorted(weighed, key=lambda one: -one.score) + list(candidates[_RESORTED:])


def _judged(query: Query, candidates: Sequence[Candidate]) -> tuple[tuple[Hit, ...], float]:
    """The candidates as hits, and how well the best of them cover the question.

    Confidence is the share of the question's weight (idf; a word that the library does not know weighs most) that one
    of the best hits says, anywhere and close together; where their cosine is not even that of a usual match, it takes
    up to half away. The best hit's score is the confidence, the others have their
    part of it, so that scores mean the same under every strategy.
    """
    found = query.hits(candidate.chunk_id for candidate in candidates)
    kept = [candidate for candidate in candidates if candidate.chunk_id in found]
    best = max((candidate.score for candidate in kept), default=0.0)
    judged = [query.terms.coverage(found[candidate.chunk_id].indexed_text) for candidate in kept[:_JUDGED]]
    cosines = [candidate.cosine for candidate in kept[:_JUDGED] if candidate.cosine is not None]
    nearness = query.calibration.similarity(max(cosines)) if cosines else 1.0
    confidence = max(judged, default=0.0) * (1 + nearness) / 2
    hits = []
    for candidate in kept:
        raw = {"bm25": candidate.bm25, "keyword": candidate.keyword, "cosine": candidate.cosine}
        scores = {name: score for name, score in raw.items() if score is not None} | {"fused": candidate.score}
        score = confidence * max(0.0, candidate.score) / best if best > 0 else 0.0
        hits.append(replace(found[candidate.chunk_id], score=score, scores=scores))
    return tuple(hits), confidence
