"""A site is refreshed: what has changed is transferred, what is gone is told."""

from collections import Counter
from datetime import UTC, datetime

from benchmarks.web_site import Page, redirect
from stores.pages import CachedPage as Known
from tests.web.site_cases import html
from web.base import FetchedPage
from web.urls import canonical


def known_of(results, name="a.html"):
    return [
        Known(
            canonical(one.url),
            one.url,
            datetime.now(UTC),
            name=name,
            etag=one.result.etag,
            last_modified=one.result.last_modified,
            links=one.links,
        )
        for one in results
        if isinstance(one.result, FetchedPage)
    ]


async def test_a_refresh_transfers_what_has_changed(crawled, site):
    date = "Fri, 17 May 2024 08:00:00 GMT"

    def page(text, *links, **known_by):
        return Page(html(text, *links).body, **known_by)

    site.pages |= {
        "/docs/": page("start", "a", "b", "c", etag='"s1"'),
        "/docs/a": page("a", etag='"a1"'),
        "/docs/b": page("b", last_modified=date),
        "/docs/c": page("c", etag='"c1"'),
    }
    known = known_of(await crawled())
    assert len(known) == 4
    unchanged = await crawled(known=known)
    assert Counter(one.state for one in unchanged) == {"unchanged": 4}
    site.pages["/docs/a"] = page("a, revised", "new", etag='"a2"')
    site.pages["/docs/new"] = page("new")
    site.pages["/docs/b"] = Page(status=410)
    del site.pages["/docs/c"]
    states = {one.url.removeprefix(site.url("/docs/")): one.state for one in await crawled(known=known)}
    assert states == {"": "unchanged", "a": "page", "new": "page", "b": "gone", "c": "gone"}


async def test_all_that_is_known_is_refreshed_whatever_the_limit_is_now(crawled, site):
    site.pages |= {"/docs/": html("start", "a", "b", "c"), **{f"/docs/{one}": html(one) for one in "abc"}}
    known = known_of(await crawled())
    site.pages["/docs/c"] = html("c", "d")
    site.pages["/docs/d"] = html("d")
    results = await crawled(known=known, CRAWL_MAX_PAGES="2")
    assert len(known) == 4
    assert [one.state for one in results] == ["page"] * 4 + ["failed"]
    assert (results[-1].result.reason, results[-1].url) == ("limit", site.url("/docs/d"))
    assert [one.state for one in await crawled(CRAWL_MAX_PAGES="2")] == ["page", "page", "failed"]


async def test_what_has_not_changed_leads_to_where_it_led(crawled, site):
    """A page that was not there when the others were fetched; and what is deeper than allowed stays so."""
    site.pages |= {
        "/docs/": Page(html("start", "a", "later").body, etag='"s"'),
        "/docs/a": Page(html("a", "deep").body, etag='"a"'),
        "/docs/deep": html("deep", "deeper"),
        "/docs/deeper": html("deeper"),
    }
    known = known_of(await crawled(CRAWL_MAX_DEPTH="2"))
    assert [page.url for page in known] == [site.url(path) for path in ("/docs/", "/docs/a", "/docs/deep")]
    site.pages["/docs/later"] = html("later")
    results = await crawled(known=known, CRAWL_MAX_DEPTH="2")
    assert {one.url.removeprefix(site.url("/docs/")): one.state for one in results} == {
        "": "unchanged", "a": "unchanged", "later": "page", "deep": "page"
    }  # fmt: skip


async def test_a_known_page_that_moved_to_another_is_gone(crawled, site):
    site.pages |= {"/docs/": html("start", "a", "b"), "/docs/a": html("a"), "/docs/b": html("b")}
    known = known_of(await crawled())
    site.pages["/docs/b"] = redirect("/docs/")
    states = {one.url.removeprefix(site.url("/docs/")): one.state for one in await crawled(known=known)}
    assert states == {"": "page", "a": "page", "b": "gone"}


async def test_a_page_that_is_no_document_yet_is_fetched_whole(crawled, site):
    site.pages["/docs/"] = Page(html("start").body, etag='"s"')
    known = known_of(await crawled(), name="")
    assert [one.state for one in await crawled(known=known)] == ["page"]


async def test_a_site_that_is_away_is_not_gone(crawled, site):
    site.pages |= {"/docs/": html("start", "a"), "/docs/a": html("a")}
    known = known_of(await crawled())
    site.pages |= {"/docs/": Page(status=500), "/docs/a": Page(status=500)}
    assert [one.state for one in await crawled(known=known)] == ["failed", "failed"]
