"""Managing a library by names, as people and programs give them: what is not there is an error that says so.

The Python face, the terminal and the doors for other programs all come through here.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from errors import CitewiseError, ModelError
from graph.problems import no_doc_set, no_document, no_original
from schema import AS_USUAL, Chunk, Chunking, DocSetInfo, DocumentInfo, Hit, Message, Scope, Status, StoreOutcome, Task
from schema.names import Names, names_of

if TYPE_CHECKING:
    from library import Library

ON_ITS_WAY: tuple[Status, ...] = ("pending", "processing")
MISSED: tuple[Status, ...] = ("failed", "skipped")


@dataclass(frozen=True)
class ProcessReport:
    """What became of files: `failed` by name; and how many chunks have got the vectors that they lacked."""

    stored: list[StoreOutcome]
    failed: dict[str, CitewiseError]
    embedded: int = 0


class LibraryManagement(ABC):
    """Document sets, chunks, and files that wait or have failed. Names that do not exist are a CitewiseError. Without
    `doc_set` a document is meant wherever it is."""

    @property
    @abstractmethod
    def library(self) -> Library:
        """That is managed."""

    async def doc_set_infos(self) -> Sequence[DocSetInfo]:
        """Every set with how many documents and chunks it has; "" where documents are in none."""
        return await asyncio.to_thread(self.library.doc_set_infos)

    async def add_doc_set(self, name: str) -> None:
        """An empty one; files that are added to a set make it themselves."""
        if not await self.library.add_doc_set(_named(name)):
            raise CitewiseError(
                "settings",
                Message(zh=f"已经有文档集“{name.strip()}”。", en=f"There is a document set {name.strip()} already."),
                Message(zh="请换一个名字。", en="Choose another name."),
            )

    async def rename_doc_set(self, name: str, to: str) -> None:
        """With its documents, files on their way and sources."""
        if not await self.library.rename_doc_set(name, _named(to)):
            raise no_doc_set([name])

    async def delete_doc_set(self, name: str) -> int:
        """With its documents, files on their way and sources: how many documents that were."""
        info = doc_set_named(self.library, name)
        await self.library.delete_doc_set(name)
        return info.documents

    async def move(self, names: Names, to: str, *, doc_set: str | None = None) -> int:
        """Documents into another set, made where there is none; "" is the one of those in none. How many were moved.

        library.move(["rules.md", "guide.md"], "handbook")
        """
        library = self.library
        found = [one for one in documents_named(library, names_of(names), doc_set) if one.doc_set != to.strip()]
        return sum([await library.move(one.name, one.doc_set, to.strip()) for one in found])

    async def rechunk(
        self, names: Names, chunking: Chunking = AS_USUAL, *, doc_set: str | None = None
    ) -> ProcessReport:
        """Stored documents cut anew, and wait for it: `processed.stored`, and `processed.failed` by name."""
        found = documents_named(self.library, names_of(names), doc_set)
        cuts = [(one.name, one.doc_set, chunking) for one in found]
        return await _awaited(self.library, await self.library.submit_rechunk(cuts))

    async def reread(self, names: Names = (), *, doc_set: str | None = None) -> ProcessReport:
        """Documents read anew from their originals, and wait for it: these names, or all that a newer reader, or OCR
        that was installed since, may read better. What fails leaves the document as it is.

        library.reread("scans.pdf")
        """
        library = self.library
        if wanted := names_of(names):
            found = documents_named(library, wanted, doc_set)
        else:
            found = [one for one in await asyncio.to_thread(library.outdated) if doc_set in (None, one.doc_set)]
        tasks = await library.submit_reread([(one.name, one.doc_set) for one in found])
        kept = {(task.name, task.doc_set) for task in tasks}
        done = await _awaited(library, tasks)
        lost = {one.name: no_original(one.name) for one in found if (one.name, one.doc_set) not in kept}
        return replace(done, failed={**done.failed, **lost})

    async def tasks(self) -> Sequence[Task]:
        """Files on their way and those that failed: `task.name`, `task.status`, `task.problem`."""
        return self.library.tasks()

    async def retry(self, names: Names = (), *, doc_set: str | None = None) -> ProcessReport:
        """Try again what has failed, all of it or these names, and wait for it."""
        tasks = _tasks(self.library, names_of(names), doc_set, MISSED)
        await self.library.retry([task.id for task in tasks])
        return await _awaited(self.library, tasks)

    async def cancel(self, names: Names = (), *, doc_set: str | None = None) -> int:
        """Forget files that are on their way or have failed, all of them or these names: how many there were."""
        tasks = _tasks(self.library, names_of(names), doc_set, (*ON_ITS_WAY, *MISSED))
        await self.library.cancel([task.id for task in tasks])
        return len(tasks)

    async def process(self, doc_set: str | None = None) -> ProcessReport:
        """What waits, of one set or of all, now and before all else, then the vectors that are missing; wait for it.

        Raises CitewiseError when a model that is needed for the vectors does not answer: the documents are stored by
        then.
        """
        library = self.library
        if doc_set:
            doc_set_named(library, doc_set)
        names = {task.id: task.name for task in library.tasks()}
        outcomes = await library.process(doc_set)
        missing = sum(info.missing for info in library.documents())
        report = await library.embed_now()
        if report.problem:
            raise ModelError(report.problem)
        return replace(_processed(outcomes, names), embedded=max(missing - report.left_chunks, 0))

    async def preview(
        self, name: str, chunking: Chunking = AS_USUAL, *, doc_set: str | None = None
    ) -> tuple[Chunking, Sequence[Chunk]]:
        """How a stored document would be cut, and how that was decided; nothing is stored."""
        found = one_document(self.library, name, doc_set)
        return await self.library.preview(found.name, found.doc_set, chunking)

    async def chunks(self, name: str, *, doc_set: str | None = None, first: int = 0, k: int = 50) -> Sequence[Hit]:
        """k chunks of a document in reading order, from the one at position `first`: `hit.text`, `hit.headings`."""
        found = one_document(self.library, name, doc_set)
        return await self.library.chunks(found.name, found.doc_set, first, k)


def documents_named(library: Library, names: Sequence[str], doc_set: str | None = None) -> list[DocumentInfo]:
    """Of one set, or wherever they are. Raises CitewiseError for a name that no document has."""
    scope = Scope(documents=tuple(names), doc_sets=() if doc_set is None else (doc_set,))
    found = library.documents(scope) if names else []
    if missing := {*names} - {one.name for one in found}:
        raise no_document(missing)
    return found


def doc_set_named(library: Library, name: str) -> DocSetInfo:
    info = next((one for one in library.doc_set_infos() if one.name == name and name), None)
    if info is None:
        raise no_doc_set([name])
    return info


def one_document(library: Library, name: str, doc_set: str | None) -> DocumentInfo:
    """Raises CitewiseError also where several sets have one of this name, and none is told."""
    found = documents_named(library, [name], doc_set)
    if len(found) > 1:
        sets = ", ".join(one.doc_set or "''" for one in found)
        raise CitewiseError(
            "not_found",
            Message(zh=f"几个文档集里都有“{name}”：{sets}。", en=f"Several document sets have a {name}: {sets}."),
            Message(zh="请同时给出文档集。", en="Say which set is meant."),
        )
    return found[0]


def _tasks(library: Library, names: Sequence[str], doc_set: str | None, states: tuple[Status, ...]) -> list[Task]:
    """Raises CitewiseError for a name that no such file has."""
    found = [
        task for task in library.tasks()
        if task.status in states and (not names or task.name in names) and doc_set in (None, task.doc_set)
    ]  # fmt: skip
    if missing := {*names} - {task.name for task in found}:
        listed = ", ".join(sorted(missing))
        raise CitewiseError(
            "not_found",
            Message(zh=f"没有正在处理或失败的文件“{listed}”。", en=f"No file on its way or failed is called {listed}."),
            Message(zh="请查看文件列表（终端：cli.py list）。", en="Look at the list (in a terminal: cli.py list)."),
        )
    return found


async def _awaited(library: Library, tasks: Sequence[Task]) -> ProcessReport:
    outcomes = await library.finished([task.id for task in tasks])
    return _processed(outcomes, {task.id: task.name for task in [*tasks, *library.tasks()]})


def _processed(outcomes: dict[int, StoreOutcome | CitewiseError | None], names: dict[int, str]) -> ProcessReport:
    return ProcessReport(
        [what for what in outcomes.values() if isinstance(what, StoreOutcome)],
        {names.get(i, str(i)): what for i, what in outcomes.items() if isinstance(what, CitewiseError)},
    )


def _named(name: str) -> str:
    if not name.strip():
        raise CitewiseError(
            "settings",
            Message(zh="文档集没有名字。", en="The document set has no name."),
            Message(zh="请给出名字。", en="Give it one."),
        )
    if not name.isprintable():
        raise CitewiseError(
            "settings",
            Message(zh=f"名称里有不是文字的字符：{name!a}。", en=f"A name holds what is no character: {name!a}."),
            Message(zh="请换一个名字。", en="Choose another name."),
        )
    return name.strip()
