"""The rows with the greatest or least of a column, or that value alone; the day with the most rows."""

from __future__ import annotations

from planning.tables.asked import asks_who, day_column, person, told_by_verb
from planning.tables.keys import label_columns, shown_columns
from planning.tables.row_question import RowQuestion
from planning.tables.spec import Selection
from planning.tables.superlatives import SUPERLATIVES
from planning.tables.unclear import Unclear

_PAID = frozenset("invoice order claim transaction contract donation".split())  # things that have an amount


def top(q: RowQuestion) -> Selection | None:
    """The rows with the greatest or least of a column, or that value alone."""
    kind = next((item.kind for item in q.items if item.kind in SUPERLATIVES), None)
    if kind is None and q.limit is not None:
        kind = "max"
    if kind is None or q.has("avg", "median"):
        return None
    if q.has("max") and q.has("min"):
        raise Unclear  # "the lowest and the highest" are two
    measure = q.measure()
    if measure is None and kind in ("most", "fewest") and q.has("day"):
        return _busiest_day(q, kind)
    if measure is None:
        measure = default_measure(q)
    descending = SUPERLATIVES[kind] != q.reversed
    asks_value = kind in ("max", "min") and q.measure_at is None and q.limit is None and not asks_which(q)
    if asks_value and not q.has("rows", "list", "day") and not q.left("text"):
        return Selection("aggregate", "max" if descending else "min", measure, conditions=q.conditions())
    if kind in ("old", "young"):
        aged = "age" in q.names.concepts[measure]
        descending = aged if kind == "old" else not aged
    target = q.target() if not q.has("day") else day_column(q)
    labels = label_columns(q.table) if target is not None else shown_columns(q.table)
    labels = (person(q),) if target is None and asks_who(q) else labels
    named = [one for one in (*([] if target is None else [target]), *labels) if one != measure]
    columns = (*dict.fromkeys(named), measure)
    return Selection("top", "max" if descending else "min", measure, descending=descending, limit=q.limit or 1,
                     columns=columns, conditions=q.conditions())  # fmt: skip


def _busiest_day(q: RowQuestion, kind: str) -> Selection:
    """“哪天预约最多”: the day with the most rows, where days come again."""
    day = day_column(q)
    q.target()
    if (amount := told_by_verb(q)) is not None:  # “哪天摘得最多” of 采摘量
        return Selection("groups", "sum", amount, day, "day", SUPERLATIVES[kind], 1, conditions=q.conditions())
    return Selection("groups", "count", None, day, "day", SUPERLATIVES[kind], 1, conditions=q.conditions())


def asks_which(q: RowQuestion) -> bool:
    return any(item.kind == "which" and item.text.lower() not in ("what", "什么") for item in q.items)


def default_measure(q: RowQuestion) -> int:
    """ "The five largest invoices": the only column of numbers, or that of amounts; else nobody knows."""
    numbers = q.names.numbers
    for found in (*([c for c in numbers if name in q.names.concepts[c]] for name in ("amount", "sales")), numbers):
        if len(found) == 1:
            return next(iter(found))
    if any(known.keys() & _PAID for known in q.names.concepts):  # "the largest bills"
        return q.amount()
    raise Unclear
