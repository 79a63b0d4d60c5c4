"""Tables as they are kept to be computed with: typed columns, and where in the text of the document each row stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

from schema.common import Message

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
    without_year: bool = False  # of dates that are written so: a question cannot ask for a year of theirs

    @property
    def holds_percentages(self) -> bool:
        """Whether its cells are written as percentages, or are bare numbers below a head such as "humidity (%)"."""
        return self.unit == "%" or "%" in self.name


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


class TableQuery(BaseModel):
    """One read-only query over one table: all that is needed to run it again and to say what it does."""

    model_config = ConfigDict(frozen=True)

    document: str
    doc_set: str = ""
    position: int = 0  # of the table in its document
    sql: str
    words: Message = Message("", "")  # what it does; empty where a person has written it
    unit: str = ""  # of its last column
    by: Literal["rules", "model", "person"] = "rules"


@dataclass(frozen=True, slots=True)
class TableResult:
    """What a query came to, over all rows of its table, and which rows it used."""

    query: TableQuery
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    cut: bool  # there are more rows of the result than are kept
    rows_read: int
    rows_used: int
    used: tuple[int, ...]  # numbers of the rows in the table, from 1; of many the first
    left_out: int = 0  # rows of the table that only sum up others, and are not among those read
    unread: tuple[tuple[str, int], ...] = ()  # columns of the query, and how many of their cells hold no number or date
