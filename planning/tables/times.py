"""Conditions on times: which column a time of a question is of, and whether before, after or within it."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta

from planning.tables.conditions import Conditions
from planning.tables.names import WHOLE, TableNames
from planning.tables.periods import Period
from planning.tables.spec import Condition
from planning.tables.unclear import Unclear
from schema import TableInfo
from tables.cells import CellNumber

_start = re.compile(r"^(?:start|begin|check.?in|depart|from|borrow|loan)|^(?:出发|开始|起始|入住|借)", re.IGNORECASE)
_onwards = re.compile(r"\s+(?:on|onwards?|forward)\b", re.IGNORECASE)
_end = re.compile(r"^(?:end|finish|check.?out|return|to\b|until)|^(?:返回|结束|截止|退房|归还|还)", re.IGNORECASE)


def take_periods(c: Conditions) -> None:
    at = 0
    _read_days(c)
    while at < len(c.items):
        item = c.items[at]
        if at > 1 and item.kind == "period" and c.items[at - 1].kind == "to" and c.items[at - 2].kind == "number":
            number = CellNumber(int(item.text)) if item.text.isdecimal() else None  # "between 1000 and 2000"
            c.items[at] = item._replace(kind="number", number=number) if number else item
        if c.items[at].kind == "period":
            at = _take_period(c, at)
        at += 1


def _read_days(c: Conditions) -> None:
    """ "Between 5 and 15 October", "October 5 to 15", “10月5日到15日”: of two days of a month one names it alone."""
    for at in range(1, len(c.items) - 1):
        if c.items[at].kind != "to":
            continue
        for day, beside in ((at - 1, c.items[at + 1].period), (at + 1, c.items[at - 1].period)):
            item = c.items[day]
            if beside is None or not beside.day or item.number is None or item.number.unit not in _DAYS:
                continue
            if item.number.value in range(1, 32) and (item.number.value < beside.day) == (day < at):
                c.items[day] = item._replace(kind="period", period=beside._replace(day=int(item.number.value)))


_BOTH = frozenset("and 和 与".split())  # of "to": also for two times that are each meant
_UNTIL = frozenset("by until till 到 至".split())
_DAYS = frozenset(["", "日", "号"])  # behind the number of a day


def _take_period(c: Conditions, at: int) -> int:
    kinds = [item.kind for item in c.items]
    period = c.items[at].period
    assert period is not None
    before, used = kinds[at - 1] if at else "", {at}
    if at and c.items[at - 1].text.lower() == "last":  # "last October" of which year?
        raise Unclear
    if {*kinds} & {"diff", "less", "ratio", "compare"} and "period" in kinds[at + 1 :]:
        other_side = kinds.index("period", at + 1)
        if kinds[other_side - 1] in ("to", "than", "compare"):
            return _take_sides(c, at, other_side)
    last = at + 2 if kinds[at + 1 : at + 3] == ["to", "period"] else at
    after = kinds[last + 1] if last + 1 < len(kinds) else ""
    if last > at:
        other = c.items[last].period
        assert other is not None
        period = period._replace(year=period.year or other.year)
        other = other._replace(year=other.year or period.year)
        both = c.items[at + 1].text.lower() in _BOTH and before not in ("between", "since") and after != "within"
        if both or (period.year and other.year):  # "in 2024 and 2023"
            period, other = sorted((period, other), key=lambda one: (one.year or 0, one.first or 0, one.day or 0))
        if both:
            _keep_adjacent(period, other)
        used |= {
            at + 1,
            last,
            *([at - 1] if before in ("between", "since") else []),
            *([last + 1] if after == "within" else []),
        }
        column = _date_column(c, min(used), last)
        _refuse_untold(c, column, period, other)
        _add_range(c, at, column, period, other)
    else:
        if before in ("before", "after", "since", "gt", "ge", "lt", "le"):
            word = before
        elif after in ("before", "after", "since", "post_ge"):
            word = after
        elif at and c.items[at - 1].text.lower() in _UNTIL and before in ("to", "each"):
            word = before = "le"  # "until May 16", "by May 16"
        else:
            word = "since" if before == "between" else ""
        if word == "since" and not period.day and _is_of(c, at, after):
            word, used = "", {at - 1, at}
        if word:
            used.add(at - 1 if before in (word, "between") else last + 1)
        column = _date_column(c, min(used), last)
        _refuse_untold(c, column, period)
        _add_time(c, at, column, period, word)
    c.used |= used
    return last


def _refuse_untold(c: Conditions, column: int, *periods: Period) -> None:
    """Raises Unclear where the column does not tell the time: of days without a year a year, of years a month."""
    years = c.table.columns[column].kind == "number"
    for period in periods:
        if (years and (period.year is None or period.first)) or (period.year and c.table.columns[column].without_year):
            raise Unclear


def _is_of(c: Conditions, at: int, after: str) -> bool:
    """ "Films from 2004" are of that year; "from 2004 on" and "since 2004" go on."""
    if not at or c.items[at - 1].text.lower() != "from" or after == "post_ge":
        return False
    starting = c.text[: c.items[at - 1].start].lower().rstrip().endswith(("starting", "beginning"))
    return not starting and not _onwards.match(c.text, c.items[at].end)


_LEAP = 2024  # has every day that a year can have


def _take_sides(c: Conditions, at: int, last: int) -> int:
    """“5月比4月多多少”, "2023 and 2022": two times that are held against each other."""
    one, other = c.items[at].period, c.items[last].period
    assert one is not None
    assert other is not None
    between = [place for place in range(at + 1, last) if c.columns(place, ("date",))]
    column = c.columns(between[0], ("date",))[0].column if between else _date_column(c, at, last)
    c.used.update(between)
    column_of_years = c.table.columns[column].kind == "number"
    sides = [each._replace(year=each.year or one.year) for each in (one, other)]
    _refuse_untold(c, column, *sides)
    c.sides = tuple(
        Condition(column, "=", (side.year or 0,)) if column_of_years else Condition(column, "in period", period=side)
        for side in sides
    )
    c.used |= {at, last - 1, last} | ({at - 1} if at and c.items[at - 1].kind == "between" else set())
    return last


def _add_time(c: Conditions, at: int, column: int, period: Period, word: str) -> None:
    number = c.table.columns[column].kind == "number"
    if not word:
        condition = (
            Condition(column, "=", (period.year or 0,)) if number else Condition(column, "in period", period=period)
        )
        c.add(at, condition)
        return
    if period.year is None:
        c.found.append((at, Condition(column, "in period", period=_part_of_year(period, word))))
        return
    start, end = (period.year, period.year + 1) if number else period.bounds()
    comparison, value = {
        "before": ("<", start), "lt": ("<", start), "le": ("<", end), "after": (">=", end), "gt": (">=", end),
    }.get(word, (">=", start))  # fmt: skip
    c.found.append((at, Condition(column, comparison, (value,))))  # type: ignore[arg-type]


def _keep_adjacent(one: Period, other: Period) -> None:
    """Raises Unclear for "in March and May", which does not mean April."""
    year, month = one.year or _LEAP, one.last or 12
    last = date(year, month, one.last_day or one.day or monthrange(year, month)[1])
    if date(other.year or _LEAP, other.first or 1, other.day or 1) - last > timedelta(days=1):
        raise Unclear


def _part_of_year(period: Period, word: str) -> Period:
    """“3月15日之前”: without a year it is meant of every year, from its first day or to its last."""
    if word in ("before", "lt", "le"):
        last = period if word == "le" else _day_before(period)
        ends = last.last_day or last.day or monthrange(_LEAP, last.last or 12)[1]
        return Period(None, 1, last.last, 1, ends)
    first = period if word in ("since", "ge", "post_ge") else _day_after(period)
    return Period(None, first.first, 12, first.day or 1, 31)


def _day_before(period: Period) -> Period:
    day = date(_LEAP, period.first or 1, period.day or 1) - timedelta(days=1)
    if day.year < _LEAP:
        raise Unclear
    return Period(None, day.month, day.month, day.day)


def _day_after(period: Period) -> Period:
    month = period.last or 12
    day = date(_LEAP, month, period.day or monthrange(_LEAP, month)[1]) + timedelta(days=1)
    if day.year > _LEAP:
        raise Unclear
    return Period(None, day.month, day.month, day.day)


def _add_range(c: Conditions, at: int, column: int, first: Period, last: Period) -> None:
    if c.table.columns[column].kind == "number":
        c.found.append((at, Condition(column, "between", (first.year or 0, last.year or 0))))
    elif first.year is None or last.year is None:
        whole = Period(None, first.first, last.last, first.day, last.day)
        over_new_year = (first.first or 1, first.day or 0) > (last.last or 12, last.day or 31)
        if bool(first.day) != bool(last.day) or over_new_year:
            raise Unclear
        c.found.append((at, Condition(column, "in period", period=whole)))
    else:
        c.found.append((at, Condition(column, ">=", (first.bounds()[0],))))
        c.found.append((at, Condition(column, "<", (last.bounds()[1],))))


def _begins(names: TableNames) -> int | None:
    """The day on which a trip or a stay begins, where the only other date is that of its end."""
    starts = [at for at in names.dates if _start.search(names.titles[at])]
    ends = [at for at in names.dates if _end.search(names.titles[at])]
    return starts[0] if len(starts) == len(ends) == 1 and names.dates == {*starts, *ends} else None


def usual_date(table: TableInfo, names: TableNames) -> int | None:
    """The date of the rows themselves: the only one that each row has, where the others tell what may never happen."""
    complete = [at for at in names.dates if not table.columns[at].blank and not table.columns[at].unread]
    return complete[0] if len(complete) == 1 else None


def _date_column(c: Conditions, first: int, last: int) -> int:
    """The nearest column of dates that is named, else the only one; a column of years is one, too."""
    years = [n for n in sorted(c.names.numbers) if "year" in c.names.concepts[n]]
    dates = sorted(c.names.dates)
    for place in [*range(first - 1, -1, -1), *range(last + 1, len(c.items))]:
        if c.items[place].kind == "column":
            named: list[int] = [one.column for one in c.items[place].meanings if one.column in (*dates, *years)]
            if named:
                meanings = c.items[place].meanings
                texts = any(c.table.columns[m.column].kind == "text" for m in meanings)
                if not texts or meanings[0].weight < WHOLE:  # “出版” of 出版年份 and of 出版社
                    c.used.add(place)
                return named[0]
    found = dates or years
    if len(found) == 1:
        return found[0]
    if (begun := _begins(c.names)) is not None:
        return begun
    events = [n for n in dates if c.names.concepts[n].keys() & {"ordered", "issued", "date", "sold"}]
    if len(events) == 1:
        return events[0]
    if (usual := usual_date(c.table, c.names)) is not None:
        return usual
    raise Unclear
