"""What can go wrong with PostgreSQL, as errors that say what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.conninfo import conninfo_to_dict

from errors import StoreError
from schema import Message
from stores.problems import UnusableStoreError, unstorable_name

_SERVER_REMEDY = Message(
    zh="请检查 PostgreSQL 是否在运行，以及 CITEWISE_DATABASE_URL 的地址、用户和密码；恢复后会自动继续。",
    en="See whether PostgreSQL runs, and check address, user and password in CITEWISE_DATABASE_URL; once it is back, "
    "work goes on by itself.",
)
_KEPT = Message(
    zh="已保存的文件和对话都在数据库里，没有丢失。",
    en="Documents and conversations that were saved are in the database, and none is lost.",
)
_MIGRATE_REMEDY = Message(
    zh="请运行：uv run cli.py migrate，然后重新启动程序。",
    en="Run: uv run cli.py migrate, then start the program again.",
)


def shown_address(url: str) -> str:
    """Host and database of a connection string, and nothing that is secret in it."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:
        return "PostgreSQL"
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"{parts.get('host') or 'localhost'}{port}/{parts.get('dbname') or ''}"


@contextmanager
def explaining_errors(place: str) -> Iterator[None]:
    """What a person can do something about, as a StoreError; a wrong statement stays the defect that it is."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise unstorable_name(error.object) from error
    except psycopg.OperationalError as error:  # not reached, cut off, full, too many connections
        raise UnusableStoreError(
            Message(
                zh=f"数据库 {place} 无法使用：{_first_line(error)}。",
                en=f"The database {place} cannot be used: {_first_line(error)}.",
            ),
            _SERVER_REMEDY,
            still_works=_KEPT,
        ) from error


def other_version(place: str, found: int, wanted: int) -> StoreError:
    if found > wanted:
        return StoreError(
            Message(
                zh=f"数据库 {place} 由更新版本的程序写成（格式 {found}，本程序支持到 {wanted}）。",
                en=f"The database {place} was written by a newer version (format {found}; this one knows up to "
                f"{wanted}).",
            ),
            Message(zh="请更新程序，或换一个数据库。", en="Update the program, or use another database."),
        )
    if not found:
        message = Message(
            zh=f"数据库 {place} 里还没有知识库的表。", en=f"The database {place} has no tables of a library yet."
        )
    else:
        message = Message(
            zh=f"数据库 {place} 的格式是 {found}，本程序需要 {wanted}。",
            en=f"The database {place} has format {found}; this program needs {wanted}.",
        )
    return StoreError(message, _MIGRATE_REMEDY)


def without_pgvector(place: str, error: psycopg.Error) -> StoreError:
    return StoreError(
        Message(
            zh=f"数据库 {place} 无法启用 pgvector 扩展：{_first_line(error)}。",
            en=f"The extension pgvector cannot be had in the database {place}: {_first_line(error)}.",
        ),
        Message(
            zh="请在服务器上安装 pgvector 0.7 或更新的版本，并由有权限的用户执行：CREATE EXTENSION vector。",
            en="Install pgvector 0.7 or newer on the server, and let a user who may run: CREATE EXTENSION vector.",
        ),
    )


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
