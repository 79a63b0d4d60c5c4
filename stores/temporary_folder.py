"""The folder of a store that has none: in memory where there is room, and gone with its process."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import weakref
from contextlib import suppress
from functools import cache
from pathlib import Path

from errors import StoreError
from stores.folder import FolderLock

_PREFIX = "citewise-throw-away-"
_MEMORY = Path("/dev/shm")  # a file system without a disk, on Linux
_ROOM = 1 << 30  # bytes that have to be free there: some containers have 64 MB
_NEW = 60.0  # seconds in which a folder may not be held yet


class TemporaryFolder:
    """A new folder. SQLite's own database in memory would do instead, but there readers and the writer wait for each
    other; and files that readers open by their names cannot be unlinked before they go. So a process that is killed
    leaves its folder behind, and the next one removes it."""

    def __init__(self) -> None:
        memory = _MEMORY if _has_room(_MEMORY) else None
        for root in filter(None, (memory, Path(tempfile.gettempdir()))):
            _sweep_once(root)
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=memory))
        self.close = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)  # also when nobody calls it


def _has_room(place: Path) -> bool:
    try:
        return os.access(place, os.W_OK) and shutil.disk_usage(place).free >= _ROOM
    except OSError:
        return False


def sweep(root: Path) -> None:
    """Remove the folders of processes that are gone: nobody holds them any more."""
    for path in root.glob(_PREFIX + "*"):
        with suppress(OSError, StoreError):
            if (path / "lock").exists() and time.time() - path.stat().st_mtime > _NEW:
                held = FolderLock(path)
                shutil.rmtree(path, ignore_errors=True)
                held.close()


_sweep_once = cache(sweep)
