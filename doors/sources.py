"""Websites and repositories as sources of document sets, and documents that were read elsewhere, over HTTP. What the
terminal works with while the page's program has the library open."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field

from doors.forms import Form, Name, Names, either
from doors.management import ServiceTable, problem_fields
from doors.management_forms import ChunkingForm, InSet
from doors.problems import ErrorFields, problem_of
from doors.result_forms import DeleteDocumentResult, Problem
from schema import Source

if TYPE_CHECKING:
    from graph.turns import Assistant

MOST_DOCUMENTS = 10_000  # of one import


class AddSource(ChunkingForm):
    address: Name = either("网站的网址，或仓库（owner/name）", "of a website, or of a repository (owner/name)")
    doc_set: Name = either("存入的文档集", "document set to store it in")
    prefix: Name = either("网页网址的前缀；空：网址所在的文件夹", "what its pages' addresses begin with", default="")
    patterns: Names = either("仓库里的哪些文件（如 *.md）", "which files of a repository (*.md)", default=[])
    ref: Name = either("仓库的分支、标签或提交", "branch, tag or commit of a repository", default="")
    metadata: dict[str, Any] | None = either(
        "每个文件的元数据，可用 where 查找；空值：不变",
        "metadata of each of its documents, that `where` finds them by; null: as they are",
        default=None,
    )


class SourceById(Form):
    id: Annotated[int, Field(ge=1)] = either("编号，见 list_sources", "as list_sources shows it")


class RemoveSource(SourceById):
    documents: bool = False  # what its set has from it goes, too


class ImportDocuments(InSet):
    documents: list[dict[str, Any]] = Field(min_length=1, max_length=MOST_DOCUMENTS)


class SourceInfo(BaseModel):
    id: int
    kind: Literal["website", "github"]
    address: str
    doc_set: str
    pages: int
    refreshed_at: str
    commit: str
    problem: Problem | None = None  # of the last refresh
    metadata: dict[str, Any] = {}
    looked: int | None = None  # pages that a refresh which is going on has looked at


class SourceList(BaseModel):
    sources: list[SourceInfo]


class PageChange(BaseModel):
    """What became of a page or file that is not as it was."""

    state: Literal["page", "gone", "skipped", "failed"]
    url: str
    problem: Problem | None = None


class RefreshResult(BaseModel):
    ok: bool  # False: the refresh came to nothing, and the set is as it was
    changes: list[PageChange]
    stored: int
    unchanged: int
    gone: int
    failed: int
    skipped: int
    problem: Problem | None = None  # of the refresh as a whole
    unread: dict[str, Problem]  # documents that came and could not be stored, by name


class ImportResult(BaseModel):
    stored: list[str]  # names
    failed: dict[str, ErrorFields]
    notices: list[Problem]


async def _add(assistant: Assistant, wish: AddSource) -> SourceInfo:
    """Nothing is fetched before it is refreshed."""
    added = await assistant.sources.add(
        wish.address, doc_set=wish.doc_set, prefix=wish.prefix, patterns=wish.patterns, ref=wish.ref,
        chunking=wish.chunking, metadata=wish.metadata,
    )  # fmt: skip
    return _info(assistant, added)


async def _list(assistant: Assistant, wish: InSet) -> SourceList:
    found = await asyncio.to_thread(assistant.sources.list, wish.doc_set)
    return SourceList(sources=[_info(assistant, one) for one in found])


async def _refresh(assistant: Assistant, wish: SourceById) -> RefreshResult:
    """Waits until what is new can be found."""
    from graph.refresh import refresh

    done = await refresh(assistant, wish.id)
    last, counts = done.last, ("stored", "unchanged", "gone", "failed", "skipped")
    changes = [{"state": one.state, "url": one.url, "problem": problem_fields(one.problem)} for one in done.changes]
    return RefreshResult.model_validate(
        {
            "ok": last.state == "done", "changes": changes, "problem": problem_fields(last.problem),
            "unread": {name: problem_fields(why) for name, why in done.unread},
            **{name: getattr(last.progress, name) for name in counts},
        }
    )  # fmt: skip


async def _remove(assistant: Assistant, wish: RemoveSource) -> DeleteDocumentResult:
    removed = await assistant.sources.remove(wish.id, documents=wish.documents)
    return DeleteDocumentResult(deleted=int(removed))


async def _import(assistant: Assistant, wish: ImportDocuments) -> ImportResult:
    from graph.imports import add_documents

    done = await add_documents(assistant.library, wish.documents, wish.doc_set)
    return ImportResult(
        stored=[one.document.name for one in done.stored],
        failed={name: problem_of(error, None) for name, error in done.failed.items()},
        notices=[Problem(zh=one.zh, en=one.en) for one in done.notices],
    )


def _info(assistant: Assistant, source: Source) -> SourceInfo:
    running = assistant.sources.running.get(source.id)
    return SourceInfo(
        id=source.id, kind=source.kind, address=source.address, doc_set=source.doc_set, pages=source.pages,
        refreshed_at=source.refreshed_at, commit=source.commit, problem=problem_fields(source.problem),
        metadata=dict(source.metadata), looked=running.looked if running else None,
    )  # fmt: skip


SOURCE_SERVICES: ServiceTable[Assistant] = {
    "add_source": (AddSource, SourceInfo, _add),
    "list_sources": (InSet, SourceList, _list),
    "refresh_source": (SourceById, RefreshResult, _refresh),
    "remove_source": (RemoveSource, DeleteDocumentResult, _remove),
    "import_documents": (ImportDocuments, ImportResult, _import),
}
