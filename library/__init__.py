"""The library as one object: add, replace, delete, list, search, embed. Nodes, page, API and scripts use this."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import NamedTuple

from library.files import LibraryFiles, Outcomes
from library.glossary import LibraryGlossary
from library.pages import LibraryPages
from library.search import LibrarySearch
from library.spaces import LibrarySpaces
from library.tables import LibraryTables
from schema import Message
from settings import Settings
from stores.base import Store
from stores.search_contract import IndexInfo
from stores.selection import open_store
from text import search_tokens

__all__ = ["Library", "LibraryStats", "Outcomes"]


class LibraryStats(NamedTuple):
    documents: int
    chunks: int
    tokens: int  # of a model, of the documents' texts
    bytes: int  # on disk
    space: str | None  # key of the embedding space
    waiting: int  # files on their way
    failed: int
    vector_index: IndexInfo | None = None  # where there are vectors


class Library(LibraryFiles, LibrarySearch, LibrarySpaces, LibraryGlossary, LibraryPages, LibraryTables):
    """Open it with `await Library.open(settings)`; close it with `await library.close()`, or use `async with`.

    Searches never wait for uploads: they have threads of their own, and the store lets readers pass.
    """

    @classmethod
    async def open(cls, settings: Settings, store: Store | None = None, *, warm: bool = True) -> Library:
        """With the store that the settings ask for, unless one is given. Raises CitewiseError, of which
        StoreError is one."""
        library = await asyncio.to_thread(cls._opened, settings, store)
        if warm:
            library.warm()
        library._keeper.start()
        library._queue.start()
        library._extraction.start()
        return library

    @classmethod
    def _opened(cls, settings: Settings, store: Store | None) -> Library:
        used = open_store(settings) if store is None else store
        try:
            library = cls(settings, used)
            used.watch(library._replaced)
            return library
        except BaseException:
            if store is None:
                used.close()  # else nobody could try again: it holds the folder
            raise

    def _replaced(self) -> None:
        """A backup was brought back, by another program's request: from any thread."""
        self._queue.reload()
        if space := self.store.space():
            self._spaces.know(space)
        self._changes += 1
        self.signals.changed()

    async def close(self) -> None:
        """Files on their way stop, and go on when the library is opened again."""
        self._queue.stop()
        await self._extraction.close()
        await self._keeper.close()
        await self._fetching_reranker.close()
        await asyncio.to_thread(self._pool.close)
        await asyncio.to_thread(self._pages.close)
        await asyncio.to_thread(self._spaces.close)  # what waits for a network waits no longer
        await asyncio.to_thread(self._queue.join)
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        await asyncio.to_thread(self._pool.close)  # a process that was just being started
        self._rerankers.close()
        await asyncio.to_thread(self._cache.close)
        await asyncio.to_thread(self.store.close)

    async def __aenter__(self) -> Library:
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self.close()

    def stats(self) -> LibraryStats:
        stored, states = self.store.stats(), Counter(task.status for task in self.tasks())
        waiting = states["pending"] + states["processing"]
        index = self.store.vector_index()
        return LibraryStats(
            stored.documents, stored.chunks, stored.tokens, stored.bytes, stored.space, waiting, states["failed"], index
        )

    @property
    def notices(self) -> list[Message]:
        """What was lost, as it was found at opening, and is not made up for by now."""
        return self.store.notices

    @property
    def is_busy(self) -> bool:
        """Whether vectors are being made, or a model is on its way here."""
        return self._keeper.working or self._keeper.fetching.running or self._fetching_reranker.running

    def rest(self) -> None:
        """Give up the processes that do nothing; the next file and the next page begin them again. Blocks."""
        self._pool.rest()
        self._pages.rest()

    def warm(self) -> None:
        """Begin to load what the first upload and the first question will need; whoever is earlier waits for it."""
        self._threads.submit(self._warm)

    def _warm(self) -> None:
        if reranker := self._rerankers.of(self.settings):
            reranker.warm()
        self._pipeline.warm()
        if self._pool.closed:  # a short visit: nothing more is needed
            return
        self._spaces.serving()
        import retrieval.search  # noqa: F401

        search_tokens("预热 warm up")
        if len(self.store.languages()) > 1:  # the dictionary's keys
            from translation.question import translate

            translate("预热", "zh")
            translate("warm up", "en")
        from providers.sentence_encoder import sentence_encoder

        sentence_encoder().nearness("预热", ["warm up"])
