"""A reranker's say: a new order, without what it finds irrelevant. If it fails, the order before it stands."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from errors import CitewiseError
from providers.rerankers import Reranker
from retrieval.bridges import HITS
from schema import Hit, Message, Step
from settings import Settings

MOST = 30  # hits that a reranker is shown
_PLACED = 0.5  # least score of a hit that an uncalibrated reranker has given a place


@dataclass(frozen=True, slots=True)
class RerankResult:
    hits: tuple[Hit, ...]
    confidence: float
    step: Step
    done: bool = True  # False: the order is the one before
    notices: tuple[Message, ...] = ()


async def rerank(
    question: str,
    hits: Sequence[Hit],
    confidence: float,
    reranker: Reranker,
    settings: Settings,
    led: Container[int] = (),
) -> RerankResult:
    """All hits in their new order, but those below `settings.rerank_floor`. Never raises.

    Those that names `led` to are not judged by the question, with which they may have no word in common: they stand
    behind the first ones, as before.
    """
    began = time.perf_counter()
    try:
        async with asyncio.timeout(settings.rerank_timeout):
            judged = [hit for hit in hits if hit.chunk_id not in led]
            scores = await reranker.rerank(question, judged[:MOST])
    except (CitewiseError, TimeoutError) as error:
        reason = error.in_full if isinstance(error, CitewiseError) else _slow(reranker.name, settings.rerank_timeout)
        notice = Message(
            zh=f"没有重排，按检索得分排列。{reason.zh}",
            en=f"Not reranked; this is the order of the search. {reason.en}",
        )
        step = Step("rerank", time.perf_counter() - began, notice)
        return RerankResult(tuple(hits), confidence, step, done=False, notices=(notice,))
    floor = settings.rerank_floor if reranker.calibrated else min(settings.rerank_floor, _PLACED)
    if reranker.calibrated:
        confidence = (confidence + max((score for score in scores if score is not None), default=0.0)) / 2
    kept = _with_led(hits_in_order(judged, scores, floor, confidence), [hit for hit in hits if hit.chunk_id in led])
    notices = (_NOTHING_LEFT,) if hits and not kept else ()
    step = Step("rerank", time.perf_counter() - began)
    return RerankResult(kept, confidence if kept else 0.0, step, notices=notices)


def hits_in_order(
    hits: Sequence[Hit], scores: Sequence[float | None], floor: float, confidence: float
) -> tuple[Hit, ...]:
    """The hits by their scores, ties in the order they came; then those without one, as they came.

    Of the scored ones those below the floor are left out. The best hit's score is the confidence, as after a search.
    """
    scored = [(hit, score) for hit, score in zip(hits, scores, strict=False) if score is not None and score >= floor]
    scored.sort(key=lambda pair: -pair[1])
    rest = [hit for hit, score in zip(hits, scores, strict=False) if score is None] + list(hits[len(scores) :])
    best = scored[0][1] if scored else 1.0
    value = confidence
    found = []
    for hit, score in scored:
        value = confidence * (score / best if best > 0 else 1.0)
        found.append(replace(hit, score=value, scores={**hit.scores, "rerank": score}))
    most = max((hit.score for hit in rest), default=0.0)
    for hit in rest:
        value = min(value, value * hit.score / most) if most > 0 else 0.0
        found.append(replace(hit, score=value))
    return tuple(found)


def _with_led(ranked: tuple[Hit, ...], led: Sequence[Hit]) -> tuple[Hit, ...]:
    first, rest = ranked[:HITS], ranked[HITS:]
    if not first or not led:
        return ranked
    behind = [replace(hit, score=min(hit.score, first[-1].score)) for hit in led]
    least = min(hit.score for hit in behind)
    return (*first, *behind, *(replace(hit, score=min(hit.score, least)) for hit in rest))


def _slow(name: str, seconds: float) -> Message:
    return Message(
        zh=f"重排器 {name} 在 {seconds:g} 秒内没有完成（CITEWISE_RERANK_TIMEOUT）。",
        en=f"The reranker {name} was not done within {seconds:g} seconds (CITEWISE_RERANK_TIMEOUT).",
    )


_NOTHING_LEFT = Message(
    zh="重排器认为找到的内容都与问题无关，因此没有采用。",
    en="The reranker finds that nothing that was found has to do with the question, so none of it is used.",
)
