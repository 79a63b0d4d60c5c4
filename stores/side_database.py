"""Small tables beside the library, in one SQL for both: a file each, or the database that several instances share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class SideRows(Protocol):
    """What a statement gives."""

    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Any: ...

    def fetchall(self) -> list[Any]: ...

    def __iter__(self) -> Iterator[Any]: ...


class SideConnection(Protocol):
    """Takes SQL that SQLite and PostgreSQL both know, with a question mark for each value."""

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> SideRows: ...


class SideDatabase(Protocol):
    """Thread-safe. Its calls block; each work is a transaction."""

    def is_begun(self) -> bool:
        """Whether anything can be in it."""

    def read(self, work: Callable[[SideConnection], T], otherwise: T) -> T:
        """What cannot be read is not told for once."""

    def write(self, work: Callable[[SideConnection], T]) -> T:
        """Raises StoreError."""

    def close(self) -> None: ...


def copy_rows(source: SideDatabase, target: SideDatabase, table: str, columns: str, order: str = "id") -> None:
    """Rows of a table that the target lacks; where it has another of the same key, that stays. Raises StoreError."""
    query = f"SELECT {columns} FROM {table} ORDER BY {order}"
    if not source.is_begun():
        return
    rows = source.write(lambda database: [tuple(row) for row in database.execute(query).fetchall()])

    def work(database: SideConnection) -> None:
        there = Counter(tuple(row) for row in database.execute(query).fetchall())
        values = ", ".join("?" * len(columns.split(",")))
        for row in rows:
            if there[row]:
                there[row] -= 1
            else:
                database.execute(f"INSERT INTO {table} ({columns}) VALUES ({values}) ON CONFLICT DO NOTHING", row)

    target.write(work)
