"""Who embeds what comes through LangChain: a model of LangChain's in a space of its own, or an embedder of ours."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Protocol, runtime_checkable

import numpy as np
from langchain_core.embeddings import Embeddings

from providers.base import Embedder
from providers.calibration import calibrate, tried_every
from providers.features import normalised
from providers.hashing import HashingEmbedder
from retrieval.langchain.problems import nobody_embeds, other_model, unusable
from schema import Space, Vectors
from stores.base import Store

_PROVIDER = "langchain"
_NAMES = ("model", "model_name", "model_id", "repo_id", "deployment")  # where LangChain's classes have a model's name
_FIXED = "The harbour master logs twelve ships a day. 港务长每天登记十二艘船。"
_SAME = 0.99  # cosine of the fixed text with itself, by the same model in another batch or on another machine


class CitewiseEmbeddings(Embeddings):
    """An embedder of ours for LangChain, offline and without a model: feature hashing, or TF-IDF by `fit`."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self.embedder = embedder or HashingEmbedder(512)

    @classmethod
    def fit(cls, texts: Sequence[str], dimensions: int = 512) -> CitewiseEmbeddings:
        """A space learned from these texts, of at most so many dimensions. It finds more than hashing does."""
        from providers.tfidf import fit

        return cls(fit(texts, dimensions))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self.embedder.embed(texts).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        row: list[float] = self.embedder.embed_question(text).tolist()
        return row


@runtime_checkable
class VectorSource(Protocol):
    """Where the vectors of a library come from. Blocking and thread-safe."""

    def serving(self) -> Embedder | None:
        """The embedder of the serving space; None while nothing is stored, or where nobody can embed in it."""

    def ready(self, texts: Sequence[str]) -> Embedder:
        """The same; these texts are about to be stored, and the first ones of a library make its space."""


class LangChainEmbedder:
    """An `Embedder` over LangChain's contract. A blank text gets zeros: many models refuse it."""

    def __init__(self, embeddings: Embeddings, space: Space) -> None:
        self._embeddings, self.space = embeddings, space

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.space.dimensions), np.float32)
        filled = [place for place, text in enumerate(texts) if text.strip()]
        if filled:
            found = self._embeddings.embed_documents([texts[place] for place in filled])
            rows[filled] = _checked(found, (len(filled), self.space.dimensions), self.space.model)
        return rows

    def embed_question(self, question: str) -> Vectors:
        if not question.strip():
            return np.zeros(self.space.dimensions, np.float32)
        return _checked(self._embeddings.embed_query(question), (self.space.dimensions,), self.space.model)

    def embed_questions(self, questions: Sequence[str]) -> Vectors:
        rows = [self.embed_question(question) for question in questions]
        return np.array(rows, np.float32).reshape(len(questions), self.space.dimensions)


def source_of(store: Store, given: Embeddings | Embedder | VectorSource) -> VectorSource:
    """An embedding model for this store, or what takes care of a library's vectors already."""
    return given if isinstance(given, VectorSource) else ModelSource(store, given)


class LibrarySource:
    """Whoever looks after the space of a library: `embedder` is that of `library.Library`."""

    def __init__(self, embedder: Callable[[Sequence[str]], Embedder | None]) -> None:
        self._embedder = embedder

    def serving(self) -> Embedder | None:
        return self._embedder(())

    def ready(self, texts: Sequence[str]) -> Embedder:
        """Raises EmbeddingError where nobody can embed now."""
        if (found := self._embedder(texts)) is None:
            raise nobody_embeds()
        return found


class ModelSource:
    """One model for a library: its space is made when the first text is stored, and no other model may serve it.

    A name does not tell a model, so the space keeps the vector of one fixed text, by which it is known again.
    """

    def __init__(self, store: Store, embedding: Embeddings | Embedder) -> None:
        self._store = store
        self.embeddings = embedding if isinstance(embedding, Embeddings) else CitewiseEmbeddings(embedding)
        self._model: LangChainEmbedder | None = None
        self._lock = threading.Lock()

    def serving(self) -> Embedder | None:
        """Raises StoreError where the library is filled with the vectors of another model."""
        with self._lock:
            return self._serving()

    def ready(self, texts: Sequence[str] = ()) -> Embedder:
        """Raises StoreError like `serving`."""
        with self._lock:
            if (found := self._serving()) is not None:
                return found
            model = self._opened()
            self._store.swap_space(model.space, [], np.zeros((0, model.space.dimensions), np.float32))
            return model

    def calibrate(self) -> None:
        """Learn from the stored texts how far their vectors can be trusted beside BM25; embeds some 2,000 texts."""
        with self._lock:
            model = self._serving()
            if model is None:
                return
            chosen = [chunk_id for chunk_id, _ in self._store.indexed_texts()]
            texts = [text for _, text in self._store.indexed_texts(chosen[:: tried_every(len(chosen))])]
            model.space = replace(model.space, calibration=calibrate(model, texts), fitted_on=len(chosen))
            self._store.note_learned(model.space)

    def _serving(self) -> LangChainEmbedder | None:
        key = self._store.space_key()
        if key is None:
            return None
        model = self._opened()
        if model.space.key == key:
            return model
        if self._store.stats().chunks:
            raise other_model(key, model.space.key)
        return None

    def _opened(self) -> LangChainEmbedder:
        """The model with its space: the library's, if it is the one that made it."""
        if self._model is None:
            known = self._store.space()
            space = self._space(known)
            self._model = LangChainEmbedder(self.embeddings, known if known and known.key == space.key else space)
        return self._model

    def _space(self, known: Space | None) -> Space:
        if isinstance(self.embeddings, CitewiseEmbeddings):
            return self.embeddings.embedder.space
        kind = type(self.embeddings)
        model = next((name for of in _NAMES if isinstance(name := getattr(self.embeddings, of, None), str)), "")
        name = f"{kind.__name__}:{model}" if model else kind.__name__
        vector = _checked(self.embeddings.embed_documents([_FIXED])[0], None, name)
        if known and (known.provider, known.model, known.dimensions) == (_PROVIDER, name, len(vector)):
            before = np.frombuffer(known.payload, np.float32)
            if before.shape == vector.shape and (before @ vector >= _SAME or not (before.any() or vector.any())):
                return known
        payload = vector.tobytes()
        return Space(_PROVIDER, name, sha256(payload).hexdigest()[:16], len(vector), payload)


def _checked(rows: Any, shape: tuple[int, ...] | None, model: str) -> Vectors:
    """The rows of a model, of length 1 or 0; of any shape where none is known yet. Raises EmbeddingError."""
    try:
        found = np.asarray(rows, np.float32)
    except (TypeError, ValueError) as error:
        raise unusable(model) from error
    if found.shape != (shape or (found.size,)) or not found.size or not np.isfinite(found).all():
        raise unusable(model)
    return normalised(found)
