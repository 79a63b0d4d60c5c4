"""What a question computes over a table, before it is written as SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planning.tables.periods import Period

Function = Literal["count", "sum", "avg", "median", "min", "max", "distinct"]
Part = Literal["", "year", "month", "day"]
Comparison = Literal[
    "=", "!=", ">", ">=", "<", "<=", "between", "blank", "not blank", "in period", "not in period", "allows"
]  # "allows": a number lies in the stretch that a cell tells


@dataclass(frozen=True)
class Condition:
    """A test of one column; of several values of "=" or "!=" any, or none, has to be there."""

    column: int
    comparison: Comparison
    values: tuple[str | int | float, ...] = ()
    period: Period | None = None
    other: int | None = None  # the column that it is compared with, in place of a value
    either: int | None = None  # a column that may meet the test in its place
    average: bool = False  # that it is compared with the column's average
    counts: bool = False  # that the number of rows which have its value is compared, of those that meet `rows`
    rows: tuple[Condition, ...] = ()


@dataclass(frozen=True)
class Selection:
    """Which rows, and what of them: an aggregate, of all or of each group; or rows with some of their columns."""

    kind: Literal[
        "aggregate", "groups", "top", "best", "rows", "share", "shares", "difference", "ratio", "distinct", "per"
    ]  # "best": the top row of each group
    function: Function = "count"
    measure: int | None = None
    group: int | None = None
    part: Part = ""  # of a date that is grouped by
    descending: bool = True
    limit: int | None = None
    columns: tuple[int, ...] = ()
    conditions: tuple[Condition, ...] = ()
    share_of: tuple[Condition, ...] = ()  # the rows that a share is of
    sides: tuple[Condition, ...] = ()  # two times that are compared, in place of `pair`
    pair: tuple[str, str] = ("", "")  # the values of `group` whose difference is asked for
