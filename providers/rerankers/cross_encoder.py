"""Cross-encoders and every other kind of reranker for text that the package `rerankers` has."""

from __future__ import annotations

import os
from typing import Any

from providers.model_files import torch_folder
from providers.rerankers.base import RerankError
from providers.rerankers.kinds import KINDS, missing
from providers.rerankers.local import Scorer, model_folder, sigmoid
from providers.rerankers.remote import by_place, key_of, model_of, remote_scorer
from schema import Message
from settings import Settings


def load(settings: Settings) -> Scorer:
    """Raises CitewiseError when a package or a key is missing, or the model is not on this machine."""
    if (problem := missing(settings)) is not None:
        raise problem
    name, where = settings.reranker_type, KINDS[settings.reranker_type].where
    # With litellm installed, importing rerankers would fetch a list of prices from the web.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    if where == "address":
        return remote_scorer(settings)
    arguments = _local(settings) if where == "here" else _language_model(settings)
    from rerankers import Reranker

    # Without its type, a path that contains "jina" or "cohere" would become a call to an address.
    ranker: Any = Reranker(**arguments, model_type=name, verbose=0)
    if ranker is None:  # what the package returns when something is missing
        raise RerankError(
            Message(
                zh=f"rerankers 无法载入类型为“{name}”的模型，缺少它需要的软件包。",
                en=f"rerankers cannot load a model of the type {name!r}: a package is missing.",
            ),
            Message(zh="请运行：uv sync --extra rerank", en="Run: uv sync --extra rerank"),
        )

    def score(question: str, texts: list[str]) -> list[float]:
        found = ranker.rank(question, texts, doc_ids=list(range(len(texts)))).results
        if name != "cross-encoder":
            return by_place(found, len(texts))
        scores = {one.document.doc_id: sigmoid(float(one.score)) for one in found}
        return [scores[place] for place in range(len(texts))]

    return score


def _local(settings: Settings) -> dict[str, Any]:
    folder = model_folder(settings, torch_folder)
    if settings.reranker_type == "flashrank":  # it looks for a folder of a known name, and would download it
        return {"model_name": folder.name, "cache_dir": str(folder.parent)}
    return {"model_name": str(folder)}


def _language_model(settings: Settings) -> dict[str, Any]:
    key = {} if settings.reranker_type == "llm-relevance-filter" else {"api_key": key_of(settings)}
    return {"model_name": model_of(settings), **key}
