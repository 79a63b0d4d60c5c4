"""Questions that are answered by yes or no: "is a bag included on the flight to Nice?", of a column "Bag included"."""

from __future__ import annotations

import re

from planning.tables.keys import label_columns
from planning.tables.row_question import RowQuestion
from planning.tables.spec import Selection

_asks = re.compile(
    r"\s*(?:is|are|does|do|did|was|were|has|have|can)\b(?!\s(?:there|any))|.*(?:吗\s*[?？]?\s*$|是否|能否|是不是|能不能|可不可以|有没有)"
)
_OTHERS = frozenset("not which list count much spend or than any".split())


def cells_of_yes_and_no(q: RowQuestion) -> Selection | None:
    """What the rows that are named say in the column: it may be no, and then no row would meet the question."""
    if not _asks.match(q.text) or q.has(*_OTHERS):
        return None
    conditions = q.conditions()
    asked = {one.column for one in conditions} & q.names.flags.keys()
    rest = tuple(one for one in conditions if one.column not in asked)
    if len(asked) != 1 or not rest or any(one.comparison != "=" or len(one.values) != 1 for one in rest):
        return None
    columns = dict.fromkeys([*label_columns(q.table), *(one.column for one in rest), *asked])
    return Selection("rows", columns=tuple(columns), conditions=rest)
