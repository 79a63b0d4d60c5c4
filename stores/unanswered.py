"""Questions that the library could not answer: what it lacks, in the words of those who asked. A log beside the
library: a restored backup leaves it as it is."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

from schema import Language, Message
from stores.side_database import SideConnection, SideDatabase, copy_rows
from stores.side_file import SideFile, one_line

UNANSWERED = "unanswered.sqlite"  # in the data folder
MOST = 1_000  # of a user; the oldest ones give way
_LONGEST = 500  # characters that are kept of a question
_SCHEMA = """
CREATE TABLE IF NOT EXISTS unanswered (
    id INTEGER PRIMARY KEY, user TEXT NOT NULL, thread TEXT NOT NULL, question TEXT NOT NULL, reason TEXT NOT NULL,
    score REAL NOT NULL, language TEXT NOT NULL, doc_sets TEXT NOT NULL, documents TEXT NOT NULL,
    asked TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS unanswered_user ON unanswered (user, id);"""

Reason = Literal["nothing", "not_covered", "unsure"]
REASONS: dict[Reason, Message] = {
    "nothing": Message(zh="什么也没找到", en="nothing found"),
    "not_covered": Message(zh="知识库没有涵盖", en="not covered"),
    "unsure": Message(zh="置信度过低", en="low confidence"),
}


@dataclass(frozen=True, slots=True)
class UnansweredQuestion:
    """One question. `score` in [0, 1]: how much of it the best passages hold, or the confidence of an unsure answer."""

    question: str
    reason: Reason
    score: float
    language: Language
    doc_sets: tuple[str, ...] = ()  # where it was looked up; both empty: everywhere
    documents: tuple[str, ...] = ()
    asked: str = ""  # ISO 8601 UTC; "": now


class _Row(NamedTuple):
    user: str
    question: UnansweredQuestion


class UnansweredStore:
    """Of every user the newest questions. Thread-safe."""

    def __init__(self, database: SideDatabase) -> None:
        self._database = database

    @classmethod
    def in_file(cls, path: Path) -> Self:
        return cls(SideFile(path, _SCHEMA, Message(zh="未答问题", en="questions without an answer")))

    def close(self) -> None:
        self._database.close()

    def put(self, user: str, thread: str, one: UnansweredQuestion) -> None:
        """`thread` is the conversation that it goes with, "" where none is kept. Raises StoreError."""
        at = one.asked or datetime.now(UTC).isoformat(timespec="seconds")
        scope = [json.dumps(names, ensure_ascii=False) for names in (one.doc_sets, one.documents)]
        row = (user, thread, one_line(one.question, _LONGEST), one.reason, one.score, one.language, *scope, at)

        def work(database: SideConnection) -> None:
            database.execute(f'INSERT INTO unanswered ("user", thread, {_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)', row)
            newest = 'SELECT id FROM unanswered WHERE "user" = ? ORDER BY id DESC LIMIT 1 OFFSET ?'
            database.execute(f'DELETE FROM unanswered WHERE "user" = ? AND id <= ({newest})', (user, user, MOST))

        self._database.write(work)

    def copy_to(self, other: UnansweredStore) -> None:
        """What the other one lacks. Raises StoreError."""
        copy_rows(self._database, other._database, "unanswered", f'"user", thread, {_COLUMNS}')

    def last(self, user: str | None = None, most: int = MOST) -> list[UnansweredQuestion]:
        """Of a user, or of everybody; newest first."""
        none: list[_Row] = []
        return [row.question for row in self._database.read(lambda database: _rows(database, user, most), none)]

    def count(self, user: str | None = None) -> int:
        where, values = _of(user)
        query = f"SELECT count(*) FROM unanswered WHERE {where}"
        return int(self._database.read(lambda database: database.execute(query, values).fetchone()[0], 0))

    def export(self, user: str | None = None) -> Iterator[dict[str, Any]]:
        """Newest first, each with its user. Raises StoreError."""
        if self._database.is_begun():
            for row in self._database.write(lambda database: _rows(database, user, sys.maxsize)):
                yield {"user": row.user, **asdict(row.question)}

    def clear(self, user: str | None = None) -> int:
        """Of a user, or of everybody; how many there were. Raises StoreError."""
        where, values = _of(user)
        if not self._database.is_begun():
            return 0
        query = f"DELETE FROM unanswered WHERE {where}"
        return self._database.write(lambda database: database.execute(query, values).rowcount)

    def forget(self, thread: str) -> None:
        """With a conversation goes what was asked in it."""
        query = "DELETE FROM unanswered WHERE thread = ? AND thread != ''"
        self._database.read(lambda database: database.execute(query, (thread,)).rowcount, 0)


_COLUMNS = "question, reason, score, language, doc_sets, documents, asked"


def _of(user: str | None) -> tuple[str, tuple[str, ...]]:
    return ("true", ()) if user is None else ('"user" = ?', (user,))


def _rows(database: SideConnection, user: str | None, most: int) -> list[_Row]:
    where, values = _of(user)
    query = f'SELECT "user", {_COLUMNS} FROM unanswered WHERE {where} ORDER BY id DESC LIMIT ?'
    return [
        _Row(by, UnansweredQuestion(question, reason, score, language, _names(doc_sets), _names(documents), asked))
        for by, question, reason, score, language, doc_sets, documents, asked in database.execute(
            query, (*values, most)
        )
    ]


def _names(written: str) -> tuple[str, ...]:
    return tuple(json.loads(written))


def as_jsonl(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A line each."""
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def as_csv(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """A line each, for tables: a cell that would be a formula there is text."""
    head = ["user", *(field.name for field in fields(UnansweredQuestion))]
    yield _csv_line(head)
    for row in rows:
        yield _csv_line([_cell(row[name]) for name in head])


def _cell(value: object) -> str:
    text = "; ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _csv_line(cells: Iterable[str]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow(cells)
    return written.getvalue()
