"""Documents of a library: added, listed, deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citewise.lifecycle import LibraryLifecycle
from citewise.results import Added, Names, names_of
from errors import CitewiseError
from schema import AS_USUAL, Chunking, DocumentInfo, Scope, StoreOutcome, StructuredSummary, Task, WebDocument

if TYPE_CHECKING:
    from graph.imports import GivenDocument, ImportReport
    from library import Library, LibraryStats


class DocumentCalls(LibraryLifecycle):
    """What goes into a library and out of it."""

    async def add(
        self,
        *paths: str | Path,
        doc_set: str = "",
        chunking: Chunking = AS_USUAL,
        metadata: Mapping[str, Any] | None = None,
    ) -> Added:
        """Store files, folders and zip archives, and wait until they can be found. What has not changed is left as it
        is. One file's error does not stop the others; it is raised where there is but one file.

        With `metadata` they are found by `where={"author": "Li"}`: text, numbers, true, false and lists of these. They
        stand over what a file says itself; a new version has those that it is added with. Names that the program fills
        in (file_path, language, ...) raise CitewiseError.

            added = library.add("docs/", "notes.pdf", doc_set="handbook", chunking=citewise.Chunking(size=500))
        """
        from ingestion.folders import incoming_of, split_unchanged

        library = self.library
        found = await asyncio.to_thread(incoming_of, paths, doc_set, chunking, metadata)
        fresh, unchanged = split_unchanged(found.files, library.documents())
        submitted = asyncio.create_task(library.submit(fresh))
        try:
            tasks = await asyncio.shield(submitted)
            outcomes = await library.finished([task.id for task in tasks])
        except asyncio.CancelledError:  # whoever waited has given up
            await asyncio.shield(_cancel(library, submitted))
            raise
        names = {task.id: task.name for task in [*tasks, *library.tasks()]}
        failed = {names.get(i, str(i)): what for i, what in outcomes.items() if isinstance(what, CitewiseError)}
        if failed and len(outcomes) == 1 and len(found.files) == 1:
            raise next(iter(failed.values()))
        stored = [what for what in outcomes.values() if isinstance(what, StoreOutcome)]
        return Added([*stored, *(StoreOutcome("unchanged", info) for info in unchanged)], failed, found.skipped)

    async def add_content(
        self,
        name: str,
        content: bytes | str,
        *,
        doc_set: str = "",
        chunking: Chunking = AS_USUAL,
        metadata: Mapping[str, Any] | None = None,
    ) -> StoreOutcome:
        """A document from its bytes or its text; the ending of its name tells what it is. `metadata` are as in `add`.

        library.add_content("rules.md", "# Rules\n\nNo smoking in the archive.")
        """
        data = content.encode("utf-8", "replace") if isinstance(content, str) else content
        return await self.library.add(name, data, chunking=chunking, doc_set=doc_set, metadata=metadata)

    async def add_documents(
        self, documents: Sequence[GivenDocument | WebDocument | Mapping[str, Any]], *, doc_set: str | None = None
    ) -> ImportReport:
        """Documents that were read elsewhere, as dicts of: content, source (address or name) or url, name, metadata
        (title, author, tags, ...), structured_data (title, keywords, entities, topics), chunks (texts) and embeddings,
        one for each chunk, with the key of their `space`. All but content may be left out; the documents of records
        fit, too.

        Vectors are kept where they are of the library's space (`stats().space`), else they are computed anew, which
        `notices` tell. `stored` says what is there by now (`one.document.id`), `failed` what is not and why.

            library.add_documents([{"content": "Tea is brewed at 80 degrees.", "source": "https://example.org/tea"}])
        """
        from graph.imports import add_documents

        return await add_documents(self.library, documents, doc_set)

    async def import_records(self, *files: str | Path, doc_set: str | None = None) -> ImportReport:
        """The documents of records (webis_docs_*.json), without fetching them again. Raises CitewiseError for a file
        that is no record."""
        from graph.imports import ImportReport, import_records

        done = ImportReport([], {}, [])
        for file in files:
            more = await import_records(self.library, Path(file), doc_set)
            done.stored.extend(more.stored)
            done.failed.update(more.failed)
            done.notices.extend(more.notices)
        return done

    async def list(self, doc_sets: Names = ()) -> Sequence[DocumentInfo]:
        """The stored documents, of all sets or of these, newest first."""
        return self.library.documents(Scope(doc_sets=names_of(doc_sets)))

    async def original(self, name: str, doc_set: str = "") -> bytes | None:
        """The file that a document was read from; None where there is none, or it is not kept (`max_original_mb`)."""
        return await asyncio.to_thread(self.library.original, name, doc_set)

    async def structured(self, name: str, doc_set: str = "") -> StructuredSummary | None:
        """What a document is about: `title`, `keywords`, `entities`, `topics`, and `made_by` a "model" (pages that were
        fetched) or "statistics". None where there is no such document. Questions can be asked of the documents that
        have one of them: `where={"keywords": "pump"}`."""
        return await self.library.structured(name, doc_set)

    async def doc_sets(self) -> Sequence[str]:
        """Their names."""
        return self.library.doc_sets()

    async def delete(self, name: str, doc_set: str | None = None) -> int:
        """How many documents of this name were deleted: of one set, or wherever they are."""
        sets = {info.doc_set for info in self.library.documents(Scope(documents=(name,)))}
        wanted = sets if doc_set is None else {doc_set}
        return sum([await self.library.delete(name, one) for one in sorted(wanted)])

    async def stats(self) -> LibraryStats:
        """Documents, chunks, tokens, bytes on disk, embedding space, files on their way."""
        return await asyncio.to_thread(self.library.stats)


async def _cancel(library: Library, submitted: asyncio.Task[list[Task]]) -> None:
    await library.cancel([task.id for task in await submitted])
