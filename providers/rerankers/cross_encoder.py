"""Cross-encoders and other local models through the package `rerankers` (extra `rerank`, which brings torch)."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Any

from errors import missing_extra
from providers.model_files import torch_folder
from providers.rerankers.base import RerankError
from providers.rerankers.local import Scorer, model_folder, sigmoid
from schema import Message
from settings import Settings


def load(settings: Settings) -> Scorer:
    """Raises CitewiseError when the extra is not installed, or the model not on this machine."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        raise missing_extra("rerank")
    folder = model_folder(settings, torch_folder)
    # With litellm installed, importing rerankers would fetch a list of prices from the web.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from rerankers import Reranker

    # Without its type, a path that contains "jina" or "cohere" would become a call to an address.
    ranker: Any = Reranker(str(folder), model_type=settings.reranker_type, verbose=0)
    if ranker is None:  # what the package returns when something is missing
        raise RerankError(
            Message(
                zh=f"rerankers 无法载入类型为“{settings.reranker_type}”的模型，缺少它需要的软件包。",
                en=f"rerankers cannot load a model of the type {settings.reranker_type!r}: a package is missing.",
            ),
            Message(zh="请运行：uv sync --extra rerank", en="Run: uv sync --extra rerank"),
        )
    logits = settings.reranker_type == "cross-encoder"

    def score(question: str, texts: list[str]) -> list[float]:
        found = ranker.rank(question, texts, doc_ids=list(range(len(texts)))).results
        if logits:
            scores = {one.document.doc_id: sigmoid(float(one.score)) for one in found}
        else:  # these scores mean something only beside each other: their order is what they say
            scores = {one.document.doc_id: 1 - place / (2 * len(found)) for place, one in enumerate(found)}
        return [scores[place] for place in range(len(texts))]

    return score
