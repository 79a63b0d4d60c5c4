"""The files of a library: on their way, stored, and in document sets."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from errors import CitewiseError
from ingestion.job_runner import Report
from ingestion.queue import AT_LEISURE, AWAITED
from ingestion.task_outcomes import store_file, task_outcomes
from library.shared import LibraryParts
from schema import (
    AS_USUAL,
    EVERYWHERE,
    UNTOLD,
    Chunk,
    Chunking,
    DocSetInfo,
    Document,
    DocumentInfo,
    Hit,
    ImportedDocument,
    IncomingFile,
    Language,
    Message,
    Origin,
    OriginalFile,
    Scope,
    StoreOutcome,
    StructuredSummary,
    Task,
    Vectors,
)

Outcomes = dict[int, StoreOutcome | CitewiseError | None]  # by the id of the task; None: not done yet


class LibraryFiles(LibraryParts):
    """What goes in, and what is there."""

    async def submit(
        self, files: Sequence[IncomingFile], *, priority: int = AT_LEISURE, copy: bool = False
    ) -> list[Task]:
        """Take files in and return at once; they are stored in the background, also after a restart. With `copy`,
        files given by a path need not stay there. A zip gives way to tasks of its files. Raises StoreError."""
        return await asyncio.to_thread(self._queue.submit, files, priority, copy)

    async def submit_rechunk(
        self, cuts: Sequence[tuple[str, str, Chunking]], *, priority: int = AT_LEISURE
    ) -> list[Task]:
        """Stored documents, by name and set, to be cut again in the background."""
        return await asyncio.to_thread(self._queue.rechunk, cuts, priority)

    async def submit_reread(self, documents: Sequence[tuple[str, str]], *, priority: int = AT_LEISURE) -> list[Task]:
        """Documents, by name and set, to be read anew from their originals in the background; those whose original is
        not kept are left out. What fails leaves the document as it is."""
        from ingestion.rereading import kept_file

        tasks: list[Task] = []
        for name, doc_set in documents:  # one by one: together they may be larger than the memory
            if file := await asyncio.to_thread(kept_file, self.store, name, doc_set):
                tasks += await asyncio.to_thread(self._queue.submit, [file], priority)
        return tasks

    def outdated(self) -> list[DocumentInfo]:
        """Documents whose original is kept, that the readers of today may read better."""
        from ingestion.readers.versions import is_outdated

        found = [one for one in self.documents() if is_outdated(one.origin, self.settings.ocr)]
        return [one for one in found if self.store.original_info(one.name, one.doc_set)]

    async def add_documents(self, documents: Sequence[Document], *, chunking: Chunking = AS_USUAL) -> list[Task]:
        """Text that was read already, from the web say, to be stored in the background. Raises StoreError."""
        return await asyncio.to_thread(self._queue.submit_documents, documents, chunking, AT_LEISURE)

    async def store_import(self, given: ImportedDocument) -> StoreOutcome:
        """A document that was read elsewhere, with what it brings: it can be found when this returns. Raises
        CitewiseError."""
        return await self._change(self._pipeline.store_import, given)

    async def add(
        self,
        name: str,
        data: bytes,
        *,
        chunking: Chunking = AS_USUAL,
        doc_set: str = "",
        progress: Report | None = None,
        origin: Origin = UNTOLD,
        metadata: Mapping[str, Any] | None = None,
    ) -> StoreOutcome:
        """A new document, or a new version of the one with this name. Raises FileError, StoreError, and CitewiseError
        for metadata that do not fit.

        Cancelled, it stops before its next stage; the document is then stored whole or not at all.
        """
        file = IncomingFile(name, data, doc_set=doc_set, chunking=chunking, origin=origin, metadata=metadata or {})
        done = await store_file(self._queue, lambda tell: self._queue.submit([file], AWAITED, listener=tell), progress)
        return done._replace(document=self._keeper.explained([done.document])[0])

    async def rechunk(
        self, name: str, chunking: Chunking, doc_set: str = "", progress: Report | None = None
    ) -> StoreOutcome:
        """The stored text cut in another way. Raises CitewiseError when there is no such document."""
        cut = (name, doc_set, chunking)
        return await store_file(self._queue, lambda tell: self._queue.rechunk([cut], AWAITED, tell), progress)

    def tasks(self) -> list[Task]:
        """Files on their way and those that failed, by priority; with their live stage and fraction."""
        return self._queue.tasks()

    def waiting(self, scope: Scope = EVERYWHERE) -> list[str]:
        """Names of the files on their way within a scope."""
        return self._queue.waiting(scope)

    def progress(self) -> tuple[int, int]:
        """Files that are done, of how many since nothing was on its way."""
        return self._queue.progress()

    @property
    def problem(self) -> Message | None:
        """Why no file can be stored at the moment, and what to do; `retry` tries again."""
        return self._queue.problem

    async def finished(self, task_ids: Sequence[int], timeout: float | None = None) -> Outcomes:  # noqa: ASYNC109
        """Wait for tasks. None: not done in time. In place of a zip stand the files that were in it."""
        return await task_outcomes(self._queue, task_ids, timeout)

    async def cancel(self, task_ids: Sequence[int]) -> None:
        """Forget tasks. One that is being processed stops before its next stage."""
        await asyncio.to_thread(self._queue.cancel, task_ids)
        await self.finished(task_ids)

    async def retry(self, task_ids: Sequence[int]) -> None:
        """Try again what has failed."""
        await asyncio.to_thread(self._queue.retry, task_ids)

    async def hurry(self, task_ids: Sequence[int]) -> None:
        """Before everything else that waits."""
        await asyncio.to_thread(self._queue.prioritise, task_ids)

    async def process(self, doc_set: str | None = None) -> Outcomes:
        """Hurry what waits, of one set or of all, and wait for it."""
        waiting = [task for task in self.tasks() if task.status in ("pending", "processing")]
        ids = [task.id for task in waiting if doc_set is None or task.doc_set == doc_set]
        await self.hurry(ids)
        return await self.finished(ids)

    async def delete(self, name: str, doc_set: str = "") -> bool:
        """With what is on its way under this name. False when there is no such document."""
        return await self.delete_all([(name, doc_set)]) == 1

    async def delete_all(self, documents: Collection[tuple[str, str]]) -> int:
        """By name and set, with what is on its way under these names; how many documents there were."""
        named = set(documents)
        if tasks := [task.id for task in self.tasks() if (task.name, task.doc_set) in named]:
            await self.cancel(tasks)
        return await self._change(self.store.delete_all, named)

    async def move(self, name: str, doc_set: str, to: str) -> bool:
        """Into another set. False when there is no such document; StoreError when the set has one of this name."""
        return await self._change(self._queue.move, name, doc_set, to)

    async def add_doc_set(self, name: str) -> bool:
        """False when there is one of this name."""
        return await self._change(self.store.add_doc_set, name)

    async def rename_doc_set(self, name: str, to: str) -> bool:
        """False when there is no such set; raises StoreError when there is one of the new name."""
        return await self._change(self._queue.rename_doc_set, name, to)

    async def delete_doc_set(self, name: str) -> bool:
        """With all its documents and files on their way. False when there is no such set."""
        return await self._change(self._queue.delete_doc_set, name)

    def documents(self, scope: Scope = EVERYWHERE) -> list[DocumentInfo]:
        """Newest first; with the reason where one waits for its vectors."""
        return self._keeper.explained(self._listed().within(scope) if scope else self._listed().documents)

    def document(self, name: str, doc_set: str = "") -> Document | None:
        """With its text."""
        return self.store.document(name, doc_set)

    def original_info(self, name: str, doc_set: str = "") -> OriginalFile | None:
        """Digest and size of the file that a document was read from; None where it is not kept."""
        return self.store.original_info(name, doc_set)

    def original(self, name: str, doc_set: str = "") -> bytes | None:
        """The file itself; None where it is not kept."""
        return self.store.original(name, doc_set)

    async def structured(self, name: str, doc_set: str = "") -> StructuredSummary | None:
        """What a document is about: title, keywords, entities, topics; None when there is no such document.

        A model says it of pages that are fetched, statistics of all others: at leisure, or now where nobody has yet."""
        return await asyncio.to_thread(self._extraction.of, name, doc_set)

    def all_structured(self, scope: Scope = EVERYWHERE) -> dict[tuple[str, str], StructuredSummary]:
        """What the documents in scope are about, by name and set: of those of which it is known by now."""
        return self.store.structured(scope)

    def complete_structured(self, most: int = 200) -> None:
        """Find out what documents are about of which it is not known yet, so that they can be selected by it. Blocks,
        some 20 ms for each."""
        self._extraction.complete(most)

    async def chunks(self, name: str, doc_set: str = "", first: int = 0, k: int = 50) -> list[Hit]:
        """k chunks of a document in reading order, from the one at position `first`."""
        return await asyncio.to_thread(self.store.chunks, name, doc_set, first, k)

    async def preview(
        self, name: str, doc_set: str = "", chunking: Chunking = AS_USUAL
    ) -> tuple[Chunking, list[Chunk]]:
        """How a document would be cut; nothing is stored. Raises CitewiseError when there is no such document."""
        return await asyncio.to_thread(self._pipeline.preview, name, doc_set, chunking)

    async def document_vector(self, name: str, doc_set: str = "") -> Vectors:
        """(dimensions,): what a document is about, of length 1; zeros where it has no vectors."""
        return await asyncio.to_thread(self.store.document_vector, name, doc_set)

    def names(self) -> list[str]:
        return list(self._listed().names)

    def known_names(self) -> list[str]:
        """Of the documents, and of the files on their way: who names one of these means it."""
        return list(dict.fromkeys([*self.names(), *self.waiting()]))

    async def titles(self) -> dict[str, str]:
        """The titles, or first headings, of the newest documents by their names; read once a generation."""
        listed = self._listed()
        return listed.titles if "titles" in vars(listed) else await asyncio.to_thread(lambda: listed.titles)

    def chunk_count(self) -> int:
        return self._listed().chunks

    def doc_sets(self) -> list[str]:
        """The sets that have a name."""
        return sorted({info.name for info in self._listed().doc_sets} - {""})

    def doc_set_infos(self) -> list[DocSetInfo]:
        """Every set, empty ones as well; "" where documents are in none."""
        return list(self._listed().doc_sets)

    def languages(self, scope: Scope = EVERYWHERE) -> frozenset[Language]:
        """Of the documents in scope, those that are worth a translated question."""
        from retrieval.hyde import OTHER_SHARE

        counts = self._listed().languages(scope)
        return frozenset(language for language, count in counts.items() if count >= OTHER_SHARE * counts.total())
