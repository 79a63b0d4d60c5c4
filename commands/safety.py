"""Keeping a library safe: is it whole, make it whole, a copy of it, back to a copy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from commands.terminal import (
    data_folder,
    errors_without_trace,
    print_message,
    read_settings,
    show,
    wide,
    without_event_loop,
)
from errors import CitewiseError
from schema import Message

if TYPE_CHECKING:
    from stores.safety.backup import Manifest

Folder = Annotated[
    Path | None, typer.Option(help="Data folder; that of the settings if none. / 数据文件夹，默认同设置。")
]


def _embedded_folder(given: Path | None) -> Path:
    """The data folder. Raises CitewiseError where the settings have the library in PostgreSQL, which has tools of its
    own for all of this."""
    from stores.selection import database_url

    if given is None and database_url(read_settings()):
        raise CitewiseError("settings", _IN_POSTGRES, _POSTGRES_TOOLS)
    return data_folder(given)


def check(folder: Folder = None) -> None:
    """Verify a library, also while a program uses it; nothing is changed. Exit status 1: something is damaged or lost.

    检查知识库是否完好，程序运行时也可以；不做任何改动。有损坏或丢失时退出码为 1。
    """
    from rich.table import Table

    from stores.safety.health import check_library as checked

    with errors_without_trace(), without_event_loop():
        findings = checked(_embedded_folder(folder))
    table = Table(box=None, pad_edge=False, show_header=False)
    for one in findings:
        table.add_row(
            print_message(_KINDS[one.kind]), Text(one.part), Text(print_message(one.message), overflow="fold")
        )
    wide().print(table)
    for remedy in dict.fromkeys(print_message(one.remedy) for one in findings if one.remedy):
        show(f"→ {remedy}")
    raise typer.Exit(any(one.kind in ("damage", "loss") for one in findings))


def rebuild(folder: Folder = None) -> None:
    """Build the search indexes anew, and save what can be read of a damaged database. A program that has the library
    open does it itself, and goes on answering.

    重建检索索引；数据库损坏时救回能读的部分。知识库正被程序使用时由那个程序来做，问答照常。
    """
    from stores.safety.repair import rebuild_library as rebuilt

    with errors_without_trace(), without_event_loop():
        for done in rebuilt(_embedded_folder(folder)):
            show(done)


def backup(
    path: Annotated[Path, typer.Argument(help="The file to write, such as library.zip. / 备份文件。")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it is there. / 覆盖已有文件。")] = False,
    folder: Folder = None,
) -> None:
    """All documents, conversations and waiting files in one file, also while a program uses the library.

    把全部文件、对话和待处理的文件存成一个备份文件，程序运行时也可以。
    """
    from stores.safety.backup import write_backup

    with errors_without_trace(), without_event_loop():
        made = write_backup(_embedded_folder(folder), path, force)
    show(_backup_message(path, made))


def restore(
    path: Annotated[Path, typer.Argument(help="A backup. / 备份文件。")],
    keep: Annotated[
        bool, typer.Option(help="Keep what is replaced as a backup in the data folder. / 保留被替换的内容。")
    ] = True,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask. / 不再确认。")] = False,
    folder: Folder = None,
) -> None:
    """Bring a backup back in place of the library, also while a program uses it. A backup that is not whole changes
    nothing.

    用备份替换知识库，程序运行时也可以。备份不完整时不做任何改动。
    """
    from stores.safety.repair import restore_library as restored

    with errors_without_trace(), without_event_loop():
        target = _embedded_folder(folder)
        if not yes and (target / "library.db").exists():
            typer.confirm(print_message(_SURE if keep else _SURE_FOR_GOOD).format(folder=target), abort=True)
        for done in restored(target, path, keep):
            show(done)


def _backup_message(path: Path, made: Manifest) -> Message:
    from stores.problems import count_phrase

    size, held = (
        path.stat().st_size,
        f"{count_phrase(made.documents, 'document')}, {count_phrase(made.chunks, 'chunk')}",
    )
    return Message(
        zh=f"已备份到 {path}（{size:,} 字节）：{made.documents} 个文件，{made.chunks} 个切片，"
        f"{made.waiting} 个待处理。",
        en=f"Backed up to {path} ({size:,} bytes): {held}, {made.waiting} waiting.",
    )


_KINDS = {
    "ok": Message(zh="✅ 完好", en="✅ ok"),
    "healed": Message(zh="🟡 会自动修复", en="🟡 heals by itself"),
    "loss": Message(zh="❌ 丢失", en="❌ lost"),
    "damage": Message(zh="❌ 损坏", en="❌ damaged"),
}
_IN_POSTGRES = Message(
    zh="知识库在 PostgreSQL 里（CITEWISE_DATABASE_URL），这个命令只用于数据文件夹里的知识库。",
    en="The library is in PostgreSQL (CITEWISE_DATABASE_URL); this command is for a library in a data folder.",
)
_POSTGRES_TOOLS = Message(
    zh="备份用 pg_dump -Fc，恢复用 pg_restore，检查用 pg_amcheck；数据文件夹可用 --folder 指定。",
    en="Back it up with pg_dump -Fc, restore it with pg_restore, check it with pg_amcheck. --folder names a folder.",
)
_SURE = Message(
    zh="用这个备份替换 {folder} 里的知识库？原来的会保留一份。",
    en="Replace the library in {folder} by this backup? What is there now is kept.",
)
_SURE_FOR_GOOD = Message(
    zh="用这个备份替换 {folder} 里的知识库？原来的不会保留。",
    en="Replace the library in {folder} by this backup? What is there now is NOT kept.",
)
