"""A library as a `VectorStore` of LangChain: what is added is found by keywords and by both together as well."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from langchain_core.documents import Document as Found
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore
from langchain_core.vectorstores.utils import maximal_marginal_relevance

from providers.base import Embedder
from providers.features import normalised
from retrieval.langchain.documents import Filter, batch, langchain_documents, meant, scope_of, whole
from retrieval.langchain.embedding import ModelSource, VectorSource, source_of
from retrieval.langchain.problems import no_ids, other_length, part_of
from schema import Document, Hit, Vectors
from stores.base import Store
from stores.problems import SpaceChanged

T = TypeVar("T")

_TOGETHER = 500  # texts that are embedded and stored in one transaction
_TRIES = 3  # when the space is swapped meanwhile


class CitewiseVectorStore(VectorStore):
    """Blocking calls may come from any threads; the asynchronous ones wait in threads, so the event loop stays free.

    Without `path` or `store` the library is gone when it is closed. With a `doc_set`, what is added belongs to that
    set and nothing else is found; without, all of the library is found. `filter` is a mapping of metadata, where a
    list means any of its values, or a `schema.Scope`; it is applied before ranking. What a person can act on is a
    CitewiseError.

        with CitewiseVectorStore(CitewiseEmbeddings(), "my_library") as store:
            store.add_texts(["年假十五天。"], [{"author": "HR"}], ids=["leave"])
            store.similarity_search("年假有几天？", k=1, filter={"author": "HR"})
    """

    def __init__(
        self,
        embedding: Embeddings | Embedder | VectorSource,
        path: str | Path | None = None,
        *,
        store: Store | None = None,
        doc_set: str | None = None,
    ) -> None:
        """Raises StoreError when the folder cannot be used or another program has it open."""
        from stores.embedded import EmbeddedStore

        self._own = None if store is not None else EmbeddedStore(Path(path) if path else None)
        self.store: Store = store if store is not None else self._own  # type: ignore[assignment]
        self.doc_set = doc_set
        self.source = source_of(self.store, embedding)

    @property
    def embeddings(self) -> Embeddings | None:
        return self.source.embeddings if isinstance(self.source, ModelSource) else None

    def close(self) -> None:
        """A store that was handed in stays open."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> CitewiseVectorStore:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    # --- documents -----------------------------------------------------------------------------------------------

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Add or replace by id; their ids, made up where none is given. Only texts that are new are embedded.

        500 at a time are stored, all of these or none. Raises StoreError for metadata that are not JSON, before
        anything is stored.
        """
        given = list(texts)
        for what, values in (("metadatas", metadatas), ("ids", ids)):
            if values and len(values) != len(given):
                raise ValueError(f"{len(values)} {what} for {len(given)} texts")
        names = [one or str(uuid.uuid4()) for one in ids or [""] * len(given)]
        metadata_rows = metadatas or [{}] * len(given)
        home = self.doc_set or ""
        rows = zip(names, given, metadata_rows, strict=True)
        documents = {name: whole(name, text, row or {}, home) for name, text, row in rows}  # the last of one id
        waiting = list(documents.values())
        for place in range(0, len(waiting), _TOGETHER):
            self._put(waiting[place : place + _TOGETHER])
        return names

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        """Unknown ids are passed over. Raises StoreError, and deletes nothing, without ids, and for a chunk of a
        document that has others."""
        if ids is None:
            raise no_ids()
        chosen = meant(self.store, ids, self.doc_set)
        for one, (info, _) in chosen.items():
            if info.chunks > 1:
                raise part_of(one, info)
        self.store.delete_all([(info.name, info.doc_set) for info, _ in chosen.values()])
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Found]:
        """In the order asked for, without unknown ones."""
        hits = []
        for info, position in meant(self.store, ids, self.doc_set).values():
            if position is not None or info.chunks == 1:
                hits += self.store.chunks(info.name, info.doc_set, position or 0, 1)
        return [document for _, document in langchain_documents(self.store, hits, self.doc_set)]

    def calibrate(self) -> None:
        """Learn from what is stored how far the vectors can be trusted beside keywords, for `CitewiseRetriever`. Some
        2,000 texts are embedded for it; worth it once a library is filled. A library of the app does so by itself."""
        if isinstance(self.source, ModelSource):
            self.source.calibrate()

    # --- searching -----------------------------------------------------------------------------------------------

    def similarity_search(self, query: str, k: int = 4, filter: Filter = None, **kwargs: Any) -> list[Found]:
        return [document for document, _ in self.similarity_search_with_score(query, k, filter)]

    def similarity_search_with_score(
        self, query: str, k: int = 4, filter: Filter = None, **kwargs: Any
    ) -> list[tuple[Found, float]]:
        """With their cosines in [-1, 1], best first."""
        return self._by_question(query, lambda vector: self._near(vector, k, filter))

    def similarity_search_by_vector(
        self, embedding: list[float], k: int = 4, filter: Filter = None, **kwargs: Any
    ) -> list[Found]:
        return self._by_vector(embedding, lambda vector: [document for document, _ in self._near(vector, k, filter)])

    def max_marginal_relevance_search(
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        filter: Filter = None,
        **kwargs: Any,
    ) -> list[Found]:
        return self._by_question(query, lambda vector: self._diverse(vector, k, fetch_k, lambda_mult, filter))

    def max_marginal_relevance_search_by_vector(
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        filter: Filter = None,
        **kwargs: Any,
    ) -> list[Found]:
        return self._by_vector(embedding, lambda vector: self._diverse(vector, k, fetch_k, lambda_mult, filter))

    def _select_relevance_score_fn(self) -> Any:
        """The cosine itself, 0 where it is below: how LangChain's stores of unit vectors score."""
        return lambda cosine: min(max(cosine, 0.0), 1.0)

    # --- constructors --------------------------------------------------------------------------------------------

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        path: str | Path | None = None,
        **kwargs: Any,
    ) -> CitewiseVectorStore:
        """A library in a folder, made where there is none, or one that is gone when it is closed."""
        made = cls(embedding, path, **kwargs)
        try:
            made.add_texts(texts, metadatas, ids=ids)
        except BaseException:
            made.close()
            raise
        return made

    # --- inside --------------------------------------------------------------------------------------------------

    def _put(self, documents: Sequence[Document]) -> None:
        texts = list(dict.fromkeys(document.text for document in documents))
        for attempt in range(1, _TRIES + 1):
            embedder = self.source.ready(texts)
            size, key = embedder.space.dimensions, embedder.space.key
            known = {text: row for text, row in self.store.known_vectors(texts).items() if row.shape == (size,)}
            new = [text for text in texts if text not in known]
            known.update(zip(new, embedder.embed(new) if new else (), strict=True))
            try:
                self.store.put_all([batch(document, known[document.text], key) for document in documents])
                return
            except SpaceChanged:
                if attempt == _TRIES:
                    raise

    def _by_question(self, query: str, look: Callable[[Vectors], list[T]]) -> list[T]:
        """What is found by the vector of a question; in one space, whichever serves."""
        for _ in range(_TRIES):
            embedder = self.source.serving()
            if embedder is None:
                break
            try:
                result = look(embedder.embed_question(query))
            except SpaceChanged:
                continue
            if self.store.space_key() == embedder.space.key:
                return result
        return []

    def _by_vector(self, given: Sequence[float], look: Callable[[Vectors], list[T]]) -> list[T]:
        try:
            return look(np.asarray(given, np.float32))
        except SpaceChanged as changed:
            space = self.store.space()
            raise other_length(space.dimensions if space else 0, len(given)) from changed

    def _near(self, vector: Vectors, k: int, given: Filter) -> list[tuple[Found, float]]:
        hits = self._hits(vector, k, given)
        return [(document, hit.score) for hit, document in langchain_documents(self.store, hits, self.doc_set)]

    def _diverse(self, vector: Vectors, k: int, fetch_k: int, lambda_mult: float, given: Filter) -> list[Found]:
        hits = self._hits(vector, fetch_k, given)
        rows = self.store.vectors([hit.chunk_id for hit in hits])
        chosen = maximal_marginal_relevance(vector, list(rows), lambda_mult, k)
        return [
            document for _, document in langchain_documents(self.store, [hits[place] for place in chosen], self.doc_set)
        ]

    def _hits(self, vector: Vectors, k: int, given: Filter) -> list[Hit]:
        """Best first, their scores the cosines."""
        scope, asked = scope_of(given, self.doc_set), normalised(vector)
        if scope is None or k < 1:
            return []
        cosines = dict(self.store.search_vector(asked, k, scope))
        return [replace(hit, score=cosines[hit.chunk_id]) for hit in self.store.hits(list(cosines))]
