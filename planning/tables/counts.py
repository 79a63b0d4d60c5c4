"""How many rows there are, and how often something happens."""

from __future__ import annotations

import re

from planning.tables.asked import are_copies
from planning.tables.families import says_of
from planning.tables.keys import identifies, is_unique, label_column
from planning.tables.quantities import counts_value, held, says_what_is_left_or_sold
from planning.tables.row_question import RowQuestion
from planning.tables.spec import Selection
from planning.tables.teams import sides_of
from planning.tables.unclear import Unclear
from tables.measures import measured

_people = re.compile(r"(?:几|多少)个?人|\bhow many (?:people|persons)\b", re.IGNORECASE)
_names_somebody = re.compile(
    r"[人员者名]|\b(?:name|person|who|by|owner|customer|guest|member|staff)s?\b", re.IGNORECASE
)
_says_how_often = re.compile(
    r"^(?:every|each|once|twice|daily|weekly|monthly|quarterly|yearly|annual|never|on demand)\b|^\d+\b|[每次天周月年]",
    re.IGNORECASE,
)


def counted(q: RowQuestion) -> Selection:
    """How many rows there are, or different values of a column."""
    q.events("date")
    places = [at for at in q.left("text") if not q.is_row_noun(at)]
    if places:
        copies = are_copies(q, places[0])
        column = q.target()
        if q.c.counted or q.c.none_from is not None:
            return Selection("aggregate", "distinct", column, conditions=q.conditions(column))
        conditional = copies or column in {one.column for one in q.conditions()}
        if conditional:
            return Selection("aggregate", "count", conditions=q.conditions())
        if column is not None and _people.search(q.text) and _is_of_some(q, column):
            raise Unclear  # “请假的有几个人” counts no kinds of leave
        return Selection("aggregate", "distinct", column, conditions=q.conditions())
    rows_named = q.has("rows") or bool(q.left("text"))
    if not q.has("count", "much") and not (rows_named and q.has("sum", "distinct")):
        raise Unclear
    if (not rows_named or counts_value(q)) and (many := held(q)) is not None:
        return Selection("aggregate", "sum", many, conditions=q.conditions())
    if not (rows_named or q.c.found) or (not rows_named and says_what_is_left_or_sold(q)):
        raise Unclear
    q.target()
    return Selection("aggregate", "count", conditions=q.conditions())


def _is_of_some(q: RowQuestion, column: int) -> bool:
    """Whether a column tells something of some rows alone, and names nobody."""
    return bool(q.table.columns[column].blank) and not _names_somebody.search(q.names.titles[column])


def count_of_rows(q: RowQuestion) -> Selection:
    """“支出了几笔”: rows, of which a column that is named has to say something. Of a single row it is asked what its
    cell says: "how often is the filter changed" of a column "Changed every"."""
    if is_of_one_row(q):
        return _cell_of_how_often(q)
    q.events("date", "number")
    q.target()
    return Selection("aggregate", "count", conditions=q.conditions())


def is_of_one_row(q: RowQuestion) -> bool:
    """Whether a question names one row of a table by what its rows are called: that it is there once says nothing. In a
    list of events, which begins with their days or is one of matches, it may be there again."""
    if q.table.columns[0].kind == "date" or sides_of(q.table) is not None:
        return False
    keys = {c for c, title in enumerate(q.names.titles) if identifies(title)} | {label_column(q.table)}
    keys = {c for c in keys if is_unique(q.table, c)}
    return any(one.column in keys and one.comparison == "=" for one in q.conditions())


def _cell_of_how_often(q: RowQuestion) -> Selection:
    """Of the one column that tells it and whose name the question says, if by a word that names rows as well."""
    label = label_column(q.table)
    named = {one.column for at in q.left("text", "number", "date") for one in q.c.columns(at)[:1]}
    said = [item.text for item in q.items if item.kind == "rows"]
    named |= {c for c, title in enumerate(q.names.titles) if any(says_of(word, title) for word in said)}
    told = {c for c in named - {label} if _tells_how_often(q, c)}
    if len(told) != 1 or all(item.text.lower() != "how often" for item in q.items):
        raise Unclear
    q.c.used.update(q.left("text", "number", "date"))
    return Selection("rows", columns=(label, *told), conditions=q.conditions())


def _tells_how_often(q: RowQuestion, column: int) -> bool:
    """ "4 years", "every week", or how many times."""
    known = q.table.columns[column]
    if known.kind == "date":
        return False
    if known.kind == "number":
        counts = column in q.names.additive or q.names.titles[column].endswith("s")  # "Returns"
        return measured(known.unit) == "time" or (not known.unit and counts)
    return bool(known.values) and all(_says_how_often.search(value) for value in known.values)
