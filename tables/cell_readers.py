"""Columns of words whose cells are read before they are computed with, and shown as they are written: durations, times
of day, stretches of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from schema import TableColumn, TableInfo
from tables.clocks import clock_of
from tables.durations import minutes_of, spelling_of
from tables.ranges import is_wide, range_of

CellReader = Literal["minutes", "clock", "range"]
_READERS: dict[CellReader, Callable[[str], object]] = {"minutes": minutes_of, "clock": clock_of, "range": range_of}


def cell_readers(columns: Iterable[TableColumn]) -> dict[int, CellReader]:
    """By their places the columns all of whose cells are read in one way. One of very many values, which are not
    listed, is read in none."""
    found: dict[int, CellReader] = {}
    for at, column in enumerate(columns):
        if column.kind != "text" or not 0 < column.distinct == len(column.values):
            continue
        for name, read in _READERS.items():
            if all(read(value) is not None for value in column.values):
                if name != "range" or any(map(is_wide, column.values)):
                    found[at] = name
                break
    return found


def with_minutes(table: TableInfo, readers: dict[int, CellReader]) -> TableInfo:
    """The table, of which durations are a column of numbers."""
    if "minutes" not in readers.values():
        return table
    columns = [
        column._replace(kind="number", unit=spelling_of(column.values), values=())
        if readers.get(at) == "minutes"
        else column
        for at, column in enumerate(table.columns)
    ]
    return table._replace(columns=tuple(columns))
