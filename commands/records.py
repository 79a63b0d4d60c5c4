"""Records of fetches, brought back into the library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from commands.terminal import console, read_settings, run_to_end, say, tell, told_errors
from errors import CitewiseError
from schema import Message

if TYPE_CHECKING:
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
    with told_errors():
        raise typer.Exit(run_to_end(_import(read_settings(), files, doc_set)))


async def _import(settings: Settings, files: Sequence[Path], doc_set: str | None) -> int:
    """Exit status: 1 when something failed; the other files are stored all the same."""
    from graph.imports import import_records
    from library import Library

    stored, failed = 0, 0
    async with await Library.open(settings) as library:
        tell(library.notices)
        for path in files:
            try:
                done = await import_records(library, path, doc_set)
            except CitewiseError as error:
                failed += 1
                console.print(f"✗ {say(error.in_full)}", markup=False, soft_wrap=True)
                continue
            stored += len(done.stored)
            failed += len(done.failed)
            for name, problem in done.failed.items():
                console.print(f"✗ {name}  {say(problem.in_full)}", markup=False, soft_wrap=True)
            tell(done.notices)
    console.print(say(_DONE).format(stored=stored))
    return 1 if failed else 0


_DONE = Message(zh="已存入 {stored} 个文件", en="{stored} stored")
