"""`rebuild` and `restore` of a library, whoever holds it and however damaged it is."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from schema import Message
from stores.embedded import EmbeddedStore
from stores.folder import FolderHeld, FolderLock
from stores.problems import UnreadableDatabaseError, explaining_errors
from stores.safety.backup import LIBRARY, no_library
from stores.safety.backup_reading import ASIDE, open_backup
from stores.safety.content_replacement import (
    keep_damaged,
    kept_message,
    place_files,
    renumber,
    replace_conversations,
    restored_message,
    salvaged_message,
)
from stores.safety.journal import JOURNAL, read
from stores.safety.requests import send_request
from stores.safety.salvage import salvage

_UNREADABLE = (UnreadableDatabaseError, sqlite3.DatabaseError, zlib.error, ValueError)


def rebuild_library(folder: Path) -> list[Message]:
    """As `EmbeddedStore.rebuild`, by the program that holds the library if there is one. Raises StoreError."""
    if not (folder / LIBRARY).exists():
        raise no_library(folder)

    def by_files() -> list[Message]:
        with closing(FolderLock(folder)), tempfile.TemporaryDirectory(prefix=ASIDE, dir=folder) as aside:
            messages, kept = salvage(folder / LIBRARY, Path(aside) / LIBRARY), keep_damaged(folder)
            _exchange(folder, Path(aside) / LIBRARY)
            return [*messages, salvaged_message(kept)]

    return _repair_by_owner(folder, EmbeddedStore.rebuild, lambda: send_request(folder, "rebuild"), by_files)


def restore_library(folder: Path, path: Path, keep: bool = True) -> list[Message]:
    """As `EmbeddedStore.restore`, by the program that holds the library if there is one. Raises StoreError."""
    path = path.absolute()

    def by_files() -> list[Message]:
        with open_backup(path, folder) as content, closing(FolderLock(folder)):
            kept = [kept_message(keep_damaged(folder))] if keep and (folder / LIBRARY).exists() else []
            place_files(content, folder)
            _exchange(folder, content.library)
            replace_conversations(content, folder)
            return [*kept, restored_message(content)]

    if not (folder / LIBRARY).exists():  # where the backup is none either, no library is made
        return _by_files(folder, by_files)
    return _repair_by_owner(
        folder,
        lambda store: store.restore(path, keep),
        lambda: send_request(folder, "restore", path=str(path), keep=keep),
        by_files,
    )


def _repair_by_owner(
    folder: Path,
    work: Callable[[EmbeddedStore], list[Message]],
    asked: Callable[[], list[Message] | None],
    by_files: Callable[[], list[Message]],
) -> list[Message]:
    """By whoever can: this process, the one that holds the library, or, where it is too damaged to be opened, without
    a store."""
    while True:
        try:
            store = EmbeddedStore(folder)
        except FolderHeld:
            if (messages := asked()) is not None:
                return messages
            continue  # whoever held it has ended
        except _UNREADABLE:
            break
        try:
            return work(store)
        except UnreadableDatabaseError:
            break
        finally:
            store.close()
    return _by_files(folder, by_files)


def _by_files(folder: Path, work: Callable[[], list[Message]]) -> list[Message]:
    messages = work()
    EmbeddedStore(folder).close()  # the indexes are made
    return messages


def _exchange(folder: Path, library: Path) -> None:
    """Another database in place of one that cannot be opened. A copy of that is kept by now."""
    highest = max((entry.generation for entry in read(folder / JOURNAL)), default=0)
    with explaining_errors(library), closing(sqlite3.connect(library, isolation_level=None)) as connection:
        renumber(connection, highest, 0, shift=False)
    for ending in ("-wal", "-shm"):
        (folder / (LIBRARY + ending)).unlink(missing_ok=True)
    os.replace(library, folder / LIBRARY)
    (folder / JOURNAL).unlink(missing_ok=True)
    shutil.rmtree(folder / "terms", ignore_errors=True)
    for path in folder.glob("vectors.faiss*"):
        path.unlink()
