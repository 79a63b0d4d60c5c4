"""The store by hand: rank_bm25 and LangChain's FAISS with its docstore, both in memory."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import chain

import numpy as np
from langchain_community.vectorstores import FAISS
from langchain_community.vectorstores.utils import DistanceStrategy
from langchain_core.documents import Document
from langchain_core.embeddings import FakeEmbeddings
from rank_bm25 import BM25Okapi

from benchmarks.store_corpus import RARE, Question
from benchmarks.store_work import CANDIDATES, HITS, Side, best, seconds, serve
from schema import Vectors
from stores.base import DocumentBatch


class ByHand(Side):
    """As quick as these parts are in one process: FAISS with all cores, BM25 scored only where a filter leaves
    something, the best ones by partition. Adding rebuilds BM25 and merges a small FAISS into the large one."""

    def open(self) -> float:
        """Seconds to build it; making it up does not count."""
        batches = list(chain.from_iterable(self.corpus.blocks()))
        self._tokens = [terms.split() for batch in batches for terms in batch.terms]
        self._about = [about for batch in batches for about in _about(batch)]
        return seconds(self._rebuild) + seconds(self._embed, batches)

    def _rebuild(self) -> None:
        self._bm25 = BM25Okapi(self._tokens)
        self._places = {about["id"]: place for place, about in enumerate(self._about)}
        self._with: dict[tuple[str, str], list[int]] = {}
        for place, about in enumerate(self._about):
            for name in ("document", "doc_set", "author"):
                self._with.setdefault((name, about[name]), []).append(place)

    def _embed(self, batches: Sequence[DocumentBatch]) -> None:
        self._faiss = _faiss(batches)

    def search(self, way: str, question: Question) -> list[Document]:
        how, _, among = way.partition(", ")
        only = {
            "1 % by set": ("doc_set", RARE), "1 % by metadata": ("author", RARE),
            "one document": ("document", question.document),
        }.get(among)  # fmt: skip
        k = CANDIDATES if how == "hybrid" else HITS
        keyword = self._keyword(question.terms, k, only) if how != "vector" else {}
        cosine = self._cosine(question.vector, k, only) if how != "keyword" else {}
        found: list[Document] = self._faiss.get_by_ids([self._about[place]["id"] for place in best(keyword, cosine)])
        return found

    def _keyword(self, terms: list[str], k: int, only: tuple[str, str] | None) -> dict[int, float]:
        if only is None:
            scores = self._bm25.get_scores(terms)
            highest = np.argpartition(-scores, k)[:k]
            return dict(zip(highest.tolist(), scores[highest].tolist(), strict=True))
        places = self._with[only]
        scores = self._bm25.get_batch_scores(terms, places)
        return dict(sorted(zip(places, scores, strict=True), key=lambda one: -one[1])[:k])

    def _cosine(self, vector: Vectors, k: int, only: tuple[str, str] | None) -> dict[int, float]:
        """Filtered as LangChain does it, after the search: of twice as many as should hold k that are right."""
        chunks = len(self._tokens)
        fetched = min(chunks, 2 * k * chunks // len(self._with[only])) if only else k
        found = self._faiss.similarity_search_with_score_by_vector(
            vector.tolist(), k=k, filter=dict([only]) if only else None, fetch_k=fetched
        )
        return {self._places[document.metadata["id"]]: float(score) for document, score in found}

    def add(self, batch: DocumentBatch) -> None:
        self._tokens += [terms.split() for terms in batch.terms]
        self._about += _about(batch)
        self._rebuild()
        self._faiss.merge_from(_faiss([batch]))

    def delete(self, batch: DocumentBatch) -> None:
        gone = {about["id"] for about in _about(batch)}
        kept = [place for place, about in enumerate(self._about) if about["id"] not in gone]
        self._tokens = [self._tokens[place] for place in kept]
        self._about = [self._about[place] for place in kept]
        self._rebuild()
        self._faiss.delete(sorted(gone))

    def save(self) -> None:
        """What LangChain's FAISS writes; rank_bm25 has no form on disk but a pickle."""
        self._faiss.save_local(str(self.folder))


def _about(batch: DocumentBatch) -> list[dict[str, str]]:
    document = batch.document
    about = {"document": document.name, "doc_set": document.doc_set, "author": document.metadata["author"]}
    return [{**about, "id": f"{document.name}#{position}"} for position in range(len(batch.chunks))]


def _faiss(batches: Sequence[DocumentBatch]) -> FAISS:
    texts = [chunk.text for batch in batches for chunk in batch.chunks]
    vectors = [vector for batch in batches for vector in batch.vectors]
    metadata = [about for batch in batches for about in _about(batch)]
    return FAISS.from_embeddings(
        zip(texts, vectors, strict=True), FakeEmbeddings(size=len(vectors[0])), metadata,
        [about["id"] for about in metadata], distance_strategy=DistanceStrategy.MAX_INNER_PRODUCT,
    )  # fmt: skip


if __name__ == "__main__":
    serve(ByHand, sys.argv[1:])
