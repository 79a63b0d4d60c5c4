"""What fetching pages takes: beside the ideal for the limits that are set."""

from __future__ import annotations

import argparse
import asyncio
import time
from math import ceil
from statistics import median

from benchmarks.report import Bar, Report
from benchmarks.web_pages import article
from benchmarks.web_site import Page, WebSite, web_site
from settings import Settings
from web.fetch import Fetcher
from web.problems import PageError

_SENTENCE = "The tide comes in twice a day, and so does the post. "


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pages", type=int, default=30)
    parser.add_argument("--hosts", type=int, default=10)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds before every answer")
    parser.add_argument("--runs", type=int, default=3, help="of which the median counts")
    parser.add_argument("--kilobytes", type=int, default=100, help="of a page")


def run(options: argparse.Namespace) -> Report:
    page = Page(article("en", "Tides", (_SENTENCE * (options.kilobytes * 1000 // len(_SENTENCE)),)))
    with web_site({f"/{number}": page for number in range(options.pages)}, hosts=options.hosts) as site:
        site.latency = options.latency
        return asyncio.run(_fetching(site, options))


async def _fetching(site: WebSite, options: argparse.Namespace) -> Report:
    """All pages at once, in turn from all hosts; each host is asked for its robots.txt before."""
    settings = Settings.from_mapping({"CITEWISE_WEB_ALLOW": ",".join(site.hosts)})
    urls = [site.url(f"/{number}", number % options.hosts) for number in range(options.pages)]
    runs = [await _once(settings, urls) for _ in range(options.runs)]
    seconds = median(runs)
    per_host, together = ceil(options.pages / options.hosts), settings.web_concurrency
    pages = max(ceil(options.pages / together), ceil(per_host / settings.web_per_host))
    requests = max(ceil((options.pages + options.hosts) / together), 1 + ceil(per_host / settings.web_per_host))
    ideal = requests * options.latency
    return Report(
        {
            "limits": {"at once": together, "per host": settings.web_per_host},
            "seconds": seconds,
            "of each run": " ".join(f"{run:.3f}" for run in runs),
            "ideal, with the robots.txt of each host": ideal,
            "ideal of the pages alone": pages * options.latency,
            "most at once": {"in all": site.at_once[""], "per host": max(site.at_once[host] for host in site.hosts)},
        },
        {
            "seconds beside the ideal": Bar(seconds / ideal, 1.5, most=True),
            "most at once beside the limit": Bar(site.at_once[""] / together, 1, most=True),
        },
    )


async def _once(settings: Settings, urls: list[str]) -> float:
    """Seconds that fetching all takes somebody who has not been there before."""
    start = time.perf_counter()
    async with Fetcher(settings) as fetcher:
        async for _, page in fetcher.fetch_all(urls):
            if isinstance(page, PageError):
                raise page
    return time.perf_counter() - start
