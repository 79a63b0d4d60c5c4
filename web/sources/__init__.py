"""Websites and repositories that document sets have pages from: added once, refreshed later."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from errors import CitewiseError
from schema import AS_USUAL, Chunking, Message, Scope, Source
from settings import Settings
from stores.metadata import checked
from stores.pages import PageStore
from web.base import WebError
from web.problems import shown
from web.sources.addresses import same, source_of, with_new_wishes
from web.sources.runs import Holdings, RefreshRun, SourceEvent, SourceProgress, known_documents

__all__ = ["LibrarySources", "SourceEvent", "SourceProgress"]
log = logging.getLogger(__name__)


class LibrarySources:
    """The sources of a library. It belongs to one event loop; close it before the library and the pages."""

    def __init__(self, settings: Settings, library: Holdings, pages: PageStore) -> None:
        self._settings, self._library, self._pages = settings, library, pages
        self._runs: dict[int, RefreshRun] = {}
        self._background: dict[int, asyncio.Task[None]] = {}
        self.ended: dict[int, SourceProgress] = {}  # the last refresh of each, of this process
        self.version = 0  # rises with every change of sources and every step of a refresh

    async def add(
        self,
        address: str,
        *,
        doc_set: str,
        prefix: str = "",
        patterns: Sequence[str] = (),
        ref: str = "",
        chunking: Chunking = AS_USUAL,
        metadata: Mapping[str, Any] | None = None,
    ) -> Source:
        """A website by its address, or a repository as "owner/name" or by its address; `refresh` brings its pages.

        `prefix`: what the addresses of the pages begin with, by default the folder of the address. `patterns`: which
        files of a repository, `ref`: its branch, tag or commit. `metadata`: of each of its documents, over their own;
        None: those it has. An address that the set has already is the same source, from now on as it is given. Raises
        WebError, StoreError, and CitewiseError for metadata that do not fit.
        """
        given = source_of(address, doc_set=doc_set, prefix=prefix, patterns=patterns, ref=ref, chunking=chunking)
        known = next((one for one in self.list(doc_set) if same(one, given)), None)
        put = with_new_wishes(known, given) if known else given
        if metadata is not None:
            put = replace(put, metadata=checked(metadata))
        source = await asyncio.to_thread(self._library.store.put_source, put)
        if known and chunking != known.chunking:
            stored = self._library.documents(Scope(doc_sets=(doc_set,)))
            own = [info.name for info in stored if info.origin.source == source.id]
            await self._library.submit_rechunk([(name, doc_set, chunking) for name in own])
        self.version += 1
        return source

    def list(self, doc_set: str | None = None) -> list[Source]:
        """Of one set or of all."""
        return self._library.store.sources(doc_set)

    async def refresh(self, source_id: int) -> AsyncGenerator[SourceEvent, None]:
        """What is new or has changed goes into the library, what is gone leaves it; the last event sums up.

        Closing the iterator stops it. Raises CitewiseError when there is no such source, or it is being refreshed.
        """
        run = self._begun(source_id)
        try:
            async with aclosing(run.events()) as events:
                async for event in events:
                    self.version += 1
                    yield event
        finally:
            self._over(run)

    def start(self, source_id: int) -> None:
        """Refresh it in the background; nothing where that is going on. Raises CitewiseError when there is none."""
        if source_id not in self._runs:
            run = self._begun(source_id)
            task = self._background[source_id] = asyncio.create_task(self._through(run))
            task.add_done_callback(lambda _: self._over(run))

    @property
    def running(self) -> dict[int, SourceProgress]:
        """Of those that are being refreshed, by id."""
        return {source_id: run.progress for source_id, run in self._runs.items()}

    async def stop(self, source_id: int) -> None:
        """What was handed to the library stays; the next refresh goes on."""
        if task := self._background.get(source_id):
            task.cancel()
            await asyncio.wait([task])

    async def close(self) -> None:
        for source_id in list(self._background):
            await self.stop(source_id)

    async def remove(self, source_id: int, *, documents: bool) -> bool:
        """With what its set has from it, or without; False when there is no such source. Raises CitewiseError where
        another program refreshes it."""
        await self.stop(source_id)
        source = next((one for one in self.list() if one.id == source_id), None)
        if source is None:
            return False
        if not self._library.store.hold(_work(source_id)):
            raise _running(source)
        try:
            await self._remove(source, documents)
        finally:
            self._library.store.let_go(_work(source_id))
        return True

    async def _remove(self, source: Source, documents: bool) -> None:
        own = known_documents(self._library, source).own
        await asyncio.to_thread(self._library.store.delete_source, source.id)
        if documents:
            await self._library.delete_all([(name, source.doc_set) for name in own])
            pages = await asyncio.to_thread(self._pages.all, source.doc_set)
            await asyncio.to_thread(self._pages.forget, [one.key for one in pages if one.name in own], source.doc_set)
        self.ended.pop(source.id, None)
        self.version += 1

    def _begun(self, source_id: int) -> RefreshRun:
        if source_id in self._runs:
            raise _running(self._runs[source_id].source)
        source = next((one for one in self.list() if one.id == source_id), None)
        if source is None:
            raise CitewiseError(
                "not_found",
                Message(zh="没有这个来源。", en="There is no such source."),
                Message(
                    zh="请查看来源列表（终端：cli.py source list）。",
                    en="Look at the list of sources (in a terminal: cli.py source list).",
                ),
            )
        if not self._library.store.hold(_work(source_id)):
            raise _running(source)
        self.version += 1
        run = self._runs[source_id] = RefreshRun(self._settings, self._library, self._pages, source)
        return run

    def _over(self, run: RefreshRun) -> None:
        source_id = run.source.id
        del self._runs[source_id]
        self._library.store.let_go(_work(source_id))
        self._background.pop(source_id, None)
        self.ended[source_id] = run.progress
        self.version += 1

    async def _through(self, run: RefreshRun) -> None:
        try:
            async with aclosing(run.events()) as events:
                async for _ in events:
                    self.version += 1
        except Exception as defect:  # nobody else would hear of it
            log.exception("%s could not be refreshed", run.source.address)
            await run.note_problem(_defect(run.source, defect))


def _work(source_id: int) -> str:
    """Of which one program at a time does it."""
    return f"source {source_id}"


def _running(source: Source) -> WebError:
    return WebError(
        Message(zh=f"“{shown(source.address)}”正在刷新。", en=f'"{shown(source.address)}" is being refreshed already.'),
        Message(zh="请等它结束，或先停止它。", en="Wait until it is done, or stop it first."),
    )


def _defect(source: Source, error: Exception) -> Message:
    name, kind = shown(source.address), type(error).__name__
    return Message(
        zh=f"刷新“{name}”时出现了内部错误（{kind}）。请附上日志反馈问题。",
        en=f'An internal error ({kind}) came up with "{name}". Please report it with the log.',
    )
