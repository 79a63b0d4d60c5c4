"""One refresh of a source: what is new is handed to the library, what is gone leaves it, the rest costs nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal, Protocol

from errors import CitewiseError, StoreError
from schema import Chunking, DocumentInfo, IncomingFile, Message, Origin, Scope, Source, Task
from settings import Settings
from stores.base import Store
from stores.pages import PageStore
from stores.problems import source_gone
from web.sources.items import ItemState, KnownDocuments, Repository, Site, SourceItem

_MOST, _MOST_BYTES, _LONGEST = 20, 5_000_000, 2.0  # parts, and seconds of them, that are handed over together
_MOST_PROBLEMS = 100  # that are told


class Holdings(Protocol):
    """What takes documents in and gives them up: the library."""

    store: Store

    async def submit(self, files: Sequence[IncomingFile]) -> list[Task]: ...

    async def submit_rechunk(self, cuts: Sequence[tuple[str, str, Chunking]]) -> list[Task]: ...

    def documents(self, scope: Scope) -> list[DocumentInfo]: ...

    def tasks(self) -> list[Task]: ...

    async def delete_all(self, documents: Collection[tuple[str, str]]) -> int: ...


@dataclass(frozen=True, slots=True)
class SourceProgress:
    """How far a refresh is, in pages or files."""

    source: Source
    stored: int = 0  # new or changed: on their way into the library
    unchanged: int = 0
    gone: int = 0
    failed: int = 0
    skipped: int = 0  # which are not for programs, no text, or of another source
    url: str = ""  # the last one
    problems: tuple[tuple[str, Message], ...] = ()  # address and why: of those that failed or were skipped

    @property
    def looked(self) -> int:
        return self.stored + self.unchanged + self.gone + self.failed + self.skipped


@dataclass(frozen=True, slots=True)
class SourceEvent:
    """What became of a page or file; without `url` it is about the whole refresh, and "done" or "failed" the last."""

    state: ItemState | Literal["done"]
    progress: SourceProgress
    url: str = ""
    problem: Message | None = None


@dataclass
class RefreshRun:
    """One refresh: iterate over `events`. Closing them stops it; what was handed over stays."""

    settings: Settings
    library: Holdings
    pages: PageStore
    source: Source
    progress: SourceProgress = field(init=False)
    _waiting: list[SourceItem] = field(default_factory=list)
    _since: float = 0.0

    def __post_init__(self) -> None:
        self.progress = SourceProgress(self.source)

    async def events(self) -> AsyncGenerator[SourceEvent, None]:
        """Nothing is raised that a person can do something about: the last event tells it."""
        try:
            async with aclosing(self._parts()) as items:
                async for event in items:
                    yield event
        except CitewiseError as error:
            await self._failed(error)
            yield SourceEvent("failed", self.progress, problem=error.in_full)
            return
        yield SourceEvent("done", self.progress, problem=self.source.problem)

    async def _parts(self) -> AsyncGenerator[SourceEvent, None]:
        had = known_documents(self.library, self.source)
        looking = await self._looking(had)
        staying: set[str] = set()
        async with aclosing(looking.parts()) as parts:
            async for part in parts:
                if part.came != "gone":
                    staying.add(part.name)
                await self._take(part)
                yield self._noted(part)
        await self._hand_over()
        gone = looking.gone - staying
        doc_set = (await self._current()).doc_set
        if gone:
            await self.library.delete_all([(name, doc_set) for name in gone])
        if looking.forgotten:
            await asyncio.to_thread(self.pages.forget, looking.forgotten, doc_set)
        await self._note_end(looking)

    async def _looking(self, had: KnownDocuments) -> Site | Repository:
        if self.source.kind == "github":
            return Repository(self.settings, self.source, had)
        remembered = await asyncio.to_thread(self.pages.all, self.source.doc_set)
        return Site(self.settings, self.source, had, remembered)

    async def _take(self, part: SourceItem) -> None:
        if part.incoming or part.page:
            self._since = self._since if self._waiting else time.monotonic()
            self._waiting.append(part)
        size = sum(len(one.incoming.data or b"") for one in self._waiting if one.incoming)
        late = time.monotonic() > self._since + _LONGEST
        if self._waiting and (late or len(self._waiting) >= _MOST or size >= _MOST_BYTES):
            await self._hand_over()

    async def _hand_over(self) -> None:
        """First to the library: a page is only remembered when what is made of it cannot be lost."""
        parts, self._waiting = self._waiting, []
        if not parts:
            return
        current = await self._current()
        doc_set = current.doc_set
        if files := [replace(part.incoming, doc_set=doc_set) for part in parts if part.incoming]:
            await self.library.submit(files)
            await self._note(replace(current, pages=len(known_documents(self.library, current).own)))  # however it ends
        pages = [replace(part.page, doc_set=doc_set) for part in parts if part.page]
        await asyncio.to_thread(self.pages.put, *pages)

    def _noted(self, part: SourceItem) -> SourceEvent:
        now = self.progress
        problems = now.problems
        if part.problem and len(problems) < _MOST_PROBLEMS:
            problems = (*problems, (part.url, part.problem))
        self.progress = replace(
            now,
            stored=now.stored + (part.came == "page"),
            unchanged=now.unchanged + (part.came == "unchanged"),
            gone=now.gone + (part.came == "gone"),
            failed=now.failed + (part.came == "failed"),
            skipped=now.skipped + (part.came == "skipped"),
            url=part.url,
            problems=problems,
        )
        return SourceEvent(part.came, self.progress, part.url, part.problem)

    async def _current(self) -> Source:
        """As it is by now: its set may have been renamed. Raises StoreError when it is gone."""
        for source in await asyncio.to_thread(self.library.store.sources):
            if source.id == self.source.id:
                return source
        raise source_gone(self.source.address)

    async def _note_end(self, looked: Site | Repository) -> None:
        now, current = self.progress, await self._current()
        as_wanted = (current.patterns, current.ref) == (self.source.patterns, self.source.ref)  # still
        await self._note(
            replace(
                current,
                refreshed_at=datetime.now(UTC).isoformat(timespec="seconds"),
                commit=looked.commit if as_wanted and not now.failed else "",
                pages=len(known_documents(self.library, current).own),
                problem=_incomplete(now) if now.failed else looked.left_out,
            )
        )

    async def _failed(self, error: CitewiseError) -> None:
        with suppress(StoreError):  # gone, or the disk is full: which the last event tells
            await self._hand_over()
        await self.note_problem(error.in_full)

    async def note_problem(self, problem: Message) -> None:
        with suppress(StoreError):
            await self._note(replace(await self._current(), problem=problem))

    async def _note(self, source: Source) -> None:
        self.source = await asyncio.to_thread(self.library.store.put_source, source)
        self.progress = replace(self.progress, source=self.source)


def known_documents(library: Holdings, source: Source) -> KnownDocuments:
    """What its set has, documents and what is on its way. What a removed source has left is nobody's."""
    doc_set, live = source.doc_set, {one.id for one in library.store.sources(source.doc_set)}
    origins: dict[str, Origin] = {info.name: info.origin for info in library.documents(Scope(doc_sets=(doc_set,)))}
    coming = [task for task in library.tasks() if task.doc_set == doc_set and task.job == "add"]
    origins |= {task.name: task.origin for task in coming}
    own = {name: origin for name, origin in origins.items() if origin.source == source.id}
    others = {name: origin for name, origin in origins.items() if origin.source in live - {source.id}}
    return KnownDocuments(own, others)


def _incomplete(now: SourceProgress) -> Message:
    url, first = next(((url, problem) for url, problem in now.problems), ("", Message(zh="", en="")))
    return Message(
        zh=f"{now.looked} 个中有 {now.failed} 个没有读到。例如 {url}：{first.zh}",
        en=f"{now.failed} of {now.looked} could not be read. {url}, for one: {first.en}",
    )
