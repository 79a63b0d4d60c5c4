"""What was committed last, beside the database: how a loss of commits is noticed and named.

SQLite reopens after a damage of its log with the commits before it, and says nothing. So each commit is told here as a
line of JSON once it is on the disk: a line whose commit SQLite does not know is a loss, whatever the clock or a kill
has done. Nothing here is synced: a power cut may take the last lines, and then a loss that came with it goes unnamed,
but no line is ever there before its commit. What is in the database file itself can no longer be lost with the log, so
after a checkpoint the lines are dropped.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from schema import Message
from stores.folder import private_opener
from stores.sql.rows import last_generation
from stores.sql.sqlite import Change, Database

log = logging.getLogger(__name__)

JOURNAL = "journal.jsonl"
_ROOM = 1 << 18  # bytes of lines after which a checkpoint is asked for; a log of 1,000 pages takes fewer
_MOST_NAMED = 20  # documents


@dataclass(frozen=True)
class JournalEntry:
    """A commit, as its line tells it."""

    generation: int
    at: str  # ISO 8601, UTC
    told: Sequence[Sequence[str]]  # what was done, to which set and document
    task: int = 0
    lost: bool = False


class Journal:
    """Its methods are called by one thread at a time (the store's lock); its notices may be read by any."""

    def __init__(self, database: Database, path: Path | None) -> None:
        """Compare what was told with what is there. Without a path nothing is told."""
        self._database, self._path = database, path
        self._size = self._room = 0
        self._losses: tuple[int, Sequence[JournalEntry]] = (-1, [])  # as of which generation
        entries = read(path) if path else []
        if path is None or not entries:
            return
        if database.new:  # somebody has taken the database away; an id is not used twice even so
            self._raise(entries)
            entries = []
        with database.reading() as connection:
            known, entries = entries, mark_lost(connection, entries)
            losses = unresolved_losses(connection, entries)
        if entries != known:
            self._raise(entries)
        self._losses = database.generation, losses
        for notice in self.notices:
            log.warning("%s", notice.en)
        self._write([*losses, *(entry for entry in entries if not entry.lost)])

    @property
    def notices(self) -> list[Message]:
        """What was lost, as it was found at opening, and is not made up for by now."""
        generation, losses = self._losses
        if losses and generation != self._database.generation:
            generation = self._database.generation
            with self._database.reading() as connection:
                losses = unresolved_losses(connection, losses)
            self._losses = generation, losses
        return [loss_message(losses)] if losses else []

    def note(self, change: Change) -> None:
        """After its commit. What cannot be written is no reason for a change to fail."""
        if self._path is None or not (change.told or change.generation):
            return
        generation = change.generation or self._database.generation
        line = _line(JournalEntry(generation, _now(), change.told, change.task))
        try:
            with open(self._path, "ab", opener=private_opener) as file:
                self._size = file.tell() + file.write(line)
        except OSError as error:
            log.warning("the journal cannot be written: %s", error)
        if self._size > max(self._room, _ROOM):
            self.shorten()

    def shorten(self) -> None:
        """Drop what the database file itself holds by now."""
        if self._path is None or not self._path.exists():
            return
        if self._database.checkpoint():
            self.forget(losses=False)
        else:  # somebody still reads an older state
            self._room = 2 * self._size

    def forget(self, losses: bool = True) -> None:
        """Begin anew: with another content, what was told of the one before means nothing."""
        if self._path is not None:
            self._write([] if losses else [entry for entry in read(self._path) if entry.lost])
            self._losses = (-1, []) if losses else self._losses

    def last_task(self) -> int:
        """The highest number that is told of."""
        return max((entry.task for entry in read(self._path)), default=0) if self._path else 0

    def _raise(self, entries: Sequence[JournalEntry]) -> None:
        """Generations and ids that were given once are not given again, even where the clock was put back. One above
        them all: an index that has followed a lost commit must not be taken for one of this state."""
        with self._database.writing() as connection:
            advance(connection, max(entry.generation for entry in entries) + 1, max(entry.task for entry in entries))

    def _write(self, entries: Sequence[JournalEntry]) -> None:
        assert self._path is not None
        aside = self._path.with_suffix(".new")
        try:
            content = b"".join(map(_line, entries))
            aside.write_bytes(content)
            os.replace(aside, self._path)
            self._size = self._room = len(content)
        except OSError as error:
            log.warning("the journal cannot be written: %s", error)


def advance(connection: sqlite3.Connection, generation: int, task: int) -> None:
    """Never back."""
    connection.execute("UPDATE meta SET value = max(value, ?) WHERE key = 'generation'", [generation])
    if task > last_task(connection):
        connection.execute("DELETE FROM sqlite_sequence WHERE name = 'tasks'")
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('tasks', ?)", [task])


def read(path: Path) -> list[JournalEntry]:
    """The lines that are whole."""
    entries = []
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return []
    for line in lines:
        try:
            entries.append(JournalEntry(**json.loads(line)))
        except (ValueError, TypeError):  # the machine went down while it was written
            continue
    return entries


def mark_lost(connection: sqlite3.Connection, entries: Sequence[JournalEntry]) -> list[JournalEntry]:
    """The entries, with those marked as lost whose commit the database does not know."""
    generation, task = last_generation(connection), last_task(connection)
    return [
        JournalEntry(**{**asdict(entry), "lost": entry.lost or entry.generation > generation or entry.task > task})
        for entry in entries
    ]


def unresolved_losses(connection: sqlite3.Connection, entries: Sequence[JournalEntry]) -> list[JournalEntry]:
    """The losses that nobody has made up for since."""
    losses = []
    for entry in entries:
        open_documents = (
            [one for one in entry.told if not _made_up(connection, entry.generation, *one)] if entry.lost else []
        )
        if open_documents:
            losses.append(JournalEntry(**{**asdict(entry), "told": open_documents}))
    return losses


def _made_up(connection: sqlite3.Connection, generation: int, what: str, doc_set: str, name: str) -> bool:
    """Whether the library is by now as if the change had not been lost."""
    if what == "renamed":
        return connection.execute("SELECT 1 FROM doc_sets WHERE name = ?", [name]).fetchone() is None
    query = "SELECT generation FROM documents WHERE name = ? AND doc_set = ?"
    row = connection.execute(query, [name, doc_set]).fetchone()
    if what == "deleted":
        return row is None
    if what == "waiting":
        query = "SELECT 1 FROM tasks WHERE name = ? AND doc_set = ?"
        return row is not None or connection.execute(query, [name, doc_set]).fetchone() is not None
    return row is not None and (what == "moved" or row[0] > generation)


def loss_message(losses: Sequence[JournalEntry]) -> Message:
    """Which documents, since when, and what to do."""
    by_remedy: dict[str, dict[str, None]] = {}
    for entry in losses:
        for what, doc_set, name in entry.told:
            by_remedy.setdefault(_REMEDY[what], {})[f"{doc_set}/{name}" if doc_set else name] = None
    since = min(entry.at for entry in losses)[:19].replace("T", " ")
    return Message(
        zh=f"{since} (UTC) 起的部分改动丢失了：数据库的日志文件损坏。"
        + "".join(f"{_SAID[how].zh}：{_named(names, '、')}。" for how, names in by_remedy.items()),
        en=f"Changes made since {since} (UTC) are lost: the log of the database was damaged. "
        + " ".join(f"{_SAID[how].en}: {_named(names, ', ')}." for how, names in by_remedy.items()),
    )


_REMEDY = {
    "added": "upload", "replaced": "upload", "unchanged": "upload", "waiting": "upload", "deleted": "delete",
    "moved": "move", "renamed": "rename",
}  # fmt: skip
_SAID = {
    "upload": Message(zh="请重新上传", en="Upload again"),
    "delete": Message(zh="请重新删除", en="Delete again"),
    "move": Message(zh="请重新移动", en="Move again"),
    "rename": Message(zh="请重新改名", en="Rename again"),
}


def _named(names: Sequence[str] | dict[str, None], comma: str) -> str:
    listed = list(names)
    more = f"{comma}… (+{len(listed) - _MOST_NAMED})" if len(listed) > _MOST_NAMED else ""
    return comma.join(listed[:_MOST_NAMED]) + more


def _line(entry: JournalEntry) -> bytes:
    return json.dumps(asdict(entry)).encode() + b"\n"


def last_task(connection: sqlite3.Connection) -> int:
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'tasks'").fetchone()
    return int(row[0]) if row else 0


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
