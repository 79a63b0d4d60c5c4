"""Questions that hold one number against another: differences, ratios, shares."""

from __future__ import annotations

from typing import Literal

from planning.tables.row_question import AGGREGATES, RowQuestion
from planning.tables.spec import Condition, Function, Selection
from planning.tables.superlatives import SUPERLATIVES
from planning.tables.unclear import Unclear


def difference(q: RowQuestion) -> Selection | None:
    """“华东比华南多多少”, “男女人数之比”: of two values of a column, or of the greatest and the least."""
    differs = q.has("diff", "less")
    sides = q.c.sides
    if not differs and not sides and (not q.has("ratio") or q.pair() is None):  # a ratio without a pair is a share
        return None
    measure = q.measure()
    if q.has("max") and q.has("min") and measure is not None:
        q.target()
        return Selection("difference", "max", measure, conditions=q.conditions())
    pair = q.pair() if not sides else None
    if pair is None and not sides:
        raise Unclear
    rows = q.has("count", "rows") or any(q.is_row_noun(at) for at in q.left("text"))
    if measure is None and not rows:
        raise Unclear
    first, second = (str(value) for value in pair.values) if pair else ("", "")
    column = pair.column if pair else sides[0].column
    others = tuple(one for one in q.conditions() if one != pair)
    q.target()
    kind: Literal["difference", "ratio"] = "ratio" if q.has("ratio") and not differs else "difference"
    if measure is not None and not q.has(*AGGREGATES) and measure not in q.names.additive and sides:
        raise Unclear
    return Selection(kind, q.function(measure), measure, column, descending=not q.has("less"), conditions=others,
                     sides=sides, pair=(first, second))  # fmt: skip


def share(q: RowQuestion) -> Selection | None:
    if not q.has("share", "ratio"):
        return None
    if q.has(*SUPERLATIVES):  # "the site with the highest share": of its own rows, or of all of that kind?
        raise Unclear
    measure = q.measure()
    if measure is not None and q.table.columns[measure].holds_percentages:
        raise Unclear  # what a cell says is a share itself
    q.target()
    conditions = q.conditions()
    if q.group is not None and not q.has(*SUPERLATIVES):
        function: Function = "sum" if measure is not None else "count"
        return Selection("shares", function, measure, q.group, q.part, conditions=conditions)  # type: ignore[arg-type]
    if not conditions or q.group is not None:
        raise Unclear
    base: tuple[Condition, ...] = ()
    if len(conditions) > 1:
        found = [one for _, one in sorted(q.c.found, key=lambda pair: pair[0])]
        if len(found) != 2 or {*found} != {*conditions} or not q.has("rows", "column"):
            raise Unclear
        base = (found[0],)
    return Selection("share", "sum" if measure is not None else "count", measure, conditions=conditions, share_of=base)
