"""Who embeds in the spaces of a library: a worker, this process, or an address.

What a trained model computes is cached on disk by space and text, so that nothing is computed twice and a kill costs
one batch. Where the network does the work, a thread of this process waits for it, never a worker.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from errors import CitewiseError
from ingestion.job_runner import UnknownSpaceError
from ingestion.signals import Signals
from ingestion.worker import Worker, WorkerPool
from providers import embeddings
from providers.base import Embedder, EmbeddingError, ModelChanged
from providers.neural import NeuralEmbedder, ReadableShare
from schema import Message, Space, Vectors
from settings import Settings
from stores.base import Store
from stores.problems import SpaceChanged, VectorsMissing
from stores.vector_cache import VectorCache

log = logging.getLogger(__name__)

_BATCH = 128  # texts that are embedded and cached together, from an address
_LOCAL_BATCH = 32  # the same on this machine: files wait no longer than this for the worker
_MOST_REFUSED = 5  # texts of one call
_QUESTION = "\x00question\n"  # a question is another text than the passage of the same words

Tick = Callable[[int], None]  # told how many more texts have their vectors


class Spaces:
    """Blocking, to be called from threads, any number of them. It knows the serving space and the coming one."""

    def __init__(
        self, store: Store, settings: Settings, pool: WorkerPool, cache: VectorCache, signals: Signals
    ) -> None:
        self._store, self._settings, self._pool, self._cache, self._signals = store, settings, pool, cache, signals
        self._first, self._lock = threading.Lock(), threading.RLock()
        self._spaces: dict[str, Space] = {}
        self._embedders: dict[str, Embedder | None] = {}  # in this process; None: nobody here can embed in it
        self._retired: list[Embedder] = []  # somebody may still be waiting for one
        self._wrong: dict[str, bool] = {}  # whether the settings ask for another
        self.coming: Space | None = None
        self.problem: Message | None = None  # why a model does not answer, until it does
        self.since = ""  # when that began; ISO 8601, UTC

    # --- which ---------------------------------------------------------------------------------------------------

    def space(self, key: str) -> Space:
        """The serving space or the coming one, by its key. Raises SpaceChanged when it is neither."""
        with self._lock:
            if key not in self._spaces:
                space = self.coming if self.coming and self.coming.key == key else self._store.space()
                if space is None or space.key != key:
                    raise SpaceChanged(space.key if space else None)
                self.know(space)
            return self._spaces[key]

    def now(self) -> Space | None:
        """The serving one, also where it is swapped while one looks; None in a new library."""
        while (key := self._store.space_key()) is not None:
            try:
                return self.space(key)
            except SpaceChanged:
                if key == self._store.space_key():
                    raise
        return None

    def know(self, space: Space) -> None:
        """A space that is to serve or to come, as it is by now; others are forgotten."""
        with self._lock:
            self._spaces[space.key] = space
            known = self._embedders.get(space.key)
            if isinstance(known, NeuralEmbedder):
                known.learn(space)
            elif known is not None:
                del self._embedders[space.key]  # its calibration is fixed at its making
            keep = {space.key, self._store.space_key(), self.coming and self.coming.key}
            for of in (self._spaces, self._embedders, self._wrong):
                for key in set(of) - keep:
                    del of[key]

    def serving(self) -> Embedder | None:
        """The embedder of the serving space; None in a new library, or for a space that nobody here can embed in."""
        with self._lock:
            space = self.now()
            return None if space is None else self._embedder(space)

    def _embedder(self, space: Space) -> Embedder | None:
        with self._lock:
            if space.key not in self._embedders:
                try:
                    self._embedders[space.key] = embeddings.restore(space, self._settings, self._note_request)
                except CitewiseError as error:  # searches go by keywords until there is another space
                    self._embedders[space.key] = None
                    self.note(error)
            return self._embedders[space.key]

    def current(self) -> Space | None:
        """The serving space without its payload."""
        space = self.now()
        return None if space is None else replace(space, payload=b"")

    def outdated(self) -> bool:
        """Whether another space should serve: the settings ask for it, or this one cannot be embedded in."""
        with self._lock:
            space = self.now()
            if space is None:
                return False
            if space.key not in self._wrong:
                wrong = not embeddings.serves(space, self._settings)
                may_fail = space.provider not in embeddings.MODELLESS
                self._wrong[space.key] = wrong or (may_fail and self._embedder(space) is None)
            return self._wrong[space.key]

    def confirm(self, key: str) -> None:
        """The space is what the settings ask for after all."""
        with self._lock:
            self._wrong[key] = False

    def reconsider(self) -> None:
        """A model may have come onto this machine, and an address that rests after a failure may answer by now."""
        with self._lock:
            self._wrong.clear()
            known = {key: one for key, one in self._embedders.items() if one is not None}
            if self.problem is not None:
                self._retired += [one for one in known.values() if isinstance(one, NeuralEmbedder)]
            self._embedders = {key: one for key, one in known.items() if one not in self._retired}

    def _note_request(self, error: EmbeddingError | None) -> None:
        """From an embedder of this process, after every request."""
        if error is None:
            self.problem = None
        else:
            self.note(error)

    def note(self, error: CitewiseError) -> None:
        """What somebody met with who wanted vectors."""
        with self._lock:
            if self.problem != error.in_full:
                log.warning("%s", error)
            if self.problem is None:
                self.since = datetime.now(UTC).isoformat(timespec="seconds")
            self.problem = error.in_full
            if isinstance(error, ModelChanged) and (key := self._store.space_key()):
                self._wrong[key] = True
        self._signals.changed()

    def close(self) -> None:
        for embedder in (*self._embedders.values(), *self._retired):
            if isinstance(embedder, NeuralEmbedder):
                embedder.close()

    # --- making --------------------------------------------------------------------------------------------------

    def make_first(self, texts: Sequence[str], over: str, terms: Sequence[str] | None = None) -> str:
        """The key of the serving space; the first document of a library makes one.

        A model that is not there keeps nobody from asking: then a space that needs none serves until it is.
        """
        with self._first:
            key = self._store.space_key()
            if key is not None:
                return key
            space = None
            if embeddings.chosen(self._settings).provider not in embeddings.MODELLESS:
                try:
                    space = self.open(over, hurry=True)
                except CitewiseError as error:
                    self.note(error)
            if space is None:
                space = self._pool.run(over, lambda worker: worker.call("fit", texts, terms, report=silent))
                assert space is not None
            try:
                self._store.swap_space(space, [], np.zeros((0, space.dimensions), np.float32))
            except VectorsMissing:  # another program has made one, and stored something
                if (key := self._store.space_key()) is None:
                    raise
                return key
            self.know(space)
            return space.key

    def open(self, over: str, hurry: bool = False) -> Space:
        """The space of the trained model that the settings ask for. Raises CitewiseError."""
        serving = self._store.space()
        known = [*([serving] if serving else []), *self._cache.spaces()]
        if embeddings.chosen(self._settings).provider not in embeddings.REMOTE:
            opened: Space = self._pool.run(over, lambda worker: worker.call("open", known, report=silent))
            return opened
        embedder = embeddings.open_chosen(self._settings, known, hurry, self._note_request)
        with self._lock:
            self._embedders[embedder.space.key] = embedder
        return embedder.space

    def embed(self, texts: Sequence[str], space: Space, over: str, tick: Tick = lambda _: None) -> dict[str, Vectors]:
        """The vectors of these passages by text; those that the model refuses have none. Raises EmbeddingError."""
        return self._computed("embed", texts, "", space, over, tick)

    def embed_indexed(self, texts: Sequence[str], terms: Sequence[str], space: Space, over: str) -> Vectors:
        """Row by row, in a space that needs no model, of texts whose search terms are known, joined by spaces."""
        with self._timed(len(texts)):
            found: Vectors = self._pool.run(
                over, lambda worker: _by_worker(worker, "embed_indexed", space, texts, terms)
            )
        return found

    def embed_questions(self, questions: Sequence[str], space: Space, over: str) -> dict[str, Vectors]:
        return self._computed("embed_questions", questions, _QUESTION, space, over, lambda _: None)

    def _computed(
        self, job: str, texts: Sequence[str], mark: str, space: Space, over: str, tick: Tick
    ) -> dict[str, Vectors]:
        dear = space.provider not in embeddings.MODELLESS
        cached = self._cache.get(space, [mark + text for text in texts]) if dear else {}
        found = {text.removeprefix(mark): vector for text, vector in cached.items()}
        if dear:
            tick(len(found))
        new = [text for text in dict.fromkeys(texts) if text not in found]
        refused: list[EmbeddingError] = []
        size = _BATCH if space.provider in embeddings.REMOTE else _LOCAL_BATCH if dear else max(len(new), 1)
        for place in range(0, len(new), size):
            some = new[place : place + size]
            with self._timed(len(some)):
                done = self._without_refused(job, some, space, over, refused)
            if dear:
                self._cache.put(space, {mark + text: vector for text, vector in done.items()})
                tick(len(some))
            found.update(done)
        if refused:
            self.note(refused[0])
        return found

    @contextmanager
    def _timed(self, texts: int) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self._signals.embedded(texts, time.perf_counter() - began)

    def _without_refused(
        self, job: str, texts: Sequence[str], space: Space, over: str, refused: list[EmbeddingError]
    ) -> dict[str, Vectors]:
        """One text that a provider does not take (by its content, say) must not keep the others from being embedded:
        it is found by halving. Who refuses one after the other takes none."""
        try:
            return dict(zip(texts, self._compute(job, texts, space, over), strict=True))
        except EmbeddingError as error:
            if not error.by_text or len(refused) >= _MOST_REFUSED:
                raise
            if len(texts) == 1:
                refused.append(error)
                return {}
            half = len(texts) // 2
            parts = texts[:half], texts[half:]
            found = [self._without_refused(job, part, space, over, refused) for part in parts]
            return found[0] | found[1]

    def _compute(self, job: str, texts: Sequence[str], space: Space, over: str) -> Vectors:
        if space.provider not in embeddings.REMOTE:
            return self._pool.run(over, lambda worker: _by_worker(worker, job, space, texts))
        embedder = self._embedder(space)
        if embedder is None:
            raise EmbeddingError(self.problem or _AWAY)
        vectors: Vectors = getattr(embedder, job)(texts)
        return vectors

    def reading(self, texts: Sequence[str], space: Space, over: str) -> ReadableShare:
        """How much of these passages the space's model reads."""
        if space.provider not in embeddings.REMOTE:
            found: ReadableShare = self._pool.run(over, lambda worker: _by_worker(worker, "reading", space, texts))
            return found
        embedder = self._embedder(space)
        return embedder.reading(texts) if isinstance(embedder, NeuralEmbedder) else ReadableShare(None, None)


def _by_worker(worker: Worker, job: str, space: Space, *arguments: Any) -> Any:
    try:
        return worker.call(job, space.key, *arguments, report=silent)
    except UnknownSpaceError:
        worker.call("learn", space, report=silent)
        return worker.call(job, space.key, *arguments, report=silent)


def silent(stage: str, fraction: float) -> None:
    """What is done by the way is not a stage of a file."""


_AWAY = Message(zh="嵌入模型暂不可用。", en="The embedding model cannot be used right now.")
