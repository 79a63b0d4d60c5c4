"""A website as pages of a document set: followed from link to link within bounds, and asked later for what is new."""

from __future__ import annotations

import asyncio
import hashlib
import heapq
from collections import Counter, deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import PurePosixPath
from typing import Literal
from urllib.parse import urlsplit

from settings import Settings
from stores.pages import CachedPage
from web import problems
from web.base import FetchedPage
from web.fetch import Fetcher
from web.links import links_of, locations_of
from web.problems import PageError
from web.urls import canonical

_SITEMAPS = 10  # files
_LONGEST_LINK = 1_000  # characters
_MOST_REPEATS = 3  # of one part of a path: /a/b/a/b/a/b is a trap
_XML = frozenset({"application/xml", "text/xml", "application/gzip", "application/x-gzip"})
_PARTS = frozenset(  # of pages, or nothing to read: not worth asking for
    "jpg jpeg png gif webp avif svg ico bmp tif tiff mp3 mp4 m4a m4v ogg oga ogv wav webm mov avi mkv flac css js mjs "
    "map woff woff2 ttf otf eot xml rss atom xsl zip gz tgz bz2 xz zst 7z rar tar jar war whl deb rpm apk dmg iso exe "
    "msi bin img swf wasm doc xls ppt odt ods odp ps eps psd epub mobi torrent sig asc sha256 md5".split()
)

State = Literal["page", "unchanged", "gone", "failed"]


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """What became of one address of a site."""

    url: str
    depth: int  # links from the start; 1 for what a sitemap names, the most for what was known and nothing leads to
    found_on: str  # the page or sitemap that led there; "" for the start
    result: FetchedPage | PageError
    state: State
    links: tuple[str, ...] = ()  # to pages of its host


@dataclass(frozen=True)
class CrawlScope:
    """The part of one host that a crawl stays in: a path and all below it."""

    host: str  # with a port that is not the scheme's own
    path: str  # of a folder with "/" at its end, else of a page that has others below it

    @classmethod
    def of(cls, url: str) -> CrawlScope:
        """The folder that a file is in; a page without an extension, and all below it."""
        address = urlsplit(canonical(url))
        folder = urlsplit(url.strip()).path.endswith("/") or not address.path.strip("/")
        last = PurePosixPath(address.path)
        path = str(last.parent if last.suffix and not folder else last)
        return cls(address.netloc, path.rstrip("/") + "/" if folder or last.suffix else path)

    def holds(self, url: str) -> bool:
        try:
            address = urlsplit(canonical(url))
        except ValueError:
            return False
        below = f"{address.path}/".startswith(self.path.rstrip("/") + "/")
        return address.netloc == self.host and below


@dataclass(order=True, frozen=True)
class _Step:
    """One address to ask for; those nearer to the start come first, and pages before what is made by parameters."""

    depth: int
    has_query: bool
    number: int
    url: str = field(compare=False)
    found_on: str = field(compare=False)


async def crawl(
    start: str, settings: Settings, *, prefix: str = "", known: Sequence[CachedPage] = ()
) -> AsyncGenerator[CrawlResult, None]:
    """The pages of a site, each as soon as it is there, or why it is not; stops where it is closed.

    From `start` within `prefix` (an address; without one: its own folder). At most `crawl_max_pages` pages,
    `crawl_max_depth` links from the start, `crawl_delay` seconds between two requests; robots.txt and nofollow are
    respected. `known`: all pages that there are of earlier crawls; they are asked for what has changed since, and
    those that have not lead to where they led. What is left out because of the limit is told last, with one example.
    """
    async with Fetcher(settings, delay=settings.crawl_delay) as fetcher:
        crawling = _Crawl(fetcher, settings, start, prefix, known)
        try:
            async with aclosing(crawling.run()) as found:
                async for crawled in found:
                    yield crawled
        finally:
            await crawling.stop()


class _Crawl:
    """One crawl: what is to be asked for, what is being asked for, what has come."""

    def __init__(
        self, fetcher: Fetcher, settings: Settings, start: str, prefix: str, known: Sequence[CachedPage]
    ) -> None:
        self._fetcher, self._settings, self._start = fetcher, settings, start
        self._fixed, self._scope = bool(prefix), _scope(prefix or start)
        self._known = {site_key(page.url): page for page in known}
        self._queue: list[_Step] = []
        self._numbers = count()
        self._queued: set[str] = set()  # keys
        self._come: set[str] = set()  # keys of final addresses
        self._contents: set[bytes] = set()  # digests: a trap serves one page under many addresses
        inside = sum(self._scope.holds(page.url) for page in known)  # whoever allows fewer now keeps the older ones
        self._left = max(settings.crawl_max_pages - inside, 0)  # pages that are not known
        self._left_out: _Step | None = None
        self._running: dict[asyncio.Task[FetchedPage | PageError], _Step] = {}

    async def run(self) -> AsyncGenerator[CrawlResult, None]:
        self._add(self._start, 0, "")
        first = True
        while self._begin_more(first):
            done, _ = await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                step, result = self._running.pop(task), task.result()
                if first:
                    self._settle(result)
                if crawled := await self._crawled(step, result):
                    yield crawled
                if first:
                    first = False
                    if isinstance(result, PageError) and (not self._known or result.reason == "unreachable"):
                        return
                    for url, found_on in await self._of_sitemaps():
                        self._add(url, 1, found_on)
        if left_out := self._left_out:
            error = problems.too_many_pages(self._start, self._settings.crawl_max_pages)
            yield CrawlResult(left_out.url, left_out.depth, left_out.found_on, error, "failed")

    async def stop(self) -> None:
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _begin_more(self, first: bool) -> bool:
        """Whether anything is on its way."""
        at_once = 1 if first else self._settings.web_per_host
        while len(self._running) < at_once and (self._queue or self._add_rest()):
            self._begin(heapq.heappop(self._queue), self._scope if self._fixed or not first else None)
        return bool(self._running)

    def _add_rest(self) -> bool:
        """What is known and nothing leads to any more: asked for at the end, and followed no further."""
        if not self._running:
            for page in self._known.values():
                self._add(page.url, max(self._settings.crawl_max_depth, 1), "")
        return bool(self._queue)

    def _begin(self, step: _Step, scope: CrawlScope | None) -> None:
        if site_key(step.url) in self._come:  # a redirect has led there meanwhile
            return
        if site_key(step.url) not in self._known:
            if self._left <= 0 and step.depth:
                self._left_out = self._left_out or step
                return
            self._left -= 1
        self._running[asyncio.create_task(self._fetch(step.url, scope))] = step

    async def _fetch(self, url: str, scope: CrawlScope | None) -> FetchedPage | PageError:
        page = self._known.get(site_key(url))
        etag, modified = (page.etag, page.last_modified) if page and page.name else ("", "")
        try:
            return await self._fetcher.fetch(
                url, etag=etag, last_modified=modified, within=scope.holds if scope else None
            )
        except PageError as error:
            return error

    def _settle(self, result: FetchedPage | PageError) -> None:
        """A site that has moved as a whole is followed: its new place is what the crawl stays in."""
        if isinstance(result, FetchedPage) and not self._fixed and not self._scope.holds(result.final_url):
            self._scope = CrawlScope.of(result.final_url)

    async def _crawled(self, step: _Step, result: FetchedPage | PageError) -> CrawlResult | None:
        """What to tell of an answer; None for a page that has come already."""
        known = site_key(step.url) in self._known
        if isinstance(result, PageError):
            if result.reason in ("robots", "refused") and not known:
                self._left += 1  # nobody was asked
            gone = known and result.status in (404, 410)
            return CrawlResult(step.url, step.depth, step.found_on, result, "gone" if gone else "failed")
        if self._is_again(result):
            error = problems.moved(step.url, result.final_url)
            return CrawlResult(step.url, step.depth, step.found_on, error, "gone") if known else None
        links = await self._links(step, result)
        if step.depth < self._settings.crawl_max_depth:
            for link in links:
                self._add(link, step.depth + 1, result.final_url)
        state: State = "unchanged" if result.not_modified else "page"
        return CrawlResult(step.url, step.depth, step.found_on, result, state, links)

    async def _links(self, step: _Step, page: FetchedPage) -> tuple[str, ...]:
        if page.not_modified:
            return self._known[site_key(step.url)].links or ()
        everywhere = CrawlScope(self._scope.host, "/")
        return tuple(link for link in await asyncio.to_thread(links_of, page) if everywhere.holds(link))

    def _is_again(self, page: FetchedPage) -> bool:
        key, digest = site_key(page.final_url), hashlib.sha256(page.data).digest()
        again = key in self._come or (not page.not_modified and digest in self._contents)
        self._come.add(key)
        if not page.not_modified:
            self._contents.add(digest)
        return again

    async def _of_sitemaps(self) -> list[tuple[str, str]]:
        """(page, sitemap) of those in the scope, as far as the crawl can use them; a sitemap that fails has none."""
        if not self._settings.crawl_max_depth:
            return []
        root = f"{urlsplit(self._start).scheme}://{self._scope.host}/"
        waiting: deque[str] = deque()
        with suppress(PageError):
            waiting.extend(await self._fetcher.sitemaps(root) or [f"{root}sitemap.xml"])
        asked: set[str] = set()
        found: list[tuple[str, str]] = []
        while waiting and len(asked) < _SITEMAPS and len(found) < self._settings.crawl_max_pages:
            if (sitemap := waiting.popleft()) in asked:
                continue
            asked.add(sitemap)
            with suppress(PageError):
                data = (await self._fetcher.fetch(sitemap, accept=_XML)).data
                most = int(self._settings.web_max_mb * 1_000_000)
                pages, more = await asyncio.to_thread(locations_of, data, most)
                waiting.extend(more[:_SITEMAPS])
                found += [(page, sitemap) for page in pages if self._scope.holds(page)]
        return found

    def _add(self, url: str, depth: int, found_on: str) -> None:
        try:
            key = site_key(url)
        except ValueError:
            if depth:
                return
            raise problems.no_address(url) from None
        if key in self._queued or (depth and not (self._scope.holds(url) and _worth_asking(url))):
            return
        self._queued.add(key)
        heapq.heappush(self._queue, _Step(depth, "?" in key, next(self._numbers), url, found_on))


def _scope(url: str) -> CrawlScope:
    try:
        return CrawlScope.of(url)
    except ValueError:
        raise problems.no_address(url) from None


def site_key(url: str) -> str:
    """One for http and https: of one host, they are one site."""
    return canonical(url).partition("://")[2]


def _worth_asking(url: str) -> bool:
    path = PurePosixPath(urlsplit(url).path)
    repeats = Counter(path.parts).most_common(1)
    plain = len(url) <= _LONGEST_LINK and (not repeats or repeats[0][1] <= _MOST_REPEATS)
    return plain and path.suffix.lower().lstrip(".") not in _PARTS
