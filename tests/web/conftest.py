"""The local website that all tests of the web fetch from, and whoever fetches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from benchmarks.web_pages import PAGES
from benchmarks.web_site import WebSite, web_site
from web.fetch import Fetcher


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
