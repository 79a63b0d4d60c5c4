"""Grids of cells as a file has them, and which of their rows name the columns, hold data, or only sum others up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tables.cells import is_blank, read_date, read_number
from tables.totals import sums

LEAD = 20  # rows that are looked at for the head
_LONGEST_HEAD = 80  # characters of a cell that can be the name of a column
_year = re.compile(r"(?:19|20)\d\d年?")


class GridRow(NamedTuple):
    start: int  # offset in the document's text
    end: int
    cells: Sequence[str]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows as they stand in a file; `head` where the file itself says what the columns are called."""

    title: str
    rows: Sequence[GridRow]
    head: tuple[str, ...] | None = None


class DataRows(NamedTuple):
    names: list[str]
    rows: Sequence[GridRow]
    left_out: int  # rows that only sum up others


def data_rows(grid: Grid) -> DataRows | None:
    """None where the grid is no table with named columns."""
    if grid.head is not None:
        return DataRows([*grid.head], grid.rows, 0)
    rows = [row for row in grid.rows if any(row.cells)]
    at = _head(rows)
    if at is None:
        return None
    head, first = list(rows[at].cells), at + 1
    width = max(len(row.cells) for row in rows)
    head += [""] * (width - len(head))
    if first + 1 < len(rows) and (below := _second_head(head, rows[first].cells)):
        head, first = below, first + 1
    kept = [row for row in rows[first:] if not _is_repeated_head(row.cells, rows[at].cells)]
    summing = sums([row.cells for row in kept])
    data = [row for at, row in enumerate(kept) if at not in summing]
    while len(data) > 1 and width > 2 and sum(map(bool, data[-1].cells)) == 1:  # a note below the table
        data.pop()
    return DataRows(_unique(head), data, len(summing))


def _head(rows: Sequence[GridRow]) -> int | None:
    """The first full row, if it holds only words and rows follow it."""
    widths = [sum(map(bool, row.cells)) for row in rows[:50]]
    if not widths:
        return None
    usual = Counter(widths).most_common(1)[0][0]
    if usual < 2:
        return None
    at = next((n for n, width in enumerate(widths[:LEAD]) if width >= max(2, 0.6 * usual)), None)
    if at is None or at + 1 >= len(rows):
        return None
    return at if all(_names_a_column(cell) for cell in rows[at].cells if cell) else None


def _names_a_column(cell: str) -> bool:
    if len(cell) > _LONGEST_HEAD or is_blank(cell):
        return False
    return bool(_year.fullmatch(cell)) or (read_number(cell) is None and read_date(cell) is None)


def _second_head(head: Sequence[str], below: Sequence[str]) -> list[str] | None:
    """Both rows as one, where the second parts columns of the first: "住宿" into "一线" and "其他". Cells that are
    merged say the same again, or are blank behind the first."""
    below = [*below, *[""] * (len(head) - len(below))]
    if not any(below) or not all(_names_a_column(cell) for cell in below if cell):
        return None
    over, spans = "", 0
    names: list[str] = []
    for place, (name, part) in enumerate(zip(head, below, strict=False)):
        repeats = bool(name) and place > 0 and name == head[place - 1]
        if (repeats or (not name and part)) and part:
            spans += part != below[place - 1]
        over = name or (over if part else "")
        names.append(over if part in ("", over) else f"{over} {part}".strip())
    return names if spans and len(set(names)) == len(names) else None


def _is_repeated_head(cells: Sequence[str], head: Sequence[str]) -> bool:
    return [*cells] == [*head]


def _unique(names: Sequence[str]) -> list[str]:
    """A name for each column; of those that are missing or there twice, with its number."""
    counts = Counter(names)
    return [name if name and counts[name] == 1 else f"{name} ({at})".strip() for at, name in enumerate(names, 1)]
