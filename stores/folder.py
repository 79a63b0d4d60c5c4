"""The folder of an embedded store: made when missing, and held by one process at a time."""

from __future__ import annotations

import hashlib
import logging
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from errors import StoreError
from schema import Message
from stores.problems import unwritable

log = logging.getLogger(__name__)

_TOLD = 500  # bytes, of who holds it


class FolderHeld(StoreError):
    """Another process has the library open; `address` is where it serves it, "" where it does not."""

    def __init__(self, folder: Path, by: str, address: str = "") -> None:
        self.address = address
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
            folder.mkdir(0o700, parents=True, exist_ok=True)
            keep_private(folder)
            self._descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise unwritable(folder, error) from error
        try:
            _lock(self._descriptor)
        except OSError as error:
            held = _held(folder, self._descriptor)
            os.close(self._descriptor)
            raise held from error
        with suppress(OSError):  # a full disk: then nobody is told who it is
            holder = f"\n{Path(sys.argv[0] or 'python').name}, pid {os.getpid()}\n"
            os.ftruncate(self._descriptor, 0)
            os.write(self._descriptor, holder.encode("utf-8", "replace")[:_TOLD])
        self._folder = folder

    def close(self) -> None:
        keep_private(self._folder)  # what libraries of others have written there
        os.close(self._descriptor)


def held_by(folder: Path) -> FolderHeld | None:
    """Who has the library open at this moment, as the error that opening it would raise; None where nobody has."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDWR)
    except OSError:
        return None
    try:
        _lock(descriptor)  # given back at once
    except OSError:
        return _held(folder, descriptor)
    finally:
        os.close(descriptor)
    return None


def note_address(folder: Path, url: str) -> None:
    """For programs that find the folder held: where its holder serves what is in it."""
    with suppress(OSError), (folder / "lock").open("a", encoding="utf-8") as lock:
        lock.write(f"{url}\n")


def keep_private(folder: Path) -> None:
    """Take from everybody else what they may do with a data folder and all in it, whatever the umask was.

    Left alone: what belongs to another user, links, and a folder that is plainly not for this alone, as that of the
    user's own, the one a program was started in, or one above them.
    """
    if os.name != "posix" or _is_shared(folder):
        return
    try:
        _take(folder)
        for place, folders, files in os.walk(folder):
            for name in (*folders, *files):
                _take(os.path.join(place, name))
    except OSError as error:
        log.warning("others may be able to read the data folder %s: %s", folder, error)


def private_opener(path: str, flags: int) -> int:
    """For `open`: a new file is its owner's alone."""
    return os.open(path, flags, 0o600)


def make_private(path: Path) -> None:
    """An empty file where there is none, which a database then takes over with its mode, for its log as well. What
    cannot be made is left to whoever opens it."""
    with suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _is_shared(folder: Path) -> bool:
    real = folder.resolve()
    return any(real in (place, *place.parents) for place in (Path.home().resolve(), Path.cwd().resolve()))


def _take(path: str | Path) -> None:
    with suppress(FileNotFoundError):  # it was removed meanwhile
        found = os.lstat(path)
        if found.st_uid == os.geteuid() and found.st_mode & 0o077 and not stat.S_ISLNK(found.st_mode):
            os.chmod(path, found.st_mode & 0o700)


def holding(folder: Path) -> str:
    """By which two programs can tell whether they mean the same folder, held by the same one; it tells nothing else."""
    try:
        lock = (folder / "lock").stat()
    except OSError:
        return ""
    return hashlib.sha256(f"{lock.st_ino} {lock.st_mtime_ns}".encode()).hexdigest()


def _held(folder: Path, descriptor: int) -> FolderHeld:
    by, _, address = _holder(descriptor).partition("\n")
    return FolderHeld(folder, by, address)


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
