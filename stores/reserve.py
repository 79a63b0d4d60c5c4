"""Room on the disk that is held back for deleting: SQLite writes what is to go into its log before anything is free."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

log = logging.getLogger(__name__)

RESERVE = "reserve"  # in the data folder
ROOM = 8 << 20  # bytes; to delete a document takes half a million of them, however large it is


class Reserve:
    """A file of the data folder that is let go where the disk is full, and comes back when there is room again.

    Every store of the folder may have an object of its own: the file is all that they share.
    """

    def __init__(self, folder: Path | None) -> None:
        """Without a folder there is none."""
        self._path = folder / RESERVE if folder else None
        self.hold()

    def hold(self) -> None:
        """Make it, unless it is there, or the disk has no more than it would take."""
        if self._path is None or self._path.exists():
            return
        try:
            if free_bytes(self._path.parent) < 2 * ROOM:
                return
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(descriptor, 0, ROOM)
                else:
                    os.write(descriptor, bytes(ROOM))
            finally:
                os.close(descriptor)
        except FileExistsError:
            pass
        except OSError as error:
            log.warning("no room could be held back on the disk: %s", error)
            self.let_go()

    def let_go(self) -> bool:
        """Whether there was one."""
        if self._path is None:
            return False
        with suppress(OSError):
            self._path.unlink()
            log.warning("the disk is full: the room that was held back for deleting is used")
            return True
        return False


def free_bytes(folder: Path) -> int:
    """Of its disk; 0 where that cannot be told."""
    with suppress(OSError):
        return shutil.disk_usage(folder).free
    return 0


def is_full(error: BaseException | None) -> bool:
    """Whether SQLite says that the disk has no room."""
    return isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL
