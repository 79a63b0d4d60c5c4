"""What is kept only to be faster: how much of it there is, and how to be rid of it."""

from __future__ import annotations

import logging
import sqlite3
import threading
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, TypeVar, get_args

from errors import CitewiseError
from schema import Message
from stores.side_file import open_database

log = logging.getLogger(__name__)
T = TypeVar("T")

CacheName = Literal["answers", "pages", "vectors", "passages"]
CACHES: tuple[CacheName, ...] = get_args(CacheName)

ABOUT: dict[CacheName, Message] = {
    "answers": Message(zh="记住的答案", en="answers that are remembered"),
    "pages": Message(zh="抓取过的网页", en="pages as they were fetched"),
    "vectors": Message(zh="文本的向量", en="vectors of texts"),
    "passages": Message(zh="内存里的原文片段", en="passages in memory"),
}  # for people


class CacheSize(NamedTuple):
    """How much a cache holds: answers, pages, vectors or passages, and bytes on disk or in memory."""

    entries: int
    bytes: int


class Cache(Protocol):
    """Something that may be lost at any time."""

    def size(self) -> CacheSize: ...

    def clear(self) -> None:
        """Forget everything. What could not be forgotten is still in `size`."""


class CacheFile:
    """A database that may be lost at any time. Thread-safe; when it fails it is only a miss, a damaged one is begun
    anew."""

    SCHEMA: str
    PRAGMAS: tuple[str, ...]
    COUNT: str  # what counts its entries

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._closed = False

    def size(self) -> CacheSize:
        if not self._path.exists():
            return CacheSize(0, 0)
        count = self._do(lambda database: int(database.execute(self.COUNT).fetchone()[0]), 0)
        return CacheSize(count, file_bytes(self._path))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._let_go()

    def _open(self) -> sqlite3.Connection:
        return open_database(self._path, self.SCHEMA, *self.PRAGMAS)

    def _do(self, work: Callable[[sqlite3.Connection], T], missed: T) -> T:
        with self._lock:
            if self._closed:
                return missed
            try:
                self._connection = self._connection or self._open()
                return work(self._connection)
            except (sqlite3.Error, zlib.error, OSError, ValueError, TypeError) as error:
                log.warning("%s cannot be used: %s", self._path, error)
                self._let_go()
                if not isinstance(error, sqlite3.OperationalError | OSError | UnicodeEncodeError):
                    log.warning("%s is begun anew", self._path)
                    for suffix in ("", "-wal", "-shm"):
                        with suppress(OSError):
                            self._path.with_name(self._path.name + suffix).unlink()
                return missed

    def _let_go(self) -> None:
        with suppress(sqlite3.Error):
            if self._connection is not None:
                self._connection.close()
        self._connection = None


class CacheRegistry:
    """The caches of one library by their names. Its calls read files and block."""

    def __init__(self, caches: Mapping[CacheName, Cache]) -> None:
        self._caches = caches

    def sizes(self) -> dict[CacheName, CacheSize]:
        return {name: cache.size() for name, cache in self._caches.items()}

    def clear(self, *names: str) -> dict[CacheName, CacheSize]:
        """Empty these caches, or all of them: what each of them held. No document, no conversation is touched.

        Raises CitewiseError for a name that is none, before anything is cleared, and where a file cannot be written.
        """
        if unknown := [name for name in names if name not in self._caches]:
            raise _no_cache(unknown, list(self._caches))
        cleared: dict[CacheName, CacheSize] = {}
        for name, cache in self._caches.items():
            if not names or name in names:
                cleared[name] = cache.size()
                cache.clear()
                if cleared[name].entries and cache.size().entries >= cleared[name].entries:
                    raise CitewiseError(
                        "store",
                        Message(zh=f"缓存“{name}”没能清空。", en=f"The cache {name} could not be cleared."),
                        Message(
                            zh="请检查数据文件夹是否可写、磁盘是否已满，然后重试。",
                            en="Check that the data folder can be written and the disk is not full, then try again.",
                        ),
                    )
        return cleared


def file_bytes(path: Path) -> int:
    """Of a database with what was written to it last."""
    files = [path.with_name(path.name + ending) for ending in ("", "-wal")]
    return sum(file.stat().st_size for file in files if file.exists())


def _no_cache(unknown: list[str], known: list[CacheName]) -> CitewiseError:
    return CitewiseError(
        "settings",
        Message(zh=f"没有这种缓存：{'、'.join(unknown)}。", en=f"There is no cache {', '.join(unknown)}."),
        Message(zh=f"可用的有：{'、'.join(known)}。", en=f"The caches are {', '.join(known)}."),
    )
