"""What people say of answers: a thumb, and a word if they like."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self
from urllib.parse import quote, unquote

from schema import Message
from stores.side_database import SideConnection, SideDatabase, copy_rows
from stores.side_file import SideFile, one_line

FEEDBACK = "feedback.sqlite"  # in the data folder
LONGEST = 1_000  # characters of a word
_SUMMARY = 500  # characters that are kept of a question and of an answer
_PAGE = 1_000  # rows of an export in memory at a time
_SCHEMA = """
CREATE TABLE IF NOT EXISTS feedback (
    id INTEGER PRIMARY KEY, thread TEXT NOT NULL, turn TEXT NOT NULL, value INTEGER NOT NULL CHECK (value IN (-1, 1)),
    word TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL, strategy TEXT NOT NULL,
    answered_by TEXT NOT NULL, given TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS feedback_turn ON feedback (thread, turn) WHERE thread != '';"""

_PUT = """INSERT INTO feedback (thread, turn, value, word, question, answer, strategy, answered_by, given)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (thread, turn) WHERE thread != '' DO UPDATE SET
    value = excluded.value, word = excluded.word, question = excluded.question, answer = excluded.answer,
    strategy = excluded.strategy, answered_by = excluded.answered_by, given = excluded.given"""

Thumb = Literal[-1, 1]


@dataclass(frozen=True, slots=True)
class Feedback:
    """Of one answer. `strategy` and `answered_by` tell what it was that people liked or not."""

    turn: str
    value: Thumb
    word: str = ""
    question: str = ""
    answer: str = ""
    strategy: str = ""
    answered_by: str = ""
    given: str = ""  # ISO 8601 UTC; "": now


class Counts(NamedTuple):
    up: int = 0
    down: int = 0

    @property
    def share(self) -> float | None:
        """Of the thumbs those that are up; None without any."""
        return self.up / (self.up + self.down) if self.up or self.down else None


class FeedbackStore:
    """One row an answer, of one thread."""

    def __init__(self, database: SideDatabase) -> None:
        self._database = database

    @classmethod
    def in_file(cls, path: Path) -> Self:
        return cls(SideFile(path, _SCHEMA, Message(zh="评价", en="feedback")))

    def close(self) -> None:
        self._database.close()

    def put(self, thread: str, given: Feedback) -> None:
        """In place of what was said of this answer before. Raises StoreError."""
        at = given.given or datetime.now(UTC).isoformat(timespec="seconds")
        row = (
            thread, given.turn, given.value, given.word.strip()[:LONGEST], one_line(given.question, _SUMMARY),
            one_line(given.answer, _SUMMARY), given.strategy, given.answered_by, at,
        )  # fmt: skip

        def work(database: SideConnection) -> None:
            database.execute("DELETE FROM feedback WHERE thread = ? AND turn = ?", row[:2])  # it is given last now
            database.execute(_PUT, row)

        self._database.write(work)

    def copy_to(self, other: FeedbackStore) -> None:
        """What the other one lacks. Raises StoreError."""
        columns = "thread, turn, value, word, question, answer, strategy, answered_by, given"
        copy_rows(self._database, other._database, "feedback", columns)

    def withdraw(self, thread: str, turn: str) -> None:
        """Raises StoreError."""
        if self._database.is_begun():
            gone = "DELETE FROM feedback WHERE thread = ? AND turn = ?"
            self._database.write(lambda database: database.execute(gone, (thread, turn)).rowcount)

    def forget(self, thread: str) -> None:
        """With a conversation goes what was said in it; its thumbs still count."""
        blank = (
            "UPDATE feedback SET thread = '', word = '', question = '', answer = '' WHERE thread = ? AND thread != ''"
        )
        self._database.read(lambda database: database.execute(blank, (thread,)).rowcount, 0)

    def of(self, thread: str) -> dict[str, Feedback]:
        """What was said in a conversation, by turn."""
        query = (
            "SELECT turn, value, word, question, answer, strategy, answered_by, given FROM feedback WHERE thread = ?"
        )
        none: list[Any] = []
        rows = self._database.read(lambda database: database.execute(query, (thread,)).fetchall(), none)
        return {row[0]: Feedback(*row) for row in rows}

    def counts(self) -> Counts:
        query = "SELECT count(*) FILTER (WHERE value = 1), count(*) FILTER (WHERE value = -1) FROM feedback"
        return Counts(*self._database.read(lambda database: database.execute(query).fetchone(), (0, 0)))

    def last(self, most: int) -> list[bool]:
        """Of the last ones that were given whether they are up, oldest first."""
        query = "SELECT value = 1 FROM feedback ORDER BY id DESC LIMIT ?"
        none: list[Any] = []
        rows = self._database.read(lambda database: database.execute(query, (most,)).fetchall(), none)
        return [bool(up) for (up,) in reversed(rows)]

    def export(self, user: str | None = None) -> Iterator[str]:
        """One line of JSON each, oldest first; all of them, or those that a user has given. Raises StoreError."""
        last, begins = 0, "" if user is None else f"{quote(user, safe='')}/"
        while rows := self._page(last, begins):
            for number, thread, *rest in rows:
                by, _, conversation = thread.rpartition("/")
                row = asdict(Feedback(*rest))
                yield json.dumps({"user": unquote(by), "conversation": conversation, **row}, ensure_ascii=False)
                last = number

    def _page(self, after: int, begins: str) -> list[Any]:
        """Of threads whose names begin so."""
        if not self._database.is_begun():
            return []
        query = """SELECT id, thread, turn, value, word, question, answer, strategy, answered_by, given FROM feedback
            WHERE id > ? AND substr(thread, 1, ?) = ? ORDER BY id LIMIT ?"""
        values = (after, len(begins), begins, _PAGE)
        return self._database.write(lambda database: database.execute(query, values).fetchall())
