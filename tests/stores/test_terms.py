"""The owner of the term index: what fails is healed, and searched on meanwhile."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from store_cases import batch, found, serve

from schema import Scope
from stores.embedded import EmbeddedStore
from stores.indexes import tantivy_index
from stores.indexes.tantivy_index import TermIndex, _leading, look
from stores.problems import DamagedFileError
from stores.sql.sqlite import IndexedChunk

TEXTS = [f"common number{n}" for n in range(5)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    """A library of one document."""
    store = EmbeddedStore(tmp_path / "library")
    serve(store)
    store.put(batch("a.md", TEXTS))
    yield store
    store.close()


class Full:
    """In the place of a writer: the disk is full."""

    def __getattr__(self, name: str) -> object:
        raise OSError(28, "No space left on device")


def test_what_the_index_cannot_take_is_stored_and_made_up_for(store, monkeypatch, caplog):
    store._terms.index._writer = Full()  # the other one ends: kept, it would hold the lock
    with monkeypatch.context() as full:
        full.setattr("stores.indexes.library_terms.TermIndex", _unwritable())
        assert store.put(batch("b.md", ["common late"])).outcome == "added"
        assert store.delete("a.md")
        assert "No space left" in caplog.text
        assert [info.name for info in store.documents()] == ["b.md"]
        assert len(store.search_terms(["common"], 9)) == 5  # what was there before; its chunks are gone from SQLite
        assert found_at_all(store, "late") == set()
    store.put(batch("c.md", ["common later"]))
    assert found(store, "common") == {("b.md", "common late"), ("c.md", "common later")}


def found_at_all(store: EmbeddedStore, term: str) -> set[str]:
    return {hit.text for hit in store.hits([one.chunk_id for one in store.search_terms([term], 9)])}


def _unwritable() -> type:
    class Unwritable(TermIndex):
        def __init__(self, folder: Path | None) -> None:
            raise DamagedFileError("No space left on device")

        @staticmethod
        def discard(folder: Path | None) -> None:
            """Nothing changes on this disk."""

    return Unwritable


def test_a_full_disk_is_made_up_for_at_the_next_opening(store, monkeypatch):
    store._terms.index._writer = Full()  # the other one ends: kept, it would hold the lock
    with monkeypatch.context() as full:
        full.setattr("stores.indexes.library_terms.TermIndex", _unwritable())
        store.put(batch("b.md", ["common late"]))
    store.close()
    again = EmbeddedStore(store._folder)
    assert found(again, "late") == {("b.md", "common late")}
    assert len(found(again, "common")) == 6
    again.close()


@pytest.mark.parametrize("part", [".idx", ".term", ".fieldnorm", ".fast"])
def test_a_search_that_meets_damage_heals_the_index(tmp_path, part, caplog):
    """The bytes change under an open index, which has them mapped into memory."""
    store = EmbeddedStore(tmp_path / "library")
    serve(store)
    store.put(batch("a.md", [f"common term{n} {'filler ' * (n % 7)}" for n in range(400)]))
    expected = store.search_terms(["common", "term7", "filler"], 400)
    for path in (tmp_path / "library" / "terms").glob(f"*{part}"):
        path.write_bytes(b"\xff" * path.stat().st_size)  # of the same length: else the system would end the process
    for terms in (["common", "filler"], ["term7"], ["term399"]):
        store.search_terms(terms, 400)  # whatever it finds, it raises nothing
        store.document_frequencies(terms)
    store.close()
    store = EmbeddedStore(tmp_path / "library")
    assert store.search_terms(["common", "term7", "filler"], 400) == expected
    store.close()
    assert "term index" in caplog.text


def test_a_search_is_asked_again_once_the_index_is_healed(store, monkeypatch, caplog):
    broken = store._terms.index
    monkeypatch.setattr(broken, "search", _raise_damaged)
    monkeypatch.setattr(broken, "frequencies", _raise_damaged)
    assert len(found(store, "common")) == 5
    assert store._terms.index is not broken
    assert store.document_frequencies(["common"]) == [5]
    assert "failed at a search" in caplog.text
    store.put(batch("b.md", ["common more"]))
    assert len(found(store, "common")) == 6


def _raise_damaged(*arguments: object) -> None:
    raise DamagedFileError("bytes of another kind")


def test_rebuilding_leaves_the_same_and_searches_go_on(store, monkeypatch):
    store.put(batch("b.md", ["common beta"], "set"))
    store.delete("a.md")
    seen: list[int] = []
    commit = TermIndex._commit

    def look_and_commit(index: TermIndex) -> None:
        seen.append(len(store.search_terms(["common"], 9)))
        commit(index)

    monkeypatch.setattr(TermIndex, "_commit", look_and_commit)
    with store._terms.lock:
        store._terms.rebuild()
    assert seen == [1]  # what was there is searched until all is in
    assert found(store, "common") == found(store, "common", doc_sets=("set",)) == {("b.md", "common beta")}
    assert store._terms.index.generation == store.generation()
    store.put(batch("c.md", ["common gamma"]))
    assert len(found(store, "common")) == 2


def test_rebuilding_over_damage_makes_the_files_anew(store):
    store._terms.index._writer = Full()  # the other one ends: kept, it would hold the lock
    with store._terms.lock:
        store._terms.rebuild()
    assert len(found(store, "common")) == 5


def test_a_note_that_outlived_its_commit_is_not_believed(store, tmp_path, caplog):
    """As after a power cut: the small file reached the disk, and tantivy's last commit did not."""
    folder = store._folder
    earlier = {path.name: path.read_bytes() for path in (folder / "terms").iterdir() if path.is_file()}
    store.put(batch("b.md", ["common beta"]))
    store.delete("a.md")
    store.put(batch("a.md", ["common alpha", *TEXTS[1:4]]))  # the number of chunks is the same again
    store.close()
    noted = (folder / "terms" / "generation").read_bytes()
    for path in (folder / "terms").iterdir():
        path.unlink()
    for name, content in earlier.items():
        (folder / "terms" / name).write_bytes(content)
    (folder / "terms" / "generation").write_bytes(noted)
    caplog.set_level(logging.INFO)
    again = EmbeddedStore(folder)
    assert "catches up" in caplog.text
    assert found(again, "alpha") == {("a.md", "common alpha")}
    assert found(again, "number4") == set()
    again.close()


def test_looking_at_an_index_that_is_written_to(store, tmp_path):
    folder = store._folder / "terms"
    generation, chunks = look(folder)
    assert generation == store.generation()
    assert set(chunks) == {one.chunk_id for one in store.search_terms(["common"], 9)}
    copied = shutil.copytree(folder, tmp_path / "copied")  # a mapped file that is cut off ends the process
    [damaged] = copied.glob("*.term")
    damaged.write_bytes(damaged.read_bytes()[:-1])
    with pytest.raises(DamagedFileError):
        look(copied)
    with pytest.raises(DamagedFileError):
        look(folder.with_name("none"))


def test_small_commits_are_merged_without_being_waited_for(store):
    for number in range(60):
        store.put(batch(f"{number}.md", [f"common small{number}"]))
    assert len(found(store, "common")) == 65
    assert store._terms.index._index.searcher().num_segments < 30
    assert store.document_frequencies(["small7", "common"]) == [1, 65]


def test_frequent_terms_are_passed_over_and_the_best_are_the_same(monkeypatch):
    """Beside the same search that reads every occurrence of every term."""
    chance = np.random.default_rng(0)
    index = TermIndex(None)
    for part in range(3):  # of a few segments, one with deletions
        lengths = chance.integers(5, 60, 400)
        chunks = [[f"w{min(chance.zipf(1.3), 500)}" for _ in range(length)] for length in lengths]
        index.apply([IndexedChunk(part * 400 + n, n, 0, " ".join(one)) for n, one in enumerate(chunks)], [], part)
    index.apply([], list(range(400, 600)), 3)
    monkeypatch.setattr(tantivy_index, "_WORTH", 0)
    passed_over: list[bool] = []

    def leading(counts: list[int], chunks: int, k: int) -> tuple[int, float]:
        chosen = _leading(counts, chunks, k)
        passed_over.append(chosen[0] < len(counts))
        return chosen

    questions = [[f"w{n}" for n in {1, 2, *chance.integers(1, 500, 6).tolist()}] for _ in range(60)]
    for question in questions:
        for k in (1, 10, 2_000):
            monkeypatch.setattr(tantivy_index, "_leading", leading)
            some = index.search(question, k)
            monkeypatch.setattr(tantivy_index, "_leading", lambda counts, chunks, k: (len(counts), 0.0))
            every = index.search(question, k)
            assert [one.score for one in some] == pytest.approx([one.score for one in every], rel=1e-5)
            assert dict(some).keys() == dict(every).keys() or some[-1].score == pytest.approx(every[-1].score)
    assert sum(passed_over) > 30
    index.close()


def test_conditions_of_many_values_choose_as_those_of_few_do(store):
    for number in range(40):
        store.put(batch(f"{number}.md", [f"common word{number}"], f"set{number}"))
    names = [f"{number}.md" for number in range(40)]
    for some in (names[:1], names[:7], names[:30], names):
        assert {name for name, _ in found(store, "common", documents=tuple(some))} == set(some)
    for some in (names[:7], names[:30]):
        sets = tuple(f"set{name.removesuffix('.md')}" for name in some)
        assert {name for name, _ in found(store, "common", doc_sets=sets)} == set(some)
    alone = {one.chunk_id: one.score for one in store.search_terms(["common"], 99)}
    for some in (names[:7], names[:30]):
        for one in store.search_terms(["common"], 99, Scope(documents=tuple(some))):
            assert one.score == pytest.approx(alone[one.chunk_id])


def test_what_a_killed_commit_left_stands_in_nobodys_way(store, caplog):
    folder = store._folder / "terms"
    store.close()
    before = {path.name for path in folder.iterdir()}
    [segment] = [path.stem for path in folder.glob("*.idx")]
    for number in range(200):  # the next commits would write one of these
        (folder / f"{segment}.{number}.del").write_bytes(b"half")
    (folder / ("0" * 32 + ".idx")).write_bytes(b"half")
    again = EmbeddedStore(folder.parent)
    assert {path.name for path in folder.iterdir()} == before
    again.put(batch("a.md", [*TEXTS[1:], "common new"]))
    assert len(found(again, "common")) == 5
    assert caplog.records == []
    again.close()
