"""The bytes of files on their way, kept until they are stored: one file each, named by chance, never by its name."""

from __future__ import annotations

import json
import os
import shutil
import sys
import uuid
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import NamedTuple

from errors import FileError
from ingestion.readers import READERS, read_document
from ingestion.readers.archive import Limits, is_archive, unpack
from ingestion.readers.base import clean_path, extension
from schema import Document, IncomingFile, Message, Origin, Task
from stores.folder import private_opener
from stores.problems import unwritable
from stores.sql.rows import place_of_json
from stores.tasks import DOCUMENT, is_by_chance

_MANY = 50  # files that are brought to the disk together: one by one would cost a wait for the disk each
_TOGETHER = sys.platform == "linux"  # elsewhere the system call does not wait


class Spool:
    """A folder of the library. What it says is written is on the disk, also after a power cut."""

    def __init__(self, folder: Path) -> None:
        """Raises StoreError when the folder cannot be made."""
        self.folder = folder.absolute()
        self._remover = ThreadPoolExecutor(1, "spool")  # a disk may take its time, and nobody waits for it
        try:
            self.folder.mkdir(0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error) from error

    def take(self, files: list[IncomingFile], copy: bool) -> list[tuple[str, int]]:
        """Path and size of each file's bytes. Files given by a path stay where they are, unless copied; one that is
        not there fails when its turn comes. All or none: raises StoreError where the disk is full."""
        taken: list[tuple[str, int]] = []
        many = _TOGETHER and len(files) > _MANY
        try:
            for file in files:
                if file.data is not None:
                    taken.append((self.write(file.data, not many), len(file.data)))
                elif copy and os.path.isfile(file.path):
                    taken.append(self._copy(file.path, not many))
                else:
                    path = os.path.abspath(file.path)
                    taken.append((path, os.path.getsize(path) if os.path.exists(path) else 0))
            if any(self.holds(path) for path, _ in taken):
                self.sync(many)
        except OSError as error:
            for path, _ in taken:
                self.remove(path)
            raise unwritable(self.folder, error) from error
        return taken

    def take_document(self, document: Document) -> tuple[str, int]:
        """The same for text that was read already; `load_document` gives it back. Raises StoreError."""
        data = json.dumps(asdict(document), ensure_ascii=False).encode("utf-8", "replace")
        try:
            path = self.write(data, True, DOCUMENT)
            self.sync(False)
        except OSError as error:
            raise unwritable(self.folder, error) from error
        return path, len(data)

    def holds(self, path: str) -> bool:
        return Path(path).parent == self.folder

    def located(self, path: str, anywhere: bool = False) -> str:
        """Where bytes are by now that were written here: a library may be moved, and have several paths by links.
        `anywhere`: or where they will be, if another program has taken them in."""
        name = os.path.basename(path)
        here = self.folder / name
        return str(here) if is_by_chance(name) and (anywhere or here.exists()) else path

    def fetch(self, path: str, parts: Iterator[bytes]) -> None:
        """Bytes that another program has taken in, to where they would be if it were this one."""
        if not self.holds(path) or os.path.exists(path):
            return
        try:
            with open(f"{path}.part", "wb", opener=private_opener) as file:
                file.writelines(parts)
            os.replace(f"{path}.part", path)
        except OSError as error:
            raise unwritable(self.folder, error) from error

    def remove(self, path: str) -> None:
        """A file of this folder, soon; others are not ours."""
        if path and self.holds(path):
            with suppress(RuntimeError):  # closed: it is swept at the next opening
                self._remover.submit(_unlink, path)

    def sweep(self, used: Collection[str]) -> int:
        """Remove what no task knows: how many files."""
        found = [str(path) for path in self.folder.iterdir() if str(path) not in used]
        for path in found:
            _unlink(path)
        return len(found)

    def close(self) -> None:
        """When everything is removed that is to be."""
        self._remover.shutdown()

    def write(self, data: bytes, sync: bool, ending: str = "") -> str:
        """The path. Not synced, it is not safe before `sync`."""
        path = self._new_path(ending)
        with open(path, "xb", opener=private_opener) as file:
            try:
                file.write(data)
                file.flush()
                if sync:
                    os.fsync(file.fileno())
            except OSError:
                _unlink(path)
                raise
        return path

    def _copy(self, source: str, sync: bool) -> tuple[str, int]:
        path = self._new_path()
        try:
            with open(source, "rb") as given, open(path, "xb", opener=private_opener) as file:
                shutil.copyfileobj(given, file, 1 << 20)
            if sync:
                with open(path, "rb") as file:
                    os.fsync(file.fileno())
        except OSError:
            _unlink(path)
            raise
        return path, os.path.getsize(path)

    def _new_path(self, ending: str = "") -> str:
        self.folder.mkdir(0o700, exist_ok=True)  # somebody may have tidied up
        return str(self.folder / (uuid.uuid4().hex + ending))

    def sync(self, everything: bool) -> None:
        """The names of the files, or all that was written."""
        if everything:
            os.sync()
        elif os.name == "posix":
            descriptor = os.open(self.folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _unlink(path: str) -> None:
    with suppress(OSError):  # what is left is swept at the next opening
        os.unlink(path)


def load_document(data: bytes) -> Document:
    fields = json.loads(data)
    origin = Origin(**fields.pop("origin"))
    places = tuple(place_of_json(place) for place in fields.pop("places"))
    return Document(**fields, origin=origin, places=places)


def holds_archive(task: Task) -> bool:
    """Whether the bytes of a task are an archive to be unpacked."""
    try:
        with open(task.path, "rb") as file:
            return task.job == "add" and file.read(2) == b"PK" and is_archive(task.name, file)
    except OSError:
        return False


class ArchiveMember(NamedTuple):
    """A file of an archive: its bytes in the spool, or why it was skipped."""

    name: str  # within the archive
    path: str
    size: int
    problem: Message | None = None


def unpack_into(spool: Spool, name: str, path: str, max_bytes: int) -> Iterator[ArchiveMember]:
    """The files of an archive, one in memory at a time. Raises FileError for the archive as a whole."""
    with open(path, "rb") as archive:
        for member in unpack(name, archive, Limits(file_bytes=max_bytes)):
            problem = member.problem or _unknown_kind(member.path, member.data, max_bytes)
            if problem:
                yield ArchiveMember(member.path, "", 0, problem)
            else:
                yield ArchiveMember(member.path, spool.write(member.data, sync=not _TOGETHER), len(member.data))
    spool.sync(everything=_TOGETHER)


def task_of(member: ArchiveMember, archive: Task) -> Task:
    """To store a file of an archive, as the archive was to be stored."""
    stem = archive.name.rpartition(".")[0] or archive.name
    return replace(
        archive,
        id=0,
        name=clean_path(f"{stem}/{member.name}"),
        origin=replace(archive.origin, file_path=member.name),
        path=member.path,
        size=member.size,
        status="skipped" if member.problem else "pending",
        problem=member.problem,
    )


def _unknown_kind(name: str, data: bytes, max_bytes: int) -> Message | None:
    """Why a file of an archive is not for us, which is no failure: nobody has chosen it."""
    if extension(name) in READERS and data.strip():
        return None
    try:
        read_document(name, data, max_bytes=max_bytes)
        return None
    except FileError as error:
        return error.in_full
