"""Questions that compute by groups of rows: of each, or of the best one."""

from __future__ import annotations

import re

from planning.tables.asked import asks_who, person, told_by_verb
from planning.tables.keys import is_unique, label_columns, shown_columns, whole_row
from planning.tables.names import WHOLE
from planning.tables.quantities import held
from planning.tables.row_question import AGGREGATES, RowQuestion
from planning.tables.spec import Function, Selection
from planning.tables.superlatives import SUPERLATIVES
from planning.tables.tops import asks_which, default_measure
from planning.tables.unclear import Unclear

_reading = re.compile(r"温度|湿度|[气血]压|\b(?:temperature|humidity|pressure)\b", re.IGNORECASE)  # of an instrument


def groups(q: RowQuestion) -> Selection | None:
    if q.group is None and q.has("compare", "each") and (pair := q.pair()) is not None:
        q.group = pair.column
    superlative = next((item.kind for item in q.items if item.kind in SUPERLATIVES), None)
    if q.group is None:
        return _best_group(q, superlative) if superlative is not None else None
    if superlative is not None and (found := _best_of_each(q, superlative)) is not None:
        return found
    if superlative is not None and q.limit not in (None, 1) and q.has("each"):
        raise Unclear  # "the two biggest orders of each client"
    measure = q.measure()
    if measure is None and q.has("spend") and not q.has("count", "rowcount"):
        measure = q.amount()
    q.target()
    if measure is None and q.has("compare") and not q.has("count", "rowcount") and is_unique(q.table, q.group):
        return Selection("rows", columns=whole_row(q.table), conditions=q.conditions())  # of one row each
    q.events("date")
    function = _group_function(q, measure)
    descending = SUPERLATIVES.get(superlative or "", True)
    best = superlative is not None and function not in ("max", "min")
    limit = (q.limit or 1) if best else None
    return Selection("groups", function, measure, q.group, q.part, descending, limit,  # type: ignore[arg-type]
                     conditions=q.conditions())  # fmt: skip


def _best_of_each(q: RowQuestion, superlative: str) -> Selection | None:
    """ "The biggest order of each region", “每位客户最贵的是哪笔”: a row of each group, not the group of most rows."""
    if superlative in ("most", "fewest") or q.has(*AGGREGATES, "count", "rowcount", "share"):
        return None
    at, which = q.at(superlative), q.at("which")
    beside = [at - 1, at + 1] + [which + 1] * (which >= 0)
    beside = [place for place in beside if 0 <= place < len(q.items)]
    rows = any(q.items[place].kind == "rows" or q.is_row_noun(place) for place in beside)
    if not rows and (q.part or not asks_which(q) or q.left("text")):
        return None
    if q.limit not in (None, 1):
        raise Unclear
    measure = q.measure()
    measure = default_measure(q) if measure is None else measure
    target = q.target()
    who = target is None and asks_who(q)
    labels = (person(q),) if who else shown_columns(q.table) if target is None else (target, *label_columns(q.table))
    descending = SUPERLATIVES[superlative] != q.reversed
    if superlative in ("old", "young"):
        descending = ("age" in q.names.concepts[measure]) == (superlative == "old")
    columns = [one for one in dict.fromkeys([q.group, *labels]) if one is not None and one != measure]
    return Selection("best", "max" if descending else "min", measure, q.group, q.part,  # type: ignore[arg-type]
                     descending, columns=(*columns, measure), conditions=q.conditions())  # fmt: skip


def _group_function(q: RowQuestion, measure: int | None) -> Function:
    if measure is None:
        if q.has("avg", "median") or (q.has("sum") and not q.has("count", "rows", "rowcount")):
            raise Unclear
        return "count"
    if q.has(*AGGREGATES):
        return q.function(measure)
    if q.has("max", "min") and not q.has("which", "which_year", "which_month"):
        return "max" if q.has("max") else "min"
    if measure not in q.names.additive:
        raise Unclear
    return "sum"


def _best_group(q: RowQuestion, superlative: str) -> Selection | None:
    """ "Which client has the most orders?", “哪个部门平均工资最高”: of a column whose values come again."""
    places = [at for at in q.left("text") if not q.is_row_noun(at)]
    column = q.c.column(places[0], "text") if places else _person(q, superlative)
    if column is None or q.has("single", "day"):
        return None
    nouns = [at for at in q.left("text") if q.is_row_noun(at) and not q.items[at].text.lower().endswith("ed")]
    rows_too = bool(nouns) or q.has("rows")
    if _counts_rows(q, superlative):  # "who closed the most tickets", where a column is "Hours to close"
        q.c.used.update(q.left("number"))
    measure = q.measure()
    if measure is None and q.has("spend"):
        measure = q.amount()
    if measure is not None and superlative in ("max", "min") and _rows_behind(q, superlative):
        q.measure_at = measure  # “金额最大的合同” is one row
        return None
    if measure is None:
        measure = told_by_verb(q) or (None if rows_too or superlative not in ("most", "fewest") else held(q))
    counts = rows_too or q.has("avg", "sum", "median", "most", "fewest", "count")
    if measure is None and rows_too and superlative in ("max", "min") and not _counted(q, superlative):
        return None  # "the biggest contract" is one row
    if measure is None and superlative in ("most", "fewest", "max", "min") and counts:
        function: Function = "count"
    elif measure is not None and q.has(*AGGREGATES):
        function = q.function(measure)
    elif (
        measure is not None
        and measure in q.names.additive
        and (superlative in ("most", "fewest") or "amount" not in q.names.concepts[measure])
    ):  # of all its rows: it is said
        function = "sum"
    elif (
        measure is not None
        and measure not in q.names.additive
        and (
            _is_of_a_row(q, superlative)
            or _reading.search(q.names.titles[measure])
            or q.table.columns[column].distinct > 0.5 * q.table.rows
        )
    ):
        q.measure_at = measure  # of one row, which is looked for next
        return None
    else:
        raise Unclear
    q.target()
    if function == "count":
        q.events("date")
    descending = SUPERLATIVES[superlative] != q.reversed
    return Selection("groups", function, measure, column, "", descending, q.limit or 1, conditions=q.conditions())


def _counted(q: RowQuestion, superlative: str) -> bool:
    """ "The highest number of orders"."""
    return q.has("count", "avg", "sum") or "number" in q.items[q.at(superlative)].text.lower()


def _rows_behind(q: RowQuestion, superlative: str) -> bool:
    behind = q.at(superlative) + 1
    return behind < q.at("which") and q.items[behind].kind == "rows"


def _person(q: RowQuestion, superlative: str) -> int | None:
    """ "Who spent the most": of a column of people who come again."""
    if superlative not in ("most", "fewest") or not asks_who(q) or q.left("text"):
        return None
    column = person(q)
    return column if q.table.columns[column].distinct <= 0.5 * q.table.rows else None


def _is_of_a_row(q: RowQuestion, superlative: str) -> bool:
    """“里程最高的是哪辆车” and "the slowest" speak of one row; “哪个部门的工资最高” may mean an average."""
    at = q.at(superlative)
    return bool(q.items[at].concept) or 0 <= at < q.at("which")


def _counts_rows(q: RowQuestion, superlative: str) -> bool:
    """Whether rows are named behind "most", and of a column of numbers a part alone."""
    behind = q.at(superlative) + 1
    rows = behind < len(q.items) and (
        q.items[behind].kind == "rows" or (q.items[behind].kind == "column" and q.is_row_noun(behind))
    )
    named = [one.weight for at in q.left("number") for one in q.items[at].meanings[:1]]
    return superlative in ("most", "fewest") and rows and bool(named) and max(named) < WHOLE
