"""One page's way into the library: fetched or known already, handed in, remembered; then, what it is about."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Literal, NamedTuple, Protocol

from errors import CitewiseError
from providers.llm import Model
from schema import AS_USUAL, UNTOLD, Chunking, Document, Message, Origin, Stage, StoreOutcome, WebDocument, WebSearchHit
from settings import Settings
from stores.base import Store
from stores.pages import CachedPage, PageStore
from web import documents, problems
from web.extracting import Usage, extract
from web.fetch import Fetcher
from web.media import as_utf8
from web.names import document_name
from web.problems import PageError
from web.urls import canonical

log = logging.getLogger(__name__)

GatheringStage = Literal["search", "fetch", "clean", "chunk", "embed", "store", "done", "skipped", "failed"]
FRESH = timedelta(days=1)  # a page fetched since is used as it is, without asking its server
_STAGES: dict[Stage, GatheringStage] = {"read": "clean", "chunk": "chunk", "embed": "embed", "store": "store"}
_FETCHED, _STORED = 0.3, 0.8  # of a page's way
_PASSING = ("unreachable", "time", "damaged")  # reasons for which an older copy of a page will do


@dataclass(frozen=True, slots=True)
class Gathered:
    """Something that happened; without `url` it is about the whole run, and "done" or "failed" is then the last."""

    stage: GatheringStage
    url: str = ""
    title: str = ""  # in the words of a stranger
    fraction: float = 0.0  # in [0, 1], of this page's way
    problem: Message | None = None


class PageLibrary(Protocol):
    """What takes pages in: the library."""

    store: Store

    async def add(
        self, name: str, data: bytes, *, chunking: Chunking = AS_USUAL, doc_set: str = "",
        progress: Callable[[Stage, float], None] | None = None, origin: Origin = UNTOLD,
    ) -> StoreOutcome:  # fmt: skip
        """Stored whole or not at all; cancelled with whoever waits for it. Raises CitewiseError."""


class _Visit(NamedTuple):
    document: WebDocument
    page: CachedPage
    read: Document


@dataclass
class Visitor:
    """What the visits of one run share."""

    settings: Settings
    shelf: PageLibrary
    model: Model | None
    pages: PageStore
    fetcher: Fetcher
    tell: Callable[[Gathered], None]
    doc_set: str = ""
    chunking: Chunking = AS_USUAL
    force_refresh: bool = False
    names: set[str] = field(default_factory=set)  # of this run: several addresses may lead to one page
    failures: list[Message] = field(default_factory=list)
    _stored: list[_Visit] = field(default_factory=list)  # in the library, but nobody has said yet what they are about

    async def visit(self, found: WebSearchHit, document: WebDocument) -> bool:
        """Whether the page is in the library now; the document tells what happened, whatever did."""
        plugin, name = "fetch.http", ""
        try:
            page = await self._page(found, document)
            documents.with_content(document, page)
            plugin = "store.library"
            name = document_name(page.final_url, page.media_type)
            if name in self.names:
                document.status = "skipped"
                document.note(plugin, same_as=name)
                self.tell(Gathered("skipped", found.url, found.title, 1.0))
                return False
            self.names.add(name)
            await self._taken_in(
                found, document, replace(page, name=name), anew=not page.name or self.chunking != AS_USUAL
            )
        except CitewiseError as error:
            self._failed(found, document, plugin, _of_the_page(error.in_full, name, found.url))
            return False
        except Exception as error:
            log.exception("a page failed: %.200r", found.url)
            self._failed(
                found,
                document,
                plugin,
                Message(
                    zh=f"处理“{problems.shown(found.url)}”时出现了内部错误（{type(error).__name__}）。请附上日志反馈问题。",
                    en=f'An internal error ({type(error).__name__}) came up with "{problems.shown(found.url)}". '
                    "Please report it with the log.",
                ),
            )
            return False
        self.tell(Gathered("done", found.url, document.meta.title, 1.0))
        return True

    def _failed(self, found: WebSearchHit, document: WebDocument, plugin: str, problem: Message) -> None:
        documents.with_problem(document, plugin, problem)
        self.failures.append(problem)
        self.tell(Gathered("failed", found.url, found.title, problem=problem))

    # --- fetching ------------------------------------------------------------------------------------------------

    async def _page(self, found: WebSearchHit, document: WebDocument) -> CachedPage:
        """With its data; without a name as long as the library has not taken in just that. Raises PageError."""
        try:
            key = canonical(found.url)
        except ValueError as error:
            raise problems.no_address(found.url) from error
        known = await asyncio.to_thread(self.pages.get, key, self.doc_set)
        if known and known.data is None:
            known = None
        if known and not self.force_refresh and datetime.now(UTC) - known.fetched_at < FRESH:
            return self._again(document, known, reason="fresh")
        self.tell(Gathered("fetch", found.url, found.title))
        asked = known if known and not self.force_refresh else None
        try:
            fetched = await self.fetcher.fetch(
                found.url, etag=asked.etag if asked else "", last_modified=asked.last_modified if asked else ""
            )
        except PageError as error:
            if known and (error.reason in _PASSING or error.status >= 500):
                return self._again(document, known, reason="server away", error=error.message._asdict())
            raise
        validators = {"etag": fetched.etag, "last_modified": fetched.last_modified, "fetched_at": fetched.fetched_at}
        if known and fetched.not_modified:
            page = replace(known, **validators)  # type: ignore[arg-type]  # of one type each
            return self._again(document, page, reason="not modified", seconds=fetched.seconds)
        document.note(
            "fetch.http", url=fetched.url, final_url=fetched.final_url, media_type=fetched.media_type,
            bytes=len(fetched.data), seconds=round(fetched.seconds, 3),
        )  # fmt: skip
        page = CachedPage(
            key, found.url, fetched.fetched_at, self.doc_set, "", fetched.final_url, fetched.media_type,
            fetched.charset, fetched.etag, fetched.last_modified, fetched.data,
        )  # fmt: skip
        await asyncio.to_thread(self.pages.put, page)
        return page

    def _again(self, document: WebDocument, page: CachedPage, **details: object) -> CachedPage:
        """A page that is known: with the history that it has already."""
        document.processing_history[:0] = page.history
        document.note("fetch.stored", fetched_at=page.fetched_at.isoformat(), **details)
        return page

    # --- storing -------------------------------------------------------------------------------------------------

    async def _taken_in(self, found: WebSearchHit, document: WebDocument, page: CachedPage, anew: bool) -> None:
        """Into the library, and into the document with what the library holds of it. Raises CitewiseError."""
        self.tell(Gathered("clean", found.url, found.title, _FETCHED))
        read = None if anew else await self._held(page)
        known = read and read.structured
        if read is None:
            read = await self._added(found, document, page)
        documents.with_stored_text(document, page, read)
        if known and (known.made_by == "model" or self.model is None):
            document.structured = known
        else:
            self._stored.append(_Visit(document, page, read))
        document.status = "completed"
        await self._remember(document, page)

    async def _remember(self, document: WebDocument, page: CachedPage) -> None:
        history = tuple(document.processing_history)
        await asyncio.to_thread(self.pages.put, replace(page, data=None, history=history))

    async def _held(self, page: CachedPage) -> Document | None:
        return await asyncio.to_thread(self.shelf.store.document, page.name, self.doc_set)

    async def _added(self, found: WebSearchHit, document: WebDocument, page: CachedPage) -> Document:
        begun: dict[Stage, datetime] = {}

        def progress(stage: Stage, fraction: float) -> None:
            begun.setdefault(stage, datetime.now(UTC))
            way = _FETCHED + (_STORED - _FETCHED) * fraction
            self.tell(Gathered(_STAGES[stage], found.url, found.title, way))

        data = as_utf8(page.data or b"", page.media_type, page.charset)
        older = await self._held(page)  # which may be one of a website that the set follows, and stays so
        origin = replace(documents.origin(page), source=older.origin.source if older else 0)
        outcome = await self.shelf.add(
            page.name, data, chunking=self.chunking, doc_set=self.doc_set, progress=progress, origin=origin
        )
        page_read = await self._held(replace(page, name=outcome.document.name))
        if page_read is None:
            raise CitewiseError(
                "not_found",
                Message(
                    zh=f"“{problems.shown(page.final_url)}”刚存入就被删除了。",
                    en=f'"{problems.shown(page.final_url)}" was deleted as soon as it was stored.',
                ),
                Message(zh="如果仍然需要，请重新抓取。", en="Fetch it again if you still need it."),
            )
        self._note_stages(document, outcome, page_read, begun)
        return page_read

    def _note_stages(
        self, document: WebDocument, outcome: StoreOutcome, read: Document, begun: dict[Stage, datetime]
    ) -> None:
        """What ingestion did, at the times when it did."""
        now, info = datetime.now(UTC), outcome.document
        done: dict[Stage, tuple[str, dict[str, object]]] = {
            "read": (f"clean.{read.origin.doc_type}", {"characters": len(read.text), "language": read.language}),
            "chunk": (f"chunk.{info.chunking.strategy or 'default'}", {"chunks": info.chunks}),
            "embed": (
                f"embed.{self.shelf.store.space_key() or 'none'}",
                {"kept_vectors": outcome.kept_vectors, "missing_vectors": outcome.missing_vectors},
            ),
            "store": ("store.library", {"name": info.name, "doc_set": info.doc_set, "outcome": outcome.outcome}),
        }
        times = [begun.get(stage, now) for stage in done]
        for (plugin, details), (start, end) in zip(done.values(), pairwise([*times, now]), strict=True):
            seconds = round(max(0.0, (end - start).total_seconds()), 3)
            document.processing_history.append(documents.entry(plugin, start, **details, seconds=seconds))

    # --- what they are about -------------------------------------------------------------------------------------

    async def extract(self) -> None:
        """Say of every page that was stored what it is about, which is remembered: some of them at one time."""
        slots = asyncio.Semaphore(self.settings.web_concurrency)

        async def one(visit: _Visit) -> None:
            async with slots:
                await self._about(visit.document, visit.read)
                await self._remember(visit.document, visit.page)

        async with asyncio.TaskGroup() as group:
            for visit in self._stored:
                group.create_task(one(visit))
        self._stored.clear()

    async def _about(self, document: WebDocument, read: Document) -> None:
        """By the model where there is one, else by statistics; a page that a model fails at has these too."""
        start, store = datetime.now(UTC), self.shelf.store
        usage = Usage((await asyncio.to_thread(store.stats)).chunks, store.document_frequencies)
        found = await extract(
            document.meta.title, read.text, read.language, self.model, usage=usage,
            tokens=self.settings.max_context_length,
        )  # fmt: skip
        document.structured = found.structured
        await asyncio.to_thread(store.note_structured, read.name, read.doc_set, read.digest, found.structured)
        details: dict[str, object] = {"note": found.note._asdict()} if found.note else {}
        seconds = round((datetime.now(UTC) - start).total_seconds(), 3)
        name = f"extract.{found.structured.made_by}"
        document.processing_history.append(documents.entry(name, start, **details, seconds=seconds))


def _of_the_page(problem: Message, name: str, url: str) -> Message:
    """A reader knows the page by its name in the library; the person knows its address."""
    return Message(*(text.replace(name, problems.shown(url)) if name else text for text in problem))
