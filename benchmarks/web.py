"""What fetching pages takes: beside the ideal for the limits that are set. The site runs in a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from multiprocessing.connection import Connection
from statistics import median

from benchmarks.report import Bar, Report
from benchmarks.web_pages import article
from benchmarks.web_site import Page, web_site
from settings import Settings
from web.fetch import Fetcher
from web.problems import PageError

_SENTENCE = "The tide comes in twice a day, and so does the post. "


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--hosts", type=int, default=10)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds before every answer")
    parser.add_argument("--kilobytes", type=int, default=100, help="of a page")
    parser.add_argument("--runs", type=int, default=3, help="of which the median counts")


def run(options: argparse.Namespace) -> Report:
    """All pages at once, in turn from all hosts; each host is asked for its robots.txt before."""
    with _site(options) as (hosts, port, pipe):
        settings = Settings.from_mapping({"CITEWISE_WEB_ALLOW": ",".join(hosts)})
        urls = [f"http://{hosts[number % len(hosts)]}:{port}/{number}" for number in range(options.pages)]
        runs = [asyncio.run(_fetching(settings, urls)) for _ in range(options.runs)]
        pipe.send("what has been asked")
        at_once: dict[str, int] = pipe.recv()
    seconds, together, each = median(runs), settings.web_concurrency, ceil(options.pages / options.hosts)
    pages = max(ceil(options.pages / together), ceil(each / settings.web_per_host))
    requests = max(ceil((options.pages + options.hosts) / together), 1 + ceil(each / settings.web_per_host))
    ideal = requests * options.latency
    return Report(
        {
            "limits": {"at once": together, "per host": settings.web_per_host},
            "seconds": seconds,
            "of each run": " ".join(f"{one:.3f}" for one in runs),
            "ideal, with the robots.txt of each host": ideal,
            "ideal of the pages alone": pages * options.latency,
            "most at once": {"in all": at_once[""], "per host": max(at_once[host] for host in hosts)},
        },
        {
            "seconds beside the ideal": Bar(seconds / ideal, 1.5, most=True),
            "most at once beside the limit": Bar(at_once[""] / together, 1, most=True),
        },
    )


async def _fetching(settings: Settings, urls: list[str]) -> float:
    """Seconds that fetching all takes somebody who has not been there before."""
    start = time.perf_counter()
    async with Fetcher(settings) as fetcher:
        async for _, page in fetcher.fetch_all(urls):
            if isinstance(page, PageError):
                raise page
    return time.perf_counter() - start


@contextmanager
def _site(options: argparse.Namespace) -> Iterator[tuple[list[str], int, Connection]]:
    """Its hosts, its port, and how it is told to say what has been asked of it."""
    spawning = multiprocessing.get_context("spawn")
    here, there = spawning.Pipe()
    process = spawning.Process(target=_serve, args=(options, there), daemon=True)
    process.start()
    try:
        hosts, port = here.recv()
        yield hosts, port, here
    finally:
        process.terminate()
        process.join()


def _serve(options: argparse.Namespace, pipe: Connection) -> None:
    page = Page(article("en", "Tides", (_SENTENCE * (options.kilobytes * 1000 // len(_SENTENCE)),)))
    with web_site({f"/{number}": page for number in range(options.pages)}, hosts=options.hosts) as site:
        site.latency = options.latency
        pipe.send((list(site.hosts), site.port))
        pipe.recv()
        pipe.send(dict(site.at_once))
        pipe.recv()
