"""Crawling a site: what is found, what is left alone, when it ends."""

import asyncio
from contextlib import aclosing
from datetime import UTC, datetime

import pytest

from benchmarks.web_site import Page, redirect
from tests.each_row import each_row
from tests.web.site_cases import came, html
from web.base import FetchedPage
from web.links import links_of
from web.problems import PageError
from web.sites import CrawlScope, crawl


async def test_links_are_followed_breadth_first_and_told_with_where_they_stood(crawled, site):
    site.pages |= {
        "/docs/": html("start", "a", "b"),
        "/docs/a": html("a", "a/deep"),
        "/docs/b": html("b", "/docs/"),
        "/docs/a/deep": html("deep", "deeper"),
        "/docs/a/deeper": html("deeper"),
    }
    results = await crawled(WEB_PER_HOST="1")
    assert [
        (one.url.removeprefix(site.url("")), one.depth, one.found_on.removeprefix(site.url(""))) for one in results
    ] == [
        ("/docs/", 0, ""),
        ("/docs/a", 1, "/docs/"),
        ("/docs/b", 1, "/docs/"),
        ("/docs/a/deep", 2, "/docs/a"),
        ("/docs/a/deeper", 3, "/docs/a/deep"),
    ]
    assert came(await crawled(CRAWL_MAX_DEPTH="1"), site) == ["/docs/", "/docs/a", "/docs/b"]
    assert came(await crawled(CRAWL_MAX_DEPTH="0"), site) == ["/docs/"]


async def test_only_its_host_and_path(crawled, site):
    elsewhere = [site.url("/docs/x", host=1), "/other", "/docs-old/", "mailto:a@b.c", "javascript:x()", "ftp://a/docs/"]
    files = ["a.png", "b.zip", "c.css", "d.mp4"]
    site.pages |= {"/docs/": html("start", *elsewhere, *files, "in"), "/docs/in": html("in")}
    assert came(await crawled(), site) == ["/docs/", "/docs/in"]
    asked = {request.path for request in site.requests}
    assert asked == {"/robots.txt", "/sitemap.xml", "/docs/", "/docs/in"}
    assert {request.host for request in site.requests} == {site.hosts[0]}


async def test_a_wider_prefix_may_be_given(crawled, site):
    site.pages |= {"/docs/": html("start", "/other", "/docs/in"), "/docs/in": html("in"), "/other": html("other")}
    assert set(came(await crawled(prefix=site.url("/")), site)) == {"/docs/", "/docs/in", "/other"}


async def test_no_page_is_fetched_twice(crawled, site):
    site.pages |= {
        "/docs/": html("start", "./", "?utm_source=x", "a", "a#part", "a/", "A/../a?spm=1", "/docs/%61", "moved"),
        "/docs/a": html("a", "./"),
        "/docs/moved": redirect("/docs/a"),
    }
    results = await crawled()
    assert sorted(came(results, site)) in (["/docs/", "/docs/a"], ["/docs/", "/docs/moved"])
    assert len(results) == 2
    assert len(site.asked("/docs/")) == 1


async def test_robots_and_nofollow(crawled, site):
    site.pages |= {
        "/docs/": html("start", "private/x", '<a rel="external NoFollow" href="paid">', "silent"),
        "/docs/private/x": html("secret"),
        "/docs/paid": html("paid"),
        "/docs/silent": html("silent", "behind", head='<meta name="Robots" content="noindex, nofollow">'),
        "/docs/behind": html("behind"),
    }
    results = await crawled()
    assert came(results, site) == ["/docs/", "/docs/silent"]
    [refused] = [one for one in results if one.state == "failed"]
    assert refused.result.reason == "robots"
    assert not site.asked("/docs/private/x")


async def test_traps_end(crawled, site):
    """A calendar that always links to the next month, by parameters and by paths; real pages come before it."""

    def calendar(request):
        number = int(request.path.rpartition("=")[2] or 0)
        return html(f"month {number}", *(f"/docs/calendar?month={number + step}" for step in range(1, 40)))

    def spiral(request):
        return html(request.path, "again/round/")

    site.pages |= {
        "/docs/": html("start", "calendar?month=0", "spiral/again/round/", *(f"page{number}" for number in range(10))),
        "/docs/calendar": calendar,
        **{f"/docs/page{number}": html(f"page {number}") for number in range(10)},
        **{"/docs/spiral/" + "again/round/" * turns: spiral for turns in range(1, 40)},
    }
    results = await crawled(CRAWL_MAX_PAGES="30", CRAWL_MAX_DEPTH="50")
    assert len(results) == 31
    assert results[-1].result.reason == "limit"
    assert {f"/docs/page{number}" for number in range(10)} < set(came(results, site))
    assert not site.asked("/docs/spiral/" + "again/round/" * 4)


async def test_one_content_under_many_addresses_comes_once(crawled, site):
    def session(_):
        return html("the same", *(f"/docs/s?session={number}" for number in range(5)))

    site.pages |= {"/docs/": html("start", "s?session=9"), "/docs/s": session}
    assert len(await crawled()) == 2


async def test_redirects_out_of_the_site_are_not_followed(crawled, site):
    site.pages |= {
        "/docs/": html("start", "out", "up", "loop"),
        "/docs/out": redirect(site.url("/docs/", host=1)),
        "/docs/up": redirect("/login"),
        "/docs/loop": redirect("/docs/loop"),
        "/login": html("login"),
    }
    results = await crawled()
    assert came(results, site) == ["/docs/"]
    assert [one.result.reason for one in results[1:]] == ["redirects"] * 3
    assert not site.asked("/login")
    assert {request.host for request in site.requests} == {site.hosts[0]}


async def test_a_site_that_has_moved_as_a_whole_is_followed(crawled, site):
    there = site.hosts[1]
    site.pages |= {
        "/docs/": redirect(site.url("/new/", host=1)),
        f"{there}/new/": html("start", "a", "/other"),
        f"{there}/new/a": html("a"),
        f"{there}/other": html("other"),
    }
    results = await crawled()
    assert [one.result.final_url for one in results] == [site.url("/new/", host=1), site.url("/new/a", host=1)]


# --- when it ends --------------------------------------------------------------------------------------------------


async def test_closed_it_asks_for_nothing_more(crawled, site):
    site.pages |= {"/docs/": html("start", *(f"p{number}" for number in range(50)))}
    site.pages |= {f"/docs/p{number}": Page("x", first_delay=60.0) for number in range(1, 50)}
    site.pages["/docs/p0"] = html("p0")
    async with aclosing(crawl(site.url("/docs/"), crawled.settings(WEB_PER_HOST="2"))) as pages:
        assert [(await anext(pages)).depth for _ in range(2)] == [0, 1]
    assert len(site.requests) <= 6  # robots.txt, sitemap.xml, the start, and two at a time
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert not [task for task in others if "_Crawling" in repr(task) or "Fetcher" in repr(task)]


async def test_cancelled_it_ends(crawled, site):
    reached = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(_):
        loop.call_soon_threadsafe(reached.set)
        return Page("x", first_delay=60.0)

    site.pages |= {"/docs/": html("start", "slow"), "/docs/slow": slow}
    task = asyncio.create_task(crawled())
    await reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_the_delay_is_kept(crawled, site):
    site.pages |= {"/docs/": html("start", "a", "b"), "/docs/a": html("a"), "/docs/b": html("b")}
    results = await crawled(CRAWL_DELAY="0.2", WEB_PER_HOST="4")
    times = sorted(one.result.fetched_at for one in results)
    assert (times[-1] - times[0]).total_seconds() >= 0.35
    assert site.at_once[""] == 1


@pytest.mark.parametrize("start", ["", "docs", "ftp://a/", "http://", "file:///etc/passwd"])
async def test_what_is_no_address(make_settings, start):
    with pytest.raises(PageError) as caught:
        [one async for one in crawl(start, make_settings())]
    assert caught.value.reason == "refused"


async def test_a_start_that_does_not_come_is_told_and_all(crawled, site):
    [missing] = await crawled("/docs/nowhere")
    assert (missing.state, missing.result.status) == ("failed", 404)
    [nobody] = await crawled("http://127.0.0.1:1/")
    assert nobody.result.reason == "unreachable"
    assert nobody.result.suggestions


# --- its parts -----------------------------------------------------------------------------------------------------


@each_row(("start", "inside", "outside"), [
    ("http://a.example/docs/", "http://a.example/docs", "http://a.example/docsx"),
    ("http://a.example/docs/index.html", "https://A.example/docs/b/c?d", "http://a.example/b"),
    ("http://a.example/docs/intro", "http://a.example/docs/intro/b", "http://a.example/docs/other"),
    ("http://a.example", "http://a.example/b", "http://b.a.example/b"),
    ("http://a.example/v1.2/", "http://a.example/v1.2/b", "http://a.example/v1.3/b"),
    ("http://a.example/", "http://a.example:80/b", "http://a.example:8080/b"),
])  # fmt: skip
def test_scopes(start, inside, outside):
    scope = CrawlScope.of(start)
    assert scope.holds(inside)
    assert scope.holds(start)
    assert not scope.holds(outside)
    assert not scope.holds("no address")


def fetched(body, charset="", media_type="text/html"):
    return FetchedPage("http://a/x/", "http://a/x/", media_type, body, datetime.now(UTC), charset)


def test_links_of_a_page():
    body = (
        b'<base href="/b/"><a href=" c "></a><area href="d#e"><frame src="f"><a href="http://[">x</a><a href="">y</a>'
    )
    assert links_of(fetched(body)) == ["http://a/b/c", "http://a/b/d", "http://a/b/f", "http://a/b/"]
    assert links_of(fetched("<a href='都江堰'>".encode(), "utf-8")) == ["http://a/x/都江堰"]
    assert links_of(fetched("<a href='都江堰'>".encode("gbk"), "gbk")) == ["http://a/x/都江堰"]
    assert links_of(fetched(b"<a href=b>", "no-such-charset")) == ["http://a/x/b"]
    assert links_of(fetched(b"<a href=b>", media_type="text/plain")) == []
    assert links_of(fetched(b"")) == links_of(fetched(b"<!-- -->")) == []
    assert len(links_of(fetched(b"".join(b"<a href=%d>" % number for number in range(5_000))))) == 2_000
