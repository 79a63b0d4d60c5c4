"""Rerankers at an address, in the forms of the package `rerankers`; with a time-out, which its own calls lack."""

from __future__ import annotations

from typing import Any

import httpx2

from providers.certificates import certificates
from providers.rerankers.base import RerankError
from providers.rerankers.local import Scorer
from schema import Message
from settings import Settings


def remote_scorer(settings: Settings) -> Scorer:
    """Scores by place. It raises RerankError when the address does not answer as it should."""
    from rerankers.models.api_rankers import APIRanker

    url = settings.reranker_base_url
    ranker: Any = APIRanker(model_of(settings), key_of(settings), settings.reranker_type, verbose=0, url=url)

    def score(question: str, texts: list[str]) -> list[float]:
        from rerankers.utils import prep_docs

        documents = prep_docs(texts, list(range(len(texts))), None)
        body = ranker._format_payload(question, documents)
        try:
            reply = httpx2.post(
                ranker.url, headers=ranker.headers, content=body, timeout=settings.rerank_timeout, verify=certificates()
            )
            reply.raise_for_status()
            found = ranker._parse_response(reply.json(), documents)
        except (httpx2.HTTPError, ValueError, LookupError, TypeError) as error:
            raise _no_scores(ranker.url, error) from error
        return by_place(found, len(texts))

    return score


def model_of(settings: Settings) -> str:
    """The model that is set, or the one that the package takes for its kind."""
    from rerankers.reranker import DEFAULTS

    usual = DEFAULTS[settings.reranker_type]
    return settings.reranker_model or str(usual.get("other") or usual["en"])


def key_of(settings: Settings) -> str:
    return settings.reranker_api_key.get_secret_value() if settings.reranker_api_key else ""


def by_place(found: list[Any], count: int) -> list[float]:
    """From 1 for the best to 1/2, 0 for what was left out: scores that mean something only beside each other."""
    if all(one.score is not None for one in found):
        found = sorted(found, key=lambda one: -one.score)
    places = {int(one.document.doc_id): 1 - place / (2 * len(found)) for place, one in enumerate(found)}
    return [places.get(number, 0.0) for number in range(count)]


def _no_scores(url: str, error: Exception) -> RerankError:
    status = f" {error.response.status_code}" if isinstance(error, httpx2.HTTPStatusError) else ""
    return RerankError(
        Message(
            zh=f"重排服务 {url} 没有给出可用的结果（{type(error).__name__}{status}）。",
            en=f"The reranker at {url} gave nothing usable ({type(error).__name__}{status}).",
        ),
        Message(
            zh="请检查 CITEWISE_RERANKER_BASE_URL、CITEWISE_RERANKER_API_KEY 和模型名。",
            en="Check CITEWISE_RERANKER_BASE_URL, CITEWISE_RERANKER_API_KEY and the model's name.",
        ),
    )
