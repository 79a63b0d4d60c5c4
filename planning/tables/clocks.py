"""Times of day: which column a question means by "first", “六点以后” or "in the morning", and what it asks of it."""

from __future__ import annotations

import re

from planning.tables.conditions import Conditions
from planning.tables.items import Item
from planning.tables.names import TableNames
from planning.tables.spec import Comparison, Condition
from planning.tables.unclear import Unclear
from planning.tables.values import is_personal
from tables.clocks import clock_at
from tables.weekdays import are_weekdays

_starts = re.compile(
    r"\b(?:start|begin|depart|leav|open|from|check.?in|take.?off)|出发|开|起飞|起始|发车|上课", re.IGNORECASE
)
_ends = re.compile(
    r"\b(?:end|finish|arriv|clos|until|till|check.?out|land)|^to\b|到达|抵达|结束|关门|落地|下课|放学|打烊|截止",
    re.IGNORECASE,
)
_until_when = re.compile(r"(?:几点|时候|何时)(?:能|会|才)?到|到几点|到(?:站|的)?\W*$")
_PARTS = {
    "morning": ("", "12:00"), "mornings": ("", "12:00"), "上午": ("", "12:00"), "早上": ("", "12:00"),
    "afternoon": ("12:00", "18:00"), "afternoons": ("12:00", "18:00"), "下午": ("12:00", "18:00"),
    "noon": ("12:00", "12:00"), "midday": ("12:00", "12:00"), "正午": ("12:00", "12:00"),
}  # fmt: skip
_part = re.compile(rf"(?:{'|'.join(sorted(_PARTS, key=len, reverse=True))})(?![a-z])")
_half_a_day = re.compile(r"[ap]\.?m|[上下]午|晚|早|凌晨")
_COMPARED: dict[str, Comparison] = {
    "before": "<", "lt": "<", "le": "<=", "after": ">", "gt": ">", "ge": ">=", "since": ">=", "post_ge": ">=",
    "post_le": "<=", "equal": "=",
}  # fmt: skip
_UNTIL = frozenset("by until till 到 至".split())


def clock_item(lower: str, start: int) -> Item | None:
    """The time or part of a day that begins at a place of a folded question in lower case."""
    if start and lower[start - 1].isascii() and lower[start - 1].isalnum():
        return None
    if (found := clock_at(lower, start)) is not None:
        time, end = found
        said = lower[start:end]
        if ":" not in said and time < "08:00" and not _half_a_day.search(said):
            return None  # “六点” may be in the evening
        return Item("clock", start, end, said, clock=(time, time))
    if (part := _part.match(lower, start)) is not None:
        return Item("clock", start, part.end(), part[0], clock=_PARTS[part[0]])
    return None


def take_clocks(c: Conditions) -> None:
    at = 0
    while at < len(c.items):
        if c.items[at].kind == "clock" and at not in c.used:
            at = _take_clock(c, at)
        at += 1


def _take_clock(c: Conditions, at: int) -> int:
    kinds = [item.kind for item in c.items]
    last = at + 2 if kinds[at + 1 : at + 3] == ["to", "clock"] else at
    before, after = kinds[at - 1] if at else "", kinds[last + 1] if last + 1 < len(kinds) else ""
    (low, until), (_, high) = _stretch(c.items[at]), _stretch(c.items[last])
    used = {*range(at, last + 1)}
    conditions: list[tuple[Comparison, tuple[str, ...]]]
    if last > at:
        used |= ({at - 1} if before in ("between", "since") else set()) | ({last + 1} if after == "within" else set())
        conditions = [("between", (low, high))]
    elif low != until:
        conditions = [("<", (until,))]
        if low:
            conditions.insert(0, (">=", (low,)))
    elif before in _COMPARED or after in _COMPARED:
        place = at - 1 if before in _COMPARED else at + 1
        word = c.items[place]
        used.add(place)
        begins = word.text.startswith(("开始", "start")) and not c.text[: c.items[at].start].endswith("从")
        conditions = [("=" if begins else _COMPARED[word.kind], (low,))]  # “9:00开始的课”
    elif before in ("to", "each") and c.items[at - 1].text.lower() in _UNTIL:
        used.add(at - 1)
        conditions = [("<=", (low,))]
    else:
        conditions = [("=", (low,))]
    if min(used) and kinds[min(used) - 1] == "not":
        raise Unclear
    column = _clock_column(c, min(used), last)
    c.used |= used
    c.found += [(at, Condition(column, comparison, values)) for comparison, values in conditions]
    return last


def _stretch(item: Item) -> tuple[str, str]:
    assert item.clock is not None
    return item.clock


def _clock_column(c: Conditions, first: int, last: int) -> int:
    """The nearest column of times that is named, else the one by which the rows go."""
    clocks = c.names.read_as("clock")
    for place in [*range(first - 1, -1, -1), *range(last + 1, len(c.items))]:
        column: int = c.items[place].meanings[0].column if c.items[place].kind == "column" else -1
        if column in clocks:
            c.used.add(place)
            return column
    return usual_clock(c)


def usual_clock(c: Conditions) -> int:
    """The only column of times, or the one in which something begins; where an end is asked for the one of ends. Raises
    Unclear where no column tells it alone."""
    clocks = sorted(c.names.read_as("clock"))
    ends = [at for at in clocks if _ends.search(c.names.titles[at])]
    starts = [at for at in clocks if _starts.search(c.names.titles[at]) or len(clocks) == 1]
    found = ends if _ends.search(c.text) or _until_when.search(c.text) else starts
    if len(found) != 1:
        raise Unclear
    return found[0]


def clock_of_superlative(c: Conditions, dated: bool) -> int | None:
    """The column that "first" or “最晚” is about, if it is one of times of day: it is named, or nothing else tells a
    time. Over a week the earliest hour is meant only if a beginning is asked for."""
    clocks = c.names.read_as("clock")
    who = any(item.kind == "which" and item.text.lower() in ("who", "谁") for item in c.items)
    if clocks and who and not any(map(is_personal, c.names.titles, c.names.concepts)):
        raise Unclear  # "who joined first", of films that start at an hour
    named = {one.meanings[0].column for one in c.items if one.kind == "column"} & clocks
    if len(named) == 1:
        [column] = named
        if _ends.search(c.text) and not _ends.search(c.names.titles[column]) and not _starts.search(c.text):
            raise Unclear
        return column
    if dated or not clocks:
        return None
    if "班" not in c.text and not any(item.kind in ("column", "value", "rows") for item in c.items):
        raise Unclear  # "what comes first?" may be of anything
    if _may_be_of_other_days(c) and not _starts.search(c.text):
        raise Unclear
    return usual_clock(c)


def _may_be_of_other_days(c: Conditions) -> bool:
    """Whether a table goes over the days of a week, and no day is said."""
    days = {at for at, column in enumerate(c.table.columns) if are_weekdays(column.values)}
    said = {one.column for item in c.items if item.kind == "value" for one in item.meanings}
    return bool(days) and days.isdisjoint(said)


def tells_time(names: TableNames, column: int) -> bool:
    """Whether a question that asks when is answered by it."""
    return column in names.dates or "year" in names.concepts[column] or names.readers.get(column) == "clock"
