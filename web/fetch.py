"""Fetching pages: under guard, within limits, as their sites ask for it."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial

from httpx2 import URL, Headers

from settings import Settings
from web import media, problems
from web.addresses import AddressAllowlist
from web.base import FetchedPage
from web.client import Client, HttpResponse, Resolve, resolve_host, target_address
from web.decompression import BodyTooLargeError, DamagedBodyError, Decompressor
from web.pacing import Pacing
from web.problems import PageError
from web.robots import MOST_BYTES, Robots

_WHOLE, _REDIRECTS, _BUSY = (200, 203), (301, 302, 303, 307, 308), (429, 503)
_ROBOTS_REDIRECTS = 5  # RFC 9309 2.3.1.2
_LONGEST_VALIDATOR = 500  # characters of an ETag
_ACCEPT = (
    "text/html,application/xhtml+xml,application/pdf,text/markdown,text/plain;q=0.9,application/json;q=0.9,*/*;q=0.5"
)

Body = Callable[[HttpResponse, URL], Awaitable[bytes]]


@dataclass
class _Budget:
    """The seconds that one page may still take; waiting for its turn takes none."""

    left: float
    spent: float = 0.0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        start = time.monotonic()
        try:
            async with asyncio.timeout(self.left):
                yield
        finally:
            self.spend(time.monotonic() - start)

    def spend(self, seconds: float) -> None:
        self.left, self.spent = self.left - seconds, self.spent + seconds


@dataclass(frozen=True)
class _Reply:
    status: int
    headers: Headers
    data: bytes = field(repr=False)


class Fetcher:
    """Fetches pages: `async with Fetcher(settings) as fetcher`. It belongs to one event loop."""

    def __init__(
        self,
        settings: Settings,
        *,
        delay: float = 0.0,
        idle: float = 10.0,
        resolve: Resolve = resolve_host,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        """`delay`: seconds between two requests to one host; its robots.txt may ask for more.

        `idle`: seconds without a byte after which a page is given up.
        """
        self._most, self._seconds = int(settings.web_max_mb * 1_000_000), settings.web_timeout
        self._redirects, self._delay = settings.web_redirects, delay
        self._pacing = Pacing(settings.web_per_host, settings.web_concurrency)
        self._headers = {
            "user-agent": settings.web_user_agent,
            "accept": _ACCEPT,
            "accept-language": "zh-CN,zh;q=0.9,en;q=0.8",
            "accept-encoding": "gzip, deflate",
        }
        self._robots = Robots(self._robots_txt, settings.web_user_agent.partition("/")[0].strip())
        self._client = Client(
            AddressAllowlist(settings.web_allow),
            idle=min(idle, settings.web_timeout),
            connections=2 * settings.web_concurrency,  # kept ones do not keep others from being opened
            resolve=resolve,
            ssl_context=ssl_context,
        )

    async def __aenter__(self) -> Fetcher:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._robots.aclose()
        await self._client.aclose()

    async def fetch(
        self,
        url: str,
        *,
        etag: str = "",
        last_modified: str = "",
        accept: Collection[str] = (),
        within: Callable[[str], bool] | None = None,
    ) -> FetchedPage:
        """The page, unpacked. With what it was known by: `not_modified` when it is still the same. Raises PageError.

        `accept`: media types that are taken unseen, beside those that ingestion reads. `within`: where redirects may
        lead.
        """
        here, budget, read = target_address(url), _Budget(self._seconds), partial(self._page, accept=accept)
        headers = self._headers | _conditions(etag, last_modified)
        been, waited = {here}, False
        while True:
            rules = await self._robots.check(here)
            reply = await self._ask(here, headers, budget, max(self._delay, rules.delay), read)
            if reply.status in _REDIRECTS and "location" in reply.headers:
                here = _next(here, reply.headers["location"])
                if here in been or len(been) > self._redirects:
                    raise problems.too_many_redirects(url)
                if within and not within(str(here)):
                    raise problems.leads_elsewhere(url, here)
                been.add(here)
            elif reply.status in _BUSY and not waited and (pause := _pause(reply.headers)) < budget.left:
                waited = True
                budget.spend(pause)
                self._pacing.pause(here.host, pause)
            else:
                return _fetched(url, here, reply, (etag, last_modified), accept, budget.spent)

    async def sitemaps(self, url: str) -> tuple[str, ...]:
        """Those that the robots.txt of its host names. Raises PageError."""
        return (await self._robots.of(target_address(url))).sitemaps

    async def fetch_all(self, urls: Iterable[str]) -> AsyncIterator[tuple[str, FetchedPage | PageError]]:
        """Each page as soon as it is there, or why it is not."""

        async def one(url: str) -> tuple[str, FetchedPage | PageError]:
            try:
                return url, await self.fetch(url)
            except PageError as error:
                return url, error

        tasks = [asyncio.create_task(one(url)) for url in urls]
        try:
            for finished in asyncio.as_completed(tasks):
                yield await finished
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, url: URL, headers: Mapping[str, str], budget: _Budget, delay: float, body: Body) -> _Reply:
        """One request and its answer; `body` reads as much of it as is wanted."""
        async with self._pacing.take(url.host, delay):
            try:
                async with budget.running(), self._client.get(url, headers) as answer:
                    return _Reply(answer.status, answer.headers, await body(answer, url))
            except TimeoutError as error:
                raise problems.too_slow(url) from error

    async def _page(self, answer: HttpResponse, url: URL, accept: Collection[str] = ()) -> bytes:
        """The body of a page that is worth reading. Raises PageError."""
        if answer.status not in _WHOLE:
            await answer.skip()
            return b""
        media_type, _ = media.declared_type(answer.headers.get("content-type", ""))
        if media_type not in accept and not media.may_be_read(media_type):
            raise problems.not_readable(url, media_type)
        if _length(answer.headers) > self._most:
            raise problems.too_large(url, self._most)
        try:
            unpacking = Decompressor(answer.headers.get("content-encoding", ""), self._most)
            await answer.read(unpacking.take)
            return unpacking.whole()
        except BodyTooLargeError as error:
            raise problems.too_large(url, self._most) from error
        except DamagedBodyError as error:
            raise problems.broken(url) from error

    async def _robots_txt(self, url: URL) -> tuple[int, bytes]:
        """Status and beginning of a robots.txt; one that leads nowhere counts as absent. Raises PageError."""
        budget = _Budget(self._seconds)
        for _ in range(_ROBOTS_REDIRECTS + 1):
            reply = await self._ask(url, self._headers, budget, 0.0, _beginning)
            if reply.status not in _REDIRECTS or "location" not in reply.headers:
                return reply.status, reply.data
            url = _next(url, reply.headers["location"])
        return 404, b""


def _fetched(
    url: str, here: URL, reply: _Reply, known_by: tuple[str, str], accept: Collection[str], seconds: float
) -> FetchedPage:
    """Of the last answer. Raises PageError when it is no page."""
    not_modified = reply.status == 304 and any(known_by)
    if not (reply.status in _WHOLE or not_modified):
        raise problems.refused_by_server(here, reply.status)
    declared_as, charset = media.declared_type(reply.headers.get("content-type", ""))
    media_type = (
        declared_as
        if not_modified or declared_as in accept
        else media.recognised_type(declared_as, str(here), reply.data)
    )
    if not not_modified and not reply.data.strip():
        raise problems.empty(here)
    if not not_modified and not media_type:
        raise problems.not_readable(here, declared_as)
    etag, last_modified = (_validator(reply.headers.get(name, "")) for name in ("etag", "last-modified"))
    if not_modified:
        etag, last_modified = etag or known_by[0], last_modified or known_by[1]
    now = datetime.now(UTC)
    return FetchedPage(url, str(here), media_type, reply.data, now, charset, etag, last_modified, not_modified, seconds)


async def _beginning(answer: HttpResponse, url: URL) -> bytes:
    """As much of a robots.txt as is read. Raises PageError."""
    if not 200 <= answer.status < 300:
        await answer.skip()
        return b""
    try:
        unpacking = Decompressor(answer.headers.get("content-encoding", ""), MOST_BYTES)
        await answer.read(unpacking.take)
    except BodyTooLargeError:
        pass
    except DamagedBodyError as error:
        raise problems.broken(url) from error
    return unpacking.so_far


def _next(here: URL, location: str) -> URL:
    """Where a redirect leads. Raises PageError."""
    there = target_address(location, here)
    if here.scheme == "https" and there.scheme == "http":
        raise problems.insecure(there)
    return there


def _conditions(etag: str, last_modified: str) -> dict[str, str]:
    asked = {"if-none-match": _validator(etag), "if-modified-since": _validator(last_modified)}
    return {name: value for name, value in asked.items() if value}


def _validator(value: str) -> str:
    """An ETag or a date, "" for what cannot be sent back."""
    return value if len(value) <= _LONGEST_VALIDATOR and value.isascii() and value.isprintable() else ""


def _length(headers: Headers) -> int:
    header = headers.get("content-length", "")
    return int(header) if header.isascii() and header.isdigit() and len(header) < 20 else 0


def _pause(headers: Headers) -> float:
    """Seconds that the server asks to wait (RFC 9110 10.2.3); endless where it does not say."""
    header = headers.get("retry-after", "").strip()
    if header.isascii() and header.isdigit():
        return float(header[:9])
    try:
        at = parsedate_to_datetime(header)
    except ValueError:
        return float("inf")
    return max(0.0, ((at if at.tzinfo else at.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds())
