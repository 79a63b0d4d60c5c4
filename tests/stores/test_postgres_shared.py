"""What instances share beside the library: each test has two of them over one database."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from errors import StoreError
from schema import HistoryEntry
from stores.attempts import OF_ADDRESS, OF_NAME, OF_USER, WINDOW
from stores.feedback import Counts, Feedback
from stores.pages import CachedPage
from stores.postgres.shared import stores_in_database
from stores.shared import SharedStores
from stores.unanswered import MOST, UnansweredQuestion
from tests.stores.postgres_server import database_url, empty

NOW = datetime(2026, 1, 18, 10, 30, tzinfo=UTC)
Two = tuple[SharedStores, SharedStores]


@pytest.fixture
def two() -> Iterator[Two]:
    empty(database_url())
    one, other = stores_in_database(database_url(), 1.0), stores_in_database(database_url(), 1.0)
    yield one, other
    one.close()
    other.close()


def test_thumbs_and_unanswered_questions_of_one_are_seen_by_the_other(two: Two) -> None:
    one, other = two
    one.feedback.put("anna/t", Feedback("1", 1, "好\0", "年假几天？", "十五天"))
    one.feedback.put("anna/t", Feedback("2", 1))
    other.feedback.put("anna/t", Feedback("1", -1, "wrong"))
    assert one.feedback.of("anna/t")["1"].word == "wrong"
    assert one.feedback.counts() == Counts(1, 1)
    assert one.feedback.last(5) == [True, False]
    one.feedback.forget("anna/t")
    assert [json.loads(line)["word"] for line in other.feedback.export()] == ["", ""]
    for number in range(3):
        one.unanswered.put("anna", "anna/t", UnansweredQuestion(f"q{number}", "unsure", 0.2, "en", ("人事",)))
    other.unanswered.put("bob", "", UnansweredQuestion("q", "nothing", 0.0, "zh"))
    assert [row["question"] for row in other.unanswered.export("anna")] == ["q2", "q1", "q0"]
    assert one.unanswered.last("anna", MOST)[0].doc_sets == ("人事",)
    one.unanswered.forget("anna/t")
    assert (other.unanswered.count(), other.unanswered.clear("bob"), one.unanswered.count()) == (1, 1, 0)


def test_a_page_that_one_has_fetched_the_other_refreshes(two: Two) -> None:
    one, other = two
    history = (HistoryEntry(plugin="fetch", timestamp=NOW, details={}),)
    page = CachedPage("k", "k", NOW, "news", "页.html", data=b"x" * 100, etag="1", history=history, links=("l",))
    one.pages.put(page)
    assert other.pages.get("k") == page
    other.pages.put(CachedPage("k", "k", NOW, "news", "页.html", etag="2"))
    assert (one.pages.get("k", "news").data, one.pages.get("k").etag) == (page.data, "2")
    assert [(known.data, known.links) for known in one.pages.all("news")] == [(None, ("l",))]
    assert (one.pages.get("k", "other"), one.pages.size()[0]) == (None, 1)
    one.pages.forget(["k"], "news")
    assert other.pages.get("k") is None


def test_above_the_limit_the_data_of_the_oldest_pages_goes(two: Two) -> None:
    one, other = two
    chance = random.Random(0)
    one.pages.put(
        *(
            CachedPage(str(n), str(n), NOW + timedelta(seconds=n), data=chance.randbytes(400_000), etag="e")
            for n in range(4)
        )
    )
    kept = [other.pages.get(str(n)) for n in range(4)]
    assert [page.data is not None for page in kept] == [False, False, True, True]
    assert {page.etag for page in kept} == {"e"}
    other.pages.clear()
    assert one.pages.size() == (0, 0)


def test_secrets_are_made_once(two: Two) -> None:
    one, other = two
    assert one.secret("login-secret") == other.secret("login-secret") != other.secret("browser-secret")


async def test_a_logout_here_holds_there(two: Two) -> None:
    here, there = (shared.logouts for shared in two)
    await asyncio.gather(*(there.refresh("s") for _ in range(20)))
    assert not there.known("s")
    await here.note("s", 2**40)
    await here.note("past", 1)
    assert here.known("s")
    while not there.known("s"):  # what was asked a moment ago is not asked again at once
        await there.refresh("s")
        await asyncio.sleep(0.01)
    await there.refresh("other")
    assert not there.known("other")


def test_failed_logins_are_counted_over_all_instances(two: Two) -> None:
    here, there = (shared.attempts for shared in two)
    assert here.begin("home", "alice") == 0
    here.forgive("home", "alice")
    assert there.knows("home", "alice")
    for number in range(OF_NAME):
        assert (here, there)[number % 2].begin(f"a{number // OF_USER}", "alice") == 0
    assert [there.begin("home", "alice") for _ in range(OF_USER)] == [0.0] * OF_USER  # as ever where she has been
    assert WINDOW - 60 < here.begin("home", "alice") <= WINDOW
    assert here.begin("new", "alice") == 0  # one attempt where nobody has failed yet
    assert there.begin("new", "alice") > 0
    assert [here.begin("new", f"nobody{n}") > 0 for n in range(OF_ADDRESS)] == [False] * (OF_ADDRESS - 1) + [True]
    with psycopg.connect(database_url()) as connection:
        connection.execute("UPDATE failed_logins SET at = at - make_interval(secs => %s)", [WINDOW])
    assert there.begin("new", "alice") == 0


def test_tables_of_another_version_or_a_server_that_is_away_are_said(two: Two) -> None:
    one, _ = two
    one.check()
    away = stores_in_database("postgresql://postgres@/postgres?host=/nowhere&connect_timeout=1", 1.0)
    away.feedback._database._pool.timeout = 0.1
    assert (away.feedback.counts(), away.pages.get("k")) == (Counts(), None)
    for call in (away.check, lambda: away.feedback.put("t", Feedback("1", 1)), lambda: away.attempts.begin("a", "b")):
        with pytest.raises(StoreError, match="cannot be used"):
            call()
    away.close()
