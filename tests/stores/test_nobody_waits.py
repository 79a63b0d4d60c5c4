"""Searches never wait for a write: every kind of reading, while a writer is held where it may take long."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from store_cases import batch, embed, found, serve, space

import stores.safety.backup
import stores.sql.writing
from schema import Scope
from stores.base import DocumentBatch, Store
from stores.embedded import EmbeddedStore
from stores.indexes.tantivy_index import TermIndex

_PATIENCE = 60  # seconds, for what would hang for ever where it is wrong
TEXTS = [f"all a place{number}" for number in range(5)]


@contextmanager
def held(place: Callable[[Callable[[], None]], None], work: Callable[[], object]) -> Iterator[Future[object]]:
    """While `work`, in a thread, is held where `place` lets a call in."""
    arrived, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        arrived.set()
        assert go_on.wait(_PATIENCE)

    place(wait)
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(work)
        try:
            assert arrived.wait(_PATIENCE)
            yield running
            assert not running.done()
        finally:
            go_on.set()
        running.result(_PATIENCE)


def everything(store: Store) -> None:
    """Every kind of reading, in a thread of its own: one that waits for the writer never ends."""

    def read() -> None:
        hits = store.hits([one.chunk_id for one in store.search_terms(["a"], 9)])
        assert {hit.document for hit in hits} == {"a.md"}
        assert len(hits) == 5
        assert len(store.search_terms(["a"], 9, Scope(documents=("a.md",)))) == 5
        assert store.document_frequencies(["a"]) == [5]
        serving = store.space()
        assert serving
        assert len(store.search_vector(embed(["a"], serving.model)[0], 3)) == 3
        assert len(store.search_vector(embed(["a"], serving.model)[0], 9, Scope(documents=("a.md",)))) == 5
        assert [info.name for info in store.documents()][-1] == "a.md"
        assert store.stats().documents
        assert store.doc_sets()
        assert store.tasks() == []
        assert store.space_key()
        assert len(store.chunks("a.md")) == 5
        assert store.document("a.md")
        assert store.document_vector("a.md").any()
        ids = [hit.chunk_id for hit in hits]
        assert store.around(ids, 1)
        assert store.terms(ids)
        assert store.vectors(ids).any()
        assert store.opening(Scope(), 1)

    with ThreadPoolExecutor(1) as threads:
        threads.submit(read).result(_PATIENCE)


def new() -> DocumentBatch:
    return batch("new.md", [f"all new place{number}" for number in range(5)])


@pytest.fixture(params=["folder", "throw-away"])
def embedded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EmbeddedStore]:
    """A store of one document."""
    store = EmbeddedStore(tmp_path / "library" if request.param == "folder" else None)
    serve(store)
    store.put(batch("a.md", TEXTS))
    yield store
    store.close()


@pytest.mark.parametrize("method", ["_commit", "_note"])
def test_no_search_waits_for_the_terms_of_a_writer(embedded, monkeypatch, method):
    with held(lambda wait: _before(monkeypatch, TermIndex, method, wait), lambda: embedded.put(new())):
        everything(embedded)
    assert len(found(embedded, "new")) == 5


def test_no_search_waits_for_a_transaction(embedded, monkeypatch):
    def place(wait: Callable[[], None]) -> None:
        put_all = stores.sql.writing.put_all

        def slowly(*arguments: Any) -> Any:
            done = put_all(*arguments)
            wait()  # all is written and not committed
            return done

        monkeypatch.setattr(stores.sql.writing, "put_all", slowly)

    with held(place, lambda: embedded.put(new())):
        everything(embedded)
        assert embedded.document("new.md") is None
    assert len(found(embedded, "new")) == 5


def _before(monkeypatch: pytest.MonkeyPatch, owner: type, method: str, wait: Callable[[], None]) -> None:
    original = getattr(owner, method)

    def waiting(*arguments: Any) -> Any:
        wait()
        return original(*arguments)

    monkeypatch.setattr(owner, method, waiting)


def test_no_search_waits_for_a_swap_of_the_space(embedded):
    ids, vectors = [one[0] for one in embedded.indexed_texts()], embed(TEXTS, "two")
    waits: list[Callable[[], None]] = []

    def slowly() -> Iterator[Any]:
        for vector in vectors:
            waits[0]()
            yield vector

    with held(waits.append, lambda: embedded.swap_space(space("two"), ids, slowly())):
        everything(embedded)
    assert embedded.space_key() == space("two").key


def test_no_search_waits_for_the_vector_index_of_a_new_space(embedded, monkeypatch):
    def place(wait: Callable[[], None]) -> None:
        _before(monkeypatch, type(embedded._nearest), "made", wait)

    old = embedded.space_key()
    with held(place, lambda: serve(embedded, "two")):

        def read() -> None:
            assert embedded.space().key == embedded.space_key() == old  # one space in all that it tells
            assert len(found(embedded, "a")) == 5
            assert len(embedded.search_vector(embed(["a"])[0], 3)) == 3  # of the old one

        with ThreadPoolExecutor(1) as threads:
            threads.submit(read).result(_PATIENCE)


def test_no_search_waits_for_a_rebuilding(embedded, monkeypatch):
    with held(lambda wait: _before(monkeypatch, TermIndex, "_commit", wait), embedded.rebuild):
        everything(embedded)
    everything(embedded)


def test_nobody_waits_for_a_backup(tmp_path, monkeypatch):
    store = EmbeddedStore(tmp_path / "library")
    serve(store)
    store.put(batch("a.md", TEXTS))
    original = stores.safety.backup.zipfile.ZipFile  # it copies into an archive: held when that is opened

    def slow(*arguments: Any, **options: Any) -> Any:
        waits[0]()
        return original(*arguments, **options)

    waits: list[Callable[[], None]] = []
    monkeypatch.setattr(stores.safety.backup.zipfile, "ZipFile", slow)
    with held(waits.append, lambda: store.backup(tmp_path / "backup.zip")):
        everything(store)
        with ThreadPoolExecutor(1) as threads:
            threads.submit(store.put, new()).result(_PATIENCE)  # a writer neither
        assert len(found(store, "new")) == 5
    store.close()
