"""The tables of a library in PostgreSQL: made, or brought to this program's version."""

from __future__ import annotations

from commands.terminal import errors_without_trace, read_settings, show, without_event_loop
from errors import CitewiseError
from schema import Message

_NO_DATABASE = Message(
    zh="没有设置 CITEWISE_DATABASE_URL：知识库在数据文件夹里，打开时会自动更新。",
    en="CITEWISE_DATABASE_URL is not set: the library is in the data folder, and is updated when it is opened.",
)


def migrate() -> None:
    """Make the tables in the PostgreSQL database of CITEWISE_DATABASE_URL, or bring them up to date. Several may do so
    at once; a database of a newer program is left alone.

    在 CITEWISE_DATABASE_URL 的 PostgreSQL 数据库里建表，或更新已有的表。可以同时运行多次；更新版本的数据库不会被改动。
    """
    from stores.selection import database_url, require_postgres

    with errors_without_trace(), without_event_loop():
        url = database_url(read_settings())
        if not url:
            raise CitewiseError("settings", _NO_DATABASE)
        require_postgres()
        from stores.postgres.migrations import migrate as migrated

        before, after = migrated(url)
        show(_migrated_message(before, after))


def _migrated_message(before: int, after: int) -> Message:
    if before == after:
        return Message(zh=f"数据库已是格式 {after}。", en=f"The database has format {after} already.")
    return Message(zh=f"数据库现在是格式 {after}。", en=f"The database has format {after} now.")
