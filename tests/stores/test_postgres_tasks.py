"""Many programs over one library in PostgreSQL: who works on what, and what the others hear of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from store_cases import batch, embed, found, serve, space, task

from schema import Task
from stores.postgres.store import PostgresStore
from stores.problems import TaskGone, VectorsMissing
from stores.tasks import ATTEMPTS, UPKEEP
from tests.stores.postgres_server import database_url, empty


@pytest.fixture
def one() -> Iterator[PostgresStore]:
    empty(database_url())
    store = PostgresStore(database_url())
    serve(store)
    yield store
    store.close()


@pytest.fixture
def other(one: PostgresStore) -> Iterator[PostgresStore]:
    store = PostgresStore(database_url())
    yield store
    store.close()


def sql(query: str) -> list[tuple[object, ...]]:
    with psycopg.connect(database_url(), autocommit=True) as connection:
        result = connection.execute(query)
        return result.fetchall() if result.description else []


def expire() -> None:
    sql("UPDATE tasks SET lease = now() - interval '1 second'")


def test_a_task_is_one_programs_until_it_says_nothing_any_more(one: PostgresStore, other: PostgresStore) -> None:
    first, second = one.add_tasks([task("a.md"), task("b.md")])
    assert one.claim_tasks([first.id]) == [first.id]
    assert other.claim_tasks([first.id, second.id]) == [second.id]
    other.free_tasks()
    assert one.keep_tasks([first.id, second.id], {}) == {first.id}
    expire()
    assert one.keep_tasks([first.id], {}) == {first.id}  # late, and nobody has taken it
    expire()
    other.free_tasks()
    assert other.claim_tasks([first.id]) == [first.id]
    assert one.keep_tasks([first.id], {first.id: ("store", 0.9)}) == set()
    one.note_tasks([first.id], "failed")
    one.give_back_tasks([first.id])
    with pytest.raises(TaskGone):
        one.put(replace(batch("a.md", ["late"]), task=first.id))
    assert found(one, "late") == set()
    other.put(replace(batch("a.md", ["in time"]), task=first.id))
    assert found(one, "time") == {("a.md", "in time")}


def test_a_file_that_ends_every_program_fails_after_three(one: PostgresStore) -> None:
    [deadly] = one.add_tasks([task("a.md")])
    for attempt in range(ATTEMPTS):
        assert [(known.status, known.attempts) for known in one.tasks()] == [("pending", attempt)]
        victim = PostgresStore(database_url())
        victim.claim_tasks([deadly.id])
        victim.close()  # killed: it gives nothing back
        expire()
        one.free_tasks()
    [failed] = one.tasks()
    assert failed.status == "failed"
    assert failed.problem is not None
    assert victim.owner in failed.problem.en
    one.note_tasks([deadly.id], "pending")  # somebody wants it tried again
    for _ in range(ATTEMPTS + 1):
        one.claim_tasks([deadly.id])
        one.give_back_tasks([deadly.id])  # as a program that is closed does: that is no attempt
        assert [(known.status, known.attempts) for known in one.tasks()] == [("pending", 0)]


def test_bytes_are_with_their_tasks_for_every_program(one: PostgresStore, other: PostgresStore, tmp_path: Path) -> None:
    paths = [str(tmp_path / (letter * 32)) for letter in "abc"]
    for path, size in zip(paths, (3 << 20, 0, 5), strict=True):
        Path(path).write_bytes(b"x" * size)
    sent = [b"x" * (3 << 20), b"", b"x" * 5]
    first, second, third = one.add_tasks([task(f"{path[-1]}.md", path=path) for path in paths])
    for path in paths:
        Path(path).unlink()
    assert [b"".join(other.upload(path)) for path in paths] == sent
    [cut] = one.add_tasks([task("a.md", path=paths[0])])  # the same bytes to be cut in another way
    one.drop_tasks([second.id])
    one.put(replace(batch("c.md", ["x"]), task=third.id))
    assert [b"".join(other.upload(path)) for path in paths] == [sent[0], b"", b""]
    assert sql("SELECT DISTINCT name FROM uploads") == [("a" * 32,)]
    one.drop_tasks([cut.id, first.id])
    assert sql("SELECT name FROM uploads") == []


def test_every_program_hears_what_becomes_of_tasks(one: PostgresStore, other: PostgresStore) -> None:
    other.news()
    kept, dropped, older, stored, archive = one.add_tasks([task(name, "s") for name in "abcde"])
    told = other.news()
    assert told.library  # there is a set
    assert [known.name for known in told.tasks] == list("abcde")
    [newer] = one.add_tasks([task("c", "s")])
    one.claim_tasks([stored.id])
    one.keep_tasks([stored.id], {stored.id: ("embed", 0.5)})
    told = other.news()
    assert working(told.tasks) == [("d", "embed", 0.5), ("c", None, 0.0)]
    assert dict(told.ends) == {older.id: newer.id}
    outcome = one.put(replace(batch("d", ["text"], "s"), task=stored.id))
    one.drop_tasks([dropped.id])
    one.drop_tasks([archive.id], {archive.id: (kept.id, newer.id)})
    one.prioritise_tasks([kept.id], 7)
    told = other.news()
    assert [(known.id, known.priority) for known in told.tasks] == [(kept.id, 7)]
    assert dict(told.ends) == {stored.id: outcome, dropped.id: None, archive.id: (kept.id, newer.id)}
    assert other.news() == ([], {}, False)
    one.delete_doc_set("s")
    assert dict(other.news().ends) == {kept.id: None, newer.id: None}
    with psycopg.connect(database_url()) as unfinished:  # it is before the look, and comes to its end after it
        unfinished.execute("UPDATE library SET said = said")
        unfinished.execute("INSERT INTO task_ends (id) VALUES (77)")
        assert other.news() == ([], {}, False)
    assert dict(other.news().ends) == {77: None}


def working(tasks: Sequence[Task]) -> list[tuple[str, str | None, float]]:
    return [(known.name, known.stage, known.fraction) for known in tasks]


def test_who_waits_for_news_hears_them_at_once(one: PostgresStore, other: PostgresStore) -> None:
    other.await_news(300)  # from here on it listens
    one.add_tasks([task("a.md")])
    other.await_news(300)
    sql("SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity WHERE query = 'LISTEN citewise'")
    other.await_news(0.01)
    other.await_news(300)  # a new connection: something may have been missed
    one.put(batch("a.md", ["text"]))
    other.await_news(300)


def test_one_program_does_the_upkeep_and_another_after_it(one: PostgresStore, other: PostgresStore) -> None:
    one.news()
    other.news()
    assert one.hold(UPKEEP)
    assert not other.hold(UPKEEP)
    assert not other.news().library
    one.close()
    while not other.news().library:  # there may be something to do for it, once the server sees that the first has gone
        time.sleep(0.01)
    assert other.hold(UPKEEP)


def test_of_two_first_spaces_one_serves(one: PostgresStore, other: PostgresStore) -> None:
    one.put(batch("a.md", ["text"]))
    with pytest.raises(VectorsMissing):
        other.swap_space(space("two"), [], embed([], "two"))
    serve(other, "two")
    assert one.space_key() == space("two").key
