"""Questions to GitHub's API (REST, 2022-11-28) or one that answers alike: its address is a person's, not a page's."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import httpx2

from providers.certificates import certificates
from schema import Message
from settings import Settings
from web.base import WebError

RAW = "https://raw.githubusercontent.com"
_PUBLIC = "https://api.github.com"
_LARGEST = 50_000_000  # bytes of an answer in JSON; a tree of 100,000 files has about 30 million
_REDIRECTS = (301, 302, 307, 308)  # a repository that was renamed
_LIMITED = (403, 429)
_TOKEN = Message(
    zh="设置 GITHUB_TOKEN 后，每小时可请求 5,000 次。", en="With a GITHUB_TOKEN, 5,000 requests an hour are allowed."
)
_LATER = Message(zh="请检查网络连接后再试。", en="Check the connection and try again.")


class GitHubError(WebError):
    """What the API refused: `status` of the answer, 0 where none came. `final`: the next question would fail too."""

    def __init__(self, message: Message, *suggestions: Message, status: int = 0, final: bool = False) -> None:
        super().__init__(message, *suggestions)
        self.status, self.final = status, final


class GitHubApi:
    """It belongs to one event loop. No proxy is taken from the environment; the token is sent to the API alone."""

    def __init__(self, settings: Settings, raw_url: str = RAW) -> None:
        """`raw_url`: where files come from without a token, which costs no request of the API."""
        self.url, self._raw = settings.github_api_url, raw_url
        self._token = settings.github_token.get_secret_value() if settings.github_token else ""
        self._most = int(settings.web_max_mb * 1_000_000)
        self._client = httpx2.AsyncClient(
            trust_env=False,
            verify=certificates(),
            timeout=settings.web_timeout,
            headers={"User-Agent": settings.web_user_agent},
        )

    async def aclose(self) -> None:
        await self._client.aclose()

    async def json(self, path: str) -> dict[str, Any]:
        """The object that the API answers. Raises GitHubError."""
        data = await self._ask(f"{self.url}{path}", "application/vnd.github+json", _LARGEST)
        try:
            found = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise _nonsense() from error
        if not isinstance(found, dict):
            raise _nonsense()
        return found

    async def file(self, repo: str, commit: str, path: str, blob: str) -> bytes:
        """The bytes of a file; `path` as it stands in an address. Raises GitHubError."""
        if self.url == _PUBLIC and not self._token:
            return await self._ask(f"{self._raw}/{repo}/{commit}/{path}", "*/*", self._most)
        return await self._ask(
            f"{self.url}/repos/{repo}/git/blobs/{blob}", "application/vnd.github.raw+json", self._most
        )

    async def _ask(self, url: str, accept: str, most: int) -> bytes:
        headers = {"Accept": accept, "X-GitHub-Api-Version": "2022-11-28"}
        if self._token and url.startswith(f"{self.url}/"):
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            try:
                status, answered, data = await self._once(url, headers, most)
            except httpx2.TransportError:  # a kept connection may just have ended
                status, answered, data = await self._once(url, headers, most)
            there = answered.get("location", "")
            if status in _REDIRECTS and there.startswith(f"{self.url}/"):
                status, answered, data = await self._once(there, headers, most)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise _unreachable(url, str(error) or type(error).__name__) from error
        if status != 200:
            raise _refused(status, answered, bool(self._token))
        return data

    async def _once(self, url: str, headers: Mapping[str, str], most: int) -> tuple[int, httpx2.Headers, bytes]:
        async with self._client.stream("GET", url, headers=headers) as answer:
            body = bytearray()
            if answer.status_code == 200:
                async for piece in answer.aiter_bytes():
                    body += piece
                    if len(body) > most:
                        raise too_large(url, most)
            return answer.status_code, answer.headers, bytes(body)


def too_large(name: str, most: int) -> GitHubError:
    size = f"{most / 1_000_000:g} MB"
    return GitHubError(
        Message(zh=f"“{name}”超过 {size}，没有读取。", en=f'"{name}" is larger than {size} and was left out.'),
        Message(zh="可以用 CITEWISE_WEB_MAX_MB 放宽上限。", en="Raise the limit with CITEWISE_WEB_MAX_MB."),
        status=413,
    )


def _refused(status: int, headers: httpx2.Headers, has_token: bool) -> GitHubError:
    if status in _LIMITED and (headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers):
        return _limited(status, headers, has_token)
    if status == 401:
        return GitHubError(
            Message(zh="GitHub 不认可访问令牌。", en="GitHub does not accept the token."),
            Message(zh="请检查 GITHUB_TOKEN，或去掉它。", en="Check GITHUB_TOKEN, or remove it."),
            status=status,
            final=True,
        )
    if status == 403:
        return GitHubError(
            Message(zh="GitHub 不允许读取它（403）。", en="GitHub does not allow it to be read (403)."),
            Message(zh="请检查 GITHUB_TOKEN 的权限。", en="Check what GITHUB_TOKEN may read."),
            status=status,
            final=True,
        )
    return GitHubError(
        Message(
            zh=f"GitHub 没有给出所问的内容（状态 {status}）。",
            en=f"GitHub did not give what was asked (status {status}).",
        ),
        Message(zh="请稍后再试。", en="Try again later."),
        status=status,
        final=status >= 500,
    )


def _limited(status: int, headers: httpx2.Headers, has_token: bool) -> GitHubError:
    """With the time from which the API answers again (docs.github.com, "Rate limits for the REST API")."""
    after, reset = headers.get("retry-after", ""), headers.get("x-ratelimit-reset", "")
    if after.isascii() and after.isdigit() and len(after) < 7:
        seconds: float | None = time.time() + int(after)
    else:
        seconds = float(reset) if reset.isascii() and reset.isdigit() and len(reset) < 12 else None
    at = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC") if seconds else ""
    return GitHubError(
        Message(
            zh=f"GitHub 的请求次数已用完（{status}）。", en=f"The requests that GitHub allows are used up ({status})."
        ),
        Message(
            zh=f"请在 {at} 之后再试。" if at else "请稍后再试。",
            en=f"Try again after {at}." if at else "Try again later.",
        ),
        *(() if has_token else (_TOKEN,)),
        status=status,
        final=True,
    )


def _unreachable(url: str, reason: str) -> GitHubError:
    host = httpx2.URL(url).host
    return GitHubError(
        Message(zh=f"无法连接 {host}：{reason}。", en=f"{host} cannot be reached: {reason}."), _LATER, final=True
    )


def _nonsense() -> GitHubError:
    return GitHubError(
        Message(zh="GitHub 的回答无法理解。", en="What GitHub answered cannot be understood."),
        Message(zh="请检查 CITEWISE_GITHUB_API_URL。", en="Check CITEWISE_GITHUB_API_URL."),
        final=True,
    )
