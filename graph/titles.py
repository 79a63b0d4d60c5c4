"""The list of conversations that the page began, beside their checkpoints: titles, and the words they are found by."""

from __future__ import annotations

import asyncio
import logging
import re
import sqlite3
import uuid
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, unquote

import aiosqlite
from langchain_core.messages import AnyMessage
from langgraph.checkpoint.serde.base import SerializerProtocol

from stores.sql.migrations import Migration, migrate
from text import fold

log = logging.getLogger(__name__)

_WIDTH = 48  # of a title, in columns: a Chinese character takes two
LONGEST_TITLE = 200  # characters of one that a person has given
_OF_THE_PAGE = re.compile(r"(?:.*/)?[0-9a-f]{32}")  # names that the page gives; programs have names of their own
_COLUMNS = "thread_id, title, created, updated"


@dataclass(frozen=True)
class ConversationInfo:
    """One line of the list. `name` is what the browser knows the conversation by."""

    name: str
    title: str
    created: str  # ISO 8601, UTC
    updated: str


class Titles(ABC):
    """A list that cannot be written never ends a turn."""

    SAYS: str  # SQL: whether the words of a conversation hold a word

    @abstractmethod
    async def _write(self, statement: str, values: Sequence[object]) -> None:
        """With a question mark for each value. What cannot be written is a line in the log."""

    @abstractmethod
    async def _rows(self, query: str, values: Sequence[object]) -> list[Any]:
        """Raises sqlite3.Error or StoreError."""

    async def begin(self, thread_id: str, question: str, files: Sequence[str]) -> None:
        """From now on the conversation is listed."""
        now = _now()
        row = (thread_id, owner_of(thread_id), title_of(question, files), now, now)
        await self._write(
            """INSERT INTO conversations (thread_id, "user", title, created, updated) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (thread_id) DO UPDATE SET updated = excluded.updated""",
            row,
        )

    async def lists(self, thread_id: str) -> bool:
        return bool(await self._rows("SELECT 1 FROM conversations WHERE thread_id = ?", (thread_id,)))

    async def keep(self, thread_id: str, messages: Sequence[AnyMessage]) -> None:
        """The words that a listed one is found by, and its title, unless a person has given it one; what holds nothing
        is not listed."""
        if not (asked := next((message for message in messages if message.type == "human"), None)):
            await self._write("DELETE FROM conversations WHERE thread_id = ?", (thread_id,))
            return
        title = title_of(str(asked.content), asked.additional_kwargs.get("files", []))
        words = await asyncio.to_thread(_words, messages)
        await self._write(
            "UPDATE conversations SET said = ?, title = CASE WHEN renamed THEN title ELSE ? END WHERE thread_id = ?",
            (words, title, thread_id),
        )

    async def listed(self, user: str, find: str = "") -> list[ConversationInfo]:
        """Those of a user, newest first; of them those whose title, questions and replies hold every word of `find`."""
        words = _folded(find).split()
        asked = ", ".join([_COLUMNS, *[self.SAYS] * len(words)])
        query = f'SELECT {asked} FROM conversations WHERE "user" = ? ORDER BY updated DESC, created DESC'
        return [
            ConversationInfo(name_of(thread), title, created, updated)
            for thread, title, created, updated, *said in await self._rows(query, [*words, user])
            if not words or _has_all(words, _folded(title), said)
        ]

    async def rename(self, thread_id: str, title: str) -> None:
        """An empty title stands for its own, which `keep` gives it."""
        title = " ".join(title.encode("utf-8", "replace").decode().split())[:LONGEST_TITLE]
        change = "renamed = false" if not title else "renamed = true, title = ?"
        await self._write(f"UPDATE conversations SET {change} WHERE thread_id = ?", [*filter(None, [title]), thread_id])

    async def copy_to(self, other: Titles) -> None:
        """The lines that the other list lacks."""
        columns = 'thread_id, "user", title, created, updated, said, renamed'
        insert = f"INSERT INTO conversations ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        for *row, renamed in await self._rows(f"SELECT {columns} FROM conversations", ()):
            await other._write(insert, [*row, bool(renamed)])

    async def forget(self, thread_id: str) -> None:
        await self._write("DELETE FROM conversations WHERE thread_id = ?", (thread_id,))


class FileTitles(Titles):
    """In SQLite; shares the connection of the checkpoints."""

    SAYS = "instr(said, ?) > 0"

    def __init__(self, connection: aiosqlite.Connection, lock: asyncio.Lock) -> None:
        self._connection, self._lock = connection, lock

    async def _rows(self, query: str, values: Sequence[object]) -> list[Any]:
        return list(await self._connection.execute_fetchall(query, values))

    async def _write(self, statement: str, values: Sequence[object]) -> None:
        try:
            async with self._lock:
                try:
                    await self._connection.execute(statement, values)
                    await self._connection.commit()
                except sqlite3.Error:
                    await self._connection.rollback()  # else it would stay open, and come with the next one
                    raise
        except sqlite3.Error as error:
            log.warning("the list of conversations could not be written: %s", error)


def _has_all(words: Sequence[str], title: str, said: Sequence[bool]) -> bool:
    return all(also or word in title for word, also in zip(words, said, strict=True))


# --- titles and names ---------------------------------------------------------------------------------------------


def title_of(question: str, files: Sequence[str] = ()) -> str:
    """The first words of a question, in one line; of a message without words the files."""
    words = " ".join(question.split()) or ", ".join(files) or "…"
    widths = accumulate(1 if ord(character) < 0x1100 else 2 for character in words)
    fits = sum(width <= _WIDTH for width in widths)
    if fits == len(words):
        return words
    begun, _, broken = words[: fits + 1].rpartition(" ")
    return f"{begun if begun and len(broken) < 16 else words[:fits]}…"  # within a word only where it is very long


def thread_of(user: str, name: str) -> str:
    """The thread of one of a user's conversations: whatever name is asked for, it is never another user's."""
    return f"{quote(user, safe='')}/{name}" if user else name.replace("/", "")


def once_thread(user: str = "", kind: Literal["once", "compare"] = "once") -> str:
    """Of a conversation that is one question (`ONCE`); "compare": it was asked before, or will be."""
    return thread_of(user, f"{kind}-{uuid.uuid4().hex}")


def lab_thread(user: str = "") -> str:
    """Of a question that a run of the lab asks: it is kept with the run, and not listed."""
    return thread_of(user, f"lab-{uuid.uuid4().hex}")


def owner_of(thread_id: str) -> str:
    user, apart, _ = thread_id.partition("/")
    return unquote(user) if apart else ""


def name_of(thread_id: str) -> str:
    return thread_id.partition("/")[2] or thread_id


def _words(messages: Sequence[AnyMessage]) -> str:
    return _folded("\n".join(str(message.content) for message in messages))


def _folded(text: str) -> str:
    return fold(text).lower()


def _now() -> str:
    return datetime.now(UTC).isoformat()


# --- the table ----------------------------------------------------------------------------------------------------


def bring_up_to_date(path: Path, serde: SerializerProtocol) -> None:
    """Raises StoreError where a newer version wrote the file, sqlite3.Error where it cannot be used."""

    def first(connection: sqlite3.Connection) -> None:
        connection.execute("""CREATE TABLE conversations (
            thread_id TEXT PRIMARY KEY, user TEXT NOT NULL, title TEXT NOT NULL, renamed INTEGER NOT NULL DEFAULT 0,
            created TEXT NOT NULL, updated TEXT NOT NULL, said TEXT NOT NULL DEFAULT '')""")
        connection.execute("CREATE INDEX conversations_of_user ON conversations (user, updated)")
        _list_earlier(connection, serde)

    steps: Sequence[Migration] = (first,)
    with closing(sqlite3.connect(path, isolation_level=None, timeout=10)) as connection:
        migrate(connection, steps)


def _list_earlier(connection: sqlite3.Connection, serde: SerializerProtocol) -> None:
    """The conversations that the page began before there was a list, one after the other."""
    known = connection.execute("SELECT thread_id, max(checkpoint_id) FROM checkpoints GROUP BY thread_id").fetchall()
    for thread_id, checkpoint_id in known:
        if not _OF_THE_PAGE.fullmatch(thread_id):
            continue
        query = "SELECT type, checkpoint FROM checkpoints WHERE thread_id = ? AND checkpoint_id = ?"
        try:
            stored = serde.loads_typed(connection.execute(query, (thread_id, checkpoint_id)).fetchone())
            messages = stored["channel_values"].get("messages", [])
            asked = next(message for message in messages if message.type == "human")
        except Exception as error:  # whatever a damaged one raises: the others are listed all the same
            log.warning("a conversation is not listed, since it cannot be read: %s", error)
            continue
        connection.execute(
            "INSERT INTO conversations (thread_id, user, title, created, updated, said) VALUES (?, ?, ?, ?, ?, ?)",
            (
                thread_id, owner_of(thread_id), title_of(str(asked.content), asked.additional_kwargs.get("files", [])),
                stored["ts"], stored["ts"], _words(messages),
            ),
        )  # fmt: skip
