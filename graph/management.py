"""Managing a library by names, as people and programs give them: what is not there is an error that says so.

The Python face, the terminal and the doors for other programs all come through here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from errors import CitewiseError, ModelError
from graph.problems import no_doc_set, no_document
from library import Library
from schema import AS_USUAL, Chunk, Chunking, DocSetInfo, DocumentInfo, Hit, Message, Scope, Status, StoreOutcome, Task

ON_ITS_WAY: tuple[Status, ...] = ("pending", "processing")
MISSED: tuple[Status, ...] = ("failed", "skipped")


@dataclass(frozen=True)
class ProcessReport:
    """What became of files: `failed` by name; and how many chunks have got the vectors that they lacked."""

    stored: list[StoreOutcome]
    failed: dict[str, CitewiseError]
    embedded: int = 0


def documents_named(library: Library, names: Sequence[str], doc_set: str | None = None) -> list[DocumentInfo]:
    """Of one set, or wherever they are. Raises CitewiseError for a name that no document has."""
    scope = Scope(documents=tuple(names), doc_sets=() if doc_set is None else (doc_set,))
    found = library.documents(scope) if names else []
    if missing := {*names} - {one.name for one in found}:
        raise no_document(missing)
    return found


async def add_doc_set(library: Library, name: str) -> None:
    """Raises CitewiseError where there is one, and for a name without a letter."""
    if not await library.add_doc_set(_named(name)):
        raise CitewiseError(
            "settings",
            Message(zh=f"已经有文档集“{name.strip()}”。", en=f"There is a document set {name.strip()} already."),
            Message(zh="请换一个名字。", en="Choose another name."),
        )


async def rename_doc_set(library: Library, name: str, to: str) -> None:
    if not await library.rename_doc_set(name, _named(to)):
        raise no_doc_set([name])


async def delete_doc_set(library: Library, name: str) -> int:
    """How many documents went with it, beside the files on their way and its sources."""
    info = doc_set_named(library, name)
    await library.delete_doc_set(name)
    return info.documents


def doc_set_named(library: Library, name: str) -> DocSetInfo:
    info = next((one for one in library.doc_set_infos() if one.name == name and name), None)
    if info is None:
        raise no_doc_set([name])
    return info


async def move(library: Library, names: Sequence[str], to: str, doc_set: str | None = None) -> int:
    """Into another set, made where there is none; how many documents were moved. Raises CitewiseError."""
    found = [one for one in documents_named(library, names, doc_set) if one.doc_set != to.strip()]
    return sum([await library.move(one.name, one.doc_set, to.strip()) for one in found])


async def rechunk(
    library: Library, names: Sequence[str], chunking: Chunking = AS_USUAL, doc_set: str | None = None
) -> ProcessReport:
    """Cut anew; returns when it is done."""
    cuts = [(one.name, one.doc_set, chunking) for one in documents_named(library, names, doc_set)]
    return await _awaited(library, await library.submit_rechunk(cuts))


async def retry(library: Library, names: Sequence[str] = (), doc_set: str | None = None) -> ProcessReport:
    """What has failed, all of it or these names, and wait for it."""
    tasks = _tasks(library, names, doc_set, MISSED)
    await library.retry([task.id for task in tasks])
    return await _awaited(library, tasks)


async def cancel(library: Library, names: Sequence[str] = (), doc_set: str | None = None) -> int:
    """What is on its way or has failed, all of it or these names; how many files that were."""
    tasks = _tasks(library, names, doc_set, (*ON_ITS_WAY, *MISSED))
    await library.cancel([task.id for task in tasks])
    return len(tasks)


async def process(library: Library, doc_set: str | None = None) -> ProcessReport:
    """What waits, at once, of one set or of all; then the vectors that are missing. Returns when it is done.

    Raises CitewiseError when a model that is needed for the vectors does not answer: the documents are stored by then.
    """
    if doc_set:
        doc_set_named(library, doc_set)
    names = {task.id: task.name for task in library.tasks()}
    outcomes = await library.process(doc_set)
    missing = sum(info.missing for info in library.documents())
    report = await library.embed_now()
    if report.problem:
        raise ModelError(report.problem)
    return replace(_processed(outcomes, names), embedded=max(missing - report.left_chunks, 0))


async def chunks(library: Library, name: str, doc_set: str | None = None, first: int = 0, k: int = 50) -> list[Hit]:
    """In reading order, from the one at position `first`."""
    found = one_document(library, name, doc_set)
    return await library.chunks(found.name, found.doc_set, first, k)


async def preview(
    library: Library, name: str, chunking: Chunking = AS_USUAL, doc_set: str | None = None
) -> tuple[Chunking, list[Chunk]]:
    """How a document would be cut; nothing is stored."""
    found = one_document(library, name, doc_set)
    return await library.preview(found.name, found.doc_set, chunking)


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
