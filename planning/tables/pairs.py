"""Questions that hold one number against another: differences, ratios, shares."""

from __future__ import annotations

from typing import Literal

from planning.tables.conditions import Unclear
from planning.tables.row_question import SUPERLATIVES, RowQuestion
from planning.tables.spec import Condition, Function, Selection


def difference(q: RowQuestion) -> Selection | None:
    """“华东比华南多多少”, “男女人数之比”: of two values of a column, or of the greatest and the least."""
    if not q.has("diff", "ratio") or (not q.has("diff") and q.pair() is None):  # a ratio without a pair is a share
        return None
    measure = q.measure()
    if q.has("max") and q.has("min") and measure is not None:
        q.target()
        return Selection("difference", "max", measure, conditions=q.conditions())
    pair = q.pair()
    if pair is None:
        raise Unclear
    if measure is None and not q.has("count") and not q.has("rows"):
        raise Unclear
    first, second = (str(value) for value in pair.values)
    others = tuple(one for one in q.conditions() if one != pair)
    q.target()
    descending = not q.has("less")
    kind: Literal["difference", "ratio"] = "difference" if q.has("diff") else "ratio"
    return Selection(kind, q.function(measure), measure, pair.column, descending=descending,
                     conditions=others, pair=(first, second))  # fmt: skip


def share(q: RowQuestion) -> Selection | None:
    if not q.has("share", "ratio"):
        return None
    measure = q.measure()
    q.target()
    conditions = q.conditions()
    if q.group is not None and not q.has(*SUPERLATIVES):
        function: Function = "sum" if measure is not None else "count"
        return Selection("shares", function, measure, q.group, q.part, conditions=conditions)  # type: ignore[arg-type]
    if not conditions or q.group is not None:
        raise Unclear
    verb = q.at("rows", "column")
    order = sorted(q.c.found, key=lambda pair: pair[0])
    base: tuple[Condition, ...] = ()
    if len(conditions) > 1:
        if len(order) != 2:
            raise Unclear
        first, second = order[0][1], order[1][1]
        base = (first,) if first in conditions and second in conditions else ()
        if not base or verb < 0:
            raise Unclear
    return Selection("share", "sum" if measure is not None else "count", measure, conditions=conditions, share_of=base)
