"""From a question, or from addresses, to pages in the library: search, fetch, clean, chunk, embed, extract, record.

Ingestion cleans, chunks and embeds them, as it does every other document. With that they can be searched: what they are
about, which may take a model seconds, and the record of the run are made then, or later if whoever runs it asks so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from background import Later
from errors import CitewiseError
from providers.llm import Model
from schema import AS_USUAL, Chunking, Language, Message, WebDocument, WebSearchHit
from settings import Settings
from stores.pages import PAGES, PageFile, PageStore
from text import language_of
from web.base import WebError
from web.documents import new_record, with_chunks
from web.fetch import Fetcher
from web.problems import shown
from web.records import Records
from web.search import search_web
from web.urls import canonical
from web.visit import Gathered, PageLibrary, Visitor

__all__ = ["Gathered", "Gathering", "PageLibrary"]
log = logging.getLogger(__name__)
_SPARE = 2  # times as many pages are looked for as wanted: some sites let no program in


class Gathering:
    """One run: iterate over `search` or `fetch`, then read what came of it. Closing the iterator stops it.

    With `later` the iterator ends when the pages are in the library. What they are about (`structured`) and the record
    come when the work runs that `later` is given; without it they are there when the iterator ends.
    """

    def __init__(
        self, settings: Settings, shelf: PageLibrary, model: Model | None = None, *, pages: PageStore | None = None,
        later: Later | None = None,
    ) -> None:  # fmt: skip
        self.settings, self.shelf, self.model = settings, shelf, model
        self._later = later
        self._visitor: Visitor | None = None
        self.pages = pages or PageFile(settings.data_dir / PAGES, settings.web_cache_mb)
        self._own = pages is None
        self._records = Records(
            settings.data_dir, settings.web_retention_days, embeddings=settings.web_record_embeddings
        )
        self.documents: list[WebDocument] = []  # every page that was tried, those that failed as well
        self.notices: list[Message] = []
        self.record: Path | None = None  # the file that tells all of it
        self._failures: list[Message] = []
        self._events: asyncio.Queue[Gathered | None] = asyncio.Queue()

    @property
    def gathered(self) -> list[WebDocument]:
        """The pages that are in the library."""
        return [document for document in self.documents if document.status == "completed"]

    def search(
        self, question: str, *, count: int | None = None, language: Language | None = None, doc_set: str = "",
        chunking: Chunking = AS_USUAL, force_refresh: bool = False,
    ) -> AsyncGenerator[Gathered, None]:  # fmt: skip
        """The best pages on a question, by default as many as the settings say."""
        count = count or self.settings.web_results

        async def run() -> None:
            self._tell(Gathered("search"))
            spoken = language or language_of(question, self.settings.fallback_language)
            found = await search_web(question, self.settings, _SPARE * count, spoken)
            self.notices += found.notices
            if not found.pages:
                raise WebError(
                    Message(
                        zh=f"网上没有找到关于“{shown(question)}”的网页。",
                        en=f'The web search found no page on "{shown(question)}".',
                    ),
                    Message(zh="请换一种问法，或直接给出网址。", en="Ask in other words, or give an address."),
                )
            for page in found.pages[:count]:
                self._tell(Gathered("search", page.url, page.title))
            await self._pages(found.pages, count, doc_set, chunking, force_refresh)

        return self._run(question, run)

    def fetch(
        self, urls: Sequence[str], *, question: str = "", doc_set: str = "", chunking: Chunking = AS_USUAL,
        force_refresh: bool = False,
    ) -> AsyncGenerator[Gathered, None]:  # fmt: skip
        """Pages that a person named; the record is named by the question."""
        kept: dict[str, str] = {}
        for url in urls:
            kept.setdefault(_known_as(url), url)
        found = [WebSearchHit(url) for url in kept.values()]

        async def run() -> None:
            await self._pages(found, len(found), doc_set, chunking, force_refresh)
            self.notices += self._failures if self.gathered else []  # else the run fails, and tells them

        return self._run(question or " ".join(urls), run)

    async def _run(self, query: str, work: Callable[[], Awaitable[None]]) -> AsyncGenerator[Gathered, None]:
        """The events of the work as they come; it ends with whoever reads them."""

        async def whole() -> None:
            try:
                await self._recorded(query, work)
            finally:
                self._events.put_nowait(None)

        task = asyncio.create_task(whole())
        try:
            while event := await self._events.get():
                yield event
            await task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            if self._own and self._later is None:
                await asyncio.to_thread(self.pages.close)

    async def _recorded(self, query: str, work: Callable[[], Awaitable[None]]) -> None:
        problem: CitewiseError | None = None
        try:
            await work()
            if not self.gathered:
                problem = _none_came(self._failures)
        except CitewiseError as error:
            problem = error
        if self._later is None:
            await self._finish(query, problem)
        else:
            self._later(partial(self._finish, query, problem))
        self._tell(Gathered("failed", problem=problem.in_full) if problem else Gathered("done", fraction=1.0))

    async def _finish(self, query: str, problem: CitewiseError | None) -> None:
        """What the pages are about, and the record. Stopped, it still writes the record of what is known by then."""
        try:
            if self._visitor:
                await self._visitor.extract()
        finally:
            await self._record(query, problem)
            if self._own and self._later:
                await asyncio.to_thread(self.pages.close)

    async def _record(self, query: str, problem: CitewiseError | None) -> None:
        try:
            await asyncio.to_thread(with_chunks, self.gathered, self.shelf.store)
            if problem:
                self.record = await asyncio.to_thread(self._records.save_fallback, query, self.documents, problem)
            else:
                self.record = await asyncio.to_thread(self._records.save, query, self.documents)
        except CitewiseError as error:  # the pages are there all the same
            self.notices.append(error.in_full)
            log.warning("%s", error.message.en)

    async def _pages(
        self, found: Sequence[WebSearchHit], count: int, doc_set: str, chunking: Chunking, force: bool
    ) -> None:
        """So many of the pages, side by side; one that fails makes room for the next."""
        left, missing = iter(found), count
        async with Fetcher(self.settings) as fetcher, asyncio.TaskGroup() as group:
            self._visitor = visitor = Visitor(
                self.settings, self.shelf, self.model, self.pages, fetcher, self._tell, doc_set, chunking, force,
                failures=self._failures,
            )  # fmt: skip

            async def lane() -> None:
                nonlocal missing
                while missing and (page := next(left, None)):
                    missing -= 1
                    self.documents.append(new_record(page))
                    if not await visitor.visit(page, self.documents[-1]):
                        missing += 1

            for _ in range(min(count, self.settings.web_concurrency)):
                group.create_task(lane())

    def _tell(self, event: Gathered) -> None:
        self._events.put_nowait(event)


def _known_as(url: str) -> str:
    try:
        return canonical(url)
    except ValueError:  # no address: its visit says so
        return url


def _none_came(failures: Sequence[Message]) -> WebError:
    """Every page failed: why each of them did."""
    return WebError(
        Message(
            zh="没有抓取到可用的网页。" + "".join(one.zh for one in failures),
            en=" ".join(["No page could be used.", *(one.en for one in failures)]),
        )
    )
