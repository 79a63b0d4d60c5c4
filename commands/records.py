"""Records of fetches, brought back into the library."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.library_client import LibraryClient, error_of, open_client
from commands.terminal import console, errors_without_trace, print_message, print_notices, read_settings, run_to_end
from errors import CitewiseError
from schema import Message

if TYPE_CHECKING:
    from doors.sources import ImportResult
    from schema import WebDocument
    from settings import Settings


def import_records(
    files: Annotated[list[Path], typer.Argument(help="webis_docs_*.json. / 抓取记录。")],
    doc_set: Annotated[
        str | None, typer.Option("--set", help="Store all of it in this set. / 都存入这个文档集。")
    ] = None,
) -> None:
    """Store what records of fetches hold, without fetching it again: text, chunks, vectors, what it is about.

    把抓取记录里的网页存回知识库，不必重新抓取。
    """
    with errors_without_trace():
        raise typer.Exit(run_to_end(_import(read_settings(), files, doc_set)))


async def _import(settings: Settings, files: Sequence[Path], doc_set: str | None) -> int:
    """Exit status: 1 when something failed; the other files are stored all the same."""
    from graph.imports import read_record

    stored, failed = 0, 0
    async with open_client(settings, with_sources=True) as caller:
        for path in files:
            try:
                documents = await asyncio.to_thread(read_record, path)
            except CitewiseError as error:
                failed += 1
                console.print(f"✗ {print_message(error.in_full)}", markup=False, soft_wrap=True)
                continue
            for one in documents:  # each by itself: a request has a limit
                done = await _imported(caller, one, doc_set)
                stored += len(done.stored)
                failed += len(done.failed)
    console.print(print_message(_DONE).format(stored=stored))
    return 1 if failed else 0


async def _imported(caller: LibraryClient, document: WebDocument, doc_set: str | None) -> ImportResult:
    from doors.sources import ImportResult

    done = ImportResult.model_validate(
        await caller.call("import_documents", documents=[document.to_json()], doc_set=doc_set)
    )
    for name, problem in done.failed.items():
        why = error_of(problem.model_dump()).in_full
        console.print(f"✗ {name}  {print_message(why)}", markup=False, soft_wrap=True)
    print_notices([Message(zh=one.zh, en=one.en) for one in done.notices])
    return done


_DONE = Message(zh="已存入 {stored} 个文件", en="{stored} stored")
