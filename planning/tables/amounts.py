"""Conditions on numbers: what a number of a question is compared by, and which column it is of."""

from __future__ import annotations

import re

from planning.tables.conditions import COMPARES, OPPOSITE, Conditions
from planning.tables.names import TableNames
from planning.tables.spec import Comparison, Condition
from planning.tables.unclear import Unclear
from tables.cells import CURRENCIES
from tables.measures import factor, measured

_UNIT_SCALES = {"万": 1e4, "亿": 1e8, "千": 1e3, "百万": 1e6, "k": 1e3, "m": 1e6}
_CONCEPTS_OF_UNITS = {"岁": "age", "人": "attendance", "晚": "nights", "℃": "temperature", "°c": "temperature"}
_PEOPLE = frozenset("人 名 people person persons".split())
_whole = re.compile(r"\b(?:total|amount)\b|总|合计|金额", re.IGNORECASE)
_THAN: dict[str, Comparison] = {"above": ">", "under": "<"}
_PASS = 60  # of a hundred points
_BOUNDS: dict[str, tuple[Comparison, int]] = {
    "failing": ("<", _PASS),
    "passing": (">=", _PASS),
    "negative": ("<", 0),
    "positive": (">", 0),
}


def take_comparisons(c: Conditions) -> None:
    """“库存低于安全库存”, "above the average": a column that is compared with another one, or with its average."""
    _take_than(c)
    for at, item in enumerate(c.items[:-1]):
        equal = item.kind == "equal" and at and c.columns(at - 1, ("number",)) and c.columns(at + 1, ("number",))
        if item.kind not in ("gt", "ge", "lt", "le") and not equal:
            continue
        behind = c.items[at + 1]
        if behind.kind == "avg":
            named = at + 2 if at + 2 < len(c.items) and c.columns(at + 2, ("number",)) else None
            column = _column_before(c, at)
            if column is None:
                column = c.column(named, "number") if named is not None else _usual_column(c, at)
            assert column is not None
            c.used |= {at, at + 1} | ({named} if named is not None else set())
            c.items[at + 1] = behind._replace(kind="taken")
            c.found.append((at, Condition(column, COMPARES[item.kind], average=True)))
        elif (other := c.column(at + 1, "number")) is not None and not _number_follows(c, at + 2):
            column = _column_before(c, at, but=other)
            if column is None:
                column = _spent(c, at, other) or _stock(c, other)
            c.used |= {at, at + 1}
            c.found.append((at, Condition(column, COMPARES[item.kind], other=other)))


def _take_than(c: Conditions) -> None:
    """ "Better in English than in maths", “英语比数学高”: one column of a row against another."""
    for at, item in enumerate(c.items):
        if item.kind != "than" or not 0 < at < len(c.items) - 1:
            continue
        one, other = c.column(at - 1, "number"), c.column(at + 1, "number")
        place = next((p for p in (at - 2, at + 2) if 0 <= p < len(c.items) and c.items[p].kind in _THAN), None)
        if one is None or other is None or one == other or place is None:
            continue
        c.used |= {at - 1, at, at + 1, place}
        c.found.append((at, Condition(one, _THAN[c.items[place].kind], other=other)))


def _spent(c: Conditions, at: int, other: int) -> int | None:
    """ "Cost more than the deposit" speaks of what was paid."""
    if not at or c.items[at - 1].kind != "spend":
        return None
    paid = [n for n in whole_amounts(c.names) if n != other]
    return paid[0] if len(paid) == 1 else None


def _stock(c: Conditions, other: int | None = None) -> int:
    """ "Items below the reorder level" speaks of how many there are."""
    for concept in ("vacancies", "stock", "quantity"):
        fits = {n: known[concept] for n, known in enumerate(c.names.concepts) if n != other and concept in known}
        best = [n for n, weight in fits.items() if weight == max(fits.values())]
        if len(best) == 1:
            return best[0]
    raise Unclear


def _column_before(c: Conditions, at: int, but: int | None = None) -> int | None:
    for place in range(at - 1, -1, -1):
        if c.items[place].kind == "column" and (column := c.column(place, "number")) not in (None, but):
            c.used.add(place)
            return column
    return None


def _number_follows(c: Conditions, at: int) -> bool:
    return at < len(c.items) and c.items[at].kind == "number"


def take_numbers(c: Conditions) -> None:
    at = 0
    while at < len(c.items):
        if c.items[at].kind == "number" and at not in c.used:
            at = _take_number(c, at)
        at += 1
    for at, item in enumerate(c.items):
        if item.kind == "out":  # of stock
            c.used.add(at)
            c.found.append((at, Condition(_stock(c), "<=", (0,))))
        elif item.kind in _BOUNDS:
            comparison, bound = _BOUNDS[item.kind]
            column = _number_column(c, at, None)
            c.used.add(at)
            c.found.append((at, Condition(column, comparison, (bound,))))


def _take_number(c: Conditions, at: int) -> int:
    kinds = [item.kind for item in c.items]
    last = at + 2 if kinds[at + 1 : at + 3] in (["to", "number"], ["or", "number"]) else at
    before = kinds[at - 1] if at else ""
    after = kinds[last + 1] if last + 1 < len(kinds) else ""
    if last > at and (before == "between" or after in ("within", "between") or kinds[at + 1] == "to"):
        _share_unit(c, at, last)
        column = _number_column(c, at, last)
        values = tuple(sorted(_in_unit(c, place, column) for place in (at, last)))
        c.used |= {at, at + 1, last}
        c.found.append((at, Condition(column, "between", values)))
        return last
    if before in COMPARES and not before.startswith("post"):
        used, comparison = {at, at - 1}, COMPARES[before]
    elif after in ("post_ge", "post_le"):
        used, comparison = {at, at + 1}, COMPARES[after]
    elif before == "column" and c.columns(at - 1, ("number",)):
        used, comparison = {at}, "="
    elif after == "column" and c.columns(at + 1, ("number",)) and c.items[at + 1].text.isascii():
        counted = c.column(at + 1, "number")  # "members with 0 visits"
        assert counted is not None
        c.used |= {at, at + 1}
        c.found.append((at, Condition(counted, "=", (_in_unit(c, at, counted),))))
        return at
    else:
        return at
    column = _number_column(c, min(used), max(used))
    if min(used) > 0 and kinds[min(used) - 1] == "not":
        used, comparison = used | {min(used) - 1}, OPPOSITE[comparison]
    c.used |= used
    c.found.append((at, Condition(column, comparison, (_in_unit(c, at, column),))))
    for other in _also_meant(c, column):
        c.found.append((at, Condition(other, comparison, (_in_unit(c, at, other),))))
    return at


def _share_unit(c: Conditions, at: int, last: int) -> None:
    """ "Between 2 and 3 hours" is from two hours on."""
    number, other = c.items[at].number, c.items[last].number
    if number and other and not number.unit and measured(other.unit):
        c.items[at] = c.items[at]._replace(number=number._replace(unit=other.unit))


def _also_meant(c: Conditions, column: int) -> list[int]:
    """ "Over 80 in both maths and English", “数学和英语都超过80”: columns that are joined to that of a condition."""
    place = next((at for at, one in c.column_of.items() if one == column), None)
    found: list[int] = []
    for step in (-1, 1):
        at = place
        while at is not None and 0 <= at + 2 * step < len(c.items) and c.items[at + step].kind in ("to", "or"):
            joined = c.items[at + step]
            other = c.column(at + 2 * step, "number") if c.columns(at + 2 * step, ("number",)) else None
            if other is None or at + 2 * step in c.used:
                break
            if joined.kind == "or" and joined.text not in ("、", "以及", "及", "跟"):
                raise Unclear  # one of both
            at += 2 * step
            c.used |= {at, at - step}
            found.append(other)
    return found


def _number_column(c: Conditions, first: int, last: int | None) -> int:
    """The nearest column of numbers before, else behind; else the only one that it can be."""
    places = [*range(first - 1, -1, -1), *range((last if last is not None else first) + 1, len(c.items))]
    own = _of_unit(c, first, last)
    for place in places:
        if own is not None and not any(one.column == own for one in c.items[place].meanings):
            continue  # "longer than 2 hours with a rating over 8"
        if c.items[place].kind in ("column", "max", "min") and place not in c.column_of:
            column = c.column(place, "number") if c.items[place].kind == "column" else None
            if column is not None:
                c.used.add(place)
                c.column_of[place] = column
                return column
    if own is not None:
        return own
    for place in places:
        if (column := c.column_of.get(place)) is not None:
            return column
    return _usual_column(c, last if last is not None else first)


def _of_unit(c: Conditions, first: int, last: int | None) -> int | None:
    """The only column that a number with a unit of measurement can be of."""
    behind = (last if last is not None else first) + 1
    units = {one.number.unit for one in c.items[first:behind] if one.number and measured(one.number.unit)}
    if len(units) != 1:
        return None
    [unit] = units
    called = [n for n in c.names.numbers if factor(unit, c.names.titles[n]) == 1]  # "3 days" of a column "Days"
    fits = called or [n for n in c.names.numbers if factor(unit, c.table.columns[n].unit) is not None]
    return fits[0] if len(fits) == 1 else None


def _usual_column(c: Conditions, at: int) -> int:
    """Of a number that no column is named for: by its unit, or the only column of numbers, or that of amounts."""
    numbers = sorted(c.names.numbers)
    told = [one.number.unit for one in c.items[max(0, at - 2) : at + 1] if one.number]
    unit = next(filter(None, told), "")  # "between 60 and 120 m²"
    around = c.items[max(0, at - 2) : at + 1]
    said = next((one.concept for one in around if one.concept and one.kind in COMPARES), "")
    wanted = said or _CONCEPTS_OF_UNITS.get(unit, "")
    if wanted and len(fits := [n for n in numbers if wanted in c.names.concepts[n]]) == 1:
        return fits[0]
    same = [n for n in numbers if unit and _meets(unit, c.table.columns[n].unit)]
    same = same or [n for n in numbers if factor(unit, c.names.titles[n]) == 1]  # "3 days" of a column "Days"
    if measured(unit) and not same and any(c.table.columns[n].unit for n in numbers):
        raise Unclear  # it is no amount of money
    amounts = [n for n in same or numbers if "amount" in c.names.concepts[n]]
    for found in (same, amounts or whole_amounts(c.names), numbers):
        if len(found) == 1:
            return found[0]
    raise Unclear


def whole_amounts(names: TableNames) -> list[int]:
    """The columns of money that say they are all of it, and no part: "Total", "Amount due", “金额”."""
    return [c for c in names.money if _whole.search(names.titles[c]) or names.concepts[c].get("amount") == 1]


def _sign(unit: str) -> str:
    """As numbers with a unit are read: of "USD" the "$"."""
    return CURRENCIES.get(unit.lower(), unit)


def _meets(unit: str, of_column: str) -> bool:
    sign = _sign(of_column)
    return sign == unit or sign.partition("/")[0] == unit or factor(unit, of_column) is not None


def _in_unit(c: Conditions, at: int, column: int) -> int | float:
    """A number of the question in the unit that the column is counted in."""
    number = c.items[at].number
    assert number is not None
    unit, value = c.table.columns[column].unit, number.value
    if number.unit == "%" or unit == "%":
        if unit != "%":
            share = round(value * 100, 6)
            return int(share) if float(share).is_integer() else share
        if number.unit != "%" and 0 < value < 1:
            raise Unclear  # 0.7 of all, or 0.7 %
        return value if number.unit == "%" else value / 100
    if (ratio := factor(number.unit, unit)) is not None:
        value = round(value * ratio, 6)
    elif number.unit in _PEOPLE and measured(unit):
        raise Unclear  # "for 8 people" is no number of minutes
    scale = next(
        (
            s
            for name, s in _UNIT_SCALES.items()
            if unit.startswith(name) and len(unit) > len(name) and not measured(unit)
        ),
        1.0,
    )
    told = number.unit and unit.endswith(number.unit)  # “2000000元” of a column in 万元
    if scale > 1 and (told or any(mark in c.items[at].text for mark in "万亿k")):
        value = value / scale
    return int(value) if float(value).is_integer() else value
