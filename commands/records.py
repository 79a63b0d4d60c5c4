"""Records of fetches, brought back into the library."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.library_client import LibraryClient, error_of, with_client
from commands.terminal import print_message, print_notices, show
from errors import CitewiseError
from schema import Message

if TYPE_CHECKING:
    from doors.sources import ImportResult
    from schema import WebDocument


@with_client(with_sources=True)
async def import_records(
    caller: LibraryClient,
    files: Annotated[list[Path], typer.Argument(help="webis_docs_*.json. / 抓取记录。")],
    doc_set: Annotated[
        str | None, typer.Option("--set", help="Store all of it in this set. / 都存入这个文档集。")
    ] = None,
) -> int:
    """Store what records of fetches hold, without fetching it again: text, chunks, vectors, what it is about.

    把抓取记录里的网页存回知识库，不必重新抓取。
    """
    from graph.imports import read_record

    stored, failed = 0, 0
    for path in files:
        try:
            documents = await asyncio.to_thread(read_record, path)
        except CitewiseError as error:  # the other files are stored all the same
            failed += 1
            show(f"✗ {print_message(error.in_full)}")
            continue
        for one in documents:  # each by itself: a request has a limit
            done = await _import(caller, one, doc_set)
            stored += len(done.stored)
            failed += len(done.failed)
    show(_DONE, stored=stored)
    return 1 if failed else 0


async def _import(caller: LibraryClient, document: WebDocument, doc_set: str | None) -> ImportResult:
    from doors.sources import ImportResult

    done = ImportResult.model_validate(
        await caller.call("import_documents", documents=[document.to_json()], doc_set=doc_set)
    )
    for name, problem in done.failed.items():
        why = error_of(problem.model_dump()).in_full
        show(f"✗ {name}  {print_message(why)}")
    print_notices(done.notices)
    return done


_DONE = Message(zh="已存入 {stored} 个文件", en="{stored} stored")
