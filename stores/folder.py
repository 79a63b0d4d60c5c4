"""The folder of an embedded store: made when missing, and held by one process at a time."""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from pathlib import Path

from errors import StoreError
from schema import Message
from stores.problems import unwritable

_TOLD = 200  # bytes, of who holds it


class FolderHeld(StoreError):
    """Another process has the library open."""

    def __init__(self, folder: Path, by: str) -> None:
        super().__init__(
            Message(
                zh=f"知识库 {folder} 正被另一个程序使用{f'（{by}）' if by else ''}。",
                en=f"The library {folder} is in use by another program{f' ({by})' if by else ''}.",
            ),
            Message(
                zh="请在那个程序（网页）里操作或关闭它，或用 CITEWISE_DATA_DIR 换一个数据文件夹。"
                "cli.py 的 check、rebuild、backup、restore 现在也可以用。",
                en="Go on in that program (its page), close it, or choose another data folder with CITEWISE_DATA_DIR. "
                "Meanwhile check, rebuild, backup and restore of cli.py work.",
            ),
        )


class FolderLock:
    """Held while the object is open. The operating system releases it when the process dies, however it dies."""

    def __init__(self, folder: Path) -> None:
        """Raises StoreError when the folder cannot be written, FolderHeld when another process holds it."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise unwritable(folder, error) from error
        try:
            _lock(self._descriptor)
        except OSError as error:
            by = _holder(self._descriptor)
            os.close(self._descriptor)
            raise FolderHeld(folder, by) from error
        with suppress(OSError):  # a full disk: then nobody is told who it is
            told = f"\n{Path(sys.argv[0] or 'python').name}, pid {os.getpid()}\n"
            os.ftruncate(self._descriptor, 0)
            os.write(self._descriptor, told.encode("utf-8", "replace")[:_TOLD])

    def close(self) -> None:
        os.close(self._descriptor)


def holding(folder: Path) -> str:
    """By which two programs can tell whether they mean the same folder, held by the same one; it tells nothing else."""
    try:
        lock = (folder / "lock").stat()
    except OSError:
        return ""
    return hashlib.sha256(f"{lock.st_ino} {lock.st_mtime_ns}".encode()).hexdigest()


def _holder(descriptor: int) -> str:
    """What the process that holds it has told of itself. The first byte is the one that is locked where a lock bars
    reading."""
    try:
        os.lseek(descriptor, 1, os.SEEK_SET)
        return os.read(descriptor, _TOLD).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _lock(descriptor: int) -> None:
    """An exclusive lock without waiting; OSError when somebody else has it."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
