"""What comes on average to each month, day or group: “平均每月的费用”, "average daily sales", “平均每个部门有几人”."""

from __future__ import annotations

from planning.tables.keys import is_unique
from planning.tables.row_question import RowQuestion
from planning.tables.spec import Part, Selection
from planning.tables.superlatives import SUPERLATIVES
from planning.tables.times import usual_date
from planning.tables.unclear import Unclear

_PARTS: dict[str, Part] = {
    "per_year": "year", "per_month": "month", "per_day": "day", "monthly": "month", "yearly": "year",
}  # fmt: skip


def average_per(q: RowQuestion) -> Selection | None:
    """The sum, or the rows, by the number of different months, days or groups that there are. Of what does not add up,
    as a price, it is the average itself."""
    if q.has(*SUPERLATIVES, "share", "ratio", "diff") or q.group is not None:
        return None
    found = _group(q)
    if found is None:
        return None
    group, part = found
    measure = q.measure()
    q.target()
    if measure is None and q.has("spend"):
        measure = q.amount()
    if measure is not None and measure not in q.names.additive:
        if q.has("monthly", "yearly"):  # "average price per month" is of each
            raise Unclear
        return Selection("aggregate", "avg", measure, conditions=q.conditions())
    function = "count" if measure is None else "sum"
    return Selection("per", function, measure, group, part, conditions=q.conditions())  # type: ignore[arg-type]


def _group(q: RowQuestion) -> tuple[int, Part] | None:
    for at, item in enumerate(q.items):
        if (part := _PARTS.get(item.kind)) is not None and at not in q.c.used:
            dates = q.names.dates if len(q.names.dates) == 1 else {usual_date(q.table, q.names)}
            day = next(iter(dates))
            if day is None:
                raise Unclear
            q.c.used.add(at)
            return day, part
        if item.kind == "avg" and item.text.startswith("平均每") and at + 1 < len(q.items):
            behind = q.items[at + 1]
            column = q.c.column(at + 1, "text") if behind.kind == "column" and at + 1 not in q.c.used else None
            if column is not None and not is_unique(q.table, column):
                q.c.used |= {at, at + 1}
                return column, ""
    return None
