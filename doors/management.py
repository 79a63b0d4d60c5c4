"""Managing the library over HTTP: document sets, moving, cutting, files on their way. What the terminal works with.

Not among the tools of MCP nor the endpoints of the page: who answers questions needs none of it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from doors import forms
from doors.forms import Chunker, Deleted, Documents, Form, ListDocuments, Listed, Name, Names, Problem
from doors.problems import ErrorFields, problem_of
from graph import managing
from graph.unfit import unfit
from library import Library
from schema import Chunking, DocumentInfo, Message, Scope, Status, Structured, Task

T = TypeVar("T")
# By name: what is asked for, what comes back, and what does it.
ServiceTable = dict[str, tuple[type[Form], type[BaseModel], Callable[[T, Any], Awaitable[BaseModel]]]]
Some = Annotated[Names, Field(min_length=1)]


class Cutting(Form):
    chunker: Chunker = None
    chunk_size: forms.Size = None
    chunk_overlap: forms.Overlap = None
    chunk_unit: forms.Unit = None

    @property
    def chunking(self) -> Chunking:
        size, overlap = self.chunk_size, self.chunk_overlap
        return Chunking(strategy=self.chunker, size=size, overlap=overlap, unit=self.chunk_unit)


class Everything(Form):
    """Nothing to be said."""


class OfSet(Form):
    doc_set: Name | None = None  # None: wherever it is, all of them


class Files(OfSet):
    names: Names = Field([])  # none: all


class MakeSet(Form):
    name: Name


class RenameSet(Form):
    name: Name
    to: Name


class MoveDocuments(OfSet):
    names: Some
    to: Name


class Rechunk(OfSet, Cutting):
    names: Some


class Preview(OfSet, Cutting):
    name: Name
    limit: forms.Limit = 50


class Chunks(OfSet):
    name: Name
    first: forms.Offset = 0
    limit: forms.Limit = 50


class DeleteDocuments(OfSet):
    names: Some


class Done(BaseModel):
    count: int = 1


class SetInfo(BaseModel):
    name: str
    documents: int
    chunks: int


class DocSets(BaseModel):
    doc_sets: list[SetInfo]


class TaskInfo(BaseModel):
    name: str
    doc_set: str
    status: Status
    stage: str | None = None
    fraction: float = 0.0
    problem: Problem | None = None  # why it failed, and what to do


class Tasks(BaseModel):
    tasks: list[TaskInfo]


class Processed(BaseModel):
    stored: list[str]  # names
    failed: dict[str, ErrorFields]


class ChunkInfo(BaseModel):
    number: int  # from 1
    text: str
    headings: list[str]
    lines: tuple[int, int]


class Cuts(BaseModel):
    chunking: Chunking | None = None  # as it was decided
    total: int
    chunks: list[ChunkInfo]


class Totals(BaseModel):
    documents: int
    doc_sets: int
    chunks: int
    tokens: int
    bytes: int
    waiting: int
    failed: int
    space: str | None = None
    vector_index: str | None = None
    recall: float | None = None  # of the vector index, among the 10 nearest


async def listed(library: Library, wish: ListDocuments) -> Documents:
    scope = Scope() if wish.doc_set is None else Scope(doc_sets=(wish.doc_set,))
    wanted = wish.find.casefold()
    found = [
        info for info in library.documents(scope)
        if wanted in info.name.casefold() or wanted in info.origin.title.casefold()
    ]  # fmt: skip
    states = Counter(task.status for task in library.tasks())
    shown = found[wish.offset : wish.offset + wish.limit]
    named = Scope(documents=tuple(info.name for info in shown))
    about = await asyncio.to_thread(library.all_structured, named) if shown else {}
    return Documents(
        total=len(found),
        documents=[listed_of(info, about.get((info.name, info.doc_set))) for info in shown],
        waiting=states["pending"] + states["processing"],
        failed=states["failed"],
    )


def listed_of(info: DocumentInfo, structured: Structured | None = None) -> Listed:
    return Listed(
        name=info.name,
        doc_set=info.doc_set,
        kind=info.origin.doc_type,
        language=info.language,
        bytes=info.size,
        chunks=info.chunks,
        updated=info.updated,
        title=info.origin.title,
        url=info.origin.url,
        status=info.status,
        problem=told(info.problem),
        structured=structured,
    )


async def called(services: ServiceTable[T], of: T, name: str, given: Mapping[str, Any]) -> BaseModel:
    """One of the services done by its name, with arguments as they came. Raises CitewiseError."""
    form, _, work = services[name]
    try:
        wish = form.model_validate(given)
    except ValidationError as error:
        raise unfit(error, form) from error
    return await work(of, wish)


async def _totals(library: Library, _: Everything) -> Totals:
    found = await asyncio.to_thread(library.stats)
    index = found.vector_index
    return Totals(
        documents=found.documents, doc_sets=len(library.doc_sets()), chunks=found.chunks, tokens=found.tokens,
        bytes=found.bytes, waiting=found.waiting, failed=found.failed, space=found.space,
        vector_index=index.kind if index else None, recall=index.recall if index else None,
    )  # fmt: skip


async def _sets(library: Library, _: Everything) -> DocSets:
    infos = await asyncio.to_thread(library.doc_set_infos)
    return DocSets(doc_sets=[SetInfo(**one._asdict()) for one in infos])


async def _make_set(library: Library, wish: MakeSet) -> Done:
    await managing.add_doc_set(library, wish.name)
    return Done()


async def _rename_set(library: Library, wish: RenameSet) -> Done:
    await managing.rename_doc_set(library, wish.name, wish.to)
    return Done()


async def _delete_set(library: Library, wish: MakeSet) -> Deleted:
    return Deleted(deleted=await managing.delete_doc_set(library, wish.name))


async def _move(library: Library, wish: MoveDocuments) -> Done:
    return Done(count=await managing.move(library, wish.names, wish.to, wish.doc_set))


async def _rechunk(library: Library, wish: Rechunk) -> Processed:
    return _processed(await managing.rechunk(library, wish.names, wish.chunking, wish.doc_set))


async def _tasks(library: Library, wish: OfSet) -> Tasks:
    return Tasks(tasks=[_task(one) for one in library.tasks() if wish.doc_set in (None, one.doc_set)])


async def _retry(library: Library, wish: Files) -> Processed:
    return _processed(await managing.retry(library, wish.names, wish.doc_set))


async def _cancel(library: Library, wish: Files) -> Done:
    return Done(count=await managing.cancel(library, wish.names, wish.doc_set))


async def _process(library: Library, wish: OfSet) -> Processed:
    return _processed(await managing.process(library, wish.doc_set))


async def _delete(library: Library, wish: DeleteDocuments) -> Deleted:
    """All or none: a name that is not there deletes nothing."""
    found = managing.documents_named(library, wish.names, wish.doc_set)
    return Deleted(deleted=await library.delete_all([(one.name, one.doc_set) for one in found]))


async def _preview(library: Library, wish: Preview) -> Cuts:
    chunking, found = await managing.preview(library, wish.name, wish.chunking, wish.doc_set)
    shown = [
        ChunkInfo(number=n, text=one.text, headings=list(one.headings), lines=(one.start_line, one.end_line))
        for n, one in enumerate(found[: wish.limit], 1)
    ]
    return Cuts(chunking=chunking, total=len(found), chunks=shown)


async def _chunks(library: Library, wish: Chunks) -> Cuts:
    info = managing.one_document(library, wish.name, wish.doc_set)
    hits = await library.chunks(info.name, info.doc_set, wish.first, wish.limit)
    shown = [
        ChunkInfo(
            number=one.position + 1, text=one.text, headings=list(one.headings), lines=(one.start_line, one.end_line)
        )
        for one in hits
    ]
    return Cuts(chunking=info.chunking, total=info.chunks, chunks=shown)


def told(problem: Message | None) -> Problem | None:
    return Problem(zh=problem.zh, en=problem.en) if problem else None


def _task(task: Task) -> TaskInfo:
    return TaskInfo(
        name=task.name, doc_set=task.doc_set, status=task.status, stage=task.stage, fraction=task.fraction,
        problem=told(task.problem),
    )  # fmt: skip


def _processed(found: managing.Processed) -> Processed:
    failed = {name: problem_of(error, None) for name, error in found.failed.items()}
    return Processed(stored=[one.document.name for one in found.stored], failed=failed)


MANAGEMENT: ServiceTable[Library] = {
    "list_documents": (ListDocuments, Documents, listed),
    "stats": (Everything, Totals, _totals),
    "list_sets": (Everything, DocSets, _sets),
    "make_set": (MakeSet, Done, _make_set),
    "rename_set": (RenameSet, Done, _rename_set),
    "delete_set": (MakeSet, Deleted, _delete_set),
    "move": (MoveDocuments, Done, _move),
    "delete": (DeleteDocuments, Deleted, _delete),
    "rechunk": (Rechunk, Processed, _rechunk),
    "tasks": (OfSet, Tasks, _tasks),
    "retry": (Files, Processed, _retry),
    "cancel": (Files, Done, _cancel),
    "process": (OfSet, Processed, _process),
    "preview": (Preview, Cuts, _preview),
    "chunks": (Chunks, Cuts, _chunks),
}
