"""What a choice is made among, and libraries for those that need their documents cut in another way."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Self, get_args

from evaluation.lab.choosing import Score
from evaluation.lab.results import CaseResult
from graph.lab.variants import Variant
from graph.turns import Assistant
from nodes.overrides import Overrides
from schema import ChunkerName, Chunking, StrategyName
from settings import Settings

_OFFLINE: tuple[StrategyName, ...] = ("keyword", "vector", "hybrid", "rm3")  # beside the default
_TOP_K = (3, 8)
_PROSE: tuple[ChunkerName, ...] = tuple(one for one in get_args(ChunkerName) if one != "code")


def candidates(settings: Settings, *, reranks: bool, model: bool, chunking: bool = False) -> list[Variant]:
    """All that can be set without cost: strategies, how many passages are read, the reranker where there is one; with
    `chunking` the chunkers as well."""
    strategies = [*_OFFLINE, *(("hyde",) if model else ())]
    found = [Variant.of(one) for one in ("default", *strategies) if one != settings.strategy]
    found += [Variant(overrides=Overrides(top_k=k)) for k in _TOP_K if k != settings.top_k]
    if reranks:
        found.append(Variant(overrides=Overrides(rerank="off")))
    if chunking:
        found += [Variant(chunker=one) for one in _PROSE if one != settings.chunker]
    return found


def score_of(result: CaseResult) -> Score:
    """Right or not where answers were asked for; else half the order of the passages and half what is read of them."""
    figures = result.figures
    value = figures["correct"] if "correct" in figures else (figures.get("ndcg@10", 0.0) + figures.get("read", 0.0)) / 2
    return Score(value, result.seconds, result.calls, result.tokens or result.read_tokens)


class ThrowawayLibraries:
    """The documents of a library, cut by other chunkers, each in a folder that goes when this is closed."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self._made: dict[ChunkerName, Assistant] = {}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self._stack.aclose()

    async def cut_by(self, chunker: ChunkerName | None) -> Assistant:
        """The library itself where none is named."""
        if chunker is None:
            return self._assistant
        if chunker not in self._made:
            self._made[chunker] = await self._copy(chunker)
        return self._made[chunker]

    async def _copy(self, chunker: ChunkerName) -> Assistant:
        folder = self._stack.enter_context(
            tempfile.TemporaryDirectory(prefix="citewise-lab-", ignore_cleanup_errors=True)
        )
        changed = {"data_dir": Path(folder), "database_url": None, "chunker": chunker}
        copy = await Assistant.open(self._assistant.settings.model_copy(update=changed), warm=False)
        self._stack.push_async_callback(copy.close)
        library = self._assistant.library
        for info in library.documents():
            document = await asyncio.to_thread(library.document, info.name, info.doc_set)
            if document is not None:
                tasks = await copy.library.add_documents([document], chunking=Chunking(strategy=chunker))
                await copy.library.finished([task.id for task in tasks])
        await copy.library.settle()
        return copy
