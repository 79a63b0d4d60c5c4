"""Whether what would be computed from a table tells what a question asks for: when, where, how long, of which row."""

from __future__ import annotations

import re

from planning.tables.asked import asks_duration, asks_where
from planning.tables.clocks import tells_time
from planning.tables.counts import is_of_one_row
from planning.tables.keys import label_column
from planning.tables.quantities import may_be_pieces
from planning.tables.row_question import RowQuestion
from planning.tables.spec import Selection

_place = re.compile(
    r"\b(?:place|city|town|country|ground|location|venue|site|stop|station|room|hall)\b|[地城国站址]|位置|场馆",
    re.IGNORECASE,
)


def tells_what_is_asked(q: RowQuestion, found: Selection) -> bool:
    """Whether a question that asks when is answered by a time, one for days by no money, one that asks where by more
    than numbers, and one that names a row not by how many of it the table has."""
    if (found.kind, found.function) == ("aggregate", "count") and is_of_one_row(q):
        return False
    label = label_column(q.table)
    called = set[int]() if _place.search(q.names.titles[label]) else {label}
    if asks_where(q) and not {found.group, *found.columns} - {None, *q.names.numbers, *called}:
        return False
    if found.measure in q.names.money and asks_duration(q):
        return False
    if found.kind in ("top", "best", "groups") and found.measure is not None and may_be_pieces(q, found.measure):
        return False
    if not q.has("when", "which_year", "which_month") or found.part:
        return True
    told = {*found.columns, found.group, found.measure} - {None}
    return any(tells_time(q.names, c) for c in told if c is not None)
