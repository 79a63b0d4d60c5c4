"""The local website that all tests of the web fetch from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.web_site import WebSite, web_site


@pytest.fixture
def site() -> Iterator[WebSite]:
    with web_site(hosts=3) as running:
        yield running
