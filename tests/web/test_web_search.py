"""Searching: each source against a real local server or the real library, and what `find` makes of their answers."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from ddgs.base import BaseSearchEngine
from ddgs.ddgs import DDGS
from ddgs.exceptions import DDGSException, TimeoutException
from ddgs.results import TextResult

from benchmarks.web_site import Page, WebSite, as_json, web_site
from errors import CitewiseError
from schema import WebSearchHit
from settings import Settings
from web.search import SOURCES, search_web
from web.search.ddgs import Ddgs
from web.search.searxng import SearXNG
from web.search.tavily import Tavily

RESULTS = {
    "results": [
        {"url": "https://Example.com/a?utm_source=x", "title": "A", "content": "first", "engine": "bing"},
        {"url": "https://example.com/a/", "title": "A again", "content": "the same page"},
        {"url": "javascript:alert(1)", "title": "no page", "content": ""},
        {"url": "https://example.com/b", "title": None, "content": ["no text"]},
        {"title": "nowhere"},
        "nonsense",
        {"url": "https://例子.中国/页", "title": "三", "content": "第三"},
        {"url": "https://example.com/d", "title": "D", "content": "fourth"},
    ]
}


def set_up(**variables: str) -> Settings:
    return Settings.from_mapping({"CITEWISE_WEB_TIMEOUT": "20", **variables})


def searxng(site: WebSite, **variables: str) -> Settings:
    return set_up(**{"SEARXNG_URL": site.url("/"), "CITEWISE_WEB_SEARCH": "searxng", **variables})


async def test_searxng_answers_in_json_and_pages_come_once() -> None:
    with web_site({"/search": as_json(RESULTS)}) as site:
        found = await search_web("最近 AI 芯片的新闻", searxng(site), 3, "zh")
        [request] = site.requests
    assert [page.url for page in found.pages] == [
        "https://Example.com/a?utm_source=x",
        "https://example.com/b",
        "https://例子.中国/页",
    ]
    assert found.pages[0] == WebSearchHit("https://Example.com/a?utm_source=x", "A", "first", "searxng")
    assert (found.pages[1].title, found.pages[1].snippet) == ("", "")
    assert found.notices == []
    asked = parse_qs(urlsplit(request.path).query)
    assert set(asked) == {"q", "format", "language", "categories"}
    assert (asked["q"], asked["format"], asked["language"]) == (["最近 AI 芯片的新闻"], ["json"], ["zh-CN"])
    assert request.headers["user-agent"].startswith("Citewise/")


async def test_tavily_is_asked_with_its_key() -> None:
    with web_site({"/search": as_json(RESULTS)}) as site:
        settings = set_up(TAVILY_API_KEY="tvly-1", CITEWISE_TAVILY_BASE_URL=site.url())
        found = await search_web("AI chips", settings, 3, "en")
        [request] = site.requests
    assert [page.engine for page in found.pages] == ["tavily"] * 3
    assert request.headers["authorization"] == "Bearer tvly-1"
    assert json.loads(request.body)["query"] == "AI chips"


async def test_what_is_asked_is_one_short_line() -> None:
    with web_site({"/search": as_json({"results": []})}) as site:
        await search_web(" what\nis\x00\u202e this\u200b " + "x" * 1000, searxng(site), 3, "en")
        [request] = site.requests
    [query] = parse_qs(urlsplit(request.path).query)["q"]
    assert query.startswith("what is this x")
    assert len(query) == 400


async def test_nothing_found_is_no_error_and_nothing_asked_is_nothing_found() -> None:
    with web_site({"/search": as_json({"results": []})}) as site:
        assert await search_web("x", searxng(site), 3, "en") == ([], [])
        assert await search_web(" \n ", searxng(site), 3, "en") == ([], [])
        assert len(site.requests) == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Page("no", status=403), "search.formats"),
        (Page("no", status=429), "429"),
        (Page("<html>", "text/html"), "understood"),
        (as_json([1]), "understood"),
        (Page("x" * 100_000, "application/json", endless=True), "understood"),
        (Page('{"results": [', "application/json", cut=True), "reached"),
        (Page(status=302, headers={"Location": "/elsewhere"}), "302"),
        (Page(raw=b"nonsense\r\n\r\n"), "reached"),
    ],
)
async def test_a_source_that_fails_is_passed_over_and_noticed(answer: Page, said: str) -> None:
    pages = {"/search": answer, "/good/search": as_json(RESULTS)}
    with web_site(pages) as site:
        settings = searxng(
            site,
            CITEWISE_WEB_SEARCH="searxng,tavily",
            TAVILY_API_KEY="k",
            CITEWISE_TAVILY_BASE_URL=site.url("/good"),
        )
        found = await search_web("x", settings, 2, "en")
        assert not site.asked("/elsewhere")
    assert [page.engine for page in found.pages] == ["tavily", "tavily"]
    [notice] = found.notices
    assert said in notice.en
    assert "searxng" in notice.zh


async def test_a_source_without_a_page_is_followed_by_the_next() -> None:
    with web_site({"/search": as_json({}), "/good/search": as_json(RESULTS)}) as site:
        settings = searxng(
            site,
            CITEWISE_WEB_SEARCH="searxng,tavily",
            TAVILY_API_KEY="k",
            CITEWISE_TAVILY_BASE_URL=site.url("/good"),
        )
        found = await search_web("x", settings, 1, "en")
    assert len(found.pages) == 1
    assert found.notices == []


async def test_who_never_answers_is_not_waited_for() -> None:
    with (
        web_site({"/search": Page("{", "application/json", stalls=True)}) as site,
        pytest.raises(CitewiseError) as failed,
    ):
        await search_web("x", searxng(site, CITEWISE_WEB_TIMEOUT="0.2"), 3, "en")
    assert failed.value.kind == "web"
    assert "searxng" in failed.value.message.zh


async def test_when_nobody_can_be_asked_it_is_said_what_to_do() -> None:
    with pytest.raises(CitewiseError) as failed:
        await search_web("x", set_up(CITEWISE_WEB_SEARCH="gooogle,tavily"), 3, "en")  # no key
    assert "gooogle" in failed.value.message.en
    assert "ddgs" in failed.value.message.en
    assert "CITEWISE_WEB_SEARCH" in failed.value.suggestions[0].zh


def test_who_lacks_something_says_what() -> None:
    settings = Settings.from_mapping({})
    missing = {name: source(settings).missing for name, source in SOURCES.items()}
    assert missing["ddgs"] is None
    assert missing["searxng"] is not None
    assert "SEARXNG_URL" in missing["searxng"].en
    assert missing["tavily"] is not None
    assert "TAVILY_API_KEY" in missing["tavily"].zh
    there = Settings.from_mapping({"TAVILY_API_KEY": "k", "SEARXNG_URL": "http://s"})
    assert (Tavily(there).missing, SearXNG(there).missing) == (None, None)


# --- ddgs ----------------------------------------------------------------------------------------------------------


class Recording(DDGS):
    """The library's own class, whose answer is given."""

    def __init__(self, answer: list[dict[str, str]]) -> None:
        super().__init__()
        self.answer, self.asked, self.thread = answer, dict[str, Any](), ""

    def text(self, query: str, **how: Any) -> list[dict[str, Any]]:
        self.asked, self.thread = {"query": query, **how}, threading.current_thread().name
        return self.answer


class Source(Ddgs):
    def __init__(self, settings: Settings, answer: list[dict[str, str]] = ()) -> None:
        super().__init__(settings)
        self.recording = Recording(answer)

    def client(self) -> DDGS:
        return self.recording


async def test_ddgs_is_asked_by_named_engines_in_a_region_of_the_language() -> None:
    source = Source(set_up(), [{"title": "T", "href": "https://a.example/", "body": "B"}])
    assert await source.search("问题", 6, "zh") == [WebSearchHit("https://a.example/", "T", "B", "ddgs")]
    asked = source.recording.asked
    assert (asked["region"], asked["max_results"], asked["query"]) == ("cn-zh", 6, "问题")
    assert asked["backend"].split(",") == list(set_up().ddgs_engines)
    assert source.recording.thread != threading.main_thread().name
    await source.search("question", 6, "en")
    assert source.recording.asked["region"] == "us-en"


def test_the_engines_of_the_settings_are_there() -> None:
    """The library silently asks all that it has when a name is unknown to it."""
    from ddgs.engines import ENGINES

    assert set(set_up().ddgs_engines) <= set(ENGINES["text"])


async def test_an_engine_that_ddgs_does_not_have_is_refused() -> None:
    source = Source(set_up(CITEWISE_DDGS_ENGINES="duckduckgo,altavista"))
    with pytest.raises(CitewiseError) as failed:
        await source.search("x", 3, "en")
    assert "altavista" in failed.value.message.en
    assert source.recording.asked == {}


class Engine(BaseSearchEngine[TextResult]):
    """One that is asked by the real library, and answers without a network."""

    name, category, provider = "own", "text", "own"

    def __init__(self, answer: list[TextResult] | Exception) -> None:
        self.answer = answer

    def build_payload(self, *_: Any, **__: Any) -> dict[str, Any]:
        return {}

    def search(self, *_: Any, **__: Any) -> list[TextResult] | None:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class WithEngine(Ddgs):
    def __init__(self, answer: list[TextResult] | Exception) -> None:
        super().__init__(set_up())
        self.answer = answer

    def client(self) -> DDGS:
        client = DDGS(timeout=1)
        client._get_engines = lambda category, backend: [Engine(self.answer)]  # type: ignore[method-assign]
        return client


async def test_what_ddgs_makes_of_an_engine_s_results() -> None:
    one = TextResult(title="About tides", href="https://a.example/", body="High tides.")
    assert await WithEngine([one]).search("tides", 3, "en") == [
        WebSearchHit("https://a.example/", "About tides", "High tides.", "ddgs")
    ]


async def test_ddgs_says_nothing_found_by_an_exception() -> None:
    assert await WithEngine([]).search("x", 3, "en") == []


@pytest.mark.parametrize(
    ("error", "zh", "en"),
    [
        (TimeoutException("timed out"), "超时", "timed out"),
        (DDGSException("ConnectError: error resolving DNS for Query { name: x }"), "没有网络", "offline"),
        (DDGSException("ConnectError: refused"), "连接失败", "no connection"),
        (DDGSException("202 Ratelimit"), "过于频繁", "too many requests"),
        (KeyError("k"), "'k'", "'k'"),
    ],
)
async def test_whatever_else_ddgs_raises_is_an_error_in_words(error: Exception, zh: str, en: str) -> None:
    with pytest.raises(CitewiseError) as failed:
        await WithEngine(error).search("x", 3, "en")
    assert zh in failed.value.message.zh
    assert en in failed.value.message.en
    assert "Query" not in failed.value.message.en


async def test_ddgs_itself_without_a_connection_ends_in_time() -> None:
    """The real library, sent through a proxy that nobody listens at."""

    class Offline(Ddgs):
        def client(self) -> DDGS:
            return DDGS(proxy="http://127.0.0.1:9", timeout=1)

    with pytest.raises(CitewiseError) as failed:
        async with asyncio.timeout(60):
            await Offline(set_up(CITEWISE_DDGS_ENGINES="duckduckgo")).search("x", 3, "en")
    assert failed.value.kind == "web"
