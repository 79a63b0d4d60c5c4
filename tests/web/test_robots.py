"""What sites ask of programs."""

import asyncio

import pytest
from httpx2 import URL
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.web_site import Page, redirect
from tests.each_row import each_row
from web.problems import PageError, broken
from web.robots import MOST_BYTES, Robots

AGENT = "Citewise"
PAGE = URL("https://example.com/a/b?c=d")


def robots(*answers, clock=lambda: 0.0):
    """One answer (status, text) after the other, the last for ever; and what was read."""
    read = []

    async def reading(url):
        read.append(str(url))
        answer = answers[min(len(read), len(answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer[0], answer[1].encode()

    return Robots(reading, AGENT, clock), read


def allowed(text, url, status=200):
    return asyncio.run(robots((status, text))[0].of(URL(url))).allow(URL(url))


@each_row(("text", "path", "may"), [
    ("", "/x", True),
    ("<html>not a robots.txt</html>", "/x", True),
    ("User-agent: *\nDisallow:", "/x", True),
    ("User-agent: *\nDisallow: /", "/x", False),
    ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
    ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/c", False),
    ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", False),
    ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?z", True),
    ("User-agent: *\nDisallow: /敦煌", "/%E6%95%A6%E7%85%8C/1", False),
    ("User-agent: *\nDisallow: /\n\nUser-agent: Citewise\nDisallow: /no", "/x", True),
    ("User-agent: citewise\nDisallow: /no\n\nUser-agent: *\nDisallow: /", "/no/x", False),
    ("User-agent: CITEWISE\nUser-agent: other\nDisallow: /no", "/no", False),
    ("User-agent: other\nUser-agent: *\nDisallow: /no", "/no", False),
    ("User-agent: other\nDisallow: /\n\nUser-agent: another\nDisallow: /", "/x", True),
    ("User-agent: other # Citewise\nDisallow: /", "/x", True),
    ("User-agent: Cite\nDisallow: /", "/x", True),
    ("User agent *\nDisallow /no", "/no", False),
    ("\ufeffUser-agent: *\r\nDisallow: /no\r\n", "/no", False),
    ("Disallow: /x", "/x", True),
])  # fmt: skip
def test_rules(text, path, may):
    assert allowed(text, f"https://example.com{path}") == may


@each_row(
    ("status", "may"), [(404, True), (403, True), (410, True), (429, True), (500, False), (503, False), (599, False)]
)
def test_without_a_file_all_is_allowed_and_with_a_failing_server_nothing(status, may):
    assert allowed("User-agent: *\nDisallow: /", "https://example.com/", status) == may


@pytest.mark.parametrize(
    ("asked", "kept"),
    [("3", 3), ("0.5", 0.5), ("86400", 30), ("-1", 0), ("nan", 0), ("x", 0), ("1e99", 30), ("1e999", 0)],
)
async def test_the_delay_that_is_asked_for_within_reason(asked, kept):
    rules = await robots((200, f"User-agent: *\nCrawl-delay: {asked}"))[0].of(PAGE)
    assert rules.delay == kept


async def test_one_reading_for_all_who_ask_at_the_same_time_and_for_an_hour():
    now = [0.0]
    book, read = robots((200, ""), clock=lambda: now[0])
    await asyncio.gather(*(book.of(URL(f"https://example.com/{number}")) for number in range(20)))
    now[0] = 3599
    await book.of(PAGE)
    assert read == ["https://example.com/robots.txt"]
    now[0] = 3601
    await book.of(PAGE)
    assert len(read) == 2


async def test_a_server_that_failed_is_soon_asked_again():
    now = [0.0]
    book, _ = robots((503, ""), (404, ""), clock=lambda: now[0])
    assert not (await book.of(PAGE)).allow(PAGE)
    now[0] = 61
    assert (await book.of(PAGE)).allow(PAGE)


async def test_each_scheme_host_and_port_has_its_own():
    book, read = robots((200, ""))
    origins = ["https://example.com", "http://example.com", "http://example.com:8080", "https://www.example.com"]
    for origin in origins:
        await book.of(URL(f"{origin}/x?y"))
    assert read == [f"{origin}/robots.txt" for origin in origins]


async def test_what_is_kept_is_bounded():
    book, read = robots((200, "#" * 400_000))
    for number in range(30):
        await book.of(URL(f"https://host{number}.com/"))
    await book.of(URL("https://host29.com/"))
    assert len(read) == 30
    await book.of(URL("https://host0.com/"))
    assert len(read) == 31


async def test_a_failed_reading_is_told_to_all_and_tried_again():
    book, read = robots(broken("robots.txt"), (200, ""))
    results = await asyncio.gather(book.of(PAGE), book.of(PAGE), return_exceptions=True)
    assert all(isinstance(result, PageError) for result in results)
    assert (await book.of(PAGE)).allow(PAGE)
    assert len(read) == 2


async def test_whoever_stops_waiting_does_not_stop_the_others():
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def read(url):
        begun.set()
        await go_on.wait()
        return 404, b""

    book = Robots(read, AGENT)
    first, second = asyncio.create_task(book.of(PAGE)), asyncio.create_task(book.of(PAGE))
    await begun.wait()
    first.cancel()
    go_on.set()
    assert (await second).allow(PAGE)
    assert first.cancelled() or await asyncio.gather(first, return_exceptions=True)


async def test_closing_ends_what_is_being_read():
    begun = asyncio.Event()

    async def read(url):
        begun.set()
        await asyncio.Event().wait()

    book = Robots(read, AGENT)
    waiting = asyncio.create_task(book.of(PAGE))
    await begun.wait()
    await book.aclose()
    assert isinstance((await asyncio.gather(waiting, return_exceptions=True))[0], asyncio.CancelledError)


@given(st.text(alphabet=st.sampled_from("UuserAagnt-: *\n\r\x0b\u2028/$#%dislowAllCrwydey0123.é"), max_size=300))
def test_no_text_is_too_odd(text):
    assert allowed(text, "https://example.com/x") in (True, False)


@pytest.mark.parametrize("separator", ["\n", "\r", "\x0b", "\u2028", "\n \t"])
@pytest.mark.parametrize("agent", ["User-agent: a{}", "user agent a{}", "useragent:a{}", "User-Agent : {}*"])
async def test_a_file_of_many_agents_and_rules_is_not_stored_once_for_each(separator, agent):
    agents = separator.join(agent.format(number) for number in range(9_000))
    rules = separator.join(f"Disallow: /{number}" for number in range(9_000))
    text = f"{agents}{separator}{rules}{separator}User-agent: *{separator}Disallow: /no"
    assert len(text.encode()) <= MOST_BYTES
    found = await robots((200, text))[0].of(PAGE)
    assert not found.allow(URL("https://example.com/no"))
    assert len(found.said._user_agents) <= 3


# --- with a site ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "reason"), [
    (Page("User-agent: *\nDisallow: /en", "text/plain"), "robots"),
    (Page("User-agent: *\nDisallow: /en", "text/plain", encoding="gzip"), "robots"),
    (Page("User-agent: *\nDisallow: /en", None), "robots"),
    (Page(status=503), "robots"),
    (redirect("/robots-moved.txt", 301), "robots"),
    (Page(b"#" * 2_000_000 + b"\nUser-agent: *\nDisallow: /en", "text/plain"), ""),  # what follows is not looked at
    (Page(b"User-agent: *\nDisallow: /en\n" + b"#" * 2_000_000, "text/plain"), "robots"),
    (Page("User-agent: *\nDisallow: /en\n" + "#\n" * 500_000, "text/plain", encoding="gzip"), "robots"),
    (redirect("/robots.txt"), ""),
    (Page(raw=b"no HTTP\r\n\r\n"), "damaged"),
    (Page(b"x", encoding="br"), "damaged"),
    (redirect("http://127.0.0.99/"), "refused"),
])  # fmt: skip
async def test_robots_of_a_site(site, fetching, answer, reason):
    site.pages["/robots.txt"] = answer
    site.pages["/robots-moved.txt"] = Page("User-agent: *\nDisallow: /en", "text/plain")
    async with fetching() as fetcher:
        if reason:
            with pytest.raises(PageError) as caught:
                await fetcher.fetch(site.url("/en/tides"))
            assert caught.value.reason == reason
            assert not site.asked("/en/tides")
        else:
            assert (await fetcher.fetch(site.url("/en/tides"))).media_type == "text/html"


async def test_a_redirect_is_asked_about_where_it_leads(site, fetching):
    site.pages["/r"] = redirect(site.url("/private/secret", host=1))
    async with fetching() as fetcher:
        with pytest.raises(PageError) as caught:
            await fetcher.fetch(site.url("/r"))
    assert caught.value.reason == "robots"
    assert not site.asked("/private/secret")
    assert [request.host for request in site.asked("/robots.txt")] == ["127.0.0.1", "127.0.0.2"]


async def test_a_site_is_asked_for_its_rules_once(site, fetching):
    async with fetching() as fetcher:
        async for _ in fetcher.fetch_all(
            site.url(path) for path in ("/en/tides", "/en/railway", "/zh/dam", "/zh/short")
        ):
            pass
    assert len(site.asked("/robots.txt")) == 1
