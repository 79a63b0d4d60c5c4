"""What the documents of a library are about, without a model: of the one that is asked for, then of all the others."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress

from errors import StoreError
from schema import Document, StructuredSummary
from stores.base import Store
from web.extracting.statistics import StatisticsExtractor, Usage

log = logging.getLogger(__name__)

PAUSE = 10.0  # seconds in which nothing was asked or stored, after which there is leisure
_BETWEEN = 0.05  # seconds after each document, for whoever comes


class BackgroundExtraction:
    """Statistics of documents, kept in their store. Storing a document does not wait for them: they take as long again
    as all else that is done with it. One that is looked at gets them at once, the rest while nobody wants anything."""

    def __init__(self, store: Store, busy: Callable[[], bool], pause: float = PAUSE) -> None:
        """`busy`: whether files are being stored or embedded. That must have ended `pause` seconds ago."""
        self._store, self._busy, self._pause = store, busy, pause
        self._used = time.monotonic()
        self._complete = -1  # the generation in which every document has been seen to
        self._failed: set[tuple[str, str]] = set()
        self._work: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._work = asyncio.create_task(self._at_leisure())

    async def close(self) -> None:
        if self._work:
            self._work.cancel()
            with suppress(asyncio.CancelledError):
                await self._work

    def used(self) -> None:
        """Somebody wants something: what can wait, waits."""
        self._used = time.monotonic()

    def of(self, name: str, doc_set: str) -> StructuredSummary | None:
        """What a document is about, found out now where nobody has said it; None where it is gone. Blocks."""
        document = self._store.document(name, doc_set)
        if document is None:
            return None
        if document.structured:
            return document.structured
        found = self._extracted(document)
        with suppress(StoreError):  # a full disk: it is found out again
            self._store.note_structured(name, doc_set, document.digest, found)
        return found

    def _extracted(self, document: Document) -> StructuredSummary:
        usage = Usage(self._store.stats().chunks, self._store.document_frequencies)
        title = str(document.metadata.get("title") or document.origin.title)
        return StatisticsExtractor(usage).extracted(title, document.text)

    def complete(self, most: int) -> None:
        """See now to as many documents as are lacking it, at most so many. Blocks."""
        for _ in range(most):
            if self._store.generation() == self._complete:
                return
            self._one_more()

    async def _at_leisure(self) -> None:
        while True:
            await asyncio.sleep(self._pause)
            with suppress(StoreError):
                while self._store.generation() != self._complete and self._leisure():
                    await asyncio.to_thread(self._one_more)
                    await asyncio.sleep(_BETWEEN)

    def _leisure(self) -> bool:
        if self._busy():
            self.used()
            return False
        return time.monotonic() >= self._used + self._pause

    def _one_more(self) -> None:
        generation = self._store.generation()
        lacking = [one for one in self._store.without_structured(len(self._failed) + 1) if one not in self._failed]
        if not lacking:
            self._complete = generation
            return
        name, doc_set = lacking[0]
        try:
            if document := self._store.document(name, doc_set):
                self._store.note_structured(name, doc_set, document.digest, self._extracted(document))
        except StoreError:
            raise
        except Exception:  # a defect: nobody waits for it, and the others must not either
            log.exception("what %r is about could not be found out", name)
            self._failed.add((name, doc_set))
