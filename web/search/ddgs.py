"""Public search engines through the ddgs library: no key, no account."""

from __future__ import annotations

import asyncio
import logging
import math
import re
from typing import TYPE_CHECKING

from schema import Language, Message, WebSearchHit
from settings import Settings
from web.base import WebError

if TYPE_CHECKING:
    from ddgs import DDGS

log = logging.getLogger(__name__)

_REGIONS: dict[Language, str] = {"zh": "cn-zh", "en": "us-en"}
_NOTHING = "No results found."


class Ddgs:
    name = "ddgs"
    missing: Message | None = None

    def __init__(self, settings: Settings) -> None:
        self._engines, self._seconds = settings.ddgs_engines, settings.web_timeout

    async def search(self, query: str, count: int, language: Language) -> list[WebSearchHit]:
        return await asyncio.to_thread(self._search, query, count, language)

    def client(self) -> DDGS:
        """It asks two engines at a time and waits for each pair: in the time that there is two pairs can be asked."""
        from ddgs import DDGS

        return DDGS(timeout=max(1, math.floor(self._seconds / 2)))

    def _search(self, query: str, count: int, language: Language) -> list[WebSearchHit]:
        from ddgs.exceptions import DDGSException

        try:
            found = self.client().text(
                query, region=_REGIONS[language], max_results=count, backend=",".join(self._known_engines())
            )
        except DDGSException as error:  # the base of all that it raises
            if str(error) == _NOTHING:
                return []
            raise _failed(str(error)) from error
        return [
            WebSearchHit(one.get("href", ""), one.get("title", ""), one.get("body", ""), self.name) for one in found
        ]

    def _known_engines(self) -> list[str]:
        """Those of the settings. The library would take every engine that it has for a name that it does not know."""
        from ddgs.engines import ENGINES

        known = ENGINES["text"]
        unknown = [name for name in self._engines if name not in known]
        if unknown or not self._engines:
            raise WebError(
                Message(
                    zh=f"ddgs 没有名为 {'、'.join(unknown) or '（空）'} 的搜索引擎（有 {'、'.join(known)}）。",
                    en=f"ddgs has no engine called {', '.join(unknown) or '(none)'} (it has {', '.join(known)}).",
                ),
                Message(zh="请修改设置 CITEWISE_DDGS_ENGINES。", en="Change the setting CITEWISE_DDGS_ENGINES."),
            )
        return list(self._engines)


_REASONS = (  # what the library says in the words of its parts, and what that means
    (
        re.compile(r"dns|resolv", re.IGNORECASE),
        Message(zh="找不到它们的地址，可能没有网络", en="not found, perhaps offline"),
    ),
    (re.compile(r"rate ?limit|\b429\b", re.IGNORECASE), Message(zh="请求过于频繁", en="too many requests")),
    (re.compile(r"timed? ?out", re.IGNORECASE), Message(zh="超时", en="timed out")),
    (re.compile(r"connect", re.IGNORECASE), Message(zh="连接失败", en="no connection")),
)


def _failed(reason: str) -> WebError:
    log.warning("ddgs: %s", reason)
    raw = " ".join(reason.split())[:200]
    why = next((words for pattern, words in _REASONS if pattern.search(reason)), Message(zh=raw, en=raw))
    return WebError(
        Message(
            zh=f"公共搜索引擎（ddgs）没有回答：{why.zh}。",
            en=f"The public search engines (ddgs) did not answer: {why.en}.",
        ),
        Message(zh="请检查网络连接后重试。", en="Check the connection and try again."),
    )
