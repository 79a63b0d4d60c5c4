"""Whether a library is whole: looked at from outside, changing nothing, also while a program uses it."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from schema import Message
from stores.indexes import faiss_index, tantivy_index
from stores.problems import DamagedFileError, UnreadableDatabaseError, count_phrase, explaining_errors
from stores.safety import journal
from stores.safety.backup import BESIDE, LIBRARY, SPOOL, no_library
from stores.safety.integrity import content_flaws, database_flaws
from stores.sql.migrations import MIGRATIONS, migrate
from stores.sql.reading import chunks_by_set, counts
from stores.sql.rows import last_generation
from stores.sql.spaces import serving
from stores.sql.sqlite import open_read_only

Kind = Literal["ok", "healed", "loss", "damage"]

_TRIES = 5
_PAUSE = 0.1  # seconds between two looks at an index that is being written
_CACHES = ("answers.sqlite", "pages.sqlite", "vectors.db")


@dataclass(frozen=True)
class HealthFinding:
    """About one part of a library. Healed: it is not right, and the store makes it so at its next opening by itself."""

    kind: Kind
    part: str
    message: Message
    remedy: Message | None = None


def check_library(folder: Path) -> list[HealthFinding]:
    """Every part of a library, the good ones as well. Raises StoreError where there is none, it cannot be read, or a
    newer version wrote it."""
    if not (folder / LIBRARY).exists():
        raise no_library(folder)
    entries = journal.read(folder / journal.JOURNAL)  # before SQLite is read: what is told later is no loss
    try:
        with _snapshot(folder) as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version > len(MIGRATIONS):
                migrate(connection)  # says so
            findings = [HealthFinding("damage", LIBRARY, flaw.message, _REBUILD) for flaw in database_flaws(connection)]
            if version < len(MIGRATIONS):
                return [*findings, HealthFinding("ok", LIBRARY, _OLDER), *_files(folder)]
            flaws = content_flaws(connection)
            findings += [HealthFinding("damage", LIBRARY, flaw.message, _REBUILD) for flaw in flaws]
            if not findings:
                findings = [HealthFinding("ok", LIBRARY, _whole(*counts(connection)[:2]))]
            losses = journal.unresolved_losses(connection, journal.mark_lost(connection, entries))
            findings += [HealthFinding("loss", LIBRARY, journal.loss_message(losses), _MADE_UP)] if losses else []
    except (UnreadableDatabaseError, sqlite3.DatabaseError) as error:
        message = Message(zh=f"数据库损坏：{error}", en=f"The database is damaged: {error}")
        return [HealthFinding("damage", LIBRARY, message, _REBUILD), *_files(folder)]
    return [*findings, *_waiting(folder), _terms(folder), _vectors(folder), *_files(folder)]


@contextmanager
def _snapshot(folder: Path) -> Iterator[sqlite3.Connection]:
    with explaining_errors(folder / LIBRARY), closing(open_read_only(folder / LIBRARY)) as connection:
        connection.execute("BEGIN")
        yield connection


# --- files on their way ------------------------------------------------------------------------------------------


def _waiting(folder: Path) -> Iterator[HealthFinding]:
    """Those whose bytes are gone. A file may just have been stored, and is no task any more at a second look."""
    lacking = _lacking(folder)
    if lacking and (lacking := lacking & _lacking(folder)):
        names = [name for _, name in sorted(lacking)]
        yield HealthFinding(
            "loss",
            SPOOL,
            Message(
                zh=f"{len(names)} 个等待处理的文件已不在了：{'、'.join(names)}",
                en=f"{len(names)} files that wait are not there any more: {', '.join(names)}",
            ),
            Message(zh="请重新上传。", en="Upload them again."),
        )


def _lacking(folder: Path) -> set[tuple[int, str]]:
    query = "SELECT id, name, path FROM tasks WHERE job = 'add' AND status IN ('pending', 'processing')"
    with _snapshot(folder) as connection:
        tasks = [(key, name, Path(os.fsdecode(path))) for key, name, path in connection.execute(query)]
    return {
        (key, name) for key, name, path in tasks if not path.exists() and not (folder / SPOOL / path.name).is_file()
    }


# --- what is derived ---------------------------------------------------------------------------------------------


def _terms(folder: Path) -> HealthFinding:
    """The keyword index; it may be merged or written while it is read, or be a commit behind."""
    part, path = "terms", folder / "terms"
    if not path.exists():
        return HealthFinding("healed", part, _BUILT_LATER)
    if not os.access(path, os.W_OK):
        return HealthFinding("ok", part, _BARRED)
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE)
        try:
            generation, indexed = tantivy_index.look(path)
        except DamagedFileError as error:
            found = HealthFinding("damage", part, _broken(error), _REBUILD_OR_OPEN)
            continue
        with _snapshot(folder) as connection:
            stored, wanted = chunks_by_set(connection), last_generation(connection)
        if indexed == stored:
            return HealthFinding("ok", part, _indexed(len(indexed)))
        found = HealthFinding("ok", part, _BEHIND)
        if generation == wanted:
            found = HealthFinding("damage", part, _broken(f"{len(indexed)} ≠ {len(stored)}"), _REBUILD_OR_OPEN)
    return found


def _vectors(folder: Path) -> HealthFinding:
    """The saved vector index, which is written now and then, and at closing."""
    part, path = "vectors.faiss", folder / "vectors.faiss"
    with _snapshot(folder) as connection:
        space, generation = serving(connection), last_generation(connection)
    if not path.exists():
        return HealthFinding(
            "ok", part, _NO_VECTORS if space is None else _BUILT_LATER
        )  # nor has a new library in use one
    try:
        reflected, key = faiss_index.look(path)
    except DamagedFileError as error:
        return HealthFinding("damage", part, _broken(error), _REBUILD_OR_OPEN)
    if space is None or key != space.key:
        return HealthFinding("healed", part, _OTHER_SPACE)
    return HealthFinding("ok", part, _WHOLE if reflected >= generation else _BEHIND)


# --- other files -------------------------------------------------------------------------------------------------


def _files(folder: Path) -> Iterator[HealthFinding]:
    for name in (*BESIDE, *_CACHES):
        if (folder / name).exists():
            problem = _damage(folder / name)
            remedy = _MOVE_AWAY if name in BESIDE else _DELETE
            yield (
                HealthFinding("damage", name, _broken(problem), remedy)
                if problem
                else HealthFinding("ok", name, _WHOLE)
            )


def _damage(path: Path) -> str:
    try:
        with closing(open_read_only(path)) as connection:
            verdict = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if verdict == "ok" else verdict


def _whole(documents: int, chunks: int) -> Message:
    return Message(
        zh=f"完好：{documents} 个文件，{chunks} 个切片。",
        en=f"Whole: {count_phrase(documents, 'document')}, {count_phrase(chunks, 'chunk')}.",
    )


def _broken(why: object) -> Message:
    return Message(zh=f"已损坏（{why}）。", en=f"Damaged ({why}).")


def _indexed(chunks: int) -> Message:
    return Message(zh=f"完好：{chunks} 个切片。", en=f"Whole: {count_phrase(chunks, 'chunk')}.")


_WHOLE = Message(zh="完好。", en="Whole.")
_BEHIND = Message(
    zh="完好；比数据库旧一些，打开知识库时会自动补上。",
    en="Whole; somewhat older than the database, which it catches up with when the library is opened.",
)
_BUILT_LATER = Message(zh="还没有，打开知识库时会自动建立。", en="Not there; it is built when the library is opened.")
_BARRED = Message(
    zh="没有检查：这个文件夹不可写，打开索引要放一个锁文件。",
    en="Not examined: the folder cannot be written, and the index is opened with a lock file in it.",
)
_OTHER_SPACE = Message(
    zh="属于另一个向量空间，打开知识库时会自动重建。",
    en="Of another embedding space; it is rebuilt when the library is opened.",
)
_NO_VECTORS = Message(zh="还没有向量。", en="There are no vectors yet.")
_OLDER = Message(
    zh="旧版本的格式，打开知识库时会自动升级；只检查了文件本身。",
    en="Of an older format, which is brought up to date when the library is opened; the file alone was checked.",
)
_REBUILD = Message(
    zh="运行 uv run cli.py rebuild 救回能读的部分，或用 uv run cli.py restore 从备份恢复。",
    en="Save what can be read with `uv run cli.py rebuild`, or bring back a backup with `uv run cli.py restore`.",
)
_REBUILD_OR_OPEN = Message(
    zh="运行 uv run cli.py rebuild，或重新打开知识库，都会重建它。",
    en="`uv run cli.py rebuild` rebuilds it, and so does opening the library again.",
)
_MADE_UP = Message(
    zh="补上之后这条提示会消失；要忽略它，运行 uv run cli.py rebuild。",
    en="This goes when it is made up for; to dismiss it, run `uv run cli.py rebuild`.",
)
_MOVE_AWAY = Message(
    zh="用 uv run cli.py restore 从备份恢复，或在程序关闭后移走这个文件（对话会重新开始）。",
    en="Bring back a backup with `uv run cli.py restore`, or move the file away while the program is closed "
    "(conversations begin anew).",
)
_DELETE = Message(
    zh="只是缓存：程序关闭后可以删除这个文件。", en="It is only a cache: delete the file while the program is closed."
)
