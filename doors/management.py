"""Managing the library over HTTP: document sets, moving, cutting, files on their way. What the terminal works with.

Not among the tools of MCP nor the endpoints of the page: who answers questions needs none of it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from doors.forms import Form, ListDocuments
from doors.glossary import GLOSSARY_SERVICES
from doors.management_forms import (
    DeleteDocuments,
    InSet,
    ListChunks,
    MakeSet,
    MoveDocuments,
    NamedFiles,
    NoParameters,
    Preview,
    Rechunk,
    RenameSet,
)
from doors.problems import ErrorFields, problem_of
from doors.result_forms import DeleteDocumentResult, DocumentList, DocumentSummary, Problem
from graph import management
from library import Library
from schema import Chunk, Chunking, DocumentInfo, Hit, Message, Scope, Status, StructuredSummary, Task
from validation import validation_error

T = TypeVar("T")
# By name: what is asked for, what comes back, and what does it.
ServiceTable = dict[str, tuple[type[Form], type[BaseModel], Callable[[T, Any], Awaitable[BaseModel]]]]


class CountResult(BaseModel):
    count: int = 1


class SetInfo(BaseModel):
    name: str
    documents: int
    chunks: int


class DocSetList(BaseModel):
    doc_sets: list[SetInfo]


class TaskInfo(BaseModel):
    name: str
    doc_set: str
    status: Status
    stage: str | None = None
    fraction: float = 0.0
    problem: Problem | None = None  # why it failed, and what to do


class TaskList(BaseModel):
    tasks: list[TaskInfo]


class ProcessResult(BaseModel):
    stored: list[str]  # names
    failed: dict[str, ErrorFields]
    embedded: int = 0  # chunks that have got the vectors that they lacked


class ChunkInfo(BaseModel):
    number: int  # from 1
    text: str
    headings: list[str]
    lines: tuple[int, int]


class ChunkList(BaseModel):
    chunking: Chunking | None = None  # as it was decided
    total: int
    chunks: list[ChunkInfo]


class LibraryTotals(BaseModel):
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


async def listed(library: Library, wish: ListDocuments) -> DocumentList:
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
    return DocumentList(
        total=len(found),
        documents=[listed_of(info, about.get((info.name, info.doc_set))) for info in shown],
        waiting=states["pending"] + states["processing"],
        failed=states["failed"],
    )


def listed_of(info: DocumentInfo, structured: StructuredSummary | None = None) -> DocumentSummary:
    return DocumentSummary(
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
        problem=problem_fields(info.problem),
        structured=structured,
    )


async def call_service(services: ServiceTable[T], of: T, name: str, given: Mapping[str, Any]) -> BaseModel:
    """One of the services done by its name, with arguments as they came. Raises CitewiseError."""
    form, _, work = services[name]
    try:
        wish = form.model_validate(given)
    except ValidationError as error:
        raise validation_error(error, form) from error
    return await work(of, wish)


async def _totals(library: Library, _: NoParameters) -> LibraryTotals:
    found = await asyncio.to_thread(library.stats)
    index = found.vector_index
    return LibraryTotals(
        documents=found.documents, doc_sets=len(library.doc_sets()), chunks=found.chunks, tokens=found.tokens,
        bytes=found.bytes, waiting=found.waiting, failed=found.failed, space=found.space,
        vector_index=index.kind if index else None, recall=index.recall if index else None,
    )  # fmt: skip


class _Management(management.LibraryManagement):
    def __init__(self, library: Library) -> None:
        self._library = library

    @property
    def library(self) -> Library:
        return self._library


async def _sets(library: Library, _: NoParameters) -> DocSetList:
    infos = await asyncio.to_thread(library.doc_set_infos)
    return DocSetList(doc_sets=[SetInfo(**one._asdict()) for one in infos])


async def _make_set(library: Library, wish: MakeSet) -> CountResult:
    await _Management(library).add_doc_set(wish.name)
    return CountResult()


async def _rename_set(library: Library, wish: RenameSet) -> CountResult:
    await _Management(library).rename_doc_set(wish.name, wish.to)
    return CountResult()


async def _delete_set(library: Library, wish: MakeSet) -> DeleteDocumentResult:
    return DeleteDocumentResult(deleted=await _Management(library).delete_doc_set(wish.name))


async def _move(library: Library, wish: MoveDocuments) -> CountResult:
    return CountResult(count=await _Management(library).move(wish.names, wish.to, doc_set=wish.doc_set))


async def _rechunk(library: Library, wish: Rechunk) -> ProcessResult:
    return _processed(await _Management(library).rechunk(wish.names, wish.chunking, doc_set=wish.doc_set))


async def _reread(library: Library, wish: NamedFiles) -> ProcessResult:
    return _processed(await _Management(library).reread(wish.names, doc_set=wish.doc_set))


async def _tasks(library: Library, wish: InSet) -> TaskList:
    return TaskList(tasks=[_task(one) for one in library.tasks() if wish.doc_set in (None, one.doc_set)])


async def _retry(library: Library, wish: NamedFiles) -> ProcessResult:
    return _processed(await _Management(library).retry(wish.names, doc_set=wish.doc_set))


async def _cancel(library: Library, wish: NamedFiles) -> CountResult:
    return CountResult(count=await _Management(library).cancel(wish.names, doc_set=wish.doc_set))


async def _process(library: Library, wish: InSet) -> ProcessResult:
    return _processed(await _Management(library).process(wish.doc_set))


async def _delete(library: Library, wish: DeleteDocuments) -> DeleteDocumentResult:
    """All or none: a name that is not there deletes nothing."""
    found = management.documents_named(library, wish.names, wish.doc_set)
    return DeleteDocumentResult(deleted=await library.delete_all([(one.name, one.doc_set) for one in found]))


async def _preview(library: Library, wish: Preview) -> ChunkList:
    chunking, found = await _Management(library).preview(wish.name, wish.chunking, doc_set=wish.doc_set)
    shown = [_chunk(number, one) for number, one in enumerate(found[: wish.limit], 1)]
    return ChunkList(chunking=chunking, total=len(found), chunks=shown)


async def _chunks(library: Library, wish: ListChunks) -> ChunkList:
    info = management.one_document(library, wish.name, wish.doc_set)
    hits = await library.chunks(info.name, info.doc_set, wish.first, wish.limit)
    shown = [_chunk(one.position + 1, one) for one in hits]
    return ChunkList(chunking=info.chunking, total=info.chunks, chunks=shown)


def _chunk(number: int, one: Chunk | Hit) -> ChunkInfo:
    return ChunkInfo(number=number, text=one.text, headings=[*one.headings], lines=(one.start_line, one.end_line))


def problem_fields(problem: Message | None) -> Problem | None:
    return Problem(zh=problem.zh, en=problem.en) if problem else None


def _task(task: Task) -> TaskInfo:
    return TaskInfo(
        name=task.name, doc_set=task.doc_set, status=task.status, stage=task.stage, fraction=task.fraction,
        problem=problem_fields(task.problem),
    )  # fmt: skip


def _processed(found: management.ProcessReport) -> ProcessResult:
    failed = {name: problem_of(error, None) for name, error in found.failed.items()}
    stored = [one.document.name for one in found.stored]
    return ProcessResult(stored=stored, failed=failed, embedded=found.embedded)


MANAGEMENT: ServiceTable[Library] = {
    "list_documents": (ListDocuments, DocumentList, listed),
    "stats": (NoParameters, LibraryTotals, _totals),
    "list_sets": (NoParameters, DocSetList, _sets),
    "make_set": (MakeSet, CountResult, _make_set),
    "rename_set": (RenameSet, CountResult, _rename_set),
    "delete_set": (MakeSet, DeleteDocumentResult, _delete_set),
    "move": (MoveDocuments, CountResult, _move),
    "delete": (DeleteDocuments, DeleteDocumentResult, _delete),
    "rechunk": (Rechunk, ProcessResult, _rechunk),
    "reread": (NamedFiles, ProcessResult, _reread),
    "tasks": (InSet, TaskList, _tasks),
    "retry": (NamedFiles, ProcessResult, _retry),
    "cancel": (NamedFiles, CountResult, _cancel),
    "process": (InSet, ProcessResult, _process),
    "preview": (Preview, ChunkList, _preview),
    "chunks": (ListChunks, ChunkList, _chunks),
    **GLOSSARY_SERVICES,
}
