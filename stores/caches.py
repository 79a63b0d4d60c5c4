"""What is kept only to be faster: how much of it there is, and how to be rid of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, get_args

from errors import CitewiseError
from schema import Message

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
