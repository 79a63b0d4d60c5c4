"""The local website that all tests of the web fetch from, and whoever fetches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from source_house import DOCS, House

from benchmarks.web_pages import PAGES
from benchmarks.web_site import WebSite, web_site
from tests.web.site_cases import ROBOTS
from web.fetch import Fetcher
from web.sites import crawl


@pytest.fixture
def site() -> Iterator[WebSite]:
    with web_site(PAGES, hosts=3) as running:
        yield running


@pytest.fixture
def fetching(site: WebSite, make_settings) -> Callable[..., Fetcher]:
    """A fetcher that the site is allowed to; names in capitals are settings of the web, without CITEWISE_WEB_."""

    def make(**options: Any) -> Fetcher:
        named = {f"CITEWISE_WEB_{name}": options.pop(name) for name in list(options) if name.isupper()}
        return Fetcher(make_settings(**{"CITEWISE_WEB_ALLOW": ",".join(site.hosts), **named}), **options)

    return make


@pytest.fixture
def settings(site, make_settings):
    """Of a library whose web source is three pages of the site."""
    site.pages = dict(DOCS)
    return make_settings(
        CITEWISE_WEB_ALLOW=",".join(site.hosts), CITEWISE_CRAWL_DELAY="0", CITEWISE_EMBEDDING="hashing",
        CITEWISE_WEB_TIMEOUT="20",
    )  # fmt: skip


@pytest.fixture
async def house(settings):
    async with House(settings) as opened:
        yield opened


@pytest.fixture
def crawled(site, make_settings):
    """All that a crawl of the site tells."""

    def settings(**named):
        limits = {"CITEWISE_CRAWL_DELAY": "0", "CITEWISE_WEB_ALLOW": ",".join(site.hosts)}
        return make_settings(**{**limits, **{f"CITEWISE_{name}": value for name, value in named.items()}})

    async def run(path="/docs/", known=(), prefix="", **named):
        start = site.url(path) if path.startswith("/") else path
        return [one async for one in crawl(start, settings(**named), known=known, prefix=prefix)]

    site.pages = {"/robots.txt": ROBOTS}
    run.settings = settings
    return run
