"""What pages take: fetching them, beside the ideal for the limits that are set, a question asked meanwhile, and the
first token of an answer from a page.

The site runs in a process of its own, and so does the library that the pages come into.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from math import ceil
from multiprocessing.connection import Connection
from statistics import median

from benchmarks.manuals import LANGUAGES, manuals
from benchmarks.report import Bar, Report
from benchmarks.web_first_token import add_to
from benchmarks.web_pages import article
from benchmarks.web_site import Page, web_site
from benchmarks.web_turns import asked
from settings import Settings
from web.fetch import Fetcher
from web.problems import PageError

_MANUAL = 4_500  # bytes, about
_BEYOND = 1_000  # manuals of one language, of which the library has the first
_others = multiprocessing.get_context("forkserver")  # of a process that has loaded this module, and no more
_others.set_forkserver_preload(["benchmarks.web"])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--hosts", type=int, default=10)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds before every answer")
    parser.add_argument("--kilobytes", type=int, default=100, help="of a page")
    parser.add_argument("--runs", type=int, default=3, help="of fetching alone, of which the median counts")
    parser.add_argument("--documents", type=int, default=300, help="of the library that is asked")
    parser.add_argument("--described", type=int, default=5, help="turns that fetch a page, for each of two models")
    parser.add_argument("--questions", type=int, default=100, help="while nothing else goes on")


def run(options: argparse.Namespace) -> Report:
    """All pages at once, in turn from all hosts; each host is asked for its robots.txt before."""
    with _site(options) as (hosts, port, pipe):
        variables = {"CITEWISE_WEB_ALLOW": ",".join(hosts)}
        urls = [f"http://{hosts[number % len(hosts)]}:{port}/{number}" for number in range(options.pages)]
        settings = Settings.from_mapping(variables)
        runs = [asyncio.run(_fetching(settings, urls)) for _ in range(options.runs)]
        pipe.send("what has been asked")
        at_once: dict[str, int] = pipe.recv()
        with ProcessPoolExecutor(1, _others) as pool:
            turns = pool.submit(asked, variables, urls, options.documents, options.questions).result()
    report = _fetched(settings, options, runs, at_once)
    report.metrics["seconds of a turn"] = turns
    report.bars |= {
        "pages that are in the library": Bar(turns["pages"], options.pages),
        "p95 of a turn meanwhile / idle": Bar(turns["meanwhile p95"] / turns["idle p95"], 2, most=True),
        "modules that clean pages where questions are answered": Bar(turns["modules that clean"], 0, most=True),
    }
    add_to(report, options.described)
    return report


def _fetched(settings: Settings, options: argparse.Namespace, runs: list[float], at_once: Mapping[str, int]) -> Report:
    """`at_once`: the most requests at one time, by host; "" all of them."""
    seconds, together, each = median(runs), settings.web_concurrency, ceil(options.pages / options.hosts)
    pages = max(ceil(options.pages / together), ceil(each / settings.web_per_host))
    requests = max(ceil((options.pages + options.hosts) / together), 1 + ceil(each / settings.web_per_host))
    ideal = requests * options.latency
    most = {"in all": at_once[""], "per host": max(count for host, count in at_once.items() if host)}
    return Report(
        {
            "limits": {"at once": together, "per host": settings.web_per_host},
            "seconds": seconds,
            "of each run": " ".join(f"{one:.3f}" for one in runs),
            "ideal, with the robots.txt of each host": ideal,
            "ideal of the pages alone": pages * options.latency,
            "most at once": most,
        },
        {
            "seconds beside the ideal": Bar(seconds / ideal, 1.5, most=True),
            "most at once beside the limit": Bar(most["in all"] / together, 1, most=True),
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
    here, there = _others.Pipe()
    process = _others.Process(target=_serve, args=(options, there), daemon=True)
    process.start()
    try:
        hosts, port = here.recv()
        yield hosts, port, here
    finally:
        process.terminate()
        process.join()


def _serve(options: argparse.Namespace, pipe: Connection) -> None:
    pages = {f"/{number}": Page(_text(number, options.kilobytes * 1000)) for number in range(options.pages)}
    with web_site(pages, hosts=options.hosts) as site:
        site.latency = options.latency
        pipe.send((list(site.hosts), site.port))
        pipe.recv()
        pipe.send(dict(site.at_once))
        pipe.recv()


def _text(number: int, size: int) -> str:
    """A page of about so many bytes in one of the languages; its facts stand nowhere else."""
    language, each = LANGUAGES[number % len(LANGUAGES)], size // _MANUAL + 1
    first = _BEYOND + number // len(LANGUAGES) * each
    paragraphs = [part for one in manuals(first + each, (language,))[first:] for part in one.text.split("\n\n")]
    lines = [f"## {part.removeprefix('# ')}" if part.startswith("# ") else part for part in paragraphs]
    return article(language, paragraphs[0].removeprefix("# "), tuple(lines))
