"""A library whose searches ask a scripted model for a passage."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from retrieval_cases import TEXTS, fill

from benchmarks.model_server import ModelServer, Script, model_server
from providers.llm import Chain, Model
from retrieval.hyde import HypotheticalRequest
from retrieval.search import SearchResources, search
from schema import Evidence, SearchRequest
from settings import Settings
from stores.embedded import EmbeddedStore

QUESTION = "When was the lighthouse built?"
PASSAGE = "Ships in the bay steer by the lighthouse and two red buoys."
ENGLISH = {name: texts for name, texts in TEXTS.items() if name.isascii()}


@asynccontextmanager
async def asking(
    script: Script, texts: dict[str, list[str]] = ENGLISH, **variables: str
) -> AsyncIterator[tuple[Callable[..., object], ModelServer, Model]]:
    """A function that searches these texts with this model."""
    store = EmbeddedStore()
    filled = fill(store, texts)
    with model_server(script) as server:
        found = Settings.from_mapping(
            {
                "CITEWISE_OLLAMA": "false",
                "CITEWISE_LLM_MODEL": "m",
                "CITEWISE_LLM_BASE_URL": server.base_url,
                "CITEWISE_LLM_TIMEOUT": "5",
                **variables,
            }
        )
        chain = Chain(found)
        model = chain.model()

        async def ask(question: str, *, hypothetical: HypotheticalRequest | None = None, **options: object) -> Evidence:
            parts = SearchResources(store, filled.embedder, found, model, None, hypothetical or HypotheticalRequest())
            return await search(SearchRequest(question, **options), parts)

        try:
            yield ask, server, model
        finally:
            await chain.close()
            store.close()
