"""A SearXNG instance of one's own, through its JSON API."""

from __future__ import annotations

from schema import Language, Message, WebSearchHit
from settings import Settings
from web.search.api_request import request_json, result_rows

_LANGUAGES: dict[Language, str] = {"zh": "zh-CN", "en": "en"}


class SearXNG:
    name = "searxng"

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def missing(self) -> Message | None:
        if self._settings.searxng_url:
            return None
        return Message(zh="缺少实例的地址（SEARXNG_URL）", en="the address of an instance is missing (SEARXNG_URL)")

    async def search(self, query: str, count: int, language: Language) -> list[WebSearchHit]:
        answer = await request_json(
            "GET",
            f"{self._settings.searxng_url}/search",
            name=self.name,
            agent=self._settings.web_user_agent,
            seconds=self._settings.web_timeout,
            params={"q": query, "format": "json", "language": _LANGUAGES[language], "categories": "general"},
        )
        return [
            WebSearchHit(one["url"], one["title"], one["content"], self.name) for one in result_rows(answer)[:count]
        ]
