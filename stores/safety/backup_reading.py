"""A backup back out of its file: verified, brought up to date, and only then trusted."""

from __future__ import annotations

import hashlib
import re
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from pydantic import ValidationError

from errors import StoreError
from schema import Message
from stores.problems import explaining_errors, unwritable
from stores.safety.backup import BESIDE, FORMAT, LIBRARY, MANIFEST, SPOOL, BackupPart, Manifest
from stores.sql.migrations import MIGRATIONS, migrate
from stores.sql.reading import counts

ASIDE = ".restore-"  # begins the names of folders that a killed process may have left
_OURS = re.compile(rf"{LIBRARY}|{'|'.join(BESIDE)}|{SPOOL}/[0-9a-f]{{32}}(\.citewise-document)?")
_SLICE = 1 << 20  # bytes in memory at a time
_LARGEST_MANIFEST = 100_000_000  # bytes


class BackupContent(NamedTuple):
    """An unpacked backup, verified, its database brought up to date."""

    folder: Path
    manifest: Manifest

    @property
    def library(self) -> Path:
        return self.folder / LIBRARY


@contextmanager
def open_backup(path: Path, folder: Path) -> Iterator[BackupContent]:
    """Verify a backup and unpack it aside, in the folder that it goes to. Raises StoreError when it is not whole, not a
    backup, or of a newer version; nothing is changed then."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=ASIDE, dir=folder, ignore_cleanup_errors=True) as aside:
            manifest = _extracted(path, Path(aside))
            with explaining_errors(path):
                _prepare(path, Path(aside), manifest)
            yield BackupContent(Path(aside), manifest)
    except OSError as error:
        raise unwritable(folder, error) from error


def sweep(folder: Path) -> None:
    """Remove what a killed process has left."""
    for left in folder.glob(f"{ASIDE}*"):
        shutil.rmtree(left, ignore_errors=True)


def _extracted(path: Path, aside: Path) -> Manifest:
    try:
        file = path.open("rb")
    except OSError as error:
        raise StoreError(
            Message(
                zh=f"无法读取备份文件 {path}（{error.strerror}）。",
                en=f"The backup {path} cannot be read ({error.strerror}).",
            ),
            Message(zh="请检查文件名和权限。", en="Check its name and permissions."),
        ) from error
    try:
        with file, zipfile.ZipFile(file) as archive:
            manifest = _manifest(archive)
            (aside / SPOOL).mkdir()
            for name, part in manifest.parts.items():
                with archive.open(name) as packed, (aside / name).open("wb") as target:
                    _unpack(packed, target, part, name)
            return manifest
    except KeyError as error:
        raise _no_backup(path, str(error.args[0])) from error  # which it quotes
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise _no_backup(path, str(error)) from error


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    """Raises ValueError, StoreError."""
    if archive.getinfo(MANIFEST).file_size > _LARGEST_MANIFEST:
        raise ValueError("its manifest is too large")
    try:
        manifest = Manifest.model_validate_json(archive.read(MANIFEST))
    except ValidationError as error:
        raise ValueError("its manifest is not as it was written") from error
    if manifest.format > FORMAT or manifest.schema_version > len(MIGRATIONS):
        raise StoreError(
            Message(zh="这个备份由更新版本的程序写成。", en="This backup was written by a newer version."),
            Message(zh="请先更新程序。", en="Update the program first."),
        )
    if LIBRARY not in manifest.parts or not all(map(_OURS.fullmatch, manifest.parts)):
        raise ValueError("it does not hold what a backup holds")
    return manifest


def _unpack(packed: IO[bytes], target: IO[bytes], part: BackupPart, name: str) -> None:
    digest, left = hashlib.sha256(), part.bytes
    while block := packed.read(_SLICE):
        digest.update(block)
        left -= len(block)
        if left < 0:
            break
        target.write(block)
    if left or digest.hexdigest() != part.sha256:
        raise ValueError(f"{name} is not as it was written")


def _prepare(path: Path, aside: Path, manifest: Manifest) -> None:
    for name in (LIBRARY, *BESIDE):
        if (aside / name).exists():
            with closing(sqlite3.connect(aside / name, isolation_level=None)) as connection:
                verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
                if verdict != "ok" or connection.execute("PRAGMA foreign_key_check").fetchone():
                    raise _no_backup(path, f"{name}: {verdict}")
    with closing(sqlite3.connect(aside / LIBRARY, isolation_level=None)) as connection:
        if connection.execute("PRAGMA user_version").fetchone()[0] != manifest.schema_version:
            raise _no_backup(path, "its database is of another version than it says")
        connection.execute("PRAGMA foreign_keys = ON")
        migrate(connection)
        if counts(connection)[:2] != (manifest.documents, manifest.chunks):
            raise _no_backup(path, "its database holds other documents than it says")


def _no_backup(path: Path, why: str) -> StoreError:
    return StoreError(
        Message(
            zh=f"{path} 不是完整的 Citewise 备份（{why}）。知识库没有改变。",
            en=f"{path} is not a whole backup of Citewise ({why}). The library was not changed.",
        ),
        Message(zh="请换另一个备份文件。", en="Use another backup."),
    )
