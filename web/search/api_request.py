"""One request to a search service that a person has set up: its address is theirs, not a page's."""

from __future__ import annotations

import json
from typing import Any

from schema import Message
from web.base import WebError

_LARGEST = 5_000_000  # bytes, unpacked


async def request_json(
    method: str, url: str, *, name: str, agent: str, seconds: float, **request: Any
) -> dict[str, Any]:
    """The JSON object it answers. No redirect is followed, no proxy taken from the environment. Raises WebError."""
    import httpx2

    from providers.certificates import certificates

    try:
        async with (
            httpx2.AsyncClient(
                trust_env=False, verify=certificates(), timeout=seconds, headers={"User-Agent": agent}
            ) as client,
            client.stream(method, url, **request) as answer,
        ):
            if answer.status_code != 200:
                raise _refused(name, answer.status_code)
            body = bytearray()
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > _LARGEST:
                    raise _nonsense(name)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        reason = str(error) or type(error).__name__
        raise WebError(
            Message(
                zh=f"搜索来源 {name} 无法连接：{reason}。", en=f"The search source {name} cannot be reached: {reason}."
            ),
            Message(zh="请检查它的地址和网络连接。", en="Check its address and the connection."),
        ) from error
    try:
        found = json.loads(bytes(body))
    except (ValueError, RecursionError) as error:
        raise _nonsense(name) from error
    if not isinstance(found, dict):
        raise _nonsense(name)
    return found


def result_rows(answer: dict[str, Any]) -> list[dict[str, str]]:
    """Its results, as far as they have an address; whatever else is no text counts as empty."""
    results = answer.get("results")
    return [
        {key: value if isinstance(value := one.get(key), str) else "" for key in ("url", "title", "content", "engine")}
        for one in (results if isinstance(results, list) else ())
        if isinstance(one, dict) and isinstance(one.get("url"), str)
    ]


_REMEDIES = {
    401: Message(zh="请检查它的密钥。", en="Check its key."),
    403: Message(
        zh="请检查它的密钥；SearXNG 需在 settings.yml 的 search.formats 里加上 json。",
        en="Check its key; SearXNG needs json among search.formats in its settings.yml.",
    ),
    429: Message(zh="请求太多，请稍后再试。", en="There were too many requests: try again later."),
    432: Message(zh="它的额度已用完。", en="Its plan is used up."),
}


def _refused(name: str, status: int) -> WebError:
    remedy = _REMEDIES.get(status, Message(zh="请检查它的地址。", en="Check its address."))
    return WebError(
        Message(
            zh=f"搜索来源 {name} 拒绝了请求（HTTP {status}）。{remedy.zh}",
            en=f"The search source {name} refused the request (HTTP {status}). {remedy.en}",
        )
    )


def _nonsense(name: str) -> WebError:
    return WebError(
        Message(
            zh=f"搜索来源 {name} 的回答无法理解。", en=f"What the search source {name} answered cannot be understood."
        ),
        Message(zh="请检查它的地址。", en="Check its address."),
    )
