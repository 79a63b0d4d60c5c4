"""Small tables beside the library, in one SQL for both: a file each, or the database that several instances share."""

from __future__ import annotations

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
