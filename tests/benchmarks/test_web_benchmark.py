"""The benchmarks of the web, short: hostile addresses, and fetching beside its ideal."""

from __future__ import annotations

import argparse
import socket
from contextlib import suppress

import pytest

from benchmarks import ssrf, web


@pytest.fixture(scope="module")
def hostile():
    return ssrf.run(argparse.Namespace(list=False))


def test_every_hostile_address_is_refused_and_none_connected_to(hostile):
    assert hostile.ok, hostile.notes
    assert hostile.bars["hostile addresses"].value >= 80


def test_the_counts_count(hostile):
    assert hostile.bars["control: connections seen where allowed"].value >= 1


def test_an_attempt_is_counted_whether_or_not_anybody_listens():
    with ssrf._attempts() as attempts, socket.socket() as one, suppress(OSError):
        one.connect(("127.0.0.1", 1))
    assert attempts == [("127.0.0.1", 1)]


def test_fetching_is_measured_against_the_limits():
    options = argparse.Namespace(pages=8, hosts=4, latency=0.05, kilobytes=10, runs=1)
    report = web.run(options)
    assert report.metrics["ideal, with the robots.txt of each host"] == pytest.approx(0.1)
    assert report.metrics["ideal of the pages alone"] == pytest.approx(0.05)
    assert report.metrics["seconds"] >= 0.1
    assert report.bars["most at once beside the limit"].ok
