"""What is stored and on its way, managed: document sets, chunks, files that wait or have failed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from citewise.lifecycle import LibraryLifecycle
from citewise.results import Names, names_of
from schema import AS_USUAL, Chunk, Chunking, DocSetInfo, Hit, Task

if TYPE_CHECKING:
    from graph.management import ProcessReport


class ManagementCalls(LibraryLifecycle):
    """Names that do not exist are a CitewiseError. Without `doc_set` a document is meant wherever it is."""

    async def doc_set_infos(self) -> Sequence[DocSetInfo]:
        """Every set with how many documents and chunks it has; "" where documents are in none."""
        return await asyncio.to_thread(self.library.doc_set_infos)

    async def add_doc_set(self, name: str) -> None:
        """An empty one; files that are added to a set make it themselves."""
        from graph import management

        await management.add_doc_set(self.library, name)

    async def rename_doc_set(self, name: str, to: str) -> None:
        """With its documents, files on their way and sources."""
        from graph import management

        await management.rename_doc_set(self.library, name, to)

    async def delete_doc_set(self, name: str) -> int:
        """With its documents, files on their way and sources: how many documents that were."""
        from graph import management

        return await management.delete_doc_set(self.library, name)

    async def move(self, names: Names, to: str, *, doc_set: str | None = None) -> int:
        """Documents into another set, made where there is none; "" is the one of those in none. How many were moved.

        library.move(["rules.md", "guide.md"], "handbook")
        """
        from graph import management

        return await management.move(self.library, names_of(names), to, doc_set)

    async def rechunk(
        self, names: Names, chunking: Chunking = AS_USUAL, *, doc_set: str | None = None
    ) -> ProcessReport:
        """Stored documents cut anew, and wait for it: `processed.stored`, and `processed.failed` by name."""
        from graph import management

        return await management.rechunk(self.library, names_of(names), chunking, doc_set)

    async def tasks(self) -> Sequence[Task]:
        """Files on their way and those that failed: `task.name`, `task.status`, `task.problem`."""
        return self.library.tasks()

    async def retry(self, names: Names = (), *, doc_set: str | None = None) -> ProcessReport:
        """Try again what has failed, all of it or these names, and wait for it."""
        from graph import management

        return await management.retry(self.library, names_of(names), doc_set)

    async def cancel(self, names: Names = (), *, doc_set: str | None = None) -> int:
        """Forget files that are on their way or have failed, all of them or these names: how many there were."""
        from graph import management

        return await management.cancel(self.library, names_of(names), doc_set)

    async def process(self, doc_set: str | None = None) -> ProcessReport:
        """What waits, of one set or of all, now and before all else, then the vectors that are missing; wait for it."""
        from graph import management

        return await management.process(self.library, doc_set)

    async def preview(
        self, name: str, chunking: Chunking = AS_USUAL, *, doc_set: str | None = None
    ) -> tuple[Chunking, Sequence[Chunk]]:
        """How a stored document would be cut, and how that was decided; nothing is stored."""
        from graph import management

        return await management.preview(self.library, name, chunking, doc_set)

    async def chunks(self, name: str, *, doc_set: str | None = None, first: int = 0, k: int = 50) -> Sequence[Hit]:
        """k chunks of a document in reading order, from the one at position `first`: `hit.text`, `hit.headings`."""
        from graph import management

        return await management.chunks(self.library, name, doc_set, first, k)
