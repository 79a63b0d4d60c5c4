"""Question sets, runs over them, and the settings that were chosen by them: kept beside the library, with an owner."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, Self

from schema import Message
from stores.side_database import SideConnection, SideDatabase, copy_rows
from stores.side_file import SideFile

LAB = "lab.sqlite"  # in the data folder
_SCHEMA = """
CREATE TABLE IF NOT EXISTS lab_sets (
    owner TEXT NOT NULL, name TEXT NOT NULL, content TEXT NOT NULL, changed TEXT NOT NULL, PRIMARY KEY (owner, name)
);
CREATE TABLE IF NOT EXISTS lab_runs (
    owner TEXT NOT NULL, name TEXT NOT NULL, info TEXT NOT NULL, state TEXT NOT NULL, begun TEXT NOT NULL,
    PRIMARY KEY (owner, name)
);
CREATE TABLE IF NOT EXISTS lab_results (
    owner TEXT NOT NULL, run TEXT NOT NULL, case_id TEXT NOT NULL, result TEXT NOT NULL,
    PRIMARY KEY (owner, run, case_id)
);
CREATE TABLE IF NOT EXISTS lab_choices (id INTEGER PRIMARY KEY, settings TEXT NOT NULL, chosen TEXT NOT NULL);"""


class StoredSet(NamedTuple):
    name: str
    content: str  # JSON lines, a case each
    changed: str  # ISO 8601 UTC


class StoredRun(NamedTuple):
    name: str
    info: str  # JSON
    state: str  # "running", "stopped", "done"
    begun: str  # ISO 8601 UTC


class LabStore:
    """Thread-safe. What belongs to a user is seen by no other; of a library without a login the owner is ""."""

    def __init__(self, database: SideDatabase) -> None:
        self._database = database

    @classmethod
    def in_file(cls, path: Path) -> Self:
        return cls(SideFile(path, _SCHEMA, Message(zh="评测数据", en="question sets and runs")))

    def close(self) -> None:
        self._database.close()

    def copy_to(self, other: LabStore) -> None:
        """What the other one lacks. Raises StoreError."""
        for table, columns, order in (
            ("lab_sets", "owner, name, content, changed", "owner, name"),
            ("lab_runs", "owner, name, info, state, begun", "owner, name"),
            ("lab_results", "owner, run, case_id, result", "owner, run, case_id"),
            ("lab_choices", "settings, chosen", "id"),
        ):
            copy_rows(self._database, other._database, table, columns, order)

    def put_set(self, owner: str, name: str, content: str) -> None:
        """In place of the one of this name. Raises StoreError, as all that writes."""
        self._run(
            """INSERT INTO lab_sets (owner, name, content, changed) VALUES (?, ?, ?, ?)
            ON CONFLICT (owner, name) DO UPDATE SET content = excluded.content, changed = excluded.changed""",
            (owner, name, content, _now()),
        )

    def sets(self, owner: str) -> list[StoredSet]:
        """By name."""
        query = "SELECT name, content, changed FROM lab_sets WHERE owner = ? ORDER BY name"
        return [StoredSet(*row) for row in self._rows(query, (owner,))]

    def get_set(self, owner: str, name: str) -> StoredSet | None:
        query = "SELECT name, content, changed FROM lab_sets WHERE owner = ? AND name = ?"
        return next((StoredSet(*row) for row in self._rows(query, (owner, name))), None)

    def delete_set(self, owner: str, name: str) -> bool:
        return self._run("DELETE FROM lab_sets WHERE owner = ? AND name = ?", (owner, name)) > 0

    def begin_run(self, owner: str, name: str, info: str) -> None:
        """With none of the results that one of this name had."""

        def work(database: SideConnection) -> None:
            _forget_run(database, owner, name)
            database.execute(
                "INSERT INTO lab_runs (owner, name, info, state, begun) VALUES (?, ?, ?, 'running', ?)",
                (owner, name, info, _now()),
            )

        self._database.write(work)

    def note_run(self, owner: str, name: str, state: str) -> None:
        self._run("UPDATE lab_runs SET state = ? WHERE owner = ? AND name = ?", (state, owner, name))

    def runs(self, owner: str) -> list[StoredRun]:
        """The one that was begun last comes first."""
        query = "SELECT name, info, state, begun FROM lab_runs WHERE owner = ? ORDER BY begun DESC, name DESC"
        return [StoredRun(*row) for row in self._rows(query, (owner,))]

    def get_run(self, owner: str, name: str) -> StoredRun | None:
        return next((run for run in self.runs(owner) if run.name == name), None)

    def delete_run(self, owner: str, name: str) -> None:
        self._database.write(lambda database: _forget_run(database, owner, name))

    def put_result(self, owner: str, run: str, case: str, result: str) -> None:
        """Of one case, when it is done."""
        self._run(
            """INSERT INTO lab_results (owner, run, case_id, result) VALUES (?, ?, ?, ?)
            ON CONFLICT (owner, run, case_id) DO UPDATE SET result = excluded.result""",
            (owner, run, case, result),
        )

    def results(self, owner: str, run: str) -> list[str]:
        query = "SELECT result FROM lab_results WHERE owner = ? AND run = ? ORDER BY case_id"
        return [row[0] for row in self._rows(query, (owner, run))]

    def choose(self, settings: str) -> None:
        """JSON of the settings that are to hold from now on in place of those that were set."""
        self._run("INSERT INTO lab_choices (settings, chosen) VALUES (?, ?)", (settings, _now()))

    def chosen(self) -> str | None:
        """The last ones; None where nothing was chosen, or all of it undone."""
        return next((row[0] for row in self._rows("SELECT settings FROM lab_choices ORDER BY id DESC LIMIT 1")), None)

    def undo_choice(self) -> bool:
        """What was chosen before holds again. False where there is nothing to undo."""
        if not self._database.is_begun():
            return False
        return self._run("DELETE FROM lab_choices WHERE id = (SELECT max(id) FROM lab_choices)") > 0

    def _rows(self, query: str, values: Sequence[str] = ()) -> list[tuple[str, ...]]:
        """Raises StoreError."""
        if not self._database.is_begun():
            return []
        return self._database.write(lambda database: database.execute(query, values).fetchall())

    def _run(self, statement: str, values: Sequence[str] = ()) -> int:
        return self._database.write(lambda database: database.execute(statement, values).rowcount)


def _forget_run(database: SideConnection, owner: str, name: str) -> None:
    for table, column in (("lab_results", "run"), ("lab_runs", "name")):
        database.execute(f"DELETE FROM {table} WHERE owner = ? AND {column} = ?", (owner, name))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
