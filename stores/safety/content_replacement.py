"""Another content for a library that is in use, and its derived indexes made anew."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from schema import Message
from stores.indexes.library_terms import LibraryTermIndex
from stores.indexes.library_vectors import LibraryVectorIndex
from stores.problems import UnreadableDatabaseError, count_phrase, explaining_errors
from stores.safety.backup import BESIDE, LIBRARY, SPOOL, write_backup
from stores.safety.backup_reading import ASIDE, BackupContent
from stores.safety.integrity import content_flaws, database_flaws
from stores.safety.journal import Journal, advance, last_task
from stores.safety.salvage import salvage
from stores.sql.rows import next_generation
from stores.sql.spaces import serving
from stores.sql.sqlite import Database, copy_content

log = logging.getLogger(__name__)


class ContentReplacement:
    """Its methods are called by one thread at a time, which holds the store's locks: nothing is written meanwhile, and
    searches go on with the old indexes. A chunk that is gone from SQLite is left out of what they find."""

    def __init__(
        self, folder: Path, database: Database, journal: Journal, nearest: LibraryVectorIndex, terms: LibraryTermIndex
    ) -> None:
        self._folder, self._database, self._journal = folder, database, journal
        self._nearest, self._terms = nearest, terms

    def rebuild(self) -> list[Message]:
        """Both derived indexes anew; where the database is damaged, first what can be read of it in its place. What
        was done. Raises StoreError."""
        messages = self._salvaged() if self._flawed() else []
        self._journal.forget()
        self._derive()
        return [*messages, _REBUILT]

    def restore(self, content: BackupContent, keep: bool) -> list[Message]:
        """What was done. Raises StoreError."""
        messages = []
        if keep:
            try:
                kept = free_path(self._folder / f"replaced-{timestamp()}.zip")
                write_backup(self._folder, kept)
            except UnreadableDatabaseError:
                kept = keep_damaged(self._folder)
            messages.append(kept_message(kept))
        place_files(content, self._folder)
        self._take(content.library)
        self._derive()
        replace_conversations(content, self._folder)
        return [*messages, restored_message(content)]

    def _flawed(self) -> bool:
        try:
            with self._database.reading() as connection:
                flaws = [*database_flaws(connection), *content_flaws(connection)]
        except (UnreadableDatabaseError, sqlite3.DatabaseError):
            return True
        for flaw in flaws:
            log.warning("%s", flaw.message.en)
        return bool(flaws)

    def _salvaged(self) -> list[Message]:
        kept = keep_damaged(self._folder)
        with tempfile.TemporaryDirectory(prefix=ASIDE, dir=self._folder) as aside:
            messages = salvage(self._folder / LIBRARY, Path(aside) / LIBRARY)
            self._take(Path(aside) / LIBRARY)
        return [*messages, salvaged_message(kept)]

    def _take(self, library: Path) -> None:
        """Ids, generations and numbers of tasks go on from where they are: none comes to mean something else."""
        try:
            with self._database.reading() as connection:
                task = last_task(connection)
        except UnreadableDatabaseError:
            task = self._journal.last_task()
        with explaining_errors(library), closing(sqlite3.connect(library, isolation_level=None)) as connection:
            renumber(connection, self._database.generation, task, shift=True)
        self._database.replace(library)
        self._journal.forget()

    def _derive(self) -> None:
        with self._database.reading() as connection:
            space = serving(connection)
        if space is None:
            self._nearest.clear()
        else:
            self._nearest.rebuild(space.key, space.dimensions)
            self._nearest.save()
        self._terms.rebuild()


def renumber(connection: sqlite3.Connection, generation: int, task: int, shift: bool) -> None:
    """Go on above a generation and a task. Shifted, the tasks that are there are other ones than those of the same
    numbers, which may just be worked on."""
    highest = max(task, last_task(connection))
    if shift:
        connection.execute("UPDATE tasks SET id = id + ?", [highest])
        highest *= 2
    advance(connection, generation, highest)
    next_generation(connection)


def place_files(content: BackupContent, folder: Path) -> None:
    """The bytes of waiting files. Their names are by chance: what is there under one of them is the same."""
    (folder / SPOOL).mkdir(exist_ok=True)
    for path in (content.folder / SPOOL).iterdir():
        os.replace(path, folder / SPOOL / path.name)


def replace_conversations(content: BackupContent, folder: Path) -> None:
    """And what people said of answers."""
    for name in BESIDE:
        if (content.folder / name).exists():
            _replace(content.folder / name, folder / name)


def _replace(source: Path, target: Path) -> None:
    try:
        with closing(sqlite3.connect(target, isolation_level=None, timeout=10)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            copy_content(source, connection)
    except sqlite3.DatabaseError as error:
        log.warning("what was there in %s cannot be read: %s", target.name, error)
        for ending in ("-wal", "-shm"):
            target.with_name(target.name + ending).unlink(missing_ok=True)
        os.replace(source, target)


def keep_damaged(folder: Path) -> Path:
    """A copy of the database as it is, log and all."""
    kept = free_path(folder / f"damaged-{timestamp()}")
    kept.mkdir()
    for path in folder.glob(f"{LIBRARY}*"):
        if not path.name.endswith("-shm"):
            shutil.copy2(path, kept / path.name)
    return kept


def free_path(path: Path) -> Path:
    """A name that nothing has yet."""
    names = (path.with_name(f"{path.stem}{f'-{n}' if n else ''}{path.suffix}") for n in range(1_000))
    return next(name for name in names if not name.exists())


def timestamp() -> str:
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S")


_REBUILT = Message(zh="检索索引已全部重建。", en="The search indexes were rebuilt.")


def salvaged_message(kept: Path) -> Message:
    return Message(
        zh=f"数据库损坏，能读的部分已全部救回；损坏的文件留在 {kept}。",
        en=f"The database was damaged; all that could be read was saved. The damaged file is kept in {kept}.",
    )


def kept_message(kept: Path) -> Message:
    return Message(
        zh=f"原来的知识库留在 {kept}，不需要时可以删除。",
        en=f"The library as it was is kept in {kept}; delete it when you do not need it.",
    )


def restored_message(content: BackupContent) -> Message:
    made = content.manifest
    when = made.made[:16].replace("T", " ")
    held = f"{count_phrase(made.documents, 'document')}, {count_phrase(made.chunks, 'chunk')}"
    return Message(
        zh=f"已恢复到 {when} (UTC) 的备份：{made.documents} 个文件，{made.chunks} 个切片。",
        en=f"Restored to the backup of {when} (UTC): {held}.",
    )
