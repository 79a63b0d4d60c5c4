"""A selection as SQL. Names are quoted, values are literals: nothing of a question or file is code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from planning.tables.formulas import Formula
from planning.tables.spec import Condition, Function, Selection
from planning.tables.wording import in_words
from schema import TableInfo, TableQuery
from tables.sql import name_of_table, quoted

_LENGTHS = {"year": 4, "month": 7, "day": 10}  # of a date as it is stored
_MOST_ROWS = 1_000  # of a list
_time = re.compile(r"\d\d:\d\d")


def literal(value: str | int | float) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''").replace("\0", "") + "'"
    return repr(value)


def query_of(selection: Selection, table: TableInfo, formulas: Mapping[int, Formula] | None = None) -> TableQuery:
    """With the columns that follow from others, by their places in the table."""
    writer = _QueryWriter(selection, table, formulas or {})
    unit = ""
    if selection.kind in ("share", "shares"):
        unit = "%"
    elif (
        selection.measure is not None and selection.kind != "ratio" and selection.function not in ("count", "distinct")
    ):
        unit = table.columns[selection.measure].unit
    elif selection.kind == "rows" and selection.columns:
        unit = table.columns[selection.columns[-1]].unit
    return TableQuery(
        document=table.document, doc_set=table.doc_set, position=table.position, sql=writer.sql(),
        words=in_words(selection, table), unit=unit,
    )  # fmt: skip


class _QueryWriter:
    def __init__(self, selection: Selection, table: TableInfo, formulas: Mapping[int, Formula]) -> None:
        self.s, self.table, self.formulas = selection, table, formulas
        self.source = quoted(name_of_table(table))

    def cell(self, at: int) -> str:
        """What a column shows: of one whose cells are read the cells as they are written."""
        formula = self.formulas.get(at)
        return quoted(self.table.columns[at].name) if formula is None or formula.reads_cell else self.column(at)

    def column(self, at: int) -> str:
        """What a column is computed with."""
        formula = self.formulas.get(at)
        return formula.cell(self.operands(formula)) if formula else quoted(self.table.columns[at].name)

    def operands(self, formula: Formula) -> list[str]:
        if formula.reads_cell:
            return [quoted(self.table.columns[at].name) for at in formula.columns]
        return [self.column(at) for at in formula.columns]

    def shown(self, at: int | None, value: str) -> str:
        """A value of a result, by its name where its column is computed."""
        computed = at is not None and at in self.formulas and not self.formulas[at].reads_cell
        return f"{value} AS {quoted(self.table.columns[at].name)}" if at is not None and computed else value

    def columns(self) -> str:
        return ", ".join(self.shown(at, self.cell(at)) for at in self.s.columns)

    def where(self, conditions: Sequence[Condition]) -> str:
        tests = [self.test(one) for one in conditions]
        return f" WHERE {' AND '.join(tests)}" if tests else ""

    def test(self, one: Condition) -> str:
        """A condition as SQL."""
        column = self.cell(one.column) if self.is_of_cell(one) else self.column(one.column)
        if one.either is not None:
            return f"({test(column, one)} OR {test(self.column(one.either), one)})"
        if one.counts:
            met = " AND ".join(self.test(each) for each in one.rows)
            many = f"COUNT(CASE WHEN {met} THEN 1 END)" if met else "COUNT(*)"
            groups = f"SELECT {column} FROM {self.source} GROUP BY 1"
            return f"{column} IN ({groups} HAVING {many} {one.comparison} {one.values[0]})"
        if one.other is not None:
            return f"{column} {one.comparison} {self.column(one.other)}"
        if one.average:
            return f"{column} {one.comparison} (SELECT AVG({column}) FROM {self.source})"
        return test(column, one)

    def is_of_cell(self, one: Condition) -> bool:
        """Whether a condition is of what a cell says, and not of what is read of it."""
        if one.comparison in ("blank", "not blank", "allows"):
            return True
        said = one.comparison in ("=", "!=") and any(isinstance(value, str) for value in one.values)
        return said and not all(_time.fullmatch(str(value)) for value in one.values)

    def aggregate(self, function: Function, where: str = "") -> str:
        if function == "count" or self.s.measure is None:
            return "COUNT(*)"
        if formula := self.formulas.get(self.s.measure):
            return formula.aggregate(function, self.operands(formula))
        column = self.column(self.s.measure)
        return f"COUNT(DISTINCT {column})" if function == "distinct" else f"{function.upper()}({column})"

    def sql(self) -> str:
        s = self.s
        return getattr(self, f"_{s.kind}")()  # type: ignore[no-any-return]

    def _aggregate(self) -> str:
        value = self.shown(self.s.measure, self.aggregate(self.s.function))
        return f"SELECT {value} FROM {self.source}{self.where(self.s.conditions)}"

    def _groups(self) -> str:
        s = self.s
        assert s.group is not None
        key = self.group_key()
        value = self.aggregate(s.function)
        there = self.where((*s.conditions, Condition(s.group, "not blank")))
        if s.limit and s.conditions and not s.descending and value == "COUNT(*)":  # of none it has the fewest
            value = f"COUNT(CASE WHEN {' AND '.join(map(self.test, s.conditions))} THEN 1 END)"
            there = self.where((Condition(s.group, "not blank"),))
        gaps = s.measure is not None and bool(
            self.table.columns[s.measure].blank or self.table.columns[s.measure].unread
        )
        if s.measure is not None and s.function not in ("count", "distinct") and (s.limit or gaps):
            there += f" AND {self.column(s.measure)} IS NOT NULL"
        source = f"FROM {self.source}{there}"
        groups = f"SELECT {self.shown(s.group, key)}, {self.shown(s.measure, value)} {source} GROUP BY 1"
        direction = "DESC" if s.descending else "ASC"
        if s.limit == 1:  # all that are equal
            return f"{groups} HAVING {value} = (SELECT {value} {source} GROUP BY {key} ORDER BY 1 {direction} LIMIT 1)"
        return f"{groups} ORDER BY {f'{value} {direction} LIMIT {s.limit}' if s.limit else '1'}"

    def group_key(self) -> str:
        assert self.s.group is not None
        key = self.cell(self.s.group)
        return f"substr({key}, 1, {_LENGTHS[self.s.part]})" if self.s.part else key

    def _per(self) -> str:
        s = self.s
        assert s.group is not None
        there = self.where((*s.conditions, Condition(s.group, "not blank")))
        return (
            f"SELECT 1.0 * {self.aggregate(s.function)} / COUNT(DISTINCT {self.group_key()}) FROM {self.source}{there}"
        )

    def _top(self) -> str:
        s = self.s
        assert s.measure is not None
        columns = self.columns()
        measure = self.column(s.measure)
        if s.limit == 1:  # all that are equal
            where = self.where(s.conditions)
            best = f"(SELECT {s.function.upper()}({measure}) FROM {self.source}{where})"
            joined = f"{where} AND" if where else " WHERE"
            return f"SELECT {columns} FROM {self.source}{joined} {measure} = {best}"
        where = self.where((*s.conditions, Condition(s.measure, "not blank")))
        direction = "DESC" if s.descending else "ASC"
        return f"SELECT {columns} FROM {self.source}{where} ORDER BY {measure} {direction} LIMIT {s.limit}"

    def _best(self) -> str:
        s = self.s
        assert s.measure is not None
        measure, key = self.column(s.measure), self.group_key()
        where = self.where(s.conditions)
        best = f"SELECT {key}, {s.function.upper()}({measure}) FROM {self.source}{where} GROUP BY 1"
        joined = f"{where} AND" if where else " WHERE"
        return f"SELECT {self.columns()} FROM {self.source}{joined} ({key}, {measure}) IN ({best}) ORDER BY {key}"

    def _rows(self) -> str:
        return f"SELECT {self.columns()} FROM {self.source}{self.where(self.s.conditions)} LIMIT {_MOST_ROWS}"

    def _distinct(self) -> str:
        [column] = self.s.columns
        where = self.where((*self.s.conditions, Condition(column, "not blank")))
        order = self.column(column) if self.cell(column) != self.column(column) else "1"
        return f"SELECT DISTINCT {self.cell(column)} FROM {self.source}{where} ORDER BY {order} LIMIT {_MOST_ROWS}"

    def _share(self) -> str:
        base = self.where(self.s.share_of)
        rest = [one for one in self.s.conditions if one not in self.s.share_of]
        met = " AND ".join(self.test(one) for one in rest)
        if self.s.measure is not None:
            column = self.column(self.s.measure)
            return f"SELECT 1.0 * SUM(CASE WHEN {met} THEN {column} END) / SUM({column}) FROM {self.source}{base}"
        return f"SELECT 1.0 * SUM(CASE WHEN {met} THEN 1 ELSE 0 END) / COUNT(*) FROM {self.source}{base}"

    def _shares(self) -> str:
        s = self.s
        assert s.group is not None
        key, value = self.group_key(), self.aggregate(s.function)
        there = self.where((*s.conditions, Condition(s.group, "not blank")))
        whole = f"(SELECT {value} FROM {self.source}{there})"
        return f"SELECT {key}, 1.0 * {value} / {whole} FROM {self.source}{there} GROUP BY 1 ORDER BY 2 DESC"

    def _ratio(self) -> str:
        return self._difference()

    def _difference(self) -> str:
        s = self.s
        where = self.where(s.conditions)
        if s.group is None:
            assert s.measure is not None
            column = self.column(s.measure)
            return f"SELECT MAX({column}), MIN({column}), MAX({column}) - MIN({column}) FROM {self.source}{where}"
        sides = []
        for side in s.sides or [Condition(s.group, "=", (value,)) for value in s.pair]:
            there = self.where((*s.conditions, side))
            sides.append(f"(SELECT {self.aggregate(s.function)} FROM {self.source}{there})")
        one, other = sides if s.descending else sides[::-1]
        if s.kind == "ratio":
            return f"SELECT {sides[0]}, {sides[1]}, 1.0 * {one} / {other}"
        return f"SELECT {sides[0]}, {sides[1]}, {one} - {other}"


def test(column: str, one: Condition) -> str:
    """A condition as SQL."""
    if one.comparison == "allows":
        return f"allows({column}, {literal(one.values[0])})"
    if one.comparison in ("blank", "not blank"):
        return f"{column} IS {'NOT ' * (one.comparison == 'not blank')}NULL"
    if one.comparison in ("in period", "not in period"):
        assert one.period is not None
        if one.period.year is not None:
            start, end = one.period.bounds()
            inside = f"({column} >= {literal(start)} AND {column} < {literal(end)})"
        else:
            first, last = one.period.first or 1, one.period.last or 12
            inside = f"substr({column}, 6, 2) BETWEEN '{first:02d}' AND '{last:02d}'"
            if one.period.day and one.period.last_day:
                ends = f"'{first:02d}-{one.period.day:02d}' AND '{last:02d}-{one.period.last_day:02d}'"
                inside = f"substr({column}, 6, 5) BETWEEN {ends}"
            elif one.period.day:
                inside = f"substr({column}, 6, 5) = '{first:02d}-{one.period.day:02d}'"
        return inside if one.comparison == "in period" else f"NOT {inside}"
    if one.comparison == "between":
        low, high = map(literal, one.values)
        return f"{column} BETWEEN {low} AND {high}"
    if len(one.values) > 1:
        return f"{column} {'NOT ' * (one.comparison == '!=')}IN ({', '.join(map(literal, one.values))})"
    if one.comparison == "!=":  # what is blank is not it either
        return f"{column} IS NOT {literal(one.values[0])}"
    return f"{column} {one.comparison} {literal(one.values[0])}"
