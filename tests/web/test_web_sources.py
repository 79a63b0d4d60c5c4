"""A website as a source of a document set: what a refresh brings, what it costs, and what it never deletes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from source_house import DOCS, html, told

from benchmarks.web_site import Page, redirect
from schema import Chunking, Scope
from web.sources import LibrarySources


async def test_its_pages_are_in_the_set_with_where_they_are_from(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    assert (source.kind, source.refreshed_at, source.pages) == ("website", "", 0)
    assert house.library.doc_sets() == ["docs"]
    events = await house.refresh(source)
    assert told(events) == {"stored": 3}
    assert house.paths(site) == ["/docs/", "/docs/a", "/docs/b"]
    assert {(info.origin.source_type, info.origin.source) for info in house.infos()} == {("website", source.id)}
    now = house.now(source)
    assert (now.pages, now.problem, bool(now.refreshed_at)) == (3, None, True)
    assert events[-1].state == "done"
    assert events[-1].progress.source == now
    hits = (await house.library.search("annual leave", scope=Scope(doc_sets=("docs",)))).hits
    assert hits[0].metadata["url"] == site.url("/docs/a")


async def test_what_has_not_changed_costs_nothing(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    for _ in range(2):
        generation, version = house.library.generation(), house.library.version
        site.requests.clear()
        assert told(await house.refresh(source)) == {"unchanged": 3}
        assert (house.library.generation(), house.library.version) == (generation, version)  # nothing was handed in
        assert site.asked("/docs/")[0].headers["if-none-match"] == '"1"'
        assert "if-modified-since" in site.asked("/docs/a")[0].headers
        assert len(site.asked("/docs/b")) == 1  # its server knows no way to say so: the same bytes tell


async def test_what_is_new_changed_or_gone(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    del site.pages["/docs/a"]
    site.pages |= {"/docs/": html("tides", "b", "c", etag='"2"'), "/docs/b": html("火车"), "/docs/c": html("new page")}
    assert told(await house.refresh(source)) == {"stored": 3, "gone": 1}
    assert house.paths(site) == ["/docs/", "/docs/b", "/docs/c"]
    assert "火车" in house.texts()
    assert "潮汐" not in house.texts()
    assert house.now(source).pages == 3
    assert told(await house.refresh(source)) == {"unchanged": 3}


async def test_a_page_that_is_of_another_kind_now_takes_the_place_of_the_old(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    site.pages["/docs/a"] = Page("# Leave\n\nIt is plain now.\n", "text/markdown")
    assert told(await house.refresh(source)) == {"stored": 1, "unchanged": 2}
    assert house.paths(site) == ["/docs/", "/docs/a", "/docs/b"]
    assert {info.name.rpartition(".")[2] for info in house.infos()} == {"html", "md"}


async def test_a_page_that_has_moved_within_the_site_is_there_once(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    site.pages |= {"/docs/a": redirect("/docs/moved"), "/docs/moved": html("annual leave, moved")}
    for _ in range(2):
        await house.refresh(source)
        assert house.paths(site) == ["/docs/", "/docs/b", "/docs/moved"]
    site.pages["/docs/"] = html("tides", "a", "b", "moved")
    for _ in range(3):
        await house.refresh(source)
        assert house.paths(site) == ["/docs/", "/docs/b", "/docs/moved"]
    assert told(await house.refresh(source)) == {"unchanged": 3}


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        (Page("busy", status=503), "503"),
        (Page("not here", status=404), "404"),
        (Page(raw=b""), "damaged"),
        (redirect("http://127.0.0.2:{port}/portal"), "leads"),
    ],
    ids=["down", "all gone", "cut off", "a portal"],
)
async def test_a_refresh_that_comes_to_nothing_deletes_nothing(house, site, how, reason):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    before = house.now(source)
    how = replace(how, headers={key: value.format(port=site.port) for key, value in how.headers.items()})
    missing, site.missing = site.missing, how
    site.pages = {"/portal": html("sign in", "more"), "/robots.txt": Page("", "text/plain")}
    events = await house.refresh(source)
    assert (events[-1].state, events[-1].url) == ("failed", "")
    assert reason in events[-1].problem.en
    assert len(house.infos()) == 3
    now = house.now(source)
    assert now == replace(before, problem=events[-1].problem)
    site.pages, site.missing = dict(DOCS), missing
    assert told(await house.refresh(source)) == {"unchanged": 3}
    assert house.now(source).problem is None


async def test_a_page_that_fails_stays_and_is_told(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    site.pages["/docs/a"] = Page("busy", status=500)
    events = await house.refresh(source)
    assert told(events) == {"unchanged": 2, "failed": 1}
    [(url, problem)] = events[-1].progress.problems
    assert url == site.url("/docs/a")
    assert "500" in problem.zh
    assert "500" in problem.en
    assert len(house.infos()) == 3
    assert "1 of 3" in house.now(source).problem.en
    assert "500" in house.now(source).problem.zh


async def test_what_is_not_for_programs_is_told_and_is_no_failure(house, site):
    site.pages["/robots.txt"] = Page("User-agent: *\nDisallow: /docs/a\n", "text/plain")
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    events = await house.refresh(source)
    assert told(events) == {"stored": 2, "skipped": 1}
    assert "robots.txt" in events[-1].progress.problems[0][1].en
    assert house.now(source).problem is None


async def test_a_dead_link_is_no_failure_until_it_leads_somewhere(house, site):
    site.pages["/docs/a"] = html("a", "later", etag='"a"')
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    assert told(await house.refresh(source)) == {"stored": 3, "skipped": 1}
    assert house.now(source).problem is None
    site.pages["/docs/later"] = html("later")
    assert told(await house.refresh(source)) == {"stored": 1, "unchanged": 3}


async def test_what_is_left_out_is_told(house, site, settings):
    small = LibrarySources(settings.model_copy(update={"crawl_max_pages": 2}), house.library, house.pages)
    source = await small.add(site.url("/docs/"), doc_set="docs")
    for _ in range(2):
        [*_, last] = [event async for event in small.refresh(source.id)]
        await house.library.process()
        assert last.state == "done"
        assert "more than 2 pages" in last.problem.en
        assert "CITEWISE_CRAWL_MAX_PAGES" in house.now(source).problem.zh
        assert len(house.infos()) == 2
    await small.close()
    assert told(await house.refresh(source)) == {"stored": 1, "unchanged": 2}
    assert house.now(source).problem is None


async def test_the_same_address_is_the_same_source(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    again = await house.sources.add(site.url("/docs/index/../#top"), doc_set="docs")
    assert again.id == source.id
    assert again.address == source.address
    assert again.pages == 3
    assert len(house.sources.list()) == 1


async def test_a_narrower_part_leaves_out_what_it_was(house, site):
    site.pages |= {"/docs/": html("start", "part/x", "b"), "/docs/part/x": html("x", "../b"), "/docs/part/": html("p")}
    source = await house.sources.add(site.url("/docs/part/x"), doc_set="docs", prefix="/docs/")
    await house.refresh(source)
    assert house.paths(site) == ["/docs/b", "/docs/part/x"]
    again = await house.sources.add(site.url("/docs/part/x"), doc_set="docs")
    assert (again.id, again.prefix) == (source.id, "")
    await house.refresh(source)
    assert house.paths(site) == ["/docs/part/x"]


async def test_cut_in_another_way_from_now_on(house, site):
    source = await house.sources.add(site.url("/docs/"), doc_set="docs")
    await house.refresh(source)
    await house.sources.add(site.url("/docs/"), doc_set="docs", chunking=Chunking(strategy="fixed", size=60))
    await house.library.process()
    assert {(info.chunking.strategy, info.chunking.size) for info in house.infos()} == {("fixed", 60)}
    assert told(await house.refresh(source)) == {"unchanged": 3}
