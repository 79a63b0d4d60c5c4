"""Milvus as the search side of a library in PostgreSQL: the same answers, whatever happens to either."""

from __future__ import annotations

import contextlib
import importlib.util
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from store_cases import batch, embed, nearest, serve, space

from benchmarks import store_milvus
from benchmarks.store_corpus import Corpus, exact
from errors import CitewiseError
from schema import EVERYWHERE, Scope
from settings import Settings
from stores.postgres import milvus as milvus_module
from stores.postgres import outbox, search_side, trial
from stores.postgres.milvus import Milvus
from stores.postgres.nearest import nearest as nearest_in_postgres
from stores.postgres.store import PostgresStore
from stores.search_contract import RankedChunk
from stores.selection import open_store
from stores.tasks import FEEDING
from tests.stores.milvus_server import LiteServer
from tests.stores.postgres_server import database_url, empty

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiteServer]:
    started = LiteServer(tmp_path_factory.mktemp("milvus") / "data")
    yield started
    started.stop()


@pytest.fixture(autouse=True)
def small(server: LiteServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A handful of chunks is many, they are told by threes, and nobody rests; a search is waited for on a busy machine,
    too."""
    for module in (milvus_module, search_side):
        for patience in ("PATIENCE", "SEARCH_PATIENCE"):
            monkeypatch.setattr(module, patience, 100.0)
    for name, value in (("MANY", 1), ("_OFTEN", 0.01), ("_AGAIN", 0.01), ("_HEALTHY", 0.0)):
        monkeypatch.setattr(search_side, name, value)
    monkeypatch.setattr(outbox, "AT_ONCE", 3)
    # milvus-lite shows at once what it was told; others are five seconds behind, unless they are set otherwise
    monkeypatch.setattr(outbox, "LATE", 6.0 if server.other else 0.0)
    monkeypatch.setattr(trial, "_QUESTIONS", 3)


class Side(PostgresStore):
    """It may cease to feed Milvus."""

    feeds = True

    def hold(self, work: str) -> bool:
        return self.feeds and super().hold(work)

    def from_milvus(self, vector: Any, k: int, scope: Scope = EVERYWHERE) -> list[RankedChunk]:
        """What Milvus finds, which is what PostgreSQL finds."""
        assert self._side is not None
        within = self._scopes.within(scope) if scope else None
        end = time.monotonic() + 30
        while (found := self._side.search(vector, k, within)) is None and time.monotonic() < end:
            time.sleep(0.05)  # until Milvus, which may have just been begun anew, answers
        assert found is not None
        assert found == self._database.read(nearest_in_postgres, vector, k, within)
        return found


@contextlib.contextmanager
def feeding(server: LiteServer) -> Iterator[Side]:
    """The library, once this program is the one to feed Milvus: who did it before may have gone a moment ago."""
    with contextlib.closing(Side(database_url(), milvus=server.address)) as opened:
        while not opened.hold(FEEDING):
            time.sleep(0.01)
        yield opened


@pytest.fixture
def store(server: LiteServer) -> Iterator[Side]:
    empty(database_url())
    with feeding(server) as opened:
        serve(opened)
        yield opened


def texts(store: Side, ranked: list[RankedChunk]) -> list[str]:
    return [hit.text for hit in store.hits([one.chunk_id for one in ranked])]


def put_some(store: Side) -> None:
    for number in range(4):
        paragraphs = [f"w{number} x{place}" for place in range(5)]
        store.put(batch(f"{number}.md", paragraphs, "even" if number % 2 == 0 else "odd"))


def fed_state(store: Side) -> outbox.FeedState:
    side = store._database.read(outbox.fed)
    assert side is not None
    return side


def count(store: Side) -> int:
    side = fed_state(store)
    assert store._side is not None
    assert store._side._milvus is not None
    return store._side._milvus.count(side.name)


def test_it_finds_what_a_comparison_finds(store: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    put_some(store)
    store.settle()
    info = store.vector_index()
    assert info is not None
    assert (info.kind, info.vectors, info.recall) == ("milvus", 20, 1.0), (store.notices, fed_state(store))
    assert count(store) == 20
    for listed in (10, 1):  # documents that are named to Milvus, and as many of the nearest as there must be
        monkeypatch.setattr(search_side, "_LISTED", listed)
        for scope in (
            EVERYWHERE, Scope(doc_sets=("odd",)), Scope(documents=("0.md", "3.md")), Scope(without=("1.md",)),
            Scope(metadata=(("title", "1.md"), ("title", "2.md"))),
        ):  # fmt: skip
            for word in ("w1 x2", "x4", "w3"):
                assert len(store.from_milvus(embed([word])[0], 5, scope)) == 5
    assert nearest(store, "w1 x2", doc_sets=("odd",)) == [("1.md", "w1 x2")]
    assert store.search_vector(embed(["x1"])[0], 100) == store._database.read(
        nearest_in_postgres, embed(["x1"])[0], 100, None
    )  # more than there are


def test_a_change_is_found_before_milvus_has_it(store: Side) -> None:
    put_some(store)
    store.settle()
    store.feeds = False
    store.put(batch("new.md", ["w1 w2 w3", "x1 x2"]))
    store.put(batch("0.md", ["w0 x0", "changed x3"], "even"))
    store.delete("3.md", "odd")
    store.rename_doc_set("even", "level")
    store.move("1.md", "odd", "level")
    assert count(store) == 20
    assert texts(store, store.from_milvus(embed(["w1 w2 w3"])[0], 1)) == ["w1 w2 w3"]
    for word in ("w3 x4", "w0 x1", "changed"):
        for scope in (EVERYWHERE, Scope(doc_sets=("level",))):
            found = texts(store, store.from_milvus(embed([word])[0], 7, scope))
            assert not {"w3 x4", "w0 x1"} & set(found)
    store.feeds = True
    store.settle()
    assert count(store) == 14
    assert texts(store, store.from_milvus(embed(["changed x3"])[0], 1)) == ["changed x3"]


def test_vectors_that_come_later_and_another_space_are_fed(store: Side, server: LiteServer) -> None:
    put_some(store)
    store.put(replaced := batch("later.md", ["alpha", "beta"]))
    store.settle()
    first = fed_state(store)
    assert replaced.space_key == space("one").key
    serve(store, "two")
    assert nearest(store, "alpha", "two") == [("later.md", "alpha")]  # at once, in PostgreSQL
    store.settle()
    assert texts(store, store.from_milvus(embed(["w2 x1"], "two")[0], 1)) == ["w2 x1"]
    second = fed_state(store)
    assert second.name != first.name
    milvus = Milvus(server.address)
    assert [name for name in milvus.collections() if name.startswith(second.prefix)] == [second.name]
    milvus.close()
    store.swap_space(space("three", 8), [], [], partial=True)
    chunk_ids = store.without_vectors()
    store.settle()
    store.add_vectors(space("three", 8).key, chunk_ids[:9], embed(["w1 x1"] * 9, "three", 8))
    store.settle()
    assert len(store.from_milvus(embed(["w1 x1"], "three", 8)[0], 9)) == 9
    assert count(store) == 9


def test_while_it_cannot_be_reached_postgres_is_searched(store: Side, server: LiteServer) -> None:
    if server.other:
        pytest.skip("the server is somebody's own")
    put_some(store)
    store.settle()
    server.stop()
    store.put(batch("new.md", ["w1 w2 w3"]))
    store.delete("2.md", "even")
    assert nearest(store, "w1 w2 w3") == [("new.md", "w1 w2 w3")]
    store.settle()
    [notice] = store.notices
    assert "PostgreSQL" in notice.zh
    assert "127.0.0.1" in notice.zh
    assert "cannot be used now" in notice.en
    assert nearest(store, "w1 w2 w3") == [("new.md", "w1 w2 w3")]
    info = store.vector_index()
    assert info is not None
    assert info.kind == "flat"
    server.start()
    while store.notices:
        store.settle()
    store.settle()
    assert count(store) == 16
    assert texts(store, store.from_milvus(embed(["w1 w2 w3"])[0], 1)) == ["w1 w2 w3"]


@pytest.mark.parametrize("lost", ["all", "some"])
def test_what_milvus_has_lost_is_fed_again(store: Side, server: LiteServer, lost: str) -> None:
    put_some(store)
    store.settle()
    side = fed_state(store)
    store.close()
    milvus = Milvus(server.address)
    if lost == "all":
        milvus.drop(side.name)
    else:
        milvus.remove(side.name, store_ids := [1, *_some_ids(side)])
        assert len(store_ids) == 3
    milvus.close()
    with feeding(server) as again:
        again.settle()  # nor may it feed for ever
        assert count(again) == 20
        again.from_milvus(embed(["w1 x2"])[0], 9)


def _some_ids(side: outbox.FeedState) -> list[int]:
    with psycopg.connect(database_url()) as connection:
        return [row[0] for row in connection.execute(f"SELECT chunk_id FROM {side.table} LIMIT 2")]


_KILLED = """
import os, signal, sys
from stores.postgres import outbox, search_side, trial
from stores.postgres.milvus import Milvus, MilvusAddress
from stores.postgres.store import PostgresStore
outbox.AT_ONCE, search_side.MANY, trial._QUESTIONS = 3, 1, 3
done, method, which = 0, getattr(Milvus, sys.argv[3]), int(sys.argv[4])
def killed(*given):
    global done
    method(*given)
    done += 1
    if done == which:
        os.kill(os.getpid(), signal.SIGKILL)
setattr(Milvus, sys.argv[3], killed)
store = PostgresStore(sys.argv[1], milvus=MilvusAddress(sys.argv[2]))
store.delete("3.md", "odd")
store.settle()
"""


@pytest.mark.parametrize(("where", "which"), [("put", 3), ("remove", 1)])
def test_a_feeder_that_was_killed_goes_on_where_it_was(store: Side, server: LiteServer, where: str, which: int) -> None:
    """After Milvus was told, and before that was noted: among the first copies, and in the outbox."""
    store.feeds = where == "remove"
    put_some(store)
    store.settle()
    store.close()
    command = [sys.executable, "-c", _KILLED, database_url(), server.address.url, where, str(which)]
    assert subprocess.run(command, cwd=ROOT, timeout=100).returncode == -signal.SIGKILL
    with feeding(server) as again:
        again.settle()
        assert count(again) == 15
        for word in ("w1 x2", "w3 x3", "x0"):
            again.from_milvus(embed([word])[0], 9)


def test_who_was_cut_off_does_not_say_how_far_it_is(store: Side) -> None:
    put_some(store)
    store.settle()
    known = fed_state(store)
    assert known.complete
    store.feeds = False
    with store._database.changing() as connection:
        outbox.begin(connection, known.space_id)
    for last in (10**15, None):
        with store._database.noting() as connection:
            outbox.note_copied(connection, known, last)
    state = fed_state(store)
    assert (state.copied, state.complete, state.serves) == (0, False, False)
    assert nearest(store, "w1 x2") == [("1.md", "w1 x2")]
    store.feeds = True
    store.settle()
    assert count(store) == 20
    store.from_milvus(embed(["w1 x2"])[0], 9)


def test_one_program_feeds_and_another_goes_on(store: Side, server: LiteServer) -> None:
    put_some(store)
    store.settle()
    with contextlib.closing(Side(database_url(), milvus=server.address)) as other:
        other.put(batch("other.md", ["w7 x7"]))
        while other._side is None or other._side._milvus is None:
            other.settle()
        assert texts(other, other.from_milvus(embed(["w7 x7"])[0], 1)) == ["w7 x7"]
        assert not other.hold(FEEDING)
        store.settle()
        assert count(other) == 21
        store.close()
        other.delete("other.md")
        while not other.hold(FEEDING):
            pass
        other.settle()
        assert count(other) == 20


def test_the_benchmark_asks_milvus(store: Side, server: LiteServer, tmp_path: Path, monkeypatch: Any) -> None:
    store.close()
    monkeypatch.setattr(store_milvus, "_MANY", 500)
    monkeypatch.setattr(outbox, "AT_ONCE", 1_000)
    corpus = Corpus(1_000, 16)
    (tmp_path / "address").write_text(database_url())
    (tmp_path / "milvus").write_text(server.address.url)
    side = store_milvus.InMilvus(corpus, tmp_path)
    assert side.build()["build, s"] > 0
    side.questions = list(corpus.questions(5))
    assert side.open() > 0
    assert side.index().startswith("milvus")
    assert side.nearest("everywhere") == exact(corpus, side.questions, 10)["everywhere"]
    side.store.close()


def test_nobody_is_told_for_ever(store: Side) -> None:
    put_some(store)
    store.settle()
    store.feeds = False

    def rows() -> list[Any]:
        with psycopg.connect(database_url()) as connection:
            return connection.execute("SELECT (SELECT count(*) FROM search_side), count(*) > 0 FROM outbox").fetchall()

    store.put(batch("new.md", ["w1 w2 w3"]))
    assert rows() == [(1, True)]
    with psycopg.connect(database_url()) as connection:
        outbox.forget(connection)
        connection.execute("UPDATE search_side SET fed_at = now() - interval '8 days'")
    assert rows() == [(1, True)]
    with psycopg.connect(database_url()) as connection:
        outbox.forget(connection)
    store.put(batch("newer.md", ["w1 w2"]))
    assert rows() == [(0, False)]
    assert nearest(store, "w1 w2 w3") == [("new.md", "w1 w2 w3")]
    store.feeds = True
    store.settle()
    assert count(store) == 22


def test_the_settings_ask_for_it(store: Side, server: LiteServer, tmp_path: Path, monkeypatch: Any) -> None:
    put_some(store)
    store.close()
    settings = Settings(
        database_url=database_url(), data_dir=tmp_path, milvus_url=server.address.url, milvus_token="a:b"
    )
    opened = open_store(settings)
    assert isinstance(opened, PostgresStore)
    opened.settle()
    info = opened.vector_index()
    assert info is not None
    assert info.kind == "milvus"
    opened.close()
    found = importlib.util.find_spec
    monkeypatch.setattr("stores.selection.find_spec", lambda name: None if name == "pymilvus" else found(name))
    with pytest.raises(CitewiseError) as missing:
        open_store(settings)
    for told in (missing.value.suggestions[0].zh, missing.value.suggestions[0].en):
        assert "uv sync --extra milvus" in told
    with pytest.raises(ValueError, match="CITEWISE_DATABASE_URL"):
        Settings(milvus_url="http://localhost:1")
