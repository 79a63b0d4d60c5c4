"""The folder of an embedded store: made when missing, and held by one process at a time."""

from __future__ import annotations

import os
from pathlib import Path

from errors import StoreError
from schema import Message
from stores.problems import unwritable


class FolderLock:
    """Held while the object is open. The operating system releases it when the process dies, however it dies."""

    def __init__(self, folder: Path) -> None:
        """Raises StoreError when the folder cannot be written, or another process holds it."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise unwritable(folder, error) from error
        try:
            _lock(self._descriptor)
        except OSError as error:
            os.close(self._descriptor)
            raise StoreError(
                Message(
                    zh=f"知识库 {folder} 正被另一个程序使用。", en=f"The library {folder} is in use by another program."
                ),
                Message(
                    zh="请关闭另一个窗口或程序，或用 CITEWISE_DATA_DIR 换一个数据文件夹。",
                    en="Close the other window or program, or choose another data folder with CITEWISE_DATA_DIR.",
                ),
            ) from error

    def close(self) -> None:
        os.close(self._descriptor)


def _lock(descriptor: int) -> None:
    """An exclusive lock without waiting; OSError when somebody else has it."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
