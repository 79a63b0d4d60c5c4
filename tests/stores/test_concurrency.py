"""Many readers beside writers, in every form of a store: nothing torn, nothing lost, nobody waits for a write."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from store_cases import batch, embed, found, serve, space

from stores.base import Store
from stores.embedded import EmbeddedStore
from stores.indexes.tantivy_index import TermIndex
from stores.problems import SpaceChanged, VectorsMissing
from stores.sql.sqlite import Database

_PATIENCE = 200  # seconds, for what would hang for ever where it is wrong
_READERS, _ROUNDS = 4, 4  # the third version is deleted, and one comes after


def texts(name: str, version: int, chunks: int = 5) -> list[str]:
    """Each has the document's own term, that of the version, and one of its own."""
    return [f"all {name} {name}v{version} place{number}" for number in range(chunks)]


def test_readers_beside_a_writer_see_whole_documents_only(store: Store) -> None:
    done = threading.Event()

    def write(name: str) -> None:
        for version in range(_ROUNDS):
            store.put(batch(f"{name}.md", texts(name, version)))
            assert found(store, f"{name}v{version}") == {(f"{name}.md", text) for text in texts(name, version)}
            assert version == 0 or found(store, f"{name}v{version - 1}") == set()
            if version % 3 == 2:
                assert store.delete(f"{name}.md")
                assert seen(store, name) == []
                assert store.document(f"{name}.md") is None

    def read(name: str) -> int:
        rounds = 0
        while not done.is_set() or not rounds:
            versions = {hit.text.split()[2] for hit in _hits(store, name)}
            assert len(versions) <= 1, versions  # SQLite has one version at a time, whatever an index has
            document = store.document(f"{name}.md")
            assert document is None or document.text.count(name) == 10
            for one in store.search_vector(embed([name])[0], 20):
                assert -1.001 <= one.score <= 1.001
            assert len(store.chunks(f"{name}.md")) in (0, 5)
            rounds += 1
        return rounds

    with ThreadPoolExecutor(_READERS + 2) as threads:
        readers = [threads.submit(read, name) for name in ("x", "y") * (_READERS // 2)]
        writers = [threads.submit(write, name) for name in ("x", "y")]
        try:
            for one in writers:
                one.result(_PATIENCE)
        finally:
            done.set()
        assert all(one.result(_PATIENCE) for one in readers)


def seen(store: Store, term: str) -> list[int]:
    return [one.chunk_id for one in store.search_terms([term], 100)]


def _hits(store: Store, term: str) -> list[Any]:
    hits = store.hits(seen(store, term))
    for hit in hits:
        assert hit.text.split()[1] == term == hit.document.removesuffix(".md")
    return hits


def test_each_of_many_writers_finds_its_own_when_it_returns(store: Store) -> None:
    def write(writer: int) -> None:
        for number in range(6):
            name = f"w{writer}n{number}"
            store.put(batch(f"{name}.md", [f"all {name}"] * 2))
            assert len(found(store, name)) == 1
            assert len(seen(store, name)) == 2
            if number % 2:
                store.delete(f"{name}.md")
                assert seen(store, name) == []

    with ThreadPoolExecutor(6) as threads:
        for one in [threads.submit(write, writer) for writer in range(6)]:
            one.result(_PATIENCE)
    assert len(store.documents()) == 18
    assert len(seen(store, "all")) == 36


def test_readers_and_writers_beside_swaps_of_the_space(store: Store) -> None:
    store.put(batch("a.md", texts("a", 0)))
    done = threading.Event()

    def swap() -> None:
        for name in ("two", "one", "two", "one"):
            for last_try in (False, False, False, True):  # where writers never rest, the last vectors follow later
                stored = dict(store.indexed_texts())
                try:
                    store.swap_space(space(name), list(stored), embed(list(stored.values()), name), partial=last_try)
                    break
                except VectorsMissing:  # a document has come meanwhile
                    continue
        done.set()

    def read() -> None:
        while not done.is_set():
            assert len(_hits(store, "a")) == 5
            try:
                ranked = store.search_vector(embed(["a"], (store.space() or space()).model)[0], 3)
            except SpaceChanged:
                continue
            assert len(ranked) == 3

    def write() -> None:
        number = 0
        while not done.is_set():
            number += 1
            for name in ("one", "two"):
                try:
                    store.put(batch("b.md", texts("b", number), space_name=name))
                    break
                except SpaceChanged:
                    continue

    with ThreadPoolExecutor(4) as threads:
        for one in [threads.submit(work) for work in (swap, read, read, write)]:
            one.result(_PATIENCE)


@pytest.fixture(params=["folder", "throw-away"])
def embedded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EmbeddedStore]:
    """A store of one document."""
    store = EmbeddedStore(tmp_path / "library" if request.param == "folder" else None)
    serve(store)
    store.put(batch("a.md", texts("a", 0)))
    yield store
    store.close()


def test_writers_share_a_commit_of_terms(embedded, monkeypatch):
    """What comes in while one commits is committed together."""
    commits: list[int] = []
    commit = TermIndex._commit

    def counted(index: TermIndex) -> None:
        commits.append(1)
        commit(index)

    monkeypatch.setattr(TermIndex, "_commit", counted)
    names = [f"n{number}" for number in range(8)]
    with ThreadPoolExecutor(8) as threads:
        embedded._terms.lock.acquire()  # as one that commits
        running = [threads.submit(embedded.put, batch(f"{name}.md", [name])) for name in names]
        while len(embedded._terms._changes) < len(names):
            threading.Event().wait(0.001)
        assert not any(one.done() for one in running)
        embedded._terms.lock.release()
        for one in running:
            one.result(_PATIENCE)
    assert len(commits) == 1
    assert all(found(embedded, name) for name in names)


def test_a_reader_keeps_its_view_while_a_writer_commits(embedded):
    database: Database = embedded._database
    with database.reading() as connection:
        before = connection.execute("SELECT count(*) FROM chunks").fetchone()
        embedded.put(batch("new.md", ["all new"]))
        assert connection.execute("SELECT count(*) FROM chunks").fetchone() == before
    with database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM chunks").fetchone() != before


def test_closing_twice_or_from_two_threads_is_closing(embedded):
    with ThreadPoolExecutor(2) as threads:
        for one in [threads.submit(embedded.close) for _ in range(2)]:
            one.result(_PATIENCE)
    embedded.close()


def test_what_could_not_be_opened_can_be_opened_again(tmp_path, monkeypatch, caplog):
    store = EmbeddedStore(tmp_path)
    serve(store)
    store.put(batch("a.md", texts("a", 0)))
    store.close()

    def fail(*arguments: object, **options: object) -> None:
        raise MemoryError

    with monkeypatch.context() as broken:
        broken.setattr("stores.embedded.LibraryVectorIndex", fail)
        with pytest.raises(MemoryError) as kept:  # and with it everything that was opened
            EmbeddedStore(tmp_path)
    again = EmbeddedStore(tmp_path)
    assert len(found(again, "a")) == 5
    assert caplog.records == []
    assert kept
    again.close()
