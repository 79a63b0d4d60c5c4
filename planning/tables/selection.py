"""From the items of a question to what it computes. Whatever is not read for certain is not computed."""

from __future__ import annotations

from planning.tables.conditions import Conditions, Unclear
from planning.tables.names import TableNames, is_unique, label_column
from planning.tables.operators import ADDITIVE
from planning.tables.reading import Item, QuestionItems
from planning.tables.spec import Condition, Function, Selection
from schema import TableInfo

_AGGREGATES: dict[str, Function] = {"sum": "sum", "avg": "avg", "median": "median"}
_SUPERLATIVES = {"max": True, "min": False, "most": True, "fewest": False, "old": False, "young": True}
_ASKS = frozenset(
    """count much sum avg median max min most fewest first old young each monthly yearly list share diff compare
    distinct blank failing passing gt ge lt le post_ge post_le which""".split()
)
_LOOSE = frozenset(
    "list which between to or than within since besides equal less much first each compare sum rows distinct".split()
)


def select(reading: QuestionItems, table: TableInfo, names: TableNames) -> Selection | None:
    """None where the question is not about the rows of this table, or the rules are not certain of it."""
    if reading.unknown or not reading.items:
        return None
    kinds = {item.kind for item in reading.items}
    if not kinds & {"column", "value", "rows"} and not any(item.concept for item in reading.items):
        return None
    try:
        return _Selector(reading.items, table, names).selection()
    except Unclear:
        return None


class _Selector:
    def __init__(self, items: list[Item], table: TableInfo, names: TableNames) -> None:
        self.table, self.names = table, names
        self.c = Conditions([*items], table, names)
        self.c.join_columns()
        self.items = self.c.items
        self.limit = self._take_limit()
        self.group, self.part = self._take_group()
        self.measure_at: int | None = None
        self._take_superlative_column()
        self.c.take_values()
        self.c.take_flags()
        self.c.take_periods()
        self.c.take_numbers()
        self.c.take_blanks()

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
            which_n = before == "which" and any(one.kind in _SUPERLATIVES for one in self.items[at:])
            near = (
                any(kind in (*_SUPERLATIVES, "first", "avg", "sum") for kind in around) or before == "before" or which_n
            )
            by_label = before == "column" and at + 1 < len(self.items) and self.has(*_SUPERLATIVES)
            if not compared and (near or by_label) and self.has(*_SUPERLATIVES, "first", "before"):
                self.c.used.add(at)
                if before in ("before", "first"):
                    self.c.used.add(at - 1)
                return int(item.number.value)
        return None

    def _take_group(self) -> tuple[int | None, str]:
        for at, item in enumerate(self.items):
            if item.kind in ("monthly", "yearly"):
                self.c.used.add(at)
                dates = [c for c, column in enumerate(self.table.columns) if column.kind == "date"]
                named = [
                    m.column for one in self.items for m in one.meanings if m.column in dates and one.kind == "column"
                ]
                found = dates if len(dates) == 1 else list(dict.fromkeys(named))
                if len(found) != 1:
                    raise Unclear
                return found[0], "month" if item.kind == "monthly" else "year"
            if item.kind == "each" and at + 1 < len(self.items) and self.items[at + 1].kind == "column":
                column = self.c.column(at + 1, "text")
                years = [m for m in self.c.columns(at + 1, ("number",)) if "year" in self.names.concepts[m.column]]
                if column is None and years:
                    column = years[0].column
                if column is not None and not is_unique(self.table, column):
                    self.c.used |= {at, at + 1}
                    return column, ""
        return None, ""

    def _take_superlative_column(self) -> None:
        """The column that "most expensive" or “最重” is about."""
        for item in self.items:
            if item.kind in _SUPERLATIVES and item.concept:
                wanted = ("age", "born", "date", "year", "hired") if item.concept == "date" else (item.concept,)
                possible: dict[int, float] = {}
                for c, column in enumerate(self.table.columns):
                    if column.kind in ("number", "date"):
                        fits = max((self.names.concepts[c].get(one, 0.0) for one in wanted), default=0.0)
                        if item.concept == "date" and column.kind == "date":
                            fits = max(fits, 0.5)
                        if fits:
                            possible[c] = fits
                named = [
                    m.column for one in self.items if one.kind == "column" for m in one.meanings if m.column in possible
                ]
                best = [c for c, fits in possible.items() if fits == max(possible.values())]
                chosen = list(dict.fromkeys(named)) or best
                if len(chosen) != 1:
                    raise Unclear
                self.measure_at = chosen[0]

    # --- what is left --------------------------------------------------------------------------------------------

    def left(self, *kinds: str) -> list[int]:
        """Places of columns of these kinds that are no condition."""
        return [
            at
            for at, item in enumerate(self.items)
            if item.kind == "column" and at not in self.c.used and self.c.columns(at, kinds)
        ]

    def _measure(self) -> int | None:
        if self.measure_at is not None:
            for at in self.left("number", "date"):
                if any(m.column == self.measure_at for m in self.items[at].meanings):
                    self.c.used.add(at)
            return self.measure_at
        places = [at for at in self.left("number") if not self._is_row_noun(at)]
        columns = {self.c.column(at, "number") for at in places}
        if len(columns) > 1:
            raise Unclear
        self.c.used.update(places)
        return next(iter(columns), None)

    def _is_row_noun(self, at: int) -> bool:
        return any(is_unique(self.table, m.column) for m in self.items[at].meanings) and not self.c.columns(
            at, ("number",)
        )

    def _target(self) -> int | None:
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

    def _conditions(self) -> tuple[Condition, ...]:
        """With the values of one column joined: any of them will do."""
        joined: dict[tuple[int, str], Condition] = {}
        rest = []
        for _, one in sorted(self.c.found, key=lambda pair: pair[0]):
            if one.comparison in ("=", "!=") and isinstance(one.values[0], str):
                known = joined.get((one.column, one.comparison))
                values = (*(known.values if known else ()), *one.values)
                joined[one.column, one.comparison] = Condition(one.column, one.comparison, tuple(dict.fromkeys(values)))
            elif one not in rest:
                rest.append(one)
        return (*joined.values(), *rest)

    def _pair(self) -> Condition | None:
        """Two values of one column that are compared."""
        return next((one for one in self._conditions() if one.comparison == "=" and len(one.values) == 2), None)

    # --- kinds of questions --------------------------------------------------------------------------------------

    def selection(self) -> Selection | None:
        if not self.has(*_ASKS) and not self.left("number", "text", "date"):
            return None
        for kind in (self._difference, self._share, self._groups, self._top, self._aggregate, self._rows):
            if (found := kind()) is not None:
                return found if self._all_read() else None
        return None

    def _all_read(self) -> bool:
        return all(
            at in self.c.used or item.kind in _LOOSE or item.kind in _AGGREGATES or item.kind in _SUPERLATIVES
            or item.kind in ("count", "share", "diff", "value") or (item.kind == "column" and self._is_row_noun(at))
            for at, item in enumerate(self.items)
        )  # fmt: skip

    def _function(self, measure: int | None) -> Function:
        return next((f for kind, f in _AGGREGATES.items() if self.has(kind)), "sum" if measure is not None else "count")

    def _difference(self) -> Selection | None:
        if not self.has("diff"):
            return None
        measure = self._measure()
        if self.has("max") and self.has("min") and measure is not None:
            self._target()
            return Selection("difference", "max", measure, conditions=self._conditions())
        pair = self._pair()
        if pair is None:
            raise Unclear
        if measure is None and not self.has("count") and not self.has("rows"):
            raise Unclear
        first, second = (str(value) for value in pair.values)
        others = tuple(one for one in self._conditions() if one != pair)
        self._target()
        descending = not self.has("less")
        return Selection("difference", self._function(measure), measure, pair.column, descending=descending,
                         conditions=others, pair=(first, second))  # fmt: skip

    def _share(self) -> Selection | None:
        if not self.has("share"):
            return None
        measure = self._measure()
        self._target()
        conditions = self._conditions()
        if not conditions or (self.group is not None):
            raise Unclear
        verb = self.at("rows", "column")
        order = sorted(self.c.found, key=lambda pair: pair[0])
        base: tuple[Condition, ...] = ()
        if len(conditions) > 1:
            if len(order) != 2:
                raise Unclear
            first, second = order[0][1], order[1][1]
            base = (first,) if first in conditions and second in conditions else ()
            if not base or verb < 0:
                raise Unclear
        return Selection(
            "share", "sum" if measure is not None else "count", measure, conditions=conditions, share_of=base
        )

    def _groups(self) -> Selection | None:
        pair = self._pair() if self.has("compare") or (self.has("each") and self.group is None) else None
        if pair is not None and self.group is None:
            self.group = pair.column
        superlative = next((item.kind for item in self.items if item.kind in _SUPERLATIVES), None)
        measure_kinds = self.has("avg", "sum", "median", "most", "fewest", "count")
        if self.group is None and superlative is not None:
            return self._best_group(superlative, measure_kinds)
        if self.group is None:
            return None
        measure = self._measure()
        self._target()
        function = self._group_function(measure)
        descending = _SUPERLATIVES.get(superlative or "", True)
        best = superlative is not None and function not in ("max", "min")
        limit = (self.limit or 1) if best else None
        return Selection("groups", function, measure, self.group, self.part, descending, limit,  # type: ignore[arg-type]
                         conditions=self._conditions())  # fmt: skip

    def _group_function(self, measure: int | None) -> Function:
        if measure is None:
            if self.has("avg", "median"):
                raise Unclear
            return "count"
        if self.has(*_AGGREGATES):
            return self._function(measure)
        if self.has("max", "min") and not self.has("which"):
            return "max" if self.has("max") else "min"
        if not self.names.concepts[measure].keys() & {*ADDITIVE}:
            raise Unclear
        return "sum"

    def _best_group(self, superlative: str, aggregated: bool) -> Selection | None:
        """ "Which client has the most orders?", “哪个部门平均工资最高”: of a column whose values come again."""
        places = [at for at in self.left("text") if not self._is_row_noun(at)]
        if not places:
            return None
        column = self.c.column(places[0], "text")
        assert column is not None
        rows_too = any(self._is_row_noun(at) for at in self.left("text")) or self.has("rows")
        measure = self._measure()
        if measure is None and superlative in ("most", "fewest", "max", "min") and (rows_too or aggregated):
            function: Function = "count"
        elif measure is not None and self.has(*_AGGREGATES):
            function = self._function(measure)
        elif (
            measure is not None
            and self.names.concepts[measure].keys() & {*ADDITIVE}
            and (superlative in ("most", "fewest") or "amount" not in self.names.concepts[measure])
        ):
            function = "sum"
        elif (
            measure is not None
            and not self.names.concepts[measure].keys() & {*ADDITIVE}
            and self.table.columns[column].distinct > 0.5 * self.table.rows
        ):
            return None
        else:
            raise Unclear
        self._target()
        return Selection("groups", function, measure, column, "", _SUPERLATIVES[superlative], self.limit or 1,
                         conditions=self._conditions())  # fmt: skip

    def _top(self) -> Selection | None:
        """The rows with the greatest or least of a column, or that value alone."""
        kind = next((item.kind for item in self.items if item.kind in _SUPERLATIVES), None)
        if kind is None and self.limit is not None:
            kind = "max"
        if kind is None or self.has("avg", "median"):
            return None
        measure = self._measure()
        if measure is None:
            measure = self._default_measure()
        descending = _SUPERLATIVES[kind]
        asks_value = (
            kind in ("max", "min") and self.measure_at is None and self.limit is None and not self._asks_which()
        )
        if asks_value and not self.has("rows", "list") and not self.left("text"):
            return Selection("aggregate", "max" if descending else "min", measure, conditions=self._conditions())
        if kind in ("old", "young"):
            aged = "age" in self.names.concepts[measure]
            descending = aged if kind == "old" else not aged
        target = self._target()
        label = label_column(self.table)
        columns = tuple(dict.fromkeys(c for c in (target if target is not None else label, label, measure)))
        return Selection("top", "max" if descending else "min", measure, descending=descending, limit=self.limit or 1,
                         columns=columns, conditions=self._conditions())  # fmt: skip

    def _asks_which(self) -> bool:
        return any(item.kind == "which" and item.text.lower() not in ("what", "什么") for item in self.items)

    def _default_measure(self) -> int:
        """ "The five largest invoices": the only column of numbers, or that of amounts; else nobody knows."""
        numbers = [c for c, column in enumerate(self.table.columns) if column.kind == "number"]
        for name in ("amount", "sales"):
            if len(found := [c for c in numbers if name in self.names.concepts[c]]) == 1:
                return found[0]
        if len(numbers) != 1:
            raise Unclear
        return numbers[0]

    def _aggregate(self) -> Selection | None:
        aggregated = self.has(*_AGGREGATES)
        numbers = [at for at in self.left("number") if not self._is_row_noun(at)]
        if aggregated and (numbers or self.has("avg", "median")):
            measure = self._measure()
            if measure is None:
                measure = self._reused_measure()
            self._target()
            return Selection("aggregate", self._function(measure), measure, conditions=self._conditions())
        named_cell = bool(numbers and self.c.found) and not self.has("list", "which")  # “华南5月的销售额是多少”
        if not (self.has("count", "distinct", "much") or aggregated or named_cell):
            return None
        if numbers:
            return self._total_or_look_up()
        if self.has("much") and not self._counts_days():
            return (
                Selection("aggregate", "sum", self._default_measure(), conditions=self._conditions())
                if self.has("sum")
                else None
            )
        counted = [at for at in self.left("text") if not self._is_row_noun(at)]
        if counted:
            column = self._target()
            conditional = column in {one.column for one in self._conditions()}
            if conditional:
                return Selection("aggregate", "count", conditions=self._conditions())
            return Selection("aggregate", "distinct", column, conditions=self._conditions())
        if not self.has("count", "much") and not (self.has("rows") and self.has("sum", "distinct")):
            raise Unclear
        if not (self.has("rows") or self.left("text") or self.c.found):
            raise Unclear
        self._target()
        return Selection("aggregate", "count", conditions=self._conditions())

    def _counts_days(self) -> bool:
        """Days are rows where each row has a day of its own; elsewhere “几天” asks for what a cell tells."""
        asked = any(item.kind == "much" and item.concept == "day" for item in self.items)
        return asked and any(one.kind == "date" and one.distinct == self.table.rows for one in self.table.columns)

    def _reused_measure(self) -> int:
        """ "The average of amounts over 500": the column of the condition, where no other is named."""
        columns = {one.column for one in self._conditions() if self.table.columns[one.column].kind == "number"}
        if len(columns) != 1:
            raise Unclear
        return columns.pop()

    def _total_or_look_up(self) -> Selection | None:
        """“库存有多少”, "how many copies": the number of the row that is named, else the sum over the rows."""
        conditions = self._conditions()
        if any(one.comparison == "=" and is_unique(self.table, one.column) for one in conditions):
            return None
        measure = self._measure()
        assert measure is not None
        if not self.names.concepts[measure].keys() & {*ADDITIVE, "population", "area"}:
            raise Unclear
        self._target()
        return Selection("aggregate", "sum", measure, conditions=conditions)

    def _rows(self) -> Selection | None:
        """Rows that meet conditions, or the values of a column: "list the …", “哪些…”, "who wrote …"."""
        conditions = self._conditions()
        if any(one.comparison == "=" and is_unique(self.table, one.column) for one in conditions):
            asked = [self.c.column(at) for at in self.left("text", "number", "date") if not self._is_row_noun(at)]
            if asked and None not in asked:
                self.c.used.update(self.left("text", "number", "date"))
                keys = [one.column for one in conditions if is_unique(self.table, one.column)]
                columns = tuple(dict.fromkeys([*keys, *(c for c in asked if c is not None)]))
                return Selection("rows", columns=columns, conditions=conditions)
            return None
        if not self.has("list", "which"):
            return None
        target = self._target()
        label = label_column(self.table)
        if not conditions:
            if target is None or is_unique(self.table, target) or self.left("number", "date"):
                return None
            return Selection("distinct", columns=(target,))
        named = [self.c.column(at) for at in self.left("number", "date")]
        self.c.used.update(self.left("number", "date"))
        tested = [one.column for one in conditions if self.table.columns[one.column].kind != "text"]
        if (
            target is not None
            and target not in {one.column for one in conditions}
            and not is_unique(self.table, target)
        ):
            return Selection("distinct", columns=(target,), conditions=conditions)
        columns = tuple(dict.fromkeys([label, *(c for c in [target, *named] if c is not None), *tested]))
        return Selection("rows", columns=columns, conditions=conditions)
