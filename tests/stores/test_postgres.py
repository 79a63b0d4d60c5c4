"""The store in PostgreSQL: its tables as a person finds them, its own promises, and the commands around it."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psycopg
import pytest
from store_cases import batch, embed, found, nearest, serve
from typer.testing import CliRunner

import cli
from errors import CitewiseError, StoreError
from schema import Alternative, Scope, TermGroup, VectorIndexName
from settings import Settings
from stores.base import Store
from stores.embedded import EmbeddedStore
from stores.postgres import nearest as nearest_module
from stores.postgres import postings, trial, vector_index
from stores.postgres.adapters import json_value
from stores.postgres.migrations import MIGRATIONS, migrate
from stores.postgres.store import PostgresStore
from stores.postgres.terms import _best as best_ordinals
from stores.selection import open_store
from tests.stores.postgres_server import database_url, empty


@pytest.fixture
def url() -> str:
    empty(database_url())
    return database_url()


@pytest.fixture
def library(url: str) -> Iterator[PostgresStore]:
    store = PostgresStore(url)
    serve(store)
    yield store
    store.close()


@pytest.fixture
def other_url(url: str) -> Iterator[str]:
    """Of a database without tables."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE other")
        yield url.replace("/postgres?", "/other?")
        connection.execute("DROP DATABASE other WITH (FORCE)")


def test_only_tables_of_this_version_are_used(other_url: str) -> None:
    with pytest.raises(StoreError, match="no tables") as refused:
        PostgresStore(other_url)
    assert "cli.py migrate" in refused.value.suggestions[0].en
    assert migrate(other_url) == (0, len(MIGRATIONS))
    assert migrate(other_url) == (len(MIGRATIONS), len(MIGRATIONS))
    PostgresStore(other_url).close()
    with psycopg.connect(other_url, autocommit=True) as connection:
        connection.execute("UPDATE schema_version SET version = 99")
    for opened in (PostgresStore, migrate):
        with pytest.raises(StoreError, match="newer version"):
            opened(other_url)


def test_what_is_closed_is_closed(library: PostgresStore) -> None:
    library.close()
    with pytest.raises(StoreError, match="closed"):
        library.documents()


def test_lost_connections_are_made_anew(url: str, library: PostgresStore) -> None:
    library.put(batch("a.md", ["alpha"]))
    for change in (lambda: None, lambda: library.put(batch("b.md", ["alpha too"]))):
        with psycopg.connect(url, autocommit=True) as connection:  # as a restart of the server does
            connection.execute(
                "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE pid != pg_backend_pid()"
            )
        change()
        assert ("a.md", "alpha") in found(library, "alpha")
    assert len(found(library, "alpha")) == 2


def test_a_server_that_is_not_there_is_told_without_its_password() -> None:
    with pytest.raises(StoreError) as refused:
        PostgresStore("postgresql://me:secret@127.0.0.1:1/none")
    assert "127.0.0.1:1/none" in refused.value.message.en
    assert "secret" not in str(refused.value)
    assert "CITEWISE_DATABASE_URL" in refused.value.suggestions[0].zh


def test_tables_are_named_as_a_person_looks_for_them(url: str, library: PostgresStore) -> None:
    library.put(batch("a.md", ["first\0 part", "second"], "manuals"))
    library.add_tasks([])
    with psycopg.connect(url) as connection:
        query = """SELECT docset_name, document_name, chunk_index, content, vector_dims(embedding), metadata ->> 'title'
            FROM chunks ORDER BY chunk_index"""
        rows = connection.execute(query).fetchall()
        assert rows[0] == ("manuals", "a.md", 0, "first  part", 16, "a.md")
        assert rows[1][2:4] == (1, "second")
        query = "SELECT embedding_status, embedding_updated_at <= now() FROM documents"
        assert connection.execute(query).fetchall() == [("done", True)]


@pytest.mark.parametrize("text", ["\0", "\x1a", "\x1a0", "\x1aE\0", "\\u0000", "\\\\u001a0", "a\tb\n\\N", "𠀀"])
def test_any_characters_come_back(library: PostgresStore, text: str) -> None:
    given = batch("a.md", [f"one {text} two"])
    given.document.metadata[text] = [text, {"deep": text}]
    library.put(given)
    assert library.document("a.md") == given.document
    assert [info.name for info in library.documents(Scope(metadata=((text, text),)))] == ["a.md"]
    assert "\\u0000" not in json_value('"\\u0000"')


def test_scores_are_those_of_the_embedded_store(library: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """After additions, replacements and deletions, with segments that were merged and cleared of what is gone."""
    monkeypatch.setattr(postings, "_SOME", 10)
    chance, words, last = random.Random(0), [f"w{n}" for n in range(40)], dict[str, list[str]]()
    for number in range(40):
        name = f"{chance.randrange(25)}.md"
        last[name] = [" ".join(chance.choices(words, range(40, 0, -1), k=chance.randint(1, 90))) for _ in range(3)]
        library.put(batch(name, last[name]))
        if number % 9 == 0:
            library.delete(name)
            del last[name]
    library.settle()
    embedded = EmbeddedStore()
    serve(embedded)
    for name, paragraphs in last.items():
        embedded.put(batch(name, paragraphs))
    group = TermGroup((Alternative(("w1", "w9"), 1.0), Alternative(("w30",), 0.4)))
    for k in (5, 500):
        for search in (
            lambda store, k=k: store.search_terms(["w0", "w7", "w7", "w35", "none"], k),
            lambda store, k=k: store.search_groups([group, TermGroup((Alternative(("w3",), 1.0),), 0.5)], k),
            lambda store, k=k: store.search_terms(["w2"], k, Scope(documents=tuple(list(last)[:6]))),
        ):
            ours, theirs = (scores(store, search(store)) for store in (library, embedded))
            assert sorted(ours.values()) == pytest.approx(sorted(theirs.values()), rel=1e-4)
            if k == 500:
                assert ours == pytest.approx(theirs, rel=1e-4)
    embedded.close()
    with psycopg.connect(database_url()) as connection:
        counted = connection.execute("SELECT count(*), (SELECT octet_length(dead) FROM library) FROM term_segments")
        segments, dead = counted.fetchall()[0]
    assert segments < 16  # of forty changes
    assert dead < 40 * 3 * 4


@pytest.mark.parametrize("share", [0.001, 0.1, 1.0])
def test_the_best_of_many_scores_are_those_of_a_sort(share: float) -> None:
    chance = np.random.default_rng(0)
    given = np.round(chance.random(5_000) * (chance.random(5_000) < share), 2)  # of equals the first one
    order = [place for place in np.argsort(-given, kind="stable") if given[place] > 0]
    for k in (1, 40, 4_000):
        assert best_ordinals(given, k).tolist() == order[:k]


def scores(store: Store, ranked: list[tuple[int, float]]) -> dict[tuple[str, int], float]:
    hits = {hit.chunk_id: (hit.document, hit.position) for hit in store.hits([one[0] for one in ranked])}
    return {hits[chunk_id]: score for chunk_id, score in ranked}


@pytest.mark.parametrize("kind", ["hnsw", "ivf"])
def test_an_index_finds_what_a_comparison_finds(
    url: str, monkeypatch: pytest.MonkeyPatch, kind: VectorIndexName
) -> None:
    for name, value in (("_SOME", 300), ("_NEWCOMERS", 20)):
        monkeypatch.setattr(vector_index, name, value)
    monkeypatch.setattr(trial, "_QUESTIONS", 40)
    monkeypatch.setattr(nearest_module, "MANY", 30)
    store, flat = (PostgresStore(url, vector_index=kind), EmbeddedStore(vector_index="flat"))
    serve(store)
    serve(flat)

    def put(name: str, texts: list[str]) -> None:
        for one in (store, flat):
            one.put(batch(name, texts))

    def share(k: int, **scope: tuple[str, ...]) -> float:
        """Of the best scores of a comparison with all, those that are met: the mean over some questions."""
        shares = []
        for n in range(30):
            vector = embed([f"w{n % 19} x{n * 11}"])[0]
            ours, theirs = (
                [found.score for found in one.search_vector(vector, k, Scope(**scope))] for one in (store, flat)
            )
            assert len(ours) == len(theirs)
            shares.append(sum(score >= theirs[-1] - 2e-3 for score in ours) / len(theirs))
        return sum(shares) / len(shares)

    put("all.md", [f"w{n % 19} x{n}" for n in range(100)])
    for number in range(1, 4):
        put(f"{number}.md", [f"w{n % 19} x{n}" for n in range(number * 100, number * 100 + 100)])
    store.settle()
    info = store.vector_index()
    assert info is not None
    assert (info.kind, info.vectors, info.recall >= 0.99) == (kind, 400, True)
    assert share(10) >= 0.95
    put("new.md", ["w1 w2 w3", "x3 x4"])
    assert nearest(store, "w1 w2 w3") == [("new.md", "w1 w2 w3")]
    put("more.md", [f"w{n % 19} y{n}" for n in range(30)])
    store.settle()
    for one in (store, flat):
        assert one.delete("all.md")
    assert share(10) >= 0.95
    assert share(10, documents=("1.md", "2.md", "more.md")) >= 0.95  # wide: some of the nearest everywhere
    assert share(200, documents=("1.md", "2.md", "more.md")) == 1  # more than they hold: compared with all
    assert share(5, documents=("new.md",)) == 1
    store.close()
    flat.close()
    with psycopg.connect(url) as connection:
        [(space_id, last)] = connection.execute("SELECT id, last FROM spaces WHERE serving")
        query = f"SELECT count(*) FROM vectors_{space_id} WHERE NOT indexed AND chunk_id > %s"
        [(left,)] = connection.execute(query, [last])
        assert left < 20


def test_an_index_that_has_grown_is_tried_again(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("_SOME", 100), ("_NEWCOMERS", 20), ("_DEARER", 1)):
        monkeypatch.setattr(vector_index, name, value)
    monkeypatch.setattr(trial, "_QUESTIONS", 20)
    store = PostgresStore(url, vector_index="hnsw")
    serve(store)

    def effort_with(name: str, chunks: int) -> tuple[int, float]:
        store.put(batch(name, [f"w{n % 19} {name} x{n}" for n in range(chunks)]))
        store.settle()
        info = store.vector_index()
        assert info is not None
        return info.effort, info.recall

    first = effort_with("first.md", 200)
    assert first[1] >= 0.99
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE spaces SET effort = 1, recall = 0.5")
    assert effort_with("some.md", 30) == (1, 0.5)  # brought in, and not tried yet
    assert effort_with("more.md", 30) == first
    with store._database.reading() as connection:
        index = vector_index.index_of(connection)
        assert index is not None
        questions = trial.trial_questions(connection, index.space_id, index.holds, lambda: True)
    nearest_ones = [store.search_vector(one.vector, 1)[0] for one in questions]
    own = [one.chunk_id in question.own for one, question in zip(nearest_ones, questions, strict=True)]
    assert any(own)  # and yet they are not what has to be found
    for is_own, one, question in zip(own, nearest_ones, questions, strict=True):
        assert not is_own or question.best[0] < one.score + 1e-6
        assert (question.vector.astype(np.float16) == question.vector).all()  # what Milvus is asked, to the last bit
    store.close()


def test_an_index_serves_until_the_next_one_was_tried(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("_SOME", 100), ("_NEWCOMERS", 20)):
        monkeypatch.setattr(vector_index, name, value)
    monkeypatch.setattr(trial, "_QUESTIONS", 20)
    store, tried, seen = PostgresStore(url, vector_index="hnsw"), vector_index._tried, []

    def indexes(connection: psycopg.Connection) -> list[str]:
        query = "SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'vectors_%%_nearest%%'"
        return [row[0] for row in connection.execute(query)]

    def looked(connection, index, count, go_on):
        seen.append((vector_index.index_of(connection), index, len(indexes(connection))))
        return tried(connection, index, count, go_on)

    monkeypatch.setattr(vector_index, "_tried", looked)
    serve(store)
    store.put(batch("first.md", [f"w{n % 19} x{n}" for n in range(200)]))
    store.settle()
    store.put(batch("second.md", [f"w{n % 19} y{n}" for n in range(100)]))
    store.settle()
    [(before, first, _), (serving, second, both)] = seen
    assert before is not None
    assert serving is not None
    assert (before.effort, serving.effort > 0, both) == (0, True, 2)
    assert (serving.last, second.last > first.last) == (first.last, True)
    with store._database.reading() as connection:
        [definition] = indexes(connection)
        assert str(second.last) in definition
        index = vector_index.index_of(connection)
        assert index is not None
        for known, vectors in ((serving, 200), (index, 300)):  # as a search that began before the exchange
            found = vector_index.look_through(connection, known, embed(["w3 y3"])[0], 5)
            assert connection.execute(f"SELECT count(*) FROM {index.table} WHERE {known.holds}").fetchall() == [
                (vectors,)
            ]
            assert max(found, key=lambda one: one[1])[0] == store.search_vector(embed(["w3 y3"])[0], 1)[0].chunk_id
    store.put(batch("third.md", ["alone here"]))
    assert nearest(store, "alone here") == [("third.md", "alone here")]
    store.close()


def test_the_settings_choose_the_store(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(database_url=url, data_dir=tmp_path)
    store = open_store(settings)
    serve(store)
    store.put(batch("a.md", ["alpha"]))
    assert nearest(store, "alpha") == [("a.md", "alpha")]
    assert store.search_vector(embed(["alpha"])[0], 1)[0].score == pytest.approx(1, abs=1e-3)
    store.close()
    with pytest.raises(CitewiseError, match="no address"):
        open_store(Settings(database_url="mysql://x", data_dir=tmp_path))
    monkeypatch.setitem(sys.modules, "psycopg_pool", None)
    with pytest.raises(CitewiseError) as missing:
        open_store(settings)
    assert "uv sync --extra postgres" in missing.value.suggestions[0].zh
    embedded = open_store(Settings(data_dir=tmp_path))
    assert isinstance(embedded, EmbeddedStore)
    embedded.close()


def test_the_terminal_works_on_it(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "CITEWISE_DATABASE_URL": url, "CITEWISE_DATA_DIR": str(tmp_path), "CITEWISE_INGEST_WORKERS": "0",
        "CITEWISE_OLLAMA": "false", "LC_ALL": "en_GB.UTF-8", "COLUMNS": "200",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    Path("lamp.md").write_text("# Lamp\n\nThe lamp is trimmed at dusk.\n", encoding="utf-8")

    def run(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(cli.cli, list(arguments))
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done.exit_code, done.output

    assert run("migrate") == (0, f"The database has format {len(MIGRATIONS)} already.\n")
    assert run("ingest", "lamp.md")[0] == 0
    assert "lamp.md" in run("list")[1]
    assert "trimmed at dusk" in run("ask", "When is the lamp trimmed?")[1]
    assert not (tmp_path / "library.db").exists()
    status, said = run("backup", "b.zip")
    assert (status, "pg_dump" in said) == (1, True), said
    status, said = run("move", "--to", "pier")  # documents were meant
    assert (status, "./copy" in said) == (1, True), said
    assert "is there already" in run("move", "--to", url)[1]
    assert "not clear" in run("move", "--set", "pier", "--to", f"{tmp_path}/copy")[1]
    status, said = run("move", "--to", f"{tmp_path}/copy")
    assert (status, "copied and verified: 1 documents" in said) == (0, True), said
    monkeypatch.delenv("CITEWISE_DATABASE_URL")
    monkeypatch.setenv("CITEWISE_DATA_DIR", f"{tmp_path}/copy")
    assert "trimmed at dusk" in run("ask", "When is the lamp trimmed?")[1]
    assert "Written now: 0 documents, 0 conversations" in run("move", "--to", url)[1]
    assert run("move", "lamp.md", "--to", "pier") == (0, "1 moved.\n")
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    status, said = run("migrate")
    assert (status, "没有设置 CITEWISE_DATABASE_URL" in said) == (1, True), said
