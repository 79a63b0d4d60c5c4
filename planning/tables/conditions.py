"""Conditions in a question: values, numbers with what they are compared by, times, yes and no, their negation."""

from __future__ import annotations

from collections.abc import Iterable

from planning.tables.names import Meaning, TableNames
from planning.tables.periods import Period
from planning.tables.reading import Item
from planning.tables.spec import Comparison, Condition
from schema import TableInfo

COMPARES: dict[str, Comparison] = {
    "gt": ">",
    "ge": ">=",
    "lt": "<",
    "le": "<=",
    "post_ge": ">=",
    "post_le": "<=",
    "equal": "=",
}
_OPPOSITE: dict[Comparison, Comparison] = {
    "=": "!=",
    ">": "<=",
    ">=": "<",
    "<": ">=",
    "<=": ">",
    "in period": "not in period",
}
_UNIT_SCALES = {"万": 1e4, "亿": 1e8, "千": 1e3, "百万": 1e6, "k": 1e3, "m": 1e6}
_PASS = 60  # of a hundred points


class Unclear(Exception):
    """A question that the rules do not read for certain."""


class Conditions:
    """Takes conditions out of the items of a question; what it has taken is `used`."""

    def __init__(self, items: list[Item], table: TableInfo, names: TableNames) -> None:
        self.items, self.table, self.names = items, table, names
        self.used: set[int] = set()
        self.found: list[tuple[int, Condition]] = []  # with the place in the items
        self.column_of: dict[int, int] = {}  # item -> the column that it was taken for

    # --- columns -------------------------------------------------------------------------------------------------

    def columns(self, at: int, kinds: Iterable[str] = ("text", "number", "date")) -> list[Meaning]:
        """Columns of these kinds that an item may mean, the best first."""
        item = self.items[at]
        return [one for one in item.meanings if item.kind == "column" and self.table.columns[one.column].kind in kinds]

    def column(self, at: int, *kinds: str) -> int | None:
        """The column that an item means; None where there is none of these kinds. Raises Unclear where two would do."""
        found = self.columns(at, kinds or ("text", "number", "date"))
        if not found:
            return None
        best = [one for one in found if one.weight == found[0].weight]
        if len({one.column for one in best}) > 1:
            raise Unclear
        return found[0].column

    def join_columns(self) -> None:
        """“上半年的销售额”: two stretches that both may mean one column mean that one."""
        for at in range(len(self.items) - 1, 0, -1):
            one, other = self.items[at - 1], self.items[at]
            if one.kind != "column" or other.kind != "column":
                continue
            shared = {m.column: m for m in one.meanings}.keys() & {m.column for m in other.meanings}
            same = {m.column for m in one.meanings} == {m.column for m in other.meanings} and len(shared) == 1
            if shared and (same or len(shared) < max(len(one.meanings), len(other.meanings))):
                weights = {m.column: m.weight for m in (*one.meanings, *other.meanings)}
                meanings = tuple(
                    Meaning("column", weights[c] + 0.1, c) for c in sorted(shared, key=lambda c: -weights[c])
                )
                self.items[at - 1] = one._replace(end=other.end, meanings=meanings)
                del self.items[at]

    # --- values --------------------------------------------------------------------------------------------------

    def take_values(self) -> None:
        for at, item in enumerate(self.items):
            if item.kind == "value":
                column = self._column_of_value(at)
                value = next(one.value for one in item.meanings if one.column == column)
                self._add(at, Condition(column, "=", (value,)))

    def _column_of_value(self, at: int) -> int:
        """That of a column which is named beside it, or the only one that has the value."""
        possible = [one.column for one in self.items[at].meanings]
        for beside in (at - 1, at + 1):
            if 0 <= beside < len(self.items) and self.items[beside].kind == "column":
                named = [one.column for one in self.items[beside].meanings if one.column in possible]
                if named:
                    self.used.add(beside)
                    return named[0]
        best = [one for one in self.items[at].meanings if one.weight == self.items[at].meanings[0].weight]
        columns = {one.column for one in best}
        if len(columns) > 1:
            unique = [c for c in columns if self.table.columns[c].distinct == self.table.rows]
            if len(unique) != 1:
                raise Unclear
            return unique[0]
        return best[0].column

    def take_flags(self) -> None:
        """A column of yes and no that is named is a condition: "late shipments", “已转正”."""
        for at, item in enumerate(self.items):
            if item.kind != "column" or at in self.used:
                continue
            flags = [one.column for one in item.meanings if one.column in self.names.flags]
            if flags and not (at and self.items[at - 1].kind == "each"):
                yes, no = self.names.flags[flags[0]]
                negated = self._negated(at)
                value = no if negated else yes
                condition = Condition(flags[0], "=", (value,)) if value else Condition(flags[0], "!=", (yes or no,))
                self.used.add(at)
                self.found.append((at, condition))

    def take_blanks(self) -> None:
        """ "no salary", “没有填写电话”: a column that is denied without a value."""
        for at, item in enumerate(self.items):
            if item.kind != "column" or at in self.used:
                continue
            before = self.items[at - 1].kind if at else ""
            after = self.items[at + 1].kind if at + 1 < len(self.items) else ""
            if (
                before == "blank"
                or after == "blank"
                or (before == "not" and after not in (*COMPARES, "number", "value"))
            ):
                column = self.column(at)
                assert column is not None
                self.used |= {at, at - 1 if before in ("blank", "not") else at + 1}
                self.found.append((at, Condition(column, "blank")))

    def _negated(self, at: int) -> bool:
        """By what stands before it, a column that it belongs to aside."""
        place = at - 1
        while place >= 0 and (place in self.used and self.items[place].kind == "column"):
            place -= 1
        joined = place >= 1 and self.items[place].kind in ("or", "to") and self.items[place - 1].kind == "value"
        if joined and self._was_negated(place - 1):
            self.used.add(place)
            return True
        if place >= 0 and self.items[place].kind == "not":
            self.used.add(place)
            if at + 1 < len(self.items) and self.items[at + 1].kind == "besides":
                self.used.add(at + 1)
            return True
        return False

    def _was_negated(self, at: int) -> bool:
        return any(place == at and condition.comparison == "!=" for place, condition in self.found)

    def _add(self, at: int, condition: Condition) -> None:
        if self._negated(at):
            condition = Condition(condition.column, _OPPOSITE[condition.comparison], condition.values, condition.period)
        self.used.add(at)
        self.found.append((at, condition))

    # --- numbers -------------------------------------------------------------------------------------------------

    def take_numbers(self) -> None:
        at = 0
        while at < len(self.items):
            if self.items[at].kind == "number" and at not in self.used:
                at = self._take_number(at)
            at += 1
        for at, item in enumerate(self.items):
            if item.kind in ("failing", "passing"):
                column = self._number_column(at, None)
                self.used.add(at)
                self.found.append((at, Condition(column, "<" if item.kind == "failing" else ">=", (_PASS,))))

    def _take_number(self, at: int) -> int:
        kinds = [item.kind for item in self.items]
        last = at + 2 if kinds[at + 1 : at + 3] in (["to", "number"], ["or", "number"]) else at
        before = kinds[at - 1] if at else ""
        after = kinds[last + 1] if last + 1 < len(kinds) else ""
        if last > at and (before in ("between",) or after in ("within", "between") or kinds[at + 1] == "to"):
            used = {
                at,
                at + 1,
                last,
                *([at - 1] if before == "between" else []),
                *([last + 1] if after == "within" else []),
            }
            column = self._number_column(min(used), last)
            values = tuple(sorted(self._in_unit(place, column) for place in (at, last)))
            self.used |= used
            self.found.append((at, Condition(column, "between", values)))
            return last
        if before in COMPARES and not before.startswith("post"):
            used, comparison = {at, at - 1}, COMPARES[before]
        elif after in ("post_ge", "post_le"):
            used, comparison = {at, at + 1}, COMPARES[after]
        elif before == "column" and self.columns(at - 1, ("number",)):
            used, comparison = {at}, "="
        else:
            return at
        column = self._number_column(min(used), max(used))
        if min(used) > 0 and kinds[min(used) - 1] == "not":
            used, comparison = used | {min(used) - 1}, _OPPOSITE[comparison]
        self.used |= used
        self.found.append((at, Condition(column, comparison, (self._in_unit(at, column),))))
        return at

    def _number_column(self, first: int, last: int | None) -> int:
        """The nearest column of numbers before, else behind; else the only one that it can be."""
        places = [*range(first - 1, -1, -1), *range((last if last is not None else first) + 1, len(self.items))]
        for place in places:
            if self.items[place].kind in ("column", "max", "min") and place not in self.column_of:
                column = self.column(place, "number") if self.items[place].kind == "column" else None
                if column is not None:
                    self.used.add(place)
                    self.column_of[place] = column
                    return column
        for place in places:
            if (column := self.column_of.get(place)) is not None:
                return column
        return self._usual_column(last if last is not None else first)

    def _usual_column(self, at: int) -> int:
        """Of a number that no column is named for: by its unit, or the only column of numbers, or that of amounts."""
        numbers = [c for c, column in enumerate(self.table.columns) if column.kind == "number"]
        item = next((i for i in self.items[max(0, at - 2) : at + 1] if i.number), None)
        unit = item.number.unit if item and item.number else ""
        same = [c for c in numbers if unit and self.table.columns[c].unit.lower() == unit]
        amounts = [c for c in same or numbers if "amount" in self.names.concepts[c]]
        for found in (same, amounts, numbers):
            if len(found) == 1:
                return found[0]
        raise Unclear

    def _in_unit(self, at: int, column: int) -> int | float:
        """A number of the question in the unit that the column is counted in."""
        number = self.items[at].number
        assert number is not None
        unit, value = self.table.columns[column].unit, number.value
        if number.unit == "%" or unit == "%":
            if unit != "%":
                return value * 100
            return value if number.unit == "%" else value / 100
        scale = next((s for name, s in _UNIT_SCALES.items() if unit.startswith(name) and len(unit) > len(name)), 1.0)
        text = self.items[at].text
        if scale > 1 and any(mark in text for mark in "万亿k"):
            value = value / scale
        return int(value) if float(value).is_integer() else value

    # --- times ---------------------------------------------------------------------------------------------------

    def take_periods(self) -> None:
        at = 0
        while at < len(self.items):
            if self.items[at].kind == "period":
                at = self._take_period(at)
            at += 1

    def _take_period(self, at: int) -> int:
        kinds = [item.kind for item in self.items]
        period = self.items[at].period
        assert period is not None
        before, used = kinds[at - 1] if at else "", {at}
        last = at + 2 if kinds[at + 1 : at + 3] == ["to", "period"] else at
        after = kinds[last + 1] if last + 1 < len(kinds) else ""
        if last > at:
            other = self.items[last].period
            assert other is not None
            period = period._replace(year=period.year or other.year)
            other = other._replace(year=other.year or period.year)
            used |= {
                at + 1,
                last,
                *([at - 1] if before in ("between", "since") else []),
                *([last + 1] if after == "within" else []),
            }
            column = self._date_column(min(used), last)
            self._add_range(at, column, period, other)
        else:
            word = (
                before
                if before in ("before", "after", "since", "gt", "ge", "lt", "le")
                else after
                if after in ("before", "after", "since", "post_ge")
                else ""
            )
            word = "since" if before == "between" and not word else word
            if word:
                used.add(at - 1 if before in (word, "between") else last + 1)
            column = self._date_column(min(used), last)
            self._add_time(at, column, period._replace(year=period.year), word)
        self.used |= used
        return last

    def _add_time(self, at: int, column: int, period: Period, word: str) -> None:
        number = self.table.columns[column].kind == "number"
        if not word:
            condition = (
                Condition(column, "=", (period.year or 0,)) if number else Condition(column, "in period", period=period)
            )
            self._add(at, condition)
            return
        if period.year is None:
            raise Unclear
        start, end = (period.year, period.year + 1) if number else period.bounds()
        comparison, value = {
            "before": ("<", start), "lt": ("<", start), "le": ("<", end), "after": (">=", end), "gt": (">=", end),
        }.get(word, (">=", start))  # fmt: skip
        self.found.append((at, Condition(column, comparison, (value,))))  # type: ignore[arg-type]

    def _add_range(self, at: int, column: int, first: Period, last: Period) -> None:
        if self.table.columns[column].kind == "number":
            if first.year is None or last.year is None:
                raise Unclear
            self.found.append((at, Condition(column, "between", (first.year, last.year))))
        elif first.year is None or last.year is None:
            self.found.append((at, Condition(column, "in period", period=Period(None, first.first, last.last))))
        else:
            self.found.append((at, Condition(column, ">=", (first.bounds()[0],))))
            self.found.append((at, Condition(column, "<", (last.bounds()[1],))))

    def _date_column(self, first: int, last: int) -> int:
        """The nearest column of dates that is named, else the only one; a column of years is one, too."""
        years = [
            c
            for c, column in enumerate(self.table.columns)
            if column.kind == "number" and "year" in self.names.concepts[c]
        ]
        dates = [c for c, column in enumerate(self.table.columns) if column.kind == "date"]
        for place in [*range(first - 1, -1, -1), *range(last + 1, len(self.items))]:
            if self.items[place].kind == "column":
                named: list[int] = [one.column for one in self.items[place].meanings if one.column in (*dates, *years)]
                if named:
                    if not any(self.table.columns[m.column].kind == "text" for m in self.items[place].meanings):
                        self.used.add(place)
                    return named[0]
        found = dates or years
        if len(found) == 1:
            return found[0]
        events = [c for c in dates if self.names.concepts[c].keys() & {"ordered", "issued", "date", "sold"}]
        if len(events) == 1:
            return events[0]
        raise Unclear
