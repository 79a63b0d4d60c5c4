"""A small SQLite file beside the library: for what the page can do without when the file cannot be read."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from errors import StoreError
from schema import Message
from stores.folder import make_private
from stores.side_database import SideConnection

log = logging.getLogger(__name__)
T = TypeVar("T")


def open_database(path: Path | None, schema: str, *pragmas: str) -> sqlite3.Connection:
    """Open a file of its own, which no other user of the machine can read, or a database in memory; make its tables."""
    if path:
        make_private(path)
    database = sqlite3.connect(path or ":memory:", check_same_thread=False, isolation_level=None, timeout=10)
    try:
        for pragma in (*pragmas, "journal_mode = WAL", "synchronous = NORMAL"):  # a killed process loses nothing
            database.execute(f"PRAGMA {pragma}")
        database.executescript(schema)
    except BaseException:
        database.close()
        raise
    return database


class SideFile:
    """Tables in a file of their own, which is made when there is something to keep."""

    def __init__(self, path: Path, schema: str, holds: Message) -> None:
        """`schema` does no harm the second time; `holds` is what it keeps, for people."""
        self._path, self._schema, self._holds, self._lock = path, schema, holds, threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def close(self) -> None:
        with self._lock, suppress(sqlite3.Error):
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def is_begun(self) -> bool:
        return self._path.exists()

    def read(self, work: Callable[[SideConnection], T], otherwise: T) -> T:
        try:
            return self.write(work) if self.is_begun() else otherwise
        except StoreError as error:
            log.warning("%s", error.message.en)
            return otherwise

    def write(self, work: Callable[[SideConnection], T]) -> T:
        with self._lock:
            try:
                pragmas = ("secure_delete = ON", "cache_size = -500")
                self._connection = self._connection or open_database(self._path, self._schema, *pragmas)
                return _transaction(self._connection, work)
            except sqlite3.Error as error:
                raise self._unusable(error) from error

    def _unusable(self, error: sqlite3.Error) -> StoreError:
        name, holds = self._path.name, self._holds
        return StoreError(
            Message(
                zh=f"{holds.zh}文件 {name} 无法使用（{error}）。",
                en=f"The {holds.en} in {name} cannot be used ({error}).",
            ),
            Message(
                zh="请检查磁盘空间和数据文件夹的权限；文件若已损坏，请把它移走。其他一切照常。",
                en="Check the disk and the permissions of the data folder; if the file is damaged, move it away. All "
                "else goes on.",
            ),
        )


def _transaction(database: sqlite3.Connection, work: Callable[[SideConnection], T]) -> T:
    database.execute("BEGIN")
    try:
        done = work(database)
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
    return done


def one_line(text: str, most: int) -> str:
    """On one line, and no longer than so many characters."""
    words = " ".join(text.split())
    return words if len(words) <= most else f"{words[:most]} …"
