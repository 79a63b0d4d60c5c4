"""Tavily, a search service for programs; takes part when its key is there."""

from __future__ import annotations

from schema import Language, Message, WebSearchHit
from settings import Settings
from web.search.api_request import request_json, result_rows

_MOST = 20  # results that it gives at once


class Tavily:
    name = "tavily"

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def missing(self) -> Message | None:
        if self._settings.tavily_api_key:
            return None
        return Message(zh="缺少密钥（TAVILY_API_KEY）", en="its key is missing (TAVILY_API_KEY)")

    async def search(self, query: str, count: int, language: Language) -> list[WebSearchHit]:
        """In whatever language the query is: it has no setting for that."""
        key = self._settings.tavily_api_key
        answer = await request_json(
            "POST",
            f"{self._settings.tavily_base_url}/search",
            name=self.name,
            agent=self._settings.web_user_agent,
            seconds=self._settings.web_timeout,
            headers={"Authorization": f"Bearer {key.get_secret_value() if key else ''}"},
            json={"query": query, "max_results": min(count, _MOST), "search_depth": "basic", "include_answer": False},
        )
        return [WebSearchHit(one["url"], one["title"], one["content"], self.name) for one in result_rows(answer)]
