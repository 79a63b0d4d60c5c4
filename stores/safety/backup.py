"""A library as one file: what cannot be made again, taken while it is in use, and verified before it is trusted.

A zip of the database, the conversations, what people said of answers, question sets and runs, and the bytes of waiting
files, with a JSON that says what they are. Indexes and caches are not in it: they are made again. Nor are remembered
answers, which hold for one state of the library, nor the records of fetches and answers, which are a log: a restore
leaves them as they are.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sqlite3
import tempfile
import zipfile
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from errors import StoreError
from schema import Message
from stores.feedback import FEEDBACK
from stores.lab import LAB
from stores.problems import UnreadableDatabaseError, explaining_errors
from stores.sql.rows import last_generation
from stores.sql.sqlite import open_read_only

LIBRARY, CONVERSATIONS, SPOOL = "library.db", "conversations.sqlite", "incoming"
BESIDE = (CONVERSATIONS, FEEDBACK, LAB)  # databases of their own
NOTED = "last-backup"  # in the data folder: when the last one was made
FORMAT = 1
MANIFEST = "manifest.json"
_SLICE = 1 << 20  # bytes in memory at a time
_NOT_WRITTEN = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC}


class BackupPart(BaseModel):
    model_config = ConfigDict(frozen=True)

    bytes: int
    sha256: str


class Manifest(BaseModel):
    """What a backup says of itself."""

    model_config = ConfigDict(frozen=True)

    format: int
    schema_version: int
    generation: int
    made: str  # ISO 8601, UTC
    documents: int
    chunks: int
    waiting: int  # files on their way
    parts: dict[str, BackupPart]


def write_backup(folder: Path, path: Path, force: bool = False) -> Manifest:
    """Back up the library in a folder, beside whoever uses it. Written aside, on the disk and renamed when this
    returns. Raises StoreError: then there is no new file, and an old one is as it was."""
    path = path.absolute()
    if not (folder / LIBRARY).exists():
        raise no_library(folder)
    if path.is_dir():
        raise StoreError(
            Message(zh=f"{path} 是文件夹。", en=f"{path} is a folder."),
            Message(zh="请写出备份文件的名字，如 library.zip。", en="Name the file to write, such as library.zip."),
        )
    if path.exists() and not force:
        raise _exists(path)
    try:
        with tempfile.TemporaryDirectory(prefix=".citewise-", dir=path.parent, ignore_cleanup_errors=True) as made:
            aside = Path(made)
            waiting = _snapshot(folder, aside)
            manifest = _packed(aside, aside / "backup.zip", waiting)
            _publish(aside / "backup.zip", path, force)
    except OSError as error:
        raise StoreError(
            Message(
                zh=f"无法写入备份文件 {path}（{error.strerror}）。", en=f"{path} cannot be written ({error.strerror})."
            ),
            Message(
                zh="请检查文件夹是否存在、权限和磁盘空间，或换一个位置。",
                en="Check that its folder is there, its permissions and the disk, or choose another place.",
            ),
        ) from error
    with suppress(OSError):  # a full disk: the backup is there all the same
        (folder / NOTED).write_text(manifest.made)
    return manifest


def last_backup(folder: Path) -> datetime | None:
    """When the library was backed up last; None: never, or nobody knows."""
    try:
        return datetime.fromisoformat((folder / NOTED).read_text().strip())
    except (OSError, ValueError):
        return None


def _snapshot(folder: Path, aside: Path) -> int:
    """The parts as files, of one moment. Files on their way that are stored while this goes on are gone after that:
    then it is another moment's turn. The number of tasks."""
    copied: set[str] = set()
    lacking: set[str] | None = None
    while True:
        with explaining_errors(folder / LIBRARY):
            _copy(folder / LIBRARY, aside / LIBRARY)
            paths = _verified(aside / LIBRARY)
        names = {Path(path).name for path in paths if Path(path).parent.name == SPOOL}
        gone = {name for name in names - copied if not _fetched(folder / SPOOL / name, aside / SPOOL / name)}
        copied |= names - gone
        if not gone or gone == lacking:  # twice the same ones: their tasks have no files, and fail with that
            break
        lacking = gone
    for name in copied - names:
        (aside / SPOOL / name).unlink()
    for name in BESIDE:
        if (folder / name).exists():
            with explaining_errors(folder / name):
                _copy(folder / name, aside / name)
    return len(paths)


def _copy(source: Path, target: Path) -> None:
    """Raises OSError where the target cannot be written, for which the library is not to blame."""
    target.unlink(missing_ok=True)
    try:
        with closing(open_read_only(source)) as old, closing(sqlite3.connect(target, isolation_level=None)) as new:
            old.backup(new)
            new.execute("PRAGMA journal_mode = DELETE")  # one file holds it all
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode in _NOT_WRITTEN:
            raise OSError(errno.EIO, str(error)) from error
        raise


def _verified(library: Path) -> list[str]:
    """The paths of its tasks. Raises Unreadable: a backup of a damaged library would be trusted."""
    with closing(sqlite3.connect(library, isolation_level=None)) as connection:
        if (verdict := connection.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
            raise UnreadableDatabaseError(library, verdict)
        if connection.execute("PRAGMA user_version").fetchone()[0] < 2:  # there were no tasks
            return []
        return [os.fsdecode(path) for (path,) in connection.execute("SELECT path FROM tasks")]


def _fetched(source: Path, target: Path) -> bool:
    target.parent.mkdir(exist_ok=True)
    try:
        shutil.copyfile(source, target)
    except FileNotFoundError:
        target.unlink(missing_ok=True)
        return False
    return True


def _packed(aside: Path, target: Path, waiting: int) -> Manifest:
    with closing(sqlite3.connect(aside / LIBRARY, isolation_level=None)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        documents, chunks = connection.execute("SELECT count(*), coalesce(sum(chunks), 0) FROM documents").fetchone()
        generation = last_generation(connection)
    files = [LIBRARY, *BESIDE, *sorted(f"{SPOOL}/{path.name}" for path in (aside / SPOOL).glob("*"))]
    with (
        target.open("wb") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, allowZip64=True, compresslevel=1) as archive,
    ):
        parts = {name: _pack(archive, name, aside / name) for name in files if (aside / name).exists()}
        manifest = Manifest(
            format=FORMAT, schema_version=version, generation=generation,
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            documents=documents, chunks=chunks, waiting=waiting, parts=parts,
        )  # fmt: skip
        archive.writestr(MANIFEST, manifest.model_dump_json(indent=1))
    return manifest


def _pack(archive: zipfile.ZipFile, name: str, source: Path) -> BackupPart:
    digest, size = hashlib.sha256(), 0
    with source.open("rb") as file, archive.open(name, "w", force_zip64=True) as part:
        while block := file.read(_SLICE):
            digest.update(block)
            size += part.write(block)
    return BackupPart(bytes=size, sha256=digest.hexdigest())


def _publish(made: Path, path: Path, force: bool) -> None:
    _synced(made)
    if force:
        os.replace(made, path)
    else:
        try:
            os.link(made, path)  # unlike a rename, it refuses where another has come meanwhile
        except FileExistsError as error:
            raise _exists(path) from error
        except OSError:  # a disk without links
            os.replace(made, path)
    if os.name == "posix":
        _synced(path.parent)


def _synced(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def no_library(folder: Path) -> StoreError:
    return StoreError(
        Message(zh=f"{folder} 里没有知识库。", en=f"There is no library in {folder}."),
        Message(
            zh="请用 --folder 或 CITEWISE_DATA_DIR 指明数据文件夹。",
            en="Name the data folder with --folder or CITEWISE_DATA_DIR.",
        ),
    )


def _exists(path: Path) -> StoreError:
    return StoreError(
        Message(zh=f"{path} 已经存在，没有覆盖。", en=f"{path} exists already; it was not overwritten."),
        Message(zh="请换一个名字，或加 --force 覆盖。", en="Choose another name, or overwrite it with --force."),
    )
