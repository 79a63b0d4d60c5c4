"""The embedded store, through its contract."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

import faiss  # noqa: F401  # the store imports it and the next when it is opened; imports are not counted
import tantivy  # noqa: F401

from benchmarks.store_corpus import Question
from benchmarks.store_work import CANDIDATES, HITS, Side, best, seconds, serve
from schema import Hit
from stores.base import DocumentBatch
from stores.embedded import EmbeddedStore

if TYPE_CHECKING:
    from stores.postgres.store import PostgresStore


class Ours(Side):
    store: EmbeddedStore | PostgresStore

    def opened(self) -> EmbeddedStore | PostgresStore:
        return EmbeddedStore(self.folder)

    def build(self) -> dict[str, float]:
        """Make the library, a thousand chunks at a time; making the chunks up does not count."""
        store = self.opened()
        store.swap_space(self.corpus.space, [], [])
        put = sum(seconds(store.put_all, block) for block in self.corpus.blocks())
        settled, closed = seconds(store.settle), seconds(store.close)
        return {"build, s": put + settled + closed, "of it to settle, s": settled}

    def open(self) -> float:
        return seconds(self._first_hit)

    def _first_hit(self) -> None:
        self.store = self.opened()
        assert self.search("hybrid", self.questions[0])

    def search(self, way: str, question: Question) -> list[Hit]:
        how, _, among = way.partition(", ")
        scope, k = question.scope(among or "everywhere"), CANDIDATES if how == "hybrid" else HITS
        keyword = dict(self.store.search_terms(question.terms, k, scope)) if how != "vector" else {}
        cosine = dict(self.store.search_vector(question.vector, k, scope)) if how != "keyword" else {}
        return self.store.hits(best(keyword, cosine))

    def nearest(self, among: str) -> list[list[str]]:
        """For each question the chunks with the nearest vectors, as "document#position"."""
        found = (self.store.search_vector(one.vector, HITS, one.scope(among)) for one in self.questions)
        hits = (self.store.hits([one.chunk_id for one in ranked]) for ranked in found)
        return [[f"{hit.document}#{hit.position}" for hit in some] for some in hits]

    def add(self, batch: DocumentBatch) -> None:
        self.store.put(batch)

    def delete(self, batch: DocumentBatch) -> None:
        self.store.delete(batch.document.name, batch.document.doc_set)

    def index(self) -> str:
        """The vector index that serves, and how much of it a question looks at."""
        about = self.store.vector_index()
        assert about
        return f"{about.kind} {about.effort}/{about.most}"

    def beside(self, documents: int) -> tuple[list[float], list[float]]:
        """Seconds of searches while a thread adds documents without pause, and of each of these."""
        batches = [self.corpus.later(1_000 + number) for number in range(documents)]
        writes: list[float] = []
        thread = threading.Thread(target=lambda: writes.extend(seconds(self.add, batch) for batch in batches))
        thread.start()
        searches: list[float] = []
        while thread.is_alive():
            searches += self.ask("hybrid", [len(searches) % len(self.questions)])
        thread.join()
        return searches, writes


if __name__ == "__main__":
    serve(Ours, sys.argv[1:])
