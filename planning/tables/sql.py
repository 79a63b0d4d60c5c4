"""A selection as SQL and in words. Names are quoted, values are literals: nothing of a question or file is code."""

from __future__ import annotations

from collections.abc import Sequence

from planning.tables.names import bare
from planning.tables.periods import Period
from planning.tables.spec import Condition, Function, Selection
from schema import Message, TableInfo, TableQuery
from tables.sql import name_of_table, quoted

_MOST_ROWS = 1_000  # of a list
_WORDS: dict[Function, Message] = {
    "count": Message("行数", "number of rows"),
    "sum": Message("合计", "sum"),
    "avg": Message("平均值", "average"),
    "median": Message("中位数", "median"),
    "min": Message("最小值", "least value"),
    "max": Message("最大值", "greatest value"),
    "distinct": Message("不同值的个数", "number of different values"),
}


def literal(value: str | int | float) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''").replace("\0", "") + "'"
    return repr(value)


def query_of(selection: Selection, table: TableInfo) -> TableQuery:
    writer = _QueryWriter(selection, table)
    unit = ""
    if selection.kind == "share":
        unit = "%"
    elif selection.measure is not None and selection.function not in ("count", "distinct"):
        unit = table.columns[selection.measure].unit
    elif selection.kind == "rows" and selection.columns:
        unit = table.columns[selection.columns[-1]].unit
    return TableQuery(
        document=table.document, doc_set=table.doc_set, position=table.position, sql=writer.sql(),
        words=Message(writer.words("zh"), writer.words("en")), unit=unit,
    )  # fmt: skip


class _QueryWriter:
    def __init__(self, selection: Selection, table: TableInfo) -> None:
        self.s, self.table = selection, table
        self.source = quoted(name_of_table(table))

    def column(self, at: int) -> str:
        return quoted(self.table.columns[at].name)

    def where(self, conditions: Sequence[Condition]) -> str:
        tests = [test(self.column(one.column), one) for one in conditions]
        return f" WHERE {' AND '.join(tests)}" if tests else ""

    def aggregate(self, function: Function, where: str = "") -> str:
        if function == "count" or self.s.measure is None:
            return "COUNT(*)"
        column = self.column(self.s.measure)
        return f"COUNT(DISTINCT {column})" if function == "distinct" else f"{function.upper()}({column})"

    def sql(self) -> str:
        s = self.s
        return getattr(self, f"_{s.kind}")()  # type: ignore[no-any-return]

    def _aggregate(self) -> str:
        where = self.where(self.s.conditions)
        if self.s.function == "median" and self.s.measure is not None:
            column = self.column(self.s.measure)
            there = f"{where} AND {column} IS NOT NULL" if where else f" WHERE {column} IS NOT NULL"
            count = f"(SELECT COUNT(*) FROM {self.source}{there})"
            return (
                f"SELECT AVG(v) FROM (SELECT {column} AS v FROM {self.source}{there} ORDER BY {column} "
                f"LIMIT 2 - {count} % 2 OFFSET ({count} - 1) / 2)"
            )
        return f"SELECT {self.aggregate(self.s.function)} FROM {self.source}{where}"

    def _groups(self) -> str:
        s = self.s
        assert s.group is not None
        key = self.column(s.group)
        if s.part:
            key = f"substr({key}, 1, {7 if s.part == 'month' else 4})"
        order = f"{self.aggregate(s.function)} {'DESC' if s.descending else 'ASC'}" if s.limit else "1"
        there = self.where((*s.conditions, Condition(s.group, "not blank")))
        if s.measure is not None and s.function in ("avg", "sum", "min", "max") and s.limit:
            there += f" AND {self.column(s.measure)} IS NOT NULL"
        limit = f" LIMIT {s.limit}" if s.limit else ""
        return (
            f"SELECT {key}, {self.aggregate(s.function)} FROM {self.source}{there} GROUP BY 1 ORDER BY {order}{limit}"
        )

    def _top(self) -> str:
        s = self.s
        assert s.measure is not None
        columns = ", ".join(self.column(c) for c in s.columns)
        measure = self.column(s.measure)
        if s.limit == 1:  # all that are equal
            where = self.where(s.conditions)
            best = f"(SELECT {s.function.upper()}({measure}) FROM {self.source}{where})"
            joined = f"{where} AND" if where else " WHERE"
            return f"SELECT {columns} FROM {self.source}{joined} {measure} = {best}"
        where = self.where((*s.conditions, Condition(s.measure, "not blank")))
        direction = "DESC" if s.descending else "ASC"
        return f"SELECT {columns} FROM {self.source}{where} ORDER BY {measure} {direction} LIMIT {s.limit}"

    def _rows(self) -> str:
        columns = ", ".join(self.column(c) for c in self.s.columns)
        return f"SELECT {columns} FROM {self.source}{self.where(self.s.conditions)} LIMIT {_MOST_ROWS}"

    def _distinct(self) -> str:
        [column] = self.s.columns
        where = self.where((*self.s.conditions, Condition(column, "not blank")))
        return f"SELECT DISTINCT {self.column(column)} FROM {self.source}{where} ORDER BY 1 LIMIT {_MOST_ROWS}"

    def _share(self) -> str:
        base = self.where(self.s.share_of)
        rest = [one for one in self.s.conditions if one not in self.s.share_of]
        met = " AND ".join(test(self.column(one.column), one) for one in rest)
        if self.s.measure is not None:
            column = self.column(self.s.measure)
            return f"SELECT 1.0 * SUM(CASE WHEN {met} THEN {column} END) / SUM({column}) FROM {self.source}{base}"
        return f"SELECT 1.0 * SUM(CASE WHEN {met} THEN 1 ELSE 0 END) / COUNT(*) FROM {self.source}{base}"

    def _difference(self) -> str:
        s = self.s
        where = self.where(s.conditions)
        if s.group is None:
            assert s.measure is not None
            column = self.column(s.measure)
            return f"SELECT MAX({column}), MIN({column}), MAX({column}) - MIN({column}) FROM {self.source}{where}"
        sides = []
        for value in s.pair:
            there = self.where((*s.conditions, Condition(s.group, "=", (value,))))
            sides.append(f"(SELECT {self.aggregate(s.function)} FROM {self.source}{there})")
        one, other = sides if s.descending else sides[::-1]
        return f"SELECT {sides[0]}, {sides[1]}, {one} - {other}"

    # --- in words ------------------------------------------------------------------------------------------------

    def words(self, language: str) -> str:
        """ "average of “月薪” for each “部门”, where “城市” is 上海"."""
        zh = language == "zh"
        s = self.s
        text = self._what(zh)
        tests = [
            in_words(bare(self.table.columns[one.column].name), one, zh)
            for one in s.conditions
            if one not in s.share_of
        ]
        if s.kind == "share":
            base = [in_words(bare(self.table.columns[one.column].name), one, zh) for one in s.share_of]
            rows = (
                ("在“" + "、".join(base) + "”的行中，" if zh else f"of the rows where {' and '.join(base)}, ")
                if base
                else ""
            )
            return f"{rows}{text}" + ("：" if zh else ": ") + ("且" if zh else " and ").join(tests)
        if tests:
            text += ("，条件：" + "，且".join(tests)) if zh else ", where " + " and ".join(tests)
        return text

    def _what(self, zh: bool) -> str:
        s, columns = self.s, self.table.columns
        measure = bare(columns[s.measure].name) if s.measure is not None else ""
        function = _WORDS[s.function].to("zh" if zh else "en")
        value = (
            function
            if s.function == "count" or not measure
            else f"“{measure}”的{function}"
            if zh
            else f"{function} of “{measure}”"
        )
        if s.kind == "groups":
            assert s.group is not None
            key = bare(columns[s.group].name)
            part = {"month": ("的月份", "month of "), "year": ("的年份", "year of "), "": ("", "")}[s.part]
            text = f"按“{key}”{part[0]}分组的{value}" if zh else f"{value} for each {part[1]}“{key}”"
            if s.limit:
                order = ("最高" if s.descending else "最低") if zh else ("highest" if s.descending else "lowest")
                text += f"，取{order}的 {s.limit} 组" if zh else f", the {s.limit} {order}"
            return text
        if s.kind == "top":
            order = ("最大" if s.descending else "最小") if zh else ("greatest" if s.descending else "least")
            return (
                f"“{measure}”{order}的 {s.limit} 行"
                if zh
                else f"the {s.limit} row{'s' * (s.limit != 1)} with the {order} “{measure}”"
            )
        if s.kind == "difference":
            if s.group is None:
                return f"“{measure}”的最大值与最小值之差" if zh else f"greatest less least value of “{measure}”"
            one, other = s.pair if s.descending else s.pair[::-1]
            return f"{value}：{one} 减 {other}" if zh else f"{value}: {one} less {other}"
        if s.kind == "share":
            return (
                (f"“{measure}”的占比" if measure else "行数占比")
                if zh
                else (f"share of “{measure}”" if measure else "share of the rows")
            )
        if s.kind in ("rows", "distinct"):
            listed = ("、" if zh else ", ").join(f"“{bare(columns[c].name)}”" for c in s.columns)
            different = s.kind == "distinct"
            return (
                (f"列出{'不同的' * different}{listed}")
                if zh
                else f"{'different values of ' * different}{listed} of the rows"
                if not different
                else f"the different values of {listed}"
            )
        return value


def test(column: str, one: Condition) -> str:
    """A condition as SQL."""
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
            if one.period.day:
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


_SIGNS = {">": "＞", ">=": "≥", "<": "＜", "<=": "≤"}


def in_words(name: str, one: Condition, zh: bool) -> str:
    values = ("或" if zh else " or ").join(map(str, one.values))
    if one.comparison in ("blank", "not blank"):
        denied = one.comparison == "not blank"
        return f"“{name}”{'不' * denied}为空" if zh else f"“{name}” is {'not ' * denied}blank"
    if one.comparison in ("in period", "not in period") and one.period is not None:
        when = _when(one.period, zh)
        denied = one.comparison == "not in period"
        return f"“{name}”{'不' * denied}在 {when}" if zh else f"“{name}” is {'not ' * denied}in {when}"
    if one.comparison == "between":
        low, high = one.values
        return f"“{name}”在 {low} 和 {high} 之间" if zh else f"“{name}” is between {low} and {high}"
    if one.comparison in ("=", "!="):
        denied = one.comparison == "!="
        return f"“{name}”{'不' * denied}是 {values}" if zh else f"“{name}” is {'not ' * denied}{values}"
    return f"“{name}” {_SIGNS[one.comparison]} {values}"


def _when(period: Period, zh: bool) -> str:
    parts = [f"{period.year}{'年' * zh}"] if period.year else []
    if period.first:
        months = f"{period.first}" if period.first == period.last else f"{period.first}–{period.last}"
        parts.append(f"{months} 月" if zh else f"month {months}")
    if period.day:
        parts.append(f"{period.day} 日" if zh else f"day {period.day}")
    return " ".join(parts)
