"""What a question asks over a table, part by part: how many, of which groups and columns, under which conditions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planning.tables.amounts import take_comparisons, take_numbers, whole_amounts
from planning.tables.clocks import take_clocks
from planning.tables.conditions import KINDS, Conditions
from planning.tables.items import Item
from planning.tables.keys import is_unique
from planning.tables.names import TableNames, is_of_one
from planning.tables.row_counts import of_groups, take_none, take_row_counts
from planning.tables.spec import Condition, Function
from planning.tables.suitability import take_fits
from planning.tables.superlatives import SUPERLATIVES, SuperlativeColumn, take_comparatives
from planning.tables.times import take_periods, usual_date
from planning.tables.unclear import Unclear
from schema import TableInfo
from tables.measures import factor, is_duration

_spent = re.compile(r"花|\bsp(?:en[dt]|ending)\b|\bpa(?:id|y)\b|付")
_part_of = re.compile(r"\s*how much of (?:the|my|our|your|their|this|that)\b", re.IGNORECASE)
how_many = re.compile(r"^(?:how many |有?多少个?|有?几个?)")
AGGREGATES: dict[str, Function] = {"sum": "sum", "avg": "avg", "median": "median"}


class RowQuestion:
    def __init__(
        self, items: list[Item], table: TableInfo, names: TableNames, text: str = "", told: Sequence[Condition] = ()
    ) -> None:
        self.table, self.names, self.text = table, names, text.lower()
        self.c = Conditions([*items], table, names, self.text)
        self.c.found += [(-1, one) for one in told]
        self.c.settle_bounds()
        self.c.settle_columns()
        self.c.join_columns()
        take_comparatives(self.c)
        self.items = self.c.items
        self.limit = self._take_limit()
        self.group, self.part = self._take_group()
        told_by = SuperlativeColumn(self.c)
        self.measure_at, self.reversed = told_by.at, told_by.reversed
        take_none(self.c)
        self.c.take_values()
        self.c.take_flags()
        take_periods(self.c)
        take_clocks(self.c)
        take_fits(self.c)
        take_row_counts(self.c)
        take_comparisons(self.c)
        take_numbers(self.c)
        self.c.take_blanks()
        self.c.refuse_alternatives()

    # --- what was said -------------------------------------------------------------------------------------------

    def has(self, *kinds: str) -> bool:
        return any(item.kind in kinds for item in self.items)

    def at(self, *kinds: str) -> int:
        return next((at for at, item in enumerate(self.items) if item.kind in kinds), -1)

    def _take_limit(self) -> int | None:
        """ "top five", "the three largest", “最贵的三个”, “前三”."""
        for at, item in enumerate(self.items):
            if item.kind != "number" or item.number is None or item.number.value not in range(1, 101):
                continue
            around = [self.items[place].kind for place in (at - 1, at + 1) if 0 <= place < len(self.items)]
            before = around[0] if at else ""
            compared = before in ("gt", "ge", "lt", "le", "equal", "between", "to") or (
                around[-1:] and around[-1].startswith("post")
            )
            which_n = before == "which" and self.has(*SUPERLATIVES)
            near = (
                any(kind in (*SUPERLATIVES, "first", "avg", "sum") for kind in around) or before == "before" or which_n
            )
            behind = self.items[at + 1].kind if at + 1 < len(self.items) else ""
            if not compared and behind == "rows" and any(one.kind in SUPERLATIVES for one in self.items[at:]):
                near = True  # "three movies with the biggest budgets"
            by_label = before == "column" and at + 1 < len(self.items) and self.has(*SUPERLATIVES)
            if not compared and (near or by_label) and self.has(*SUPERLATIVES, "first", "before"):
                self.c.used.add(at)
                if before in ("before", "first"):
                    self.c.used.add(at - 1)
                return int(item.number.value)
        return None

    def _take_group(self) -> tuple[int | None, str]:
        for at, item in enumerate(self.items):
            best_time = item.kind in ("which_month", "which_year") and self.has(*SUPERLATIVES)
            if item.kind == "monthly" and self._is_monthly_rate():
                self.c.used.add(at)
            elif item.kind in ("monthly", "yearly") and self.has("avg") and item.text.lower().startswith("per "):
                continue  # "average usage per month" is one number
            elif item.kind in ("monthly", "yearly") or best_time:
                self.c.used.add(at)
                dates = self.names.dates
                years = [c for c in self.names.numbers if "year" in self.names.concepts[c]]
                if item.kind in ("yearly", "which_year") and not dates and len(years) == 1:
                    return years[0], ""
                named = {m.column for one in self.items if one.kind == "column" for m in one.meanings} & dates
                found = dates if len(dates) == 1 else named
                if not named and (usual := usual_date(self.table, self.names)) is not None:
                    found = frozenset({usual})
                if len(found) != 1:
                    raise Unclear
                return next(iter(found)), "month" if item.kind in ("monthly", "which_month") else "year"
            to = at + 2 if at + 1 < len(self.items) and self.items[at + 1].kind == "rows" else at + 1
            if item.kind == "each" and to < len(self.items) and self.items[to].kind == "column":
                column = self.c.column(to, "text")
                told = [m.column for m in self.c.columns(to, ("number",)) if "year" in self.names.concepts[m.column]]
                column = next(iter(told), None) if column is None else column
                if column is not None and not is_unique(self.table, column):
                    self.c.used |= {at, to}
                    return column, ""
        return None, ""

    def _is_monthly_rate(self) -> bool:
        """Whether "per month" goes with a fee or wage that a column tells by the month."""
        monthly = [c for c in self.names.numbers if re.search(r"\bmonth|月", self.names.titles[c], re.IGNORECASE)]
        dated = any(one.column in self.names.dates for item in self.items for one in item.meanings[:1])
        return bool(monthly) and not dated

    # --- what is left --------------------------------------------------------------------------------------------

    def left(self, *kinds: str) -> list[int]:
        """Places of columns of these kinds, or of all, that are no condition."""
        return [
            at
            for at, item in enumerate(self.items)
            if item.kind == "column" and at not in self.c.used and self.c.columns(at, kinds or KINDS)
        ]

    def measure(self) -> int | None:
        if self.measure_at is not None:
            for at in self.left():
                if any(m.column == self.measure_at for m in self.items[at].meanings):
                    self.c.used.add(at)
            return self.measure_at
        places = self.left("number")
        if places and self._asks_time() and all(_spent.search(self.items[at].text.lower()) for at in places):
            self.c.used.update(places)  # hours that were spent are no money
            places = []
            if not self.measured_in():
                raise Unclear
        nouns = [at for at in places if not self.items[at].text.lower().endswith("ed")]
        columns = {self.c.column(at, "number") for at in nouns or places} or self.measured_in()
        asks = self.has("much", "spend", "count", *AGGREGATES, *SUPERLATIVES)
        if places and not nouns and not asks and columns <= self.names.money:
            raise Unclear  # "orders shipped to Germany" are no fees for shipping
        if len(columns) > 1 or (nouns and _part_of.match(self.text) and len(nouns) < len(places)):
            raise Unclear  # “how much of the yield was exported”
        self.c.used.update(places)
        return next(iter(columns), None)

    def _asks_time(self) -> bool:
        return any(item.kind == "much" and item.text.lower() != "how much" for item in self.items)

    def measured_in(self) -> set[int | None]:
        """“用了多少小时”, "how long": the only column that is counted in such a unit."""
        asked = next((item for item in self.items if item.kind in ("much", "long") and item.concept != "day"), None)
        if asked is None or asked.text.lower() == "how much":
            return set()
        if asked.concept:  # "how heavy"
            told = {c for c in self.names.numbers if asked.concept in self.names.concepts[c]}
            return {*told} if len(told) == 1 else set()
        unit = how_many.sub("", asked.text.lower())
        units = {c: self.table.columns[c].unit for c in self.names.numbers}
        if asked.kind == "long":
            found = {c for c, own in units.items() if is_duration(own)}
        else:
            found = {c for c, own in units.items() if factor(unit, own) is not None}
        return {*found} if len(found) == 1 else set()

    def amount(self) -> int:
        """What was paid or spent, where no column is named: the only money, or that which says it is the whole."""
        known = self.names.concepts
        paid = [c for c in self.names.numbers if known[c].keys() & {"amount", "cost"}]
        for found in (whole_amounts(self.names), paid or [*self.names.money], self._prices_that_add_up()):
            if len(found) == 1:
                return found[0]
        raise Unclear

    def _prices_that_add_up(self) -> list[int]:
        """What each row's thing costs, where nothing says how many of it there are, and the question asks for all of
        them, or for what was spent on things that were bought. “显示器多少钱” asks for no sum."""
        known = self.names.concepts
        spent = _spent.search(self.text) and any("bought" in one for one in known)
        if not (self.has("sum") or spent) or any(one.keys() & {"quantity", "copies", "stock"} for one in known):
            return []
        return [c for c in self.names.numbers if "price" in known[c] and not is_of_one(self.names.titles[c])]

    def events(self, *kinds: str) -> None:
        """“离职的有几人”: a date that is named without a time has to be there."""
        for at in self.left(*kinds):
            column = self.c.column(at, *kinds)
            if column is None or column != self.items[at].meanings[0].column:
                continue  # "departments" are none that departed
            self.c.used.add(at)
            if self.table.columns[column].kind == "number":  # late by 0 minutes is not late
                self.c.found.append((at, Condition(column, ">", (0,))))
            elif self.table.columns[column].blank:
                self.c.found.append((at, Condition(column, "not blank")))

    def is_row_noun(self, at: int) -> bool:
        return any(is_unique(self.table, m.column) for m in self.items[at].meanings) and not self.c.columns(
            at, ("number",)
        )

    def target(self) -> int | None:
        """A column of words that is asked for or about: "which client", “哪个部门”; None for the rows themselves."""
        places = self.left("text")
        columns = []
        for at in places:
            found = self.c.columns(at, ("text",))
            unique = [m.column for m in found if is_unique(self.table, m.column)]
            columns.append(unique[0] if unique else found[0].column)
            self.c.used.add(at)
        kept = list(dict.fromkeys(columns))
        several = [c for c in kept if not is_unique(self.table, c)]
        if len(several) > 1:
            raise Unclear
        return next(iter(several or kept), None)

    def conditions(self, group: int | None = None) -> tuple[Condition, ...]:
        """With the values of one column joined: any of them will do."""
        joined: dict[tuple[int, str], Condition] = {}
        rest = []
        for _, one in sorted(self.c.found, key=lambda pair: pair[0]):
            plain = one.either is None and one.other is None
            if plain and one.comparison in ("=", "!=") and isinstance(one.values[0], str):
                known = joined.get((one.column, one.comparison))
                values = (*(known.values if known else ()), *one.values)
                joined[one.column, one.comparison] = Condition(one.column, one.comparison, tuple(dict.fromkeys(values)))
            elif one not in rest:
                rest.append(one)
        return of_groups(self.c, group, (*joined.values(), *rest))

    def pair(self) -> Condition | None:
        """Two values of one column that are compared."""
        return next((one for one in self.conditions() if one.comparison == "=" and len(one.values) == 2), None)

    def function(self, measure: int | None) -> Function:
        named = next((function for kind, function in AGGREGATES.items() if self.has(kind)), None)
        return named or ("sum" if measure is not None else "count")
