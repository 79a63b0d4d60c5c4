"""What a choice is made among, and libraries for those that need documents cut or embedded in another way."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import AsyncExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Self, get_args

from evaluation.lab.choosing import Score
from evaluation.lab.results import CaseResult
from graph.lab.variants import Variant
from graph.turns import Assistant
from nodes.overrides import Overrides
from providers.embeddings import chosen
from providers.model_files import DEFAULT, onnx_folder
from schema import ChunkerName, Chunking, EmbeddingName, StrategyName
from settings import Settings

_OFFLINE: tuple[StrategyName, ...] = ("keyword", "vector", "hybrid", "rm3")  # beside the default
_TOP_K = (3, 8)
_PROSE: tuple[ChunkerName, ...] = tuple(one for one in get_args(ChunkerName) if one != "code")


def candidates(
    settings: Settings, *, reranks: bool, model: bool, chunking: bool = False, embeddings: bool = False
) -> list[Variant]:
    """All that can be set without cost: strategies, how many passages are read, the reranker where there is one; with
    `chunking` the chunkers, with `embeddings` what else can embed on this machine."""
    strategies = [*_OFFLINE, *(("hyde",) if model else ())]
    found = [Variant.of(one) for one in ("default", *strategies) if one != settings.strategy]
    found += [Variant(overrides=Overrides(top_k=k)) for k in _TOP_K if k != settings.top_k]
    if reranks:
        found.append(Variant(overrides=Overrides(rerank="off")))
    if chunking:
        found += [Variant(chunker=one) for one in _PROSE if one != settings.chunker]
    if embeddings:
        found += [Variant(embedding=one) for one in embedders_here(settings) if one != chosen(settings).provider]
    return found


def embedders_here(settings: Settings) -> list[EmbeddingName]:
    """What embeds without a network, and without a download."""
    without_model: list[EmbeddingName] = ["hashing"]
    if find_spec("scipy"):
        without_model.append("tfidf")
    model = settings.embedding_model if settings.embedding in ("auto", "onnx") else None
    has_model = find_spec("fastembed") and onnx_folder(model or DEFAULT, settings)
    return [*without_model, "onnx"] if has_model else without_model


def score_of(result: CaseResult) -> Score:
    """Right or not where answers were asked for; else half the order of the passages and half what is read of them."""
    figures = result.figures
    value = figures["correct"] if "correct" in figures else (figures.get("ndcg@10", 0.0) + figures.get("read", 0.0)) / 2
    return Score(value, result.seconds, result.calls, result.tokens or result.read_tokens)


class ThrowawayLibraries:
    """The documents of a library, cut by other chunkers or embedded in other ways, each in a folder that goes when this
    is closed."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self._made: dict[tuple[ChunkerName | None, EmbeddingName | None], Assistant] = {}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self._stack.aclose()

    async def of(self, variant: Variant) -> Assistant:
        """The library itself where a variant needs no other."""
        if variant.chunker is None and variant.embedding is None:
            return self._assistant
        key = variant.chunker, variant.embedding
        if key not in self._made:
            self._made[key] = await self._copy(variant)
        return self._made[key]

    async def _copy(self, variant: Variant) -> Assistant:
        folder = self._stack.enter_context(
            tempfile.TemporaryDirectory(prefix="citewise-lab-", ignore_cleanup_errors=True)
        )
        settings = Variant(chunker=variant.chunker, embedding=variant.embedding).over(self._assistant.settings)
        place = {"data_dir": Path(folder), "database_url": None, "libraries": "shared"}
        changed = {**place, "models_dir": settings.models_folder}
        copy = await Assistant.open(settings.model_copy(update=changed), warm=False)
        self._stack.push_async_callback(copy.close)
        library = self._assistant.library
        for info in library.documents():
            document = await asyncio.to_thread(library.document, info.name, info.doc_set)
            if document is not None:
                chunking = Chunking(strategy=variant.chunker) if variant.chunker else info.chunking
                tasks = await copy.library.add_documents([document], chunking=chunking)
                await copy.library.finished([task.id for task in tasks])
        await copy.library.settle()
        return copy
