"""The door for a terminal: files and folders into the library, answers out of it, and keeping it safe."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer

from commands.ask import ask
from commands.cache import cache
from commands.documents import delete, list_documents, stats
from commands.feedback import feedback
from commands.glossary import glossary
from commands.ingest import ingest
from commands.lab import lab
from commands.manage import cancel, chunks, preview, process, rechunk, reread, retry, sets
from commands.mcp import mcp
from commands.migrate import migrate
from commands.move import move
from commands.records import import_records
from commands.safety import backup, check, rebuild, restore
from commands.sources import source
from commands.stages import stages
from commands.unanswered import unanswered
from commands.user import user as add_user
from commands.worker import worker

LogLevel = StrEnum("LogLevel", {"DEBUG": "DEBUG", "INFO": "INFO", "WARNING": "WARNING", "ERROR": "ERROR"})
cli = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@cli.callback()
def _of_all(
    log_level: Annotated[
        LogLevel | None, typer.Option(help="What is logged, before CITEWISE_LOG_LEVEL. / 日志级别。")
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(help="Whose library, where each user has one. / 用谁的知识库（每个用户各有一个时）。"),
    ] = None,
) -> None:
    """Chat with your documents, and see why each answer holds. / 与你的文件对话，看清每个答案的依据。"""
    os.umask(0o077)  # what is written here is its owner's alone
    if log_level is not None:
        os.environ["CITEWISE_LOG_LEVEL"] = log_level.value
    if user is not None:
        os.environ["CITEWISE_AS_USER"] = user


for command in (
    ingest, ask, stats, delete, move, rechunk, reread, preview, chunks, process, retry, cancel, stages, check, rebuild,
    backup, restore, migrate, worker, mcp, feedback, unanswered, cache,
):  # fmt: skip
    cli.command()(command)
cli.command(name="user")(add_user)
cli.command(name="list")(list_documents)
cli.command(name="import")(import_records)
cli.add_typer(sets, name="sets")
cli.add_typer(source, name="source")
cli.add_typer(glossary, name="glossary")
cli.add_typer(lab, name="lab")


if __name__ == "__main__":
    cli()
