"""From a question to pages. A source is one class in one file, registered here."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from schema import Language, Message, WebSearchHit
from settings import Settings
from web.base import SearchSource, WebError
from web.search.ddgs import Ddgs
from web.search.searxng import SearXNG
from web.search.tavily import Tavily
from web.urls import canonical

log = logging.getLogger(__name__)

SOURCES: dict[str, Callable[[Settings], SearchSource]] = {
    "searxng": SearXNG,
    "tavily": Tavily,
    "ddgs": Ddgs,
}
_LONGEST = 400  # characters of a query: what Tavily takes
_unseen = re.compile(r"[\s\x00-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")


class WebSearchOutcome(NamedTuple):
    """Pages, best first, and what a person should know of how they were found."""

    pages: list[WebSearchHit]
    notices: list[Message]


async def search_web(query: str, settings: Settings, count: int, language: Language) -> WebSearchOutcome:
    """At most `count` pages from the first source that has any; who fails is passed over, which is noticed.

    `query` is the question restated to stand alone: nothing else is sent. No page is no error. Raises WebError where
    nobody could be asked.
    """
    query = _unseen.sub(" ", query).strip()[:_LONGEST]
    notices: list[Message] = []
    answered = not query
    for source in sources(settings, notices) if query else ():
        try:
            async with asyncio.timeout(settings.web_timeout):
                found = await source.search(query, 2 * count, language)  # the same page may be among them twice
        except WebError as error:
            notices.append(error.message)
        except TimeoutError:
            notices.append(
                Message(
                    zh=f"搜索来源 {source.name} 在 {settings.web_timeout:g} 秒内没有回答。",
                    en=f"The search source {source.name} did not answer within {settings.web_timeout:g} seconds.",
                )
            )
        else:
            answered = True
            if pages := distinct_pages(found)[:count]:
                return WebSearchOutcome(pages, notices)
    if not answered:
        raise no_search_source(notices)
    return WebSearchOutcome([], notices)


def sources(settings: Settings, notices: list[Message]) -> list[SearchSource]:
    """Those that the settings name and that can be asked, in order; a name that nobody has is noticed."""
    unknown = [name for name in settings.web_search if name not in SOURCES]
    if unknown:
        notices.append(_unknown(unknown))
    named = [SOURCES[name](settings) for name in dict.fromkeys(settings.web_search) if name in SOURCES]
    return [source for source in named if source.missing is None]


def distinct_pages(pages: Iterable[WebSearchHit]) -> list[WebSearchHit]:
    """Each page once, as it was found first; what has no address of the web is left out."""
    kept: dict[str, WebSearchHit] = {}
    for page in pages:
        try:
            kept.setdefault(canonical(page.url), page)
        except ValueError:
            log.info("a search result has no address of the web: %.200r", page.url)
    return list(kept.values())


def no_search_source(notices: Iterable[Message]) -> WebError:
    """Every source failed, or there is none."""
    messages = list(notices)
    return WebError(
        Message(
            zh=f"网络搜索没有成功。{''.join(one.zh for one in messages)}",
            en=" ".join(["The web could not be searched.", *(one.en for one in messages)]),
        ),
        Message(
            zh="请检查网络连接，或在设置里换一个搜索来源（CITEWISE_WEB_SEARCH；`uv run cli.py stages` 列出全部）。",
            en="Check the connection, or choose another source in the settings (CITEWISE_WEB_SEARCH; "
            "`uv run cli.py stages` lists them).",
        ),
    )


def _unknown(names: list[str]) -> Message:
    known = ", ".join(SOURCES)
    return Message(
        zh=f"没有名为 {'、'.join(names)} 的搜索来源（有 {known}）。",
        en=f"There is no search source called {', '.join(names)} (there are {known}).",
    )
