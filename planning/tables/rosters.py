"""Tables with one row for each day, as a roster: on which days somebody is on duty, and what the row of a day says."""

from __future__ import annotations

import re

from planning.tables.asked import time_column
from planning.tables.row_question import RowQuestion
from planning.tables.spec import Selection
from planning.tables.unclear import Unclear

_of_months = re.compile(r"\bmonth|\byear|[月年]", re.IGNORECASE)
_DAYS = frozenset("天 日子 day days".split())


def rows_of_days(q: RowQuestion) -> Selection | None:
    """“陈思远哪几天上白班”, “12月5号的值班电话”: None where the rows are not of one day
    each, or neither is asked."""
    first, conditions = q.table.columns[0], q.conditions()
    if first.kind != "date" or first.blank or first.distinct != q.table.rows or not conditions:
        return None
    places = q.left("text", "number")
    if _asks_days(q) and not places and all(one.comparison == "=" for one in conditions):
        return Selection("rows", columns=(0,), conditions=conditions)
    of_day = any(one.column == 0 and one.period is not None and one.period.day for one in conditions)
    if not (of_day and places):
        return None
    asked = [column for at in places if (column := q.c.column(at)) is not None]
    q.c.used.update(places)
    return Selection("rows", columns=tuple(dict.fromkeys([0, *asked])), conditions=conditions)


def days_that_meet(q: RowQuestion) -> Selection | None:
    """“哪天的次品率超过5%”, "when was the bill below 60": the days of the rows whose numbers meet a comparison."""
    conditions = q.conditions()
    numbers = [one.column for one in conditions if one.column in q.names.numbers and one.comparison != "="]
    if not numbers or not q.has("when", "which_month", "which_year", "day") or q.left("text", "number", "date"):
        return None
    day = time_column(q)
    if day:
        return None  # 入职日期 behind a name is of no day on which something was so
    once = q.table.columns[day].distinct == q.table.rows
    if q.has("which_month", "which_year") and not (once and _of_months.search(q.names.titles[day])):
        raise Unclear  # it may have several rows, whose sum is asked for
    if not once and {*numbers} & {*q.names.additive}:
        raise Unclear
    return Selection("rows", columns=tuple(dict.fromkeys([day, *numbers])), conditions=conditions)


def _asks_days(q: RowQuestion) -> bool:
    places = [at for at, item in enumerate(q.items) if item.kind == "rows" and item.text.lower() in _DAYS]
    when = q.has("when") and any(item.kind == "column" for item in q.items)  # and not “when is the taxi”, of expenses
    return when or q.has("day") or any(at and q.items[at - 1].kind in ("list", "which") for at in places)
