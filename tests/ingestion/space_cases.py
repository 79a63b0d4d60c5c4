"""A pipeline whose embedder is at an address."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from processing import add

from benchmarks.model_server import ModelServer, Reply, vector_of
from ingestion.pipeline import Pipeline
from ingestion.signals import Signals
from ingestion.worker import WorkerPool
from schema import Chunking, StoreOutcome
from settings import Settings
from stores.embedded import EmbeddedStore
from stores.vector_cache import VectorCache

FIXED = Chunking(strategy="fixed", size=100)


def paragraphs(count: int) -> str:
    return "\n\n".join(
        f"Paragraph {n} is about the topic{n} and nothing else, at the length of some line." for n in range(count)
    )


FILE, LONG = paragraphs(16), paragraphs(40)  # of the long one a space learns how far it can be trusted


def chat(_: dict[str, Any]) -> Reply:
    raise AssertionError("nobody chats here")


class Switch:
    """The server's script, which a test exchanges while it serves."""

    def __init__(self, script: Callable[[dict[str, Any]], Reply] = lambda _: Reply()) -> None:
        self.script = script

    def __call__(self, request: dict[str, Any]) -> Reply:
        return self.script(request)


def sent(server: ModelServer, since: int = 0) -> Counter[str]:
    """How often each text was sent, but for the fixed sentences."""
    texts = (text for request in server.embedding_requests[since:] for text in request["input"])
    return Counter(text for text in texts if "harbour master" not in text and "港务长" not in text)


class Bench:
    """A pipeline on a folder (or a throw-away store) whose embedder is at an address."""

    def __init__(self, base_url: str | None, folder: Path | None = None, **values: str) -> None:
        remote = {"CITEWISE_EMBEDDING": "compatible", "CITEWISE_EMBEDDING_MODEL": "m"}
        address = {"CITEWISE_EMBEDDING_BASE_URL": base_url, **remote} if base_url else {}
        common = {"CITEWISE_INGEST_WORKERS": "0", "CITEWISE_EMBEDDING_QUESTION_TIMEOUT": "60"}
        self.settings = Settings.from_mapping({**common, **address, **values})
        self.store = EmbeddedStore(folder)
        self.cache = VectorCache(folder and folder / "vectors.db", 100)
        self.pool = WorkerPool(self.settings)
        self.pipeline = Pipeline(self.store, self.settings, self.pool, self.cache, Signals())
        self.spaces, self.upkeep = self.pipeline.spaces, self.pipeline.upkeep

    def add(self, name: str, text: str = FILE) -> StoreOutcome:
        return add(self.pipeline, name, text.encode(), FIXED)

    def finish(self) -> None:
        """Whatever is due, whatever had to wait."""
        while True:
            self.upkeep._retry_at = 0.0
            encoder = getattr(self.spaces.serving(), "_encoder", None)
            if encoder is not None:
                encoder.breaker._until = None
            if not self.upkeep.due(resting=True):
                return
            self.upkeep.run()

    def check(self) -> None:
        """Every chunk has the vector of its text."""
        space = self.store.space()
        texts = dict(self.store.indexed_texts())
        assert self.store.without_vectors() == []
        assert space.provider == "compatible"
        np.testing.assert_allclose(
            self.store.vectors(list(texts)), [vector_of(text) for text in texts.values()], atol=1e-3
        )

    def close(self) -> None:
        self.pool.close()
        self.spaces.close()
        self.cache.close()
        self.store.close()


@contextmanager
def bench(*arguments: Any, **values: str) -> Iterator[Bench]:
    bench = Bench(*arguments, **values)
    try:
        yield bench
    finally:
        bench.close()


def filled(folder: Path, *names: str) -> str:
    """A library with vectors that need no model; their space's key."""
    with bench(None, folder) as library:
        for name in names:
            library.add(name, FILE.replace("Paragraph", f"Paragraph of {name}"))
        library.finish()
        return library.store.space_key()
