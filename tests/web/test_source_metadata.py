"""Metadata that are given with a source: each of its documents has them, whenever it came."""

from __future__ import annotations

import asyncio

import pytest
from source_house import House, html, told

from errors import CitewiseError
from schema import Scope, Source

DOCS = {"/docs/": html("tides", "a", "b", etag='"1"'), "/docs/a": html("leave"), "/docs/b": html("潮汐")}


@pytest.fixture
async def house(site, make_settings):
    site.pages = dict(DOCS)
    async with House(
        make_settings(
            CITEWISE_WEB_ALLOW=",".join(site.hosts), CITEWISE_CRAWL_DELAY="0", CITEWISE_EMBEDDING="hashing",
            CITEWISE_WEB_TIMEOUT="20",
        )
    ) as opened:  # fmt: skip
        yield opened


def found(house: House, **where: object) -> int:
    return len(house.library.documents(Scope(metadata=tuple(where.items()))))


async def add(house: House, site, metadata=None) -> Source:
    return await house.sources.add(site.url("/docs/"), doc_set="docs", metadata=metadata)


async def test_each_page_has_them_and_is_found_by_them_also_one_that_comes_later(house, site) -> None:
    source = await add(house, site, {"team": "payroll", "tags": ["x", "y"], "year": 2026})
    assert house.now(source).metadata == {"team": "payroll", "tags": ["x", "y"], "year": 2026}
    await house.refresh(source)
    assert (found(house, team="payroll"), found(house, tags="y"), found(house, year=2026)) == (3, 3, 3)
    assert found(house, team="sales") == 0
    site.pages |= {"/docs/": html("tides", "a", "b", "c", etag='"2"'), "/docs/c": html("火车")}
    assert told(await house.refresh(source)) == {"stored": 2, "unchanged": 2}
    assert found(house, team="payroll") == 4
    hits = (await house.library.search("火车", scope=Scope(metadata=(("team", "payroll"),)))).hits
    assert "火车" in hits[0].text


async def test_given_anew_they_change_at_once_and_nothing_is_fetched(house, site) -> None:
    source = await add(house, site, {"team": "payroll", "year": 2026})
    await house.refresh(source)
    site.requests.clear()
    await add(house, site, {"team": "sales"})
    assert (found(house, team="payroll"), found(house, team="sales"), found(house, year=2026)) == (0, 3, 0)
    await add(house, site, {"team": True})
    assert (found(house, team=True), found(house, team=1)) == (3, 0)
    await add(house, site, {"team": 1})
    assert (found(house, team=True), found(house, team=1)) == (0, 3)
    await add(house, site)  # not said: as they are
    assert found(house, team=1) == 3
    await add(house, site, {})
    assert (found(house, team=1), site.requests) == (0, [])


async def test_those_of_another_set_and_of_nobody_stay_as_they_are(house, site) -> None:
    await house.library.add("own.md", b"# Own\n\nwords", doc_set="docs", metadata={"team": "own"})
    other = await house.sources.add(site.url("/docs/"), doc_set="other", metadata={"team": "other"})
    await house.refresh(other)
    source = await add(house, site, {"team": "payroll"})
    await asyncio.gather(house.refresh(source))
    await add(house, site, {"team": "sales"})
    assert (found(house, team="own"), found(house, team="other"), found(house, team="sales")) == (1, 3, 3)


@pytest.mark.parametrize("metadata", [{"kind": "x"}, {"a": {"b": 1}}, {"": 1}])
async def test_what_does_not_fit_is_refused_before_there_is_a_source(house, site, metadata) -> None:
    with pytest.raises(CitewiseError):
        await add(house, site, metadata)
    assert house.sources.list() == []
