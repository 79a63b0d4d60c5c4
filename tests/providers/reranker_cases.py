"""Hits to be reranked, and the settings that ask for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from benchmarks.model_server import ModelServer, Reply, model_server
from providers.llm import Chain
from providers.rerankers import LLMReranker
from schema import Hit
from settings import Settings

TEXTS = ["the cat and the dog", "weather in beijing today", "灯塔建于1874年"]


def hits(*texts: str) -> list[Hit]:
    return [Hit(number, "a.md", "", text, 0, len(text), 1, 1) for number, text in enumerate(texts, 100)]


def settings(**variables: str) -> Settings:
    return Settings.from_mapping({"CITEWISE_OLLAMA": "false", **variables})


@asynccontextmanager
async def llm(*replies: Reply, **variables: str) -> AsyncIterator[tuple[LLMReranker, ModelServer]]:
    said = iter(replies)
    with model_server(lambda _: next(said, replies[-1])) as server:
        found = settings(CITEWISE_LLM_MODEL="m", CITEWISE_LLM_BASE_URL=server.base_url, **variables)
        chain = Chain(found)
        try:
            yield LLMReranker(chain.model(), found), server
        finally:
            await chain.close()
