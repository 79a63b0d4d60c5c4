"""What a row is to become: in “M7什么时候完成” and "When will M7 be completed?" a cell is a verb, and no condition."""

from __future__ import annotations

from collections.abc import Sequence

from planning.tables.row_question import RowQuestion

_WHEN = ("when", "day", "which_year", "which_month")


def becomes(q: RowQuestion, keys: Sequence[int]) -> list[int]:
    """The column of the cell that a question ends with which asks when, of a row that is named by `keys`: such a row
    may be in another state still."""
    last = q.items[-1] if q.items else None
    if last is None or last.kind != "value" or not q.has(*_WHEN):
        return []
    return [one.column for place, one in q.c.found if place == len(q.items) - 1 and one.column not in keys]
