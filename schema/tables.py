"""Tables as they are kept to be computed with: typed columns, and where in the text of the document each row stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Cell = str | int | float | None  # dates as ISO 8601, percentages as shares; None: blank
ColumnKind = Literal["text", "number", "date"]


class TableColumn(NamedTuple):
    """A column of a table. `values` are those of a text column, each once, if they are few."""

    name: str
    kind: ColumnKind = "text"
    unit: str = ""  # that the numbers are counted in: "元", "$", "%", "kg"
    values: tuple[str, ...] = ()
    distinct: int = 0  # different values; of a large column at least so many
    blank: int = 0  # cells
    unread: int = 0  # cells that hold something else than the column's kind


@dataclass(frozen=True, slots=True)
class TypedTable:
    """A typed table: `cells[c][r]` is the cell of column c in row r, `spans[r]` where the row stands in the text."""

    title: str
    columns: tuple[TableColumn, ...]
    cells: tuple[list[Cell], ...]
    spans: list[tuple[int, int]]
    left_out: int = 0  # rows that only sum up others


class TableInfo(NamedTuple):
    """A stored table without its cells."""

    id: int
    document: str
    doc_set: str
    position: int  # in its document, from 0
    title: str
    columns: tuple[TableColumn, ...]
    rows: int
    left_out: int = 0
