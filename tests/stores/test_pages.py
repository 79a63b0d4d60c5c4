"""Pages that were fetched: given back whole, bounded, and lost rather than in the way."""

from __future__ import annotations

import logging
import random
import sqlite3
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from schema import HistoryEntry
from stores import pages as module
from stores.pages import CachedPage, PageFile, digest_of

NOW = datetime(2026, 1, 18, 10, 30, 45, 123456, tzinfo=UTC)
WHOLE = CachedPage(
    key="https://a.example/页",
    url="https://a.example/页?utm_source=x",
    fetched_at=NOW,
    doc_set="news",
    name="a.example/页.html",
    final_url="https://www.a.example/页",
    media_type="text/html",
    charset="gbk",
    etag='W/"1"',
    last_modified="Sun, 18 Jan 2026 10:00:00 GMT",
    data="<html>你好</html>".encode("gbk"),
    history=(HistoryEntry(plugin="fetch", timestamp=NOW, details={"seconds": 0.5}),),
)


def page(number: int, data: bytes | None = b"x", doc_set: str = "", name: str = "", **more) -> CachedPage:
    key = f"https://a.example/{number}"
    return CachedPage(key, key, NOW + timedelta(seconds=number), doc_set, name, data=data, **more)


def noise(size: int, seed: int = 0) -> bytes:
    return random.Random(seed).randbytes(size)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "pages.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[PageFile]:
    opened = PageFile(path, 1.0)
    yield opened
    opened.close()


def test_a_page_comes_back_whole_also_after_a_restart(store: PageFile, path: Path) -> None:
    store.put(WHOLE)
    assert store.get(WHOLE.key) == WHOLE
    store.close()
    assert PageFile(path, 1.0).get(WHOLE.key) == WHOLE


def test_what_is_not_there_is_not_found(store: PageFile, path: Path) -> None:
    assert store.get("https://a.example/") is None
    assert store.all("news") == []


def test_a_page_that_is_fetched_again_takes_the_old_one_s_place(store: PageFile) -> None:
    store.put(page(1, b"old", etag="1"))
    store.put(page(1, b"new", etag="2"))
    found = store.get(page(1).key)
    assert found is not None
    assert (found.data, found.etag) == (b"new", "2")


def test_an_unchanged_page_keeps_its_data(store: PageFile) -> None:
    store.put(page(1, b"content"))
    store.put(page(1, None, etag="2"))
    found = store.get(page(1).key)
    assert found is not None
    assert (found.data, found.etag) == (b"content", "2")


def test_a_page_may_be_in_several_sets(store: PageFile) -> None:
    store.put(page(1, b"a", "one"), page(1, b"b", "two"))
    assert [one.data for name in ("one", "two") if (one := store.get(page(1).key, name))] == [b"a", b"b"]
    assert store.get(page(1).key, "three") is None
    store.forget([page(1).key], "one")
    left = store.get(page(1).key)
    assert left is not None
    assert left.doc_set == "two"


def test_of_several_the_one_that_was_fetched_last_is_given_whatever_its_time_zone(store: PageFile) -> None:
    key, shanghai = "https://a.example/", timezone(timedelta(hours=8))
    store.put(
        CachedPage(key, key, datetime(2026, 1, 1, 9, tzinfo=shanghai), "early", data=b"1"),
        CachedPage(key, key, datetime(2026, 1, 1, 2, tzinfo=UTC), "late", data=b"2"),
    )
    found = store.get(key)
    assert found is not None
    assert found.doc_set == "late"


def test_a_set_lists_its_pages_without_their_data(store: PageFile) -> None:
    store.put(WHOLE, page(2, b"b", "docs", "b.md"), page(1, b"a", "docs", "c.md"))
    assert [(one.name, one.data) for one in store.all("docs")] == [("b.md", None), ("c.md", None)]
    [listed] = store.all("news")
    assert (listed.history, listed.etag) == (WHOLE.history, WHOLE.etag)
    store.forget([page(1).key, page(2).key], "docs")
    assert store.all("docs") == []
    assert len(store.all("news")) == 1


def test_above_the_limit_the_data_of_the_oldest_goes_and_they_stay_known(store: PageFile, path: Path) -> None:
    store.put(*(page(number, noise(200_000, number), "docs", f"{number}", etag=f"{number}") for number in range(20)))
    kept = [one for number in range(20) if (one := store.get(page(number).key)) and one.data is not None]
    assert [one.etag for one in kept] == ["16", "17", "18", "19"]
    assert kept[-1].data == noise(200_000, 19)
    assert len(store.all("docs")) == 20
    assert path.stat().st_size < 1_300_000


def test_a_page_above_the_limit_is_not_kept(store: PageFile) -> None:
    store.put(page(1, noise(2_000_000)))
    found = store.get(page(1).key)
    assert found is not None
    assert found.data is None


def test_pages_of_no_document_are_forgotten_first(store: PageFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 3)
    store.put(*(page(number, b"", "docs", "" if number > 2 else f"{number}") for number in range(6)))
    store.clean()
    assert {one.name for one in store.all("docs")} == {"0", "1", "2"}


def test_a_history_is_bounded(store: PageFile) -> None:
    entries = tuple(HistoryEntry(plugin=f"{number}", timestamp=NOW) for number in range(500))
    store.put(page(1, history=entries))
    found = store.get(page(1).key)
    assert found is not None
    assert found.history[-1] == entries[-1]
    assert len(found.history) < 100


def test_a_damaged_file_is_begun_anew_with_a_line_in_the_log(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.parent.mkdir()
    path.write_bytes(noise(10_000))
    store = PageFile(path, 1.0)
    with caplog.at_level(logging.WARNING):
        assert store.get("x") is None
    assert "begun anew" in caplog.text
    store.put(WHOLE)
    assert store.get(WHOLE.key) == WHOLE
    store.close()


@pytest.mark.parametrize("column", ["data", "history", "fetched_at"])
def test_a_row_that_cannot_be_read_is_a_miss(store: PageFile, path: Path, column: str) -> None:
    store.put(WHOLE)
    store.close()
    with sqlite3.connect(path) as database:
        database.execute(f"UPDATE pages SET {column} = 'nonsense'")
    database.close()
    again = PageFile(path, 1.0)
    assert again.get(WHOLE.key) is None
    again.put(WHOLE)
    assert again.get(WHOLE.key) == WHOLE
    again.close()


def test_what_is_known_of_the_data_stays_with_it(store: PageFile) -> None:
    store.put(page(1, b"one", links=("https://a.example/2",)))
    [known] = store.all("")
    assert (known.data, known.links, known.digest) == (None, ("https://a.example/2",), digest_of(b"one"))
    store.put(page(1, None, name="a.html"))
    assert (store.all("")[0].links, store.all("")[0].digest) == (known.links, known.digest)
    store.put(page(1, b"two"))  # of which nobody has looked for links
    assert (store.all("")[0].links, store.all("")[0].digest) == (None, digest_of(b"two"))


def test_a_file_of_another_version_is_begun_anew(store: PageFile, path: Path) -> None:
    store.put(WHOLE)
    store.close()
    with sqlite3.connect(path) as database:
        database.executescript("PRAGMA user_version = 99; ALTER TABLE pages DROP COLUMN etag")
    database.close()
    again = PageFile(path, 1.0)
    assert again.get(WHOLE.key) is None
    again.put(WHOLE)
    assert again.get(WHOLE.key) == WHOLE
    again.close()


def test_a_text_that_cannot_be_stored_costs_no_other_page(store: PageFile) -> None:
    store.put(WHOLE)
    store.put(page(1, name="\ud800"))
    assert store.get(WHOLE.key) == WHOLE


def test_where_no_file_can_be_nothing_is_remembered(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = PageFile(tmp_path / "file" / "pages.sqlite", 1.0)
    store.put(WHOLE)
    assert store.get(WHOLE.key) is None
    store.close()


def test_a_closed_one_finds_nothing_and_opens_nothing(store: PageFile, path: Path) -> None:
    store.close()
    store.put(WHOLE)
    assert store.get(WHOLE.key) is None
    assert not path.exists()


def test_cleaning_makes_no_file(store: PageFile, path: Path) -> None:
    store.clean()
    assert not path.exists()


def test_many_threads_may_use_it(store: PageFile) -> None:
    def work(first: int) -> None:
        for number in range(first, first + 20):
            store.put(page(number, b"%d" % number, "docs", f"{number}"))
            store.get(page(number).key)

    threads = [threading.Thread(target=work, args=[20 * number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.all("docs")) == 80
