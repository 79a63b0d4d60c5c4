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
    program_settings,
    read_settings,
    show,
    wide,
    without_event_loop,
)
from errors import CitewiseError
from schema import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stores.safety.backup import Manifest
    from stores.safety.health import HealthFinding
    from stores.user_libraries import UserFolder

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


def _folders(given: Path | None) -> list[UserFolder]:
    """That of the library that is meant, as nobody's; those of all users where each has one and none is named. Raises
    CitewiseError."""
    from stores.user_libraries import UserFolder, user_folders

    settings = program_settings() if given is None else None
    if settings is None or settings.libraries == "shared" or settings.as_user:
        return [UserFolder("", _embedded_folder(given))]
    found = [one for one in user_folders(settings.data_dir) if (one.folder / "library.db").exists()]
    if not found:
        raise CitewiseError("not_found", _NONE_YET, _FIRST_LOGIN)
    return found


def check(folder: Folder = None) -> None:
    """Verify a library, also while a program uses it; nothing is changed. Exit status 1: something is damaged or lost.

    检查知识库是否完好，程序运行时也可以；不做任何改动。有损坏或丢失时退出码为 1。
    """
    from stores.safety.health import check_library as checked

    lost = False
    with errors_without_trace(), without_event_loop():
        for user, of_user in _folders(folder):
            show_user(user)
            lost |= _show_findings(checked(of_user))
    raise typer.Exit(lost)


def show_user(user: str) -> None:
    """Above what is said of a user's library, where all of them are gone through."""
    if user:
        show(_OF_USER, user=user)


def _show_findings(findings: Sequence[HealthFinding]) -> bool:
    """Whether something is damaged or lost."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    for one in findings:
        table.add_row(
            print_message(_KINDS[one.kind]), Text(one.part), Text(print_message(one.message), overflow="fold")
        )
    wide().print(table)
    for remedy in dict.fromkeys(print_message(one.remedy) for one in findings if one.remedy):
        show(f"→ {remedy}")
    return any(one.kind in ("damage", "loss") for one in findings)


def rebuild(folder: Folder = None) -> None:
    """Rebuild the search indexes, and save what can be read of a damaged database. A program that has the library
    open does it itself, and goes on answering.

    重建检索索引；数据库损坏时救回能读的部分。知识库正被程序使用时由那个程序来做，问答照常。
    """
    from stores.safety.repair import rebuild_library as rebuilt

    with errors_without_trace(), without_event_loop():
        for user, of_user in _folders(folder):
            show_user(user)
            for done in rebuilt(of_user):
                show(done)


def backup(
    path: Annotated[Path, typer.Argument(help="The file to write, such as library.zip. / 备份文件。")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it is there. / 覆盖已有文件。")] = False,
    folder: Folder = None,
) -> None:
    """All documents, conversations and waiting files in one file, also while a program uses the library. Where each
    user has a library: one file for each, unless --user names one.

    把全部文件、对话和待处理的文件存成一个备份文件，程序运行时也可以。
    每个用户各有知识库时，每人一个文件；用 --user 只备份一人的。
    """
    from stores.safety.backup import write_backup

    with errors_without_trace(), without_event_loop():
        for user, of_user in _folders(folder):
            show_user(user)
            target = path.with_name(f"{path.stem}.{of_user.name}{path.suffix}") if user else path
            show(_backup_message(target, write_backup(of_user, target, force)))


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
_OF_USER = Message(zh="{user} 的知识库：", en="Library of {user}:")
_NONE_YET = Message(zh="还没有任何用户的知识库。", en="No user has a library yet.")
_FIRST_LOGIN = Message(
    zh="用户第一次登录时会建立自己的知识库；数据文件夹用 --folder 指定。",
    en="A user's library is made at their first login. --folder names a data folder.",
)
_SURE = Message(
    zh="用这个备份替换 {folder} 里的知识库？原来的会保留一份。",
    en="Replace the library in {folder} by this backup? What is there now is kept.",
)
_SURE_FOR_GOOD = Message(
    zh="用这个备份替换 {folder} 里的知识库？原来的不会保留。",
    en="Replace the library in {folder} by this backup? What is there now is NOT kept.",
)
