"""What a query does, in words of both languages: “部门”为“研发部”的“月薪”平均值; average “Pay” where “Team” is Data."""

from __future__ import annotations

from calendar import month_name
from collections.abc import Sequence
from datetime import date, timedelta

from planning.tables.periods import Period
from planning.tables.spec import Condition, Function, Selection
from schema import Message, TableColumn, TableInfo
from tables.columns import bare_name
from tables.durations import spelled
from tables.plain_numbers import is_written_plainly

_FUNCTIONS: dict[Function, Message] = {  # of a column, which stands before the Chinese and behind the English word
    "count": Message("行数", "number of rows"),
    "sum": Message("合计", "total"),
    "avg": Message("平均值", "average"),
    "median": Message("中位数", "median"),
    "min": Message("最小值", "lowest"),
    "max": Message("最大值", "highest"),
    "distinct": Message("不同值的个数", "number of different values of"),
}
_COMPARISONS = {
    "=": Message("为", "is "), "!=": Message("不为", "is not "), ">": Message("大于 ", "over "),
    ">=": Message("不小于 ", "at least "), "<": Message("小于 ", "under "), "<=": Message("不大于 ", "at most "),
}  # fmt: skip
_TIMES = {
    ">": Message("晚于 ", "after "), ">=": Message("不早于 ", "on or after "), "<": Message("早于 ", "before "),
    "<=": Message("不晚于 ", "on or before "),
}  # fmt: skip
_NAMED = 4  # columns of a row that are named
_END_OF_DAY = "~"


def in_words(selection: Selection, table: TableInfo) -> Message:
    return Message(_Wording(selection, table, "zh").text(), _Wording(selection, table, "en").text())


def joined(conditions: Sequence[Condition], table: TableInfo) -> list[Condition]:
    """With both ends of a stretch of days as one, in days that it holds."""
    found: list[Condition] = []
    for one in conditions:
        last = found[-1] if found else None
        if (
            last is not None and one.column == last.column and table.columns[one.column].kind == "date"
            and (last.comparison, one.comparison) == (">=", "<")
        ):  # fmt: skip
            found[-1] = Condition(one.column, "between", (last.values[0], _last_day(str(one.values[0]))))
        else:
            found.append(one)
    return found


def _last_day(before: str) -> str:
    if before.endswith(_END_OF_DAY):
        return before.removesuffix(_END_OF_DAY)
    return (date.fromisoformat(before) - timedelta(days=1)).isoformat()


class _Wording:
    def __init__(self, selection: Selection, table: TableInfo, language: str) -> None:
        self.s, self.table, self.zh = selection, table, language == "zh"

    def say(self, zh: str, en: str) -> str:
        return zh if self.zh else en

    def name(self, column: int | None) -> str:
        return f"“{bare_name(self.table.columns[column].name)}”" if column is not None else ""

    def function(self) -> str:
        return self.say(*_FUNCTIONS[self.s.function])

    def value(self) -> str:
        """ "“月薪”平均值", "average “Salary”"; the number of rows where nothing is measured."""
        measured = self.s.measure is not None and self.s.function != "count"
        if not measured:
            return self.say(*_FUNCTIONS["count"])
        name, function = self.name(self.s.measure), self.function()
        if "÷" in name and self.s.function in ("sum", "avg"):  # of both sums
            return name
        return f"{name}{function}" if self.zh else f"{function} {name}"

    def text(self) -> str:
        if self.s.kind == "share":
            return self._share()
        what = {
            "aggregate": self.value, "groups": self._groups, "shares": self._shares, "top": self._top,
            "best": self._best, "rows": self._rows, "distinct": self._distinct, "difference": self._pair,
            "ratio": self._pair, "per": self._per,
        }[self.s.kind]()  # fmt: skip
        tests = self.tests(self.s.conditions)
        if not tests:
            return what
        if self.zh:
            rows = "" if self.s.kind in ("aggregate", "rows", "distinct") else "行中，"
            return f"{self.closed(tests)}的{rows}{what}"
        return f"{what} where {tests}"

    def _groups(self) -> str:
        s, key, value = self.s, self.name(self.s.group), self.value()
        part = {
            "day": self.say("按日", "day of "), "month": self.say("按月", "month of "),
            "year": self.say("按年", "year of "), "": "",
        }[s.part]  # fmt: skip
        if not s.limit:
            return f"{part or '各'}{key}{'统计' if part else ''}的{value}" if self.zh else f"{value} by {part}{key}"
        order = self.order(dated=False)
        if s.function == "count" or s.measure is None:
            order = self.say("最多", "most") if s.descending else self.say("最少", "fewest")
            value = self.say(value, "rows")
        if self.zh:
            many = f" {s.limit} 个" if s.limit > 1 else ""
            unit = {"day": "“日期”", "month": "“月份”", "year": "“年份”", "": key}[s.part]
            return f"{value}{order}的{many}{unit}"
        return f"the {f'{s.limit} values of ' if s.limit > 1 else ''}{part}{key} with the {order} {value}"

    def _per(self) -> str:
        part = {"month": self.say("月", "month"), "year": self.say("年", "year"), "day": self.say("天", "day"), "": ""}
        each = part[self.s.part] or self.name(self.s.group)
        rows = self.s.measure is None
        if self.zh:
            return f"平均每{each}的{'行数' if rows else self.name(self.s.measure)}"
        return f"average {'number of rows' if rows else f'total {self.name(self.s.measure)}'} per {each}"

    def _shares(self) -> str:
        what = self.name(self.s.measure) or self.say("行数", "the rows")
        return (
            f"各{self.name(self.s.group)}的{what}占比" if self.zh else f"share of {what} by {self.name(self.s.group)}"
        )

    def _top(self) -> str:
        s, name = self.s, self.name(self.s.measure)
        dated = s.measure is not None and self.tells_time(s.measure)
        order, many = self.order(dated), s.limit or 1
        if self.zh:
            return f"{name}{order}的{f' {many} ' if many > 1 else ''}行"
        return f"the {many} rows with the {order} {name}" if many > 1 else f"the row with the {order} {name}"

    def _best(self) -> str:
        s, name, key = self.s, self.name(self.s.measure), self.name(self.s.group)
        dated = s.measure is not None and self.tells_time(s.measure)
        part = {
            "month": self.say("个月", "month of "),
            "year": self.say("年", "year of "),
            "day": self.say("天", "day of "),
        }
        each = part.get(s.part, "")
        if self.zh:
            return f"每{each or f'个{key}'}{name}{self.order(dated)}的行"
        return f"the row with the {self.order(dated)} {name} of each {each}{key}"

    def tells_time(self, at: int) -> bool:
        """Also of a day: no other words are ordered."""
        return self.table.columns[at].kind != "number"

    def order(self, dated: bool) -> str:
        if dated:
            return self.say("最晚", "latest") if self.s.descending else self.say("最早", "earliest")
        return self.say("最高", "highest") if self.s.descending else self.say("最低", "lowest")

    def _rows(self) -> str:
        if len(self.s.columns) > _NAMED:
            return self.say("行", "rows")
        return self.say("、", ", ").join(map(self.name, self.s.columns))

    def _distinct(self) -> str:
        names = self._rows()
        return f"{names}（不重复）" if self.zh else f"different values of {names}"

    def _pair(self) -> str:
        s = self.s
        if s.group is None:
            name = self.name(s.measure)
            return f"{name}最大值与最小值之差" if self.zh else f"difference between the highest and the lowest {name}"
        named = [self.when(side.period) if side.period else str(side.values[0]) for side in s.sides] or [*s.pair]
        one, other = named if s.descending else named[::-1]
        value = self.value()
        if s.kind == "ratio":
            return f"{one}与{other}的{value}之比" if self.zh else f"ratio of the {value}, {one} to {other}"
        return f"{value}之差（{one} − {other}）" if self.zh else f"difference in the {value} ({one} − {other})"

    def _share(self) -> str:
        s = self.s
        base = self.tests(s.share_of)
        rest = self.tests([one for one in s.conditions if one not in s.share_of])
        name = self.name(s.measure)
        if self.zh:
            within = f"{self.closed(base)}的行中，" if base else ""
            return f"{within}{self.closed(rest)}的{f'{name}占比' if name else '行所占比例'}"
        within = f" among those where {base}" if base else ""
        return f"share of {name or 'the rows'} where {rest}{within}"

    # --- conditions ----------------------------------------------------------------------------------------------

    def tests(self, conditions: Sequence[Condition]) -> str:
        told = [self.test(one) for one in joined(conditions, self.table)]
        if not self.zh:
            return " and ".join(told)
        return "且".join([*map(self.closed, told[:-1]), *told[-1:]])

    def closed(self, text: str) -> str:
        """With a blank behind a number or a Latin word, where Chinese goes on."""
        return f"{text} " if text[-1:].isascii() else text

    def test(self, one: Condition) -> str:
        if one.counts:
            return self._rows_of(one)
        column = self.table.columns[one.column]
        name = self.say("或", " or ").join(self.name(at) for at in (one.column, one.either) if at is not None)
        denied = one.comparison in ("not blank", "not in period")
        if one.comparison in ("blank", "not blank"):
            return f"{name}{'不' * denied}为空" if self.zh else f"{name} is {'not ' * denied}blank"
        if one.period is not None and one.comparison in ("in period", "not in period"):
            when = self.when(one.period)
            within = "on" if one.period.day and not one.period.last_day else "in"
            return f"{name}{'不' * denied}在 {when}" if self.zh else f"{name} is {'not ' * denied}{within} {when}"
        if one.comparison == "between":
            low, high = (str(v) if isinstance(v, str) else self.shown(v, column) for v in one.values)
            return f"{name}在 {low} 到 {high} 之间" if self.zh else f"{name} is between {low} and {high}"
        if one.other is not None or one.average:
            against = self.name(one.other) or self.say("平均值", "the average")
            compared = self.compared(one)
            return (
                f"{name}{compared.strip()}{against}"
                if self.zh
                else f"{name} is {compared.removeprefix('is ')}{against}"
            )
        if one.comparison == "allows":
            number = f"{one.values[0]}"
            return f"{name}包含 {number}" if self.zh else f"{name} includes {number}"
        if column.kind != "number" and one.comparison in _TIMES:
            return self.time(name, one)
        values = self.say("或", " or ").join(self.shown(value, column) for value in one.values)
        be = "" if self.zh or one.comparison in ("=", "!=") else "is "
        gap = " " if one.comparison in ("=", "!=") and not isinstance(one.values[0], str) else ""
        return f"{name}{self.compared(one)}{gap}{values}" if self.zh else f"{name} {be}{self.compared(one)}{values}"

    def _rows_of(self, one: Condition) -> str:
        """ "“Client” has over 3 rows", “客户”没有“状态”为“逾期”的行."""
        name, tests = self.name(one.column), self.tests(one.rows)
        none = one.comparison == "=" and not one.values[0]
        if self.zh:
            which = f"{self.closed(tests)}的" if tests else ""
            return f"{name}没有{which}行" if none else f"{name}{which}行数{self.compared(one).strip()} {one.values[0]}"
        many = "no row" if none else f"{self.compared(one).removeprefix('is ')}{one.values[0]} rows"
        return f"{name} has {many}{f' for which {tests}' if tests else ''}"

    def compared(self, one: Condition) -> str:
        return self.say(*_COMPARISONS[one.comparison])

    def time(self, name: str, one: Condition) -> str:
        value = str(one.values[0])
        comparison = one.comparison
        if value.endswith(_END_OF_DAY):
            value, comparison = value.removesuffix(_END_OF_DAY), "<=" if comparison == "<" else ">"
        word = self.say(*_TIMES[comparison])
        if self.table.columns[one.column].kind == "text":  # of a day
            word = word.replace("on or", "at or")
        return f"{name}{word}{value}" if self.zh else f"{name} is {word}{value}"

    def shown(self, value: str | int | float, column: TableColumn) -> str:
        if isinstance(value, str):
            return self.say(f"“{value}”", value)
        whole = int(value) if float(value).is_integer() else value
        if (told := spelled(value, column.unit)) is not None:
            return told
        if is_written_plainly(column.name, (value,)):
            return str(whole)
        return f"{round(value * 100, 4):,g}%" if column.unit == "%" else f"{whole:,}"

    def when(self, period: Period) -> str:
        if period.last_day:
            return self._days(period)
        months = f"{period.first}" if period.first == period.last else f"{period.first}–{period.last}"
        if self.zh:
            parts = [f"{period.year} 年" * bool(period.year), f"{months} 月" * bool(period.first)]
            return " ".join(filter(None, [*parts, f"{period.day} 日" * bool(period.day)]))
        ends = dict.fromkeys([period.first, period.last]) if period.first else {}
        named = "–".join(month_name[month] for month in ends if month)
        day = f"{period.day}{',' * bool(period.year)}" if period.day else ""
        return " ".join(filter(None, [named, day, str(period.year or "")]))

    def _days(self, period: Period) -> str:
        """Of every year."""
        ends = [(period.first or 1, period.day), (period.last or 12, period.last_day)]
        if self.zh:
            return " 到 ".join(f"{month} 月 {day} 日" for month, day in ends)
        return "–".join(f"{month_name[month]} {day}" for month, day in ends)
