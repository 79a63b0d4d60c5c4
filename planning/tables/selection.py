"""From the items of a question to what it computes. Whatever is not read for certain is not computed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planning.tables.amounts import whole_amounts
from planning.tables.asked import (
    adds_up,
    asks_for_rows,
    asks_who,
    counts_days,
    counts_rows,
    counts_sums,
    counts_things,
    counts_times,
    is_noun_phrase,
    names_the_row,
    person,
    price,
    speaks_in_general,
    time_column,
    told_by_columns,
    told_by_verb,
)
from planning.tables.conditions import COMPARES
from planning.tables.counts import count_of_rows, counted
from planning.tables.currencies import apart
from planning.tables.groups import groups
from planning.tables.keys import is_unique, label_columns, shown_columns
from planning.tables.names import TableNames
from planning.tables.pairs import difference, share
from planning.tables.payments import asks_amount, is_of_payments
from planning.tables.per import average_per
from planning.tables.quantities import things_or_money
from planning.tables.reading import QuestionItems
from planning.tables.relevance import tells_what_is_asked
from planning.tables.rosters import days_that_meet, rows_of_days
from planning.tables.row_question import AGGREGATES, RowQuestion
from planning.tables.spec import Condition, Selection
from planning.tables.states import becomes
from planning.tables.superlatives import SUPERLATIVES
from planning.tables.tops import asks_which, default_measure, top
from planning.tables.unclear import Unclear
from planning.tables.yes_and_no import cells_of_yes_and_no
from schema import TableInfo

_ASKS = frozenset(
    """count rowcount much sum avg median max min most fewest first old young each monthly yearly list share ratio diff
    day less compare spend distinct per_month per_year per_day blank out failing passing gt ge lt le post_ge post_le
    which when which_year which_month long""".split()
)
_LOOSE = frozenset(
    """records rowcount worth day single list which between to or than within since besides less much spend first
    each compare sum rows distinct when which_year which_month long""".split()
)
_EACH = frozenset("each every per 各 每 每个 各个".split()) | {"for each", "in each", "for every"}  # of a group
_OF_PEOPLE = frozenset(
    """which list value column rows number period gt ge lt le post_ge post_le equal between within to before after
    since clock fits""".split()
)
_clauses = re.compile(r"[,，](?!\d)")
_what_is = re.compile(r"\s*what(?:'s|’s| is| are| was| were| has| have)\b")
_does = re.compile(
    r"who (?:runs?|ran|operates?|owns?|manages?|holds?|hosts?|offers?|provides?|suppl|keeps?|takes?|needs?|makes?)\b"
)  # what a column of people need not tell
_ADDS = ("sum", "add up", "求和", "总和", "加起来")
_ALL = ("total of", "总额")  # of a table with one amount: “the total of animals” is how many there are


def select(
    reading: QuestionItems, table: TableInfo, names: TableNames, told: Sequence[Condition] = ()
) -> Selection | None:
    """With the conditions that are read already. None where the question is not about the rows of this table, or the
    rules are not certain of it."""
    if reading.unknown or not reading.items:
        return None
    kinds = {item.kind for item in reading.items}
    if "reason" in kinds:
        return None
    named = kinds & {"column", "value", "rows"} or any(item.concept for item in reading.items)
    named = named or ("out" in kinds and any(known.keys() & {"stock", "vacancies"} for known in names.concepts))
    if not told and not named and not is_of_payments(kinds, reading.text, names):
        return None
    if not told and speaks_in_general(reading.items):
        return None
    try:
        found = _selection(RowQuestion(reading.items, table, names, reading.text, told))
    except Unclear:
        return None
    return apart(found, table, names.concepts) if found is not None else None


def _selection(q: RowQuestion) -> Selection | None:
    if (told := cells_of_yes_and_no(q)) is not None:
        return told if _all_read(q) else None
    if not q.has(*_ASKS) and not q.left("number", "text", "date") and not is_noun_phrase(q):
        return None
    for kind in (difference, share, average_per, groups, top, _aggregate, _rows):
        if (found := kind(q)) is not None:
            return found if _all_read(q) and tells_what_is_asked(q, found) else None
    return None


def _all_read(q: RowQuestion) -> bool:
    kinds = [item.kind for item in q.items]
    if any(kind == "worth" and not {"column", *COMPARES} & {*kinds[at + 1 :]} for at, kind in enumerate(kinds)):
        return False  # "the value of the stock" may be its column; "the stock value" is a product of two
    if q.group is None and any(
        item.kind == "each" and item.text.lower() in _EACH and at not in q.c.used for at, item in enumerate(q.items)
    ):
        return False
    return all(
        at in q.c.used or item.kind in _LOOSE or item.kind in AGGREGATES or item.kind in SUPERLATIVES
        or item.kind in ("count", "share", "ratio", "diff", "value") or (item.kind == "column" and q.is_row_noun(at))
        for at, item in enumerate(q.items)
    )  # fmt: skip


def _aggregate(q: RowQuestion) -> Selection | None:
    if asks_who(q) and not q.left("text"):
        if any(one.comparison == "=" and is_unique(q.table, one.column) for one in q.conditions()):
            return None  # "who owns C/008"
        return _people(q)
    if q.has("count") and q.has("spend") and _clauses.search(q.text):  # “一共几例，收了多少钱”: two questions
        raise Unclear
    numbers = q.left("number")
    if q.has("rowcount") and not (numbers and counts_times(q)):
        return count_of_rows(q)
    aggregated = q.has(*AGGREGATES)
    if aggregated and (numbers or q.has("avg", "median") or q.measured_in()):
        return _of_measure(q)
    spends = q.has("spend") and not (q.has("which", "list") and told_by_columns(q))
    if not (q.has("count", "distinct", "much") or spends or aggregated):
        return _total_or_look_up(q) if numbers and q.c.found and not asks_which(q) and not q.has("list") else None
    if numbers and counts_sums(q):  # "how many claims are over 500"
        q.measure()
        return Selection("aggregate", "count", conditions=q.conditions())
    if numbers and counts_rows(q) and not any(adds_up(q, at) for at in numbers):
        q.events("date", "number")
    elif numbers:
        return _total_or_look_up(q)
    if q.has("much") and q.c.found and (told := q.measured_in()) and told <= q.names.additive:
        return _total_or_look_up(q)  # "how many hours did Omar spend", of a column "Hours"
    if q.has("spend") and any(item.kind == "much" and item.text.lower() != "how much" for item in q.items):
        raise Unclear  # hours that were spent are no money
    fee = q.has("sum") and any(item.kind == "value" and item.text.endswith("费") for item in q.items)
    if fee or (q.has("spend") and not q.has("count")):
        q.events("date")  # “买显示器一共花了多少钱”
        of = [one for one in q.conditions() if one.comparison == "="]
        keys = [one.column for one in of if is_unique(q.table, one.column)]
        if keys and all(len(one.values) == 1 for one in of):
            return Selection("rows", columns=(*keys, price(q)), conditions=q.conditions())
        return Selection("aggregate", "sum", q.amount(), conditions=q.conditions())
    adds = _ADDS if len(whole_amounts(q.names)) != 1 else (*_ADDS, *_ALL)
    if q.has("sum") and not q.has("count") and any(item.text.lower().startswith(adds) for item in q.items):
        if any(item.kind == "rows" and item.text.lower().endswith("ed") for item in q.items):
            raise Unclear  # "the sum insured" is the name of something
        return Selection("aggregate", "sum", default_measure(q), conditions=q.conditions())
    if q.has("much") and not q.has("sum") and q.c.flagged and len(q.names.money) == 1:  # "how much is paid"
        return Selection("aggregate", "sum", q.amount(), conditions=q.conditions())
    if q.has("much") and not counts_days(q):
        return Selection("aggregate", "sum", default_measure(q), conditions=q.conditions()) if q.has("sum") else None
    if q.items[-1].text.endswith("多少") and (amount := told_by_verb(q)) is not None:  # “一共摘了多少”
        return Selection("aggregate", "sum", amount, conditions=q.conditions())
    if asks_amount(q):
        return Selection("aggregate", "sum", q.amount(), conditions=q.conditions())
    return counted(q)


def _of_measure(q: RowQuestion) -> Selection:
    """The sum, mean or the like of a column of numbers."""
    measure = q.measure()
    if measure is None:
        if (not q.has("spend", "rows") and not q.c.found) or q.has("long"):
            raise Unclear
        measure = price(q) if q.has("spend") or not q.c.found_numbers() else _reused_measure(q)
    q.target()
    return Selection("aggregate", q.function(measure), measure, conditions=q.conditions())


def _people(q: RowQuestion) -> Selection:
    """“谁去过西安”: those of the rows that meet the conditions, each once."""
    conditions = q.conditions()
    kinds = {item.kind for item in q.items}
    if not conditions or not kinds <= _OF_PEOPLE | {"not"} or _does.match(q.text):
        raise Unclear
    column = person(q)
    if "not" in kinds and not is_unique(q.table, column):
        raise Unclear  # whom another row denies it of may have done it
    if column in {one.column for one in conditions}:
        raise Unclear
    if is_unique(q.table, column):
        columns = tuple(dict.fromkeys([column, *_tested(q, conditions)]))
        return Selection("rows", columns=columns, conditions=conditions)
    return Selection("distinct", columns=(column,), conditions=conditions)


def _reused_measure(q: RowQuestion) -> int:
    """ "The average of amounts over 500": the column of the condition, where no other is named."""
    columns = {one.column for one in q.conditions()} & q.names.numbers
    if len(columns) != 1:
        raise Unclear
    return columns.pop()


def _total_or_look_up(q: RowQuestion) -> Selection | None:
    """“库存有多少”, "how many copies": the number of the row that is named, else the sum over the rows."""
    conditions = q.conditions()
    if any(one.comparison == "=" and is_unique(q.table, one.column) for one in conditions):
        return None
    measure = q.measure()
    assert measure is not None
    measure = things_or_money(q, measure)
    if (
        measure not in q.names.additive
        and not counts_things(q, measure)
        and not q.names.concepts[measure].keys() & {"population", "area"}
    ):
        told = q.at("count") > 0 and q.items[q.at("count") - 1].kind == "column"  # “亩产多少公斤”
        if not conditions or (q.has("count", "much") and not told) or q.has(*AGGREGATES):
            raise Unclear
        q.target()  # “二班男生的数学成绩”: of each row
        columns = tuple(dict.fromkeys([*label_columns(q.table), measure]))
        return Selection("rows", columns=columns, conditions=conditions)
    q.target()
    return Selection("aggregate", "sum", measure, conditions=conditions)


def _rows(q: RowQuestion) -> Selection | None:
    """Rows that meet conditions, or the values of a column: "list the …", “哪些…”, "who wrote …"."""
    if q.c.counted or q.c.none_from is not None:
        return _groups_by_rows(q)
    conditions = q.conditions()
    tested = {one.column for one in conditions} - q.names.flags.keys() - q.names.read_as("clock")
    keys = [c for c in (one.column for one in conditions) if c in tested and is_unique(q.table, c)]
    if any(one.comparison == "=" and one.column in keys for one in conditions):
        state = becomes(q, keys)
        asked = [q.c.column(at) for at in q.left("text", "number", "date") if not names_the_row(q, at, keys)]
        if not asked and asks_who(q):
            asked = [person(q)]
        if not asked and q.has("when", "which_year", "which_month"):
            asked = [time_column(q)]
        if not asked and q.has("long"):
            asked = [*q.measured_in()]
        if asked and None not in asked and not (asks_who(q) and {*asked} <= {one.column for one in conditions}):
            q.c.used.update(q.left("text", "number", "date"))
            wanted = [things_or_money(q, c) for c in asked if c is not None]
            of_row = tuple(one for one in conditions if one.column not in state)
            return Selection("rows", columns=tuple(dict.fromkeys([*keys, *wanted, *state])), conditions=of_row)
        return None
    if (of_days := rows_of_days(q) or days_that_meet(q)) is not None:
        return of_days
    lists = q.has("list", "which") or (q.has("out") and _what_is.match(q.text) is not None)
    if not lists and not is_noun_phrase(q):
        return None
    target = q.target()
    if not conditions:
        if target is None or is_unique(q.table, target) or q.left("number", "date") or asks_for_rows(q, target):
            return None
        return Selection("distinct", columns=(target,))
    named = [q.c.column(at) for at in q.left("number", "date")]
    q.c.used.update(q.left("number", "date"))
    shown = _tested(q, conditions)
    if target is not None and target not in {one.column for one in conditions} and not is_unique(q.table, target):
        return Selection("distinct", columns=(target,), conditions=conditions)
    told = [c for c in [target, *named] if c is not None]
    labels = shown_columns(q.table) if target is None else label_columns(q.table)
    columns = tuple(dict.fromkeys([*labels, *told, *shown]))
    return Selection("rows", columns=columns, conditions=conditions)


def _tested(q: RowQuestion, conditions: Sequence[Condition]) -> list[int]:
    """The columns of conditions that a cell may meet in many ways: they are shown."""
    columns = [one.column for one in conditions]
    return [c for c in columns if q.table.columns[c].kind != "text" or c in q.names.readers]


def _groups_by_rows(q: RowQuestion) -> Selection | None:
    """ "Customers with more than three orders"."""
    if q.left("number", "date"):
        return None
    target = q.target()
    if target is None or is_unique(q.table, target):
        return None
    return Selection("distinct", columns=(target,), conditions=q.conditions(target))
