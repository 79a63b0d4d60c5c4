"""The vector index of a library is made anew behind the searches: nothing is lost, nothing gone is found."""

from __future__ import annotations

import logging
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import numpy as np
import pytest
from store_cases import batch, embed, nearest, serve

from schema import VectorIndexName
from stores.embedded import EmbeddedStore
from stores.indexes import library_vectors as module
from stores.indexes import vector_fitting
from stores.indexes.faiss_index import IndexFit

KINDS: list[VectorIndexName] = ["ivf", "hnsw"]
TEXTS = [f"common number{n}" for n in range(40)]


def opened(folder: Path, kind: VectorIndexName) -> EmbeddedStore:
    return EmbeddedStore(folder, vector_index=kind)


def check(store: EmbeddedStore, texts: list[str], salt: str = "one") -> None:
    """Each is found by its own vector, and nothing else is there."""
    assert sorted(text for _, text in nearest(store, "common", salt, k=999)) == sorted(texts)
    for text in texts:
        assert nearest(store, text, salt)[0][1] == text


class Pause:
    """Holds a fitting at its first step until it is let go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached, self.go_on = threading.Event(), threading.Event()
        fitted = vector_fitting.fit_index

        def held(*given):
            self.reached.set()
            self.go_on.wait()
            return fitted(*given)

        monkeypatch.setattr(module, "fit_index", held)


@pytest.mark.parametrize("kind", KINDS)
def test_a_library_that_grows_gets_the_index_that_was_asked_for(tmp_path, kind, caplog):
    caplog.set_level(logging.INFO)
    store = opened(tmp_path, kind)
    assert store.vector_index() is None
    serve(store)
    store.put(batch("few.md", TEXTS[:1]))
    store.settle()
    assert store.vector_index().kind == "flat"
    store.put(batch("more.md", TEXTS[1:]))
    store.settle()
    info = store.vector_index()
    assert (info.kind, info.vectors, info.settling) == (kind, 40, False)
    assert info.recall >= 0.99
    assert f"recall={info.recall}" in caplog.text
    check(store, TEXTS)
    store.delete("more.md")
    store.settle()
    assert store.vector_index().kind == "flat"
    check(store, TEXTS[:1])
    store.close()


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_opened_as_it_was_saved(tmp_path, kind, caplog):
    store = opened(tmp_path, kind)
    serve(store)
    store.put(batch("a.md", TEXTS))
    store.settle()
    store.put(batch("b.md", ["common late"]))  # compared in full until there are more
    before = store.vector_index()
    store.close()
    caplog.set_level(logging.INFO)
    again = opened(tmp_path, kind)
    assert again.vector_index() == before
    check(again, [*TEXTS, "common late"])
    again.close()
    assert caplog.records == []
    flat = opened(tmp_path, "flat")  # another one was asked for
    flat.settle()
    assert flat.vector_index().kind == "flat"
    check(flat, [*TEXTS, "common late"])
    flat.close()


@pytest.mark.parametrize("kind", KINDS)
def test_what_changes_while_an_index_is_made_is_in_it(tmp_path, kind, monkeypatch):
    pause = Pause(monkeypatch)
    store = opened(tmp_path, kind)
    serve(store)
    store.put(batch("a.md", TEXTS[:30]))
    pause.reached.wait()
    assert store.vector_index().settling
    store.put(batch("b.md", TEXTS[30:]))
    store.put(batch("a.md", TEXTS[10:30]))
    store.put(batch("gone.md", ["common gone"]))
    store.delete("gone.md")
    check(store, TEXTS[10:])  # the old one serves
    pause.go_on.set()
    store.settle()
    assert store.vector_index().kind == kind
    check(store, TEXTS[10:])
    store.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_space_that_is_swapped_while_an_index_is_made_serves(tmp_path, kind, monkeypatch):
    pause = Pause(monkeypatch)
    store = opened(tmp_path, kind)
    serve(store)
    store.put(batch("a.md", TEXTS))
    pause.reached.wait()
    serve(store, "two")
    check(store, TEXTS, "two")
    pause.go_on.set()
    store.settle()
    assert store.vector_index().kind == kind
    check(store, TEXTS, "two")
    store.close()


@pytest.mark.parametrize("kind", KINDS)
def test_closing_ends_the_making_of_an_index(tmp_path, kind, monkeypatch):
    pause = Pause(monkeypatch)
    store = opened(tmp_path, kind)
    serve(store)
    store.put(batch("a.md", TEXTS))
    pause.reached.wait()
    closing = threading.Thread(target=store.close)
    closing.start()
    assert store._nearest._stop.wait(60)
    pause.go_on.set()
    closing.join()
    assert not [thread for thread in threading.enumerate() if thread.name == "vector index"]
    monkeypatch.undo()
    monkeypatch.setattr(module, "_SOME", 5)
    again = opened(tmp_path, kind)
    again.settle()
    assert again.vector_index().kind == kind
    check(again, TEXTS)
    again.close()


@pytest.mark.parametrize("kind", KINDS)
def test_searches_and_changes_go_on_while_indexes_are_made(tmp_path, kind):
    store = opened(tmp_path, kind)
    serve(store)
    store.put(batch("always.md", TEXTS))
    done = threading.Event()

    def search() -> int:
        count = 0
        while not done.is_set() or not count:
            for text in TEXTS[::7]:
                ranked = store.search_vector(embed([text])[0], 1)
                assert [hit.text for hit in store.hits([ranked[0].chunk_id])] == [text]
                count += 1
        return count

    with ThreadPoolExecutor(2) as pool:
        searching = [pool.submit(search) for _ in range(2)]
        try:
            for number in range(12):
                store.put(batch("other.md", [f"other{number} text{n}" for n in range(1 + 30 * (number % 4))]))
        finally:
            done.set()
        assert all(one.result() for one in searching)
    store.delete("other.md")
    store.settle()
    check(store, TEXTS)
    store.close()


def test_what_finds_too_little_is_refused_until_the_library_has_doubled(tmp_path, monkeypatch, caplog):
    caplog.set_level(logging.INFO)
    tried = []
    fitted = vector_fitting.fit_index

    def poor(*given):
        index = fitted(*given)
        index.fit = IndexFit(len(index), (1, 1), 1, 0.5)
        tried.append(len(index))
        return index

    monkeypatch.setattr(module, "fit_index", poor)
    store = opened(tmp_path, "ivf")
    serve(store)
    for count in (10, 19, 21):
        store.put(batch("a.md", TEXTS[:count]))
        store.settle()
        assert store.vector_index().kind == "flat"
        check(store, TEXTS[:count])
    assert tried == [10, 21]
    assert "too little is found" in caplog.text
    store.close()


@pytest.mark.parametrize("failure", [MemoryError("no memory"), TypeError("no memory either")])
def test_an_index_that_cannot_be_made_is_done_without(tmp_path, monkeypatch, caplog, failure):
    tried = []

    def failing(*given):
        tried.append(given)
        raise failure

    monkeypatch.setattr(module, "fit_index", failing)
    store = opened(tmp_path, "hnsw")
    serve(store)
    store.put(batch("a.md", TEXTS))
    store.settle()
    assert str(failure) in caplog.text
    assert len(tried) == 1
    store.put(batch("b.md", ["common and more"]))
    store.settle()
    assert len(tried) == 1
    store.delete("b.md")
    check(store, TEXTS)
    store.close()


def test_settling_waits_for_a_job_that_has_not_quite_begun(tmp_path, monkeypatch):
    begin, asked, going = threading.Thread.start, threading.Event(), threading.Event()

    def late(thread):
        if thread.name == "vector index":
            asked.set()
            assert going.wait(60)
        begin(thread)

    store = opened(tmp_path, "hnsw")
    serve(store)
    with ThreadPoolExecutor(2) as pool:
        monkeypatch.setattr(threading.Thread, "start", late)
        putting = pool.submit(store.put, batch("a.md", TEXTS))
        assert asked.wait(60)
        settling = pool.submit(store._nearest.settle)
        wait([settling], timeout=0.1)  # it fails within that, or never
        going.set()
        putting.result()
        settling.result()
    assert store.vector_index().kind == "hnsw"
    store.close()


@pytest.mark.parametrize("kind", KINDS)
def test_an_index_from_before_is_brought_up_to_date(tmp_path, kind):
    """As after a kill: only what is missing is read."""
    store = opened(tmp_path / "a", kind)
    serve(store)
    store.put(batch("a.md", TEXTS[:30]))
    store.put(batch("gone.md", ["common gone"]))
    store.settle()
    store._nearest.save()
    shutil.copy(tmp_path / "a" / "vectors.faiss", tmp_path)
    store.put(batch("b.md", TEXTS[30:]))
    store.delete("gone.md")
    store.close()
    shutil.copy(tmp_path / "vectors.faiss", tmp_path / "a")
    again = opened(tmp_path / "a", kind)
    check(again, TEXTS)
    again.settle()
    check(again, TEXTS)
    again.close()


def test_vectors_of_nothing_are_kept_and_found_last(tmp_path):
    store = opened(tmp_path, "ivf")
    serve(store)
    store.put(batch("a.md", ["", *TEXTS[:12]]))
    store.settle()
    assert store.vector_index().kind == "ivf"
    ranked = store.search_vector(embed(["common"])[0], 99)
    assert len(ranked) == 13
    assert 0.0 in [one.score for one in ranked]
    assert np.all(np.diff([one.score for one in ranked]) <= 0)
    store.close()
