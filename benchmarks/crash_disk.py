"""A disk that is full: a small one of memory, that this process alone sees and that is gone with it."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000  # CLONE_NEWNS, CLONE_NEWUSER
_PRIVATE = 0x4000 | (1 << 18)  # MS_REC | MS_PRIVATE
_LEFT = ".filler"
_ATTEMPTS = 100


class NoSmallDisk(Exception):
    """The system lets this process mount nothing."""


def small_disk(folder: Path, size: int) -> None:
    """Mount one of so many bytes there. Raises NoSmallDisk."""
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        flags = _NEW_MOUNTS if os.geteuid() == 0 else _NEW_MOUNTS | _NEW_USER
        done = (
            libc.unshare(flags) == 0
            and libc.mount(b"none", b"/", None, _PRIVATE, None) == 0
            and libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, f"size={size}".encode()) == 0
        )
    except (OSError, AttributeError) as error:  # not Linux
        raise NoSmallDisk(str(error)) from error
    if not done:
        raise NoSmallDisk(os.strerror(ctypes.get_errno()))


@contextmanager
def full_but_for(folder: Path, left: int) -> Iterator[None]:
    """The disk of the folder has no more than so many bytes."""
    filler = folder / _LEFT
    with filler.open("wb") as file:
        _fill(file.fileno(), folder, left)
    try:
        yield
    finally:
        filler.unlink()


def _fill(file: int, folder: Path, left: int) -> None:
    """What works on the disk may take some of it meanwhile; then what there is now is taken."""
    for attempt in range(_ATTEMPTS):
        disk = os.statvfs(folder)
        room = disk.f_bavail * disk.f_frsize - left
        if room <= 0:
            return
        try:
            os.posix_fallocate(file, 0, room)
            return
        except OSError as error:
            if error.errno != errno.ENOSPC or attempt == _ATTEMPTS - 1:
                raise
