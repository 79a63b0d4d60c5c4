"""Fetching from a site: what comes, what does not and why, within which limits."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from benchmarks.web_pages import DAM, HANDBOOK, RAILWAY, TIDES
from benchmarks.web_site import Page, redirect
from web.base import FetchedPage
from web.fetch import Fetcher
from web.problems import PageError

PACKED = ("/gzip", "/gzip-two", "/deflate", "/raw-deflate")


@pytest.fixture
def fetch(site, fetching):
    """Fetches one path of the site with a fetcher of these settings."""

    async def one(path, etag="", last_modified="", **options):
        async with fetching(**options) as fetcher:
            return await fetcher.fetch(site.url(path), etag=etag, last_modified=last_modified)

    return one


# --- what comes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "media_type", "data", "charset"), [
    ("/en/railway", "text/html", RAILWAY.encode(), "utf-8"),
    ("/zh/dam", "text/html", DAM.encode(), "utf-8"),
    ("/zh/gbk", "text/html", DAM.replace("utf-8", "gbk").encode("gb18030"), "gbk"),
    ("/handbook.md", "text/markdown", HANDBOOK.encode(), "utf-8"),
    ("/download", "text/plain", HANDBOOK.encode(), ""),
    ("/untyped", "text/html", TIDES.encode(), ""),
    ("/untyped-json", "application/json", b'{"open": true}', ""),
    *((path, "text/html", TIDES.encode(), "utf-8") for path in PACKED),
])  # fmt: skip
async def test_pages(fetch, site, path, media_type, data, charset):
    before = datetime.now(UTC)
    page = await fetch(path)
    assert (page.media_type, page.data, page.charset) == (media_type, data, charset)
    assert page.url == site.url(path)
    assert before <= page.fetched_at <= datetime.now(UTC)
    assert not page.not_modified


async def test_a_pdf_is_one_whatever_it_is_called(fetch):
    assert (await fetch("/paper.pdf")).media_type == (await fetch("/paper-as-html")).media_type == "application/pdf"


async def test_the_last_address_is_told(fetch, site):
    assert (await fetch("/moved")).final_url == site.url("/en/tides")
    assert (await fetch("/chain/5")).final_url == site.url("/chain/0")
    assert (await fetch("/zh/dam#part")).final_url == site.url("/zh/dam")


async def test_a_redirect_may_be_relative_have_spaces_and_other_scripts(fetch, site):
    site.pages["/zh/%E9%83%BD%E6%B1%9F%20%E5%A0%B0"] = Page(DAM)
    site.pages["/a"] = Page(raw="HTTP/1.1 302 -\r\nLocation: ../zh/都江 堰?x=1#y\r\nContent-Length: 0\r\n\r\n".encode())
    page = await fetch("/a")
    assert page.data == DAM.encode()
    assert page.final_url.endswith("/zh/%E9%83%BD%E6%B1%9F%20%E5%A0%B0?x=1")


async def test_who_asks_is_told_truthfully_and_nothing_else_is_sent(fetch, site):
    await fetch("/en/tides", USER_AGENT="Citewise/9 (test)")
    for request in site.requests:
        assert request.headers["user-agent"] == "Citewise/9 (test)"
        assert set(request.headers) == {"host", "user-agent", "accept", "accept-language", "accept-encoding"}


async def test_a_page_that_is_known_costs_nothing(fetch, site):
    first = await fetch("/en/railway")
    for known in ({"etag": first.etag}, {"last_modified": first.last_modified}):
        again = await fetch("/en/railway", **known)
        assert again.not_modified
        assert again.data == b""
        assert again.etag == first.etag
    assert not (await fetch("/en/railway", etag='"older"')).not_modified


async def test_what_a_page_is_known_by_stays_when_the_server_does_not_say_it_again(fetch, site):
    site.pages["/same"] = Page(status=304, media_type=None)
    page = await fetch("/same", etag='"a"', last_modified="Fri, 17 May 2024 08:00:00 GMT")
    assert (page.etag, page.last_modified) == ('"a"', "Fri, 17 May 2024 08:00:00 GMT")


async def test_redirects_and_errors_do_not_cost_a_connection(site, fetching):
    del site.pages["/robots.txt"]
    async with fetching() as fetcher:
        await fetcher.fetch(site.url("/moved"))
        with pytest.raises(PageError):
            await fetcher.fetch(site.url("/gone"))
        await fetcher.fetch(site.url("/zh/dam"))
    assert site.connections == {"127.0.0.1": 1}


async def test_conditions_that_cannot_be_sent_are_left_out(fetch, site):
    await fetch("/en/tides", etag='"a"\r\nX-Injected: 1', last_modified="a\x00é")
    assert "if-none-match" not in site.asked("/en/tides")[0].headers
    assert "x-injected" not in site.asked("/en/tides")[0].headers


# --- what does not, and why ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "reason", "status"), [
    ("/nowhere", "status", 404), ("/gone", "status", 410), ("/login", "status", 401), ("/broken", "status", 500),
    ("/unasked-304", "status", 304), ("/part", "status", 206),
    ("/moved-nowhere", "status", 302), ("/busy-long", "status", 503),
    ("/private/secret", "robots", 0), ("/loop", "redirects", 0), ("/chain/6", "redirects", 0),
    ("/chain/10", "redirects", 0),
    ("/picture.png", "type", 0), ("/picture-as-html", "type", 0), ("/film", "type", 0), ("/program", "type", 0),
    ("/empty", "type", 0), ("/huge", "size", 0), ("/huge-said", "size", 0), ("/endless", "size", 0),
    ("/bomb", "size", 0),
    ("/cut", "damaged", 0), ("/not-gzip", "damaged", 0), ("/brotli", "damaged", 0), ("/nonsense", "damaged", 0),
    ("/headers-without-end", "damaged", 0),
    ("/to?url=http://127.0.0.99/", "refused", 0), ("/to?url=ftp://127.0.0.1/", "refused", 0),
    ("/to?url=http://user@127.0.0.1/", "refused", 0),
])  # fmt: skip
async def test_failures(fetch, path, reason, status):
    with pytest.raises(PageError) as caught:
        await fetch(path, MAX_MB="2")
    error = caught.value
    assert (error.reason, error.status) == (reason, status)
    assert error.suggestions
    for message in (error.message, *error.suggestions):
        assert message.zh
        assert message.en
        assert message.zh != message.en


@pytest.mark.parametrize("path", ["/slow-headers", "/slow-body", "/stalls"])
@pytest.mark.parametrize("limits", [{"TIMEOUT": "0.2"}, {"idle": 0.05}])
async def test_time(fetch, path, limits):
    if path == "/slow-body" and "idle" in limits:
        limits = {"idle": 0.01}
    with pytest.raises(PageError) as caught:
        await fetch(path, **limits)
    assert caught.value.reason == "time"


async def test_many_small_steps_are_one_page_in_time(fetch, site):
    """No redirect starts the clock anew."""
    site.pages |= {f"/slow/{number}": redirect(f"/slow/{number + 1}") for number in range(20)}
    site.latency = 0.1
    with pytest.raises(PageError) as caught:
        await fetch("/slow/0", TIMEOUT="0.5", REDIRECTS="20")
    assert caught.value.reason == "time"
    assert not site.asked("/slow/10")


async def test_nobody_listens(fetching, site):
    async with fetching() as fetcher:
        with pytest.raises(PageError) as caught:
            await fetcher.fetch("http://127.0.0.1:1/")
    assert caught.value.reason == "unreachable"


async def test_an_encrypted_page_does_not_lead_to_one_that_is_not():
    from httpx2 import URL

    from web.fetch import _next

    with pytest.raises(PageError):
        _next(URL("https://example.com/"), "http://example.com/x")
    assert str(_next(URL("http://example.com/"), "https://example.com/x")) == "https://example.com/x"


_VALUES = st.one_of(st.text(max_size=30), st.integers().map(str), st.sampled_from([
    "chunked", "gzip", "deflate", "text/html; charset=x", "/", "//", "http://", "http://127.0.0.1:1/",
    "\\\\x", "0", "-1", "1e9",
])).map(lambda value: value.encode("utf-8", "replace"))  # fmt: skip
_HEADERS = st.dictionaries(st.sampled_from([
    b"Content-Type", b"Content-Length", b"Content-Encoding", b"Transfer-Encoding", b"Location", b"Retry-After", b"ETag",
    b"Last-Modified", b"Connection", b"Upgrade", b"X",
]), _VALUES)  # fmt: skip


_STATUSES = st.sampled_from([100, 101, 199, 200, 200, 200, 204, 206, 301, 302, 304, 400, 404, 429, 500, 503, 599, 999])


@hypothesis_settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["/robots.txt", "/odd"]), _STATUSES, _HEADERS, st.binary())
def test_whatever_a_server_answers_it_is_a_page_or_an_error(site, fetching, path, status, headers, body):
    lines = b"".join(name + b": " + value + b"\r\n" for name, value in headers.items())
    site.pages |= {"/robots.txt": Page(status=404), "/odd": Page(TIDES)}
    site.pages[path] = Page(raw=b"HTTP/1.1 %d -\r\n%b\r\n%b" % (status, lines, body))

    async def once():
        async with fetching(TIMEOUT="0.3") as fetcher:
            return [result async for _, result in fetcher.fetch_all([site.url("/odd"), site.url("/moved")])]

    assert all(isinstance(one, FetchedPage | PageError) for one in asyncio.run(once()))


# --- busy servers --------------------------------------------------------------------------------------------------


def busy_once(header, asked):
    def answer(_):
        asked.append(time.monotonic())
        return Page(status=503, headers={"Retry-After": header}) if len(asked) == 1 else Page(TIDES)

    return answer


YESTERDAY = pytest.param(format_datetime(datetime.now(UTC) - timedelta(days=1), usegmt=True), id="yesterday")


@pytest.mark.parametrize("header", ["0", "1", YESTERDAY])
async def test_a_server_that_asks_to_wait_is_waited_for_once(fetch, site, header):
    asked = []
    site.pages["/once"] = busy_once(header, asked)
    page = await fetch("/once")
    assert page.data == TIDES.encode()
    first, second = asked
    assert second - first >= (0.99 if header == "1" else 0)
    assert page.seconds >= (1 if header == "1" else 0)


@pytest.mark.parametrize("header", ["3600", "99999999999999999999", "soon", "-1", "", "Fri, 99 Foo 2026"])
async def test_but_not_for_long_and_not_for_an_unknown_time(fetch, site, header):
    site.pages["/once"] = busy_once(header, [])
    with pytest.raises(PageError) as caught:
        await fetch("/once")
    assert caught.value.status == 503
    assert len(site.asked("/once")) == 1


async def test_nor_twice(fetch, site):
    site.pages["/always"] = Page(status=429, headers={"Retry-After": "0"})
    with pytest.raises(PageError) as caught:
        await fetch("/always")
    assert caught.value.status == 429
    assert len(site.asked("/always")) == 2


# --- many at once --------------------------------------------------------------------------------------------------


async def test_all_come_each_with_its_page_or_its_error(site, fetching):
    urls = [site.url("/en/tides"), site.url("/gone"), "nonsense", site.url("/zh/dam", 1), site.url("/moved", 2)]
    async with fetching() as fetcher:
        found = {url: result async for url, result in fetcher.fetch_all(urls)}
    assert set(found) == set(urls)
    assert [isinstance(found[url], FetchedPage) for url in urls] == [True, False, False, True, True]
    assert found[site.url("/gone")].status == 410


async def test_the_first_to_come_is_the_first_to_be_told(site, fetching):
    async with fetching() as fetcher:
        async for url, _ in fetcher.fetch_all([site.url("/slow-headers"), site.url("/en/tides")]):
            assert url == site.url("/en/tides")
            break


async def test_no_more_at_once_than_is_set(site, fetching):
    site.latency = 0.02
    urls = [site.url("/en/tides" + "?" + str(number), number % 3) for number in range(30)]
    async with fetching(PER_HOST="2", CONCURRENCY="5") as fetcher:
        async for _, page in fetcher.fetch_all(urls):
            assert isinstance(page, FetchedPage)
    assert site.at_once[""] == 5
    assert max(site.at_once[host] for host in site.hosts) == 2


async def test_pauses_between_the_requests_of_one_host(site, fetching):
    """As long as is asked for by us or by the site, whichever is longer; other hosts do not wait."""
    site.pages["127.0.0.2/robots.txt"] = Page("User-agent: *\nCrawl-delay: 0.2", "text/plain")
    loop, begun = asyncio.get_running_loop(), {}

    def noted(request):
        begun.setdefault(request.host, []).append(loop.time())
        return Page(TIDES)

    site.pages["/noted"] = noted
    urls = [site.url(f"/noted?{number}", number % 2) for number in range(6)]
    async with fetching(delay=0.05) as fetcher:
        seconds = [page.seconds async for _, page in fetcher.fetch_all(urls)]
    spans = {host: times[-1] - times[0] for host, times in begun.items()}
    assert spans["127.0.0.1"] >= 0.09
    assert spans["127.0.0.2"] >= 0.39
    assert spans["127.0.0.1"] < spans["127.0.0.2"]
    assert min(seconds) < 0.2  # waiting for one's turn is not the site's time


async def test_whoever_waits_for_a_slow_page_can_stop(site, fetching):
    asked, loop = asyncio.Event(), asyncio.get_running_loop()

    def answer(_):
        loop.call_soon_threadsafe(asked.set)
        return Page(TIDES, stalls=True)

    site.pages["/asked"] = answer
    async with fetching(PER_HOST="1") as fetcher:
        task = asyncio.create_task(fetcher.fetch(site.url("/asked")))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await fetcher.fetch(site.url("/en/tides"))).data == TIDES.encode()  # its place is free again


async def test_by_default_nothing_here_is_fetched(site, make_settings):
    async with Fetcher(make_settings()) as fetcher:
        with pytest.raises(PageError) as caught:
            await fetcher.fetch(site.url("/en/tides"))
    assert caught.value.reason == "refused"
    assert not site.connections
