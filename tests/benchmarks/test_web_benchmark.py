"""The benchmarks of the web, short: hostile addresses, fetching beside its ideal, turns meanwhile."""

from __future__ import annotations

import socket
import sys
from contextlib import suppress

import pytest

from benchmarks import ssrf, web
from benchmarks.script import EXTRACTION
from benchmarks.web_pages import RAILWAY
from benchmarks.web_turns import modules_that_clean
from ingestion.readers import read_document
from tests.benchmarks.benchmark_commands import measured
from tests.conftest import ingest_here


@pytest.fixture(scope="module")
def hostile():
    return measured("ssrf")


def test_every_hostile_address_is_refused_and_none_connected_to(hostile):
    assert hostile.ok, hostile.notes
    assert hostile.bars["hostile addresses"].value >= 80


def test_the_counts_count(hostile):
    assert hostile.bars["control: connections seen where allowed"].value >= 1


def test_what_pages_name_was_named_and_not_asked_for(hostile):
    named = hostile.metrics["named by pages"]
    assert named["fetched"] >= 10
    assert named["crawled"] >= 4  # robots.txt, the start, its sitemap, a page
    assert named["searched"] == 1
    assert hostile.bars["pages that came from where no one asked"].ok


def test_an_attempt_is_counted_whether_or_not_anybody_listens():
    with ssrf._attempts() as attempts, socket.socket() as one, suppress(OSError):
        one.connect(("127.0.0.1", 1))
    assert attempts == [("127.0.0.1", 1)]


@pytest.fixture(scope="module")
def fetching():
    sizes = "--pages 4 --hosts 2 --runs 1 --documents 4 --questions 4 --described 1 --latency 0.05 --kilobytes 10"
    with pytest.MonkeyPatch.context() as patch:
        ingest_here(patch)  # not so the library that pages come into: it is in another process, and reads in a third
        return measured("web", *sizes.split())


def test_fetching_is_measured_against_the_limits(fetching):
    assert fetching.metrics["ideal, with the robots.txt of each host"] == pytest.approx(0.1)
    assert fetching.metrics["ideal of the pages alone"] == pytest.approx(0.05)
    assert fetching.metrics["seconds"] >= 0.1
    assert fetching.bars["most at once beside the limit"].ok


def test_turns_are_measured_while_pages_come_in(fetching):
    assert fetching.bars["pages that are in the library"].ok
    assert fetching.bars["modules that clean pages where questions are answered"].ok
    turns = fetching.metrics["seconds of a turn"]
    assert turns["turns meanwhile"] > 0
    assert 0 < turns["meanwhile p50"] <= turns["meanwhile p95"] <= turns["longest"] <= turns["in"]


def test_the_first_token_is_measured_with_a_model_that_describes_pages_slowly(fetching):
    bar = fetching.bars["first token: seconds more where a model describes pages slowly"]
    assert bar.value < EXTRACTION / 2  # the turn that would wait takes all of it


def test_pages_are_as_large_as_wanted_and_are_about_different_things():
    pages = [web._text(number, 20_000) for number in range(4)]
    assert all(15_000 < len(page.encode()) < 30_000 for page in pages)
    about = [page.partition("<h1>")[2].partition("</h1>")[0] for page in pages]
    assert len(set(about)) == 4, about


def test_cleaning_in_the_process_that_answers_would_be_seen():
    assert modules_that_clean(["graph.turns", "ingestion.readers.html", "web.fetch"]) == 0
    assert read_document("railway.html", RAILWAY.encode(), max_bytes=1_000_000).text
    assert modules_that_clean(sys.modules) > 0
