"""What a question asks over a table, part by part: how many, of which groups and columns, under which conditions."""

from __future__ import annotations

from planning.tables.amounts import take_comparisons, take_numbers
from planning.tables.conditions import Conditions, Unclear
from planning.tables.items import Item
from planning.tables.keys import is_unique, label_column
from planning.tables.measures import measured
from planning.tables.names import TableNames
from planning.tables.operators import ENTITIES, PEOPLE
from planning.tables.spec import Condition, Function
from planning.tables.times import take_periods
from schema import TableInfo

AGGREGATES: dict[str, Function] = {"sum": "sum", "avg": "avg", "median": "median"}
SUPERLATIVES = {"max": True, "min": False, "most": True, "fewest": False, "old": False, "young": True}


class RowQuestion:
    def __init__(self, items: list[Item], table: TableInfo, names: TableNames) -> None:
        self.table, self.names = table, names
        self.c = Conditions([*items], table, names)
        self.c.settle_bounds()
        self.c.settle_columns()
        self.c.join_columns()
        self.items = self.c.items
        self.limit = self._take_limit()
        self.group, self.part = self._take_group()
        self.measure_at: int | None = None
        self.reversed = False  # that the slowest has most
        self._take_superlative_column()
        self.c.take_values()
        self.c.take_flags()
        take_periods(self.c)
        take_comparisons(self.c)
        take_numbers(self.c)
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
            which_n = before == "which" and any(one.kind in SUPERLATIVES for one in self.items[at:])
            near = (
                any(kind in (*SUPERLATIVES, "first", "avg", "sum") for kind in around) or before == "before" or which_n
            )
            by_label = before == "column" and at + 1 < len(self.items) and self.has(*SUPERLATIVES)
            if not compared and (near or by_label) and self.has(*SUPERLATIVES, "first", "before"):
                self.c.used.add(at)
                if before in ("before", "first"):
                    self.c.used.add(at - 1)
                return int(item.number.value)
        return None

    def _take_group(self) -> tuple[int | None, str]:
        for at, item in enumerate(self.items):
            if item.kind in ("monthly", "yearly"):
                self.c.used.add(at)
                dates = self.names.dates
                named = {m.column for one in self.items if one.kind == "column" for m in one.meanings} & dates
                found = dates if len(dates) == 1 else named
                if len(found) != 1:
                    raise Unclear
                return next(iter(found)), "month" if item.kind == "monthly" else "year"
            to = at + 2 if at + 1 < len(self.items) and self.items[at + 1].kind == "rows" else at + 1
            if item.kind == "each" and to < len(self.items) and self.items[to].kind == "column":
                column = self.c.column(to, "text")
                years = [m for m in self.c.columns(to, ("number",)) if "year" in self.names.concepts[m.column]]
                if column is None and years:
                    column = years[0].column
                if column is not None and not is_unique(self.table, column):
                    self.c.used |= {at, to}
                    return column, ""
        return None, ""

    def _take_superlative_column(self) -> None:
        """The column that "most expensive" or “最重” is about."""
        for item in self.items:
            if item.kind in SUPERLATIVES and item.meanings:  # "windiest"
                self.measure_at = item.meanings[0].column
            elif item.kind in SUPERLATIVES and item.concept:
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
                said = self.has("column", "value", "rows")
                if not possible and said and item.concept == "price":  # “最贵的一笔”, where no column is a price
                    possible = dict.fromkeys(self.names.money, 1.0)
                if not possible and item.concept == "speed":  # what is slow takes long
                    possible = {c: 1.0 for c in self.names.numbers if measured(self.table.columns[c].unit) == "time"}
                    self.reversed = bool(possible)
                if not possible:  # “交期最长”: then it is about the column that is named
                    possible = dict.fromkeys(self._named_numbers(), 1.0)
                best = [c for c, fits in possible.items() if fits == max(possible.values())]
                chosen = list(dict.fromkeys(named)) or best
                if len(chosen) != 1:
                    raise Unclear
                self.measure_at = chosen[0]

    def _named_numbers(self) -> set[int]:
        return {
            one.meanings[0].column
            for one in self.items
            if one.kind == "column" and one.meanings[0].column in self.names.numbers
        }

    # --- what is left --------------------------------------------------------------------------------------------

    def left(self, *kinds: str) -> list[int]:
        """Places of columns of these kinds that are no condition."""
        return [
            at
            for at, item in enumerate(self.items)
            if item.kind == "column" and at not in self.c.used and self.c.columns(at, kinds)
        ]

    def measure(self) -> int | None:
        if self.measure_at is not None:
            for at in self.left("number", "date"):
                if any(m.column == self.measure_at for m in self.items[at].meanings):
                    self.c.used.add(at)
            return self.measure_at
        places = self.left("number")
        columns = {self.c.column(at, "number") for at in places}
        if len(columns) > 1:
            raise Unclear
        self.c.used.update(places)
        return next(iter(columns), None)

    def amount(self) -> int:
        """What was paid or spent, where no column is named."""
        found = [
            c
            for c, known in enumerate(self.names.concepts)
            if c in self.names.numbers and known.keys() & {"amount", "cost"}
        ] or [*self.names.money]
        if len(found) != 1:
            raise Unclear
        return found[0]

    def events(self, *kinds: str) -> None:
        """“离职的有几人”: a date that is named without a time has to be there."""
        for at in self.left(*kinds):
            column = self.c.column(at, *kinds)
            assert column is not None
            self.c.used.add(at)
            if self.table.columns[column].kind == "number":  # late by 0 minutes is not late
                self.c.found.append((at, Condition(column, ">", (0,))))
            elif self.table.columns[column].blank:
                self.c.found.append((at, Condition(column, "not blank")))

    def counts_rows(self) -> bool:
        """Whether what is counted is called as a row is: "how many flights …"."""
        at = self.at("count") + 1
        return 0 < at < len(self.items) and (
            self.items[at].kind == "rows" or (self.items[at].kind == "column" and self.is_row_noun(at))
        )

    def adds_up(self, at: int) -> bool:
        """Whether an item is of a column of which "how many" asks for the sum; of money one asks how much."""
        return self.c.column(at, "number") in self.names.additive - self.names.money

    def counts_sums(self) -> bool:
        """ "How many fees are unpaid" asks for their number and not for money."""
        at = self.at("count") + 1
        if not 0 < at < len(self.items) or not self.items[at - 1].text.lower().startswith(("how many", "number")):
            return False
        return (
            self.items[at].kind == "column" and self.c.column(at, "number") in self.names.money and bool(self.c.found)
        )

    def are_copies(self, at: int) -> bool:
        """Whether “多少本书” counts loans and not titles: a thing by another word than its column's, in rows that are
        told apart by something else, and under a condition."""
        item, concepts = self.items[at], self.names.concepts[self.items[at].meanings[0].column]
        things = {one for one in concepts if one in ENTITIES and one not in PEOPLE}
        keyed = any(is_unique(self.table, c) for c in range(len(self.table.columns)))
        held = any(known.keys() & {"quantity", "copies", "stock"} for known in self.names.concepts)
        named = item.meanings[0].weight < 1 and not self.has("distinct")
        return bool(things) and keyed and not held and named and bool(self.c.found or len(self.items) > 3)

    def asks_who(self) -> bool:
        return any(item.kind == "which" and item.text.lower() in ("who", "谁", "谁的", "whose") for item in self.items)

    def person(self) -> int:
        """The column of words that says who, where none is named."""
        texts = [c for c, column in enumerate(self.table.columns) if column.kind == "text"]
        people = [c for c in texts if self.names.concepts[c].keys() & PEOPLE]
        label = label_column(self.table)
        if label in people:
            return label
        if people or not is_unique(self.table, label):
            raise Unclear
        return label

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

    def conditions(self) -> tuple[Condition, ...]:
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

    def pair(self) -> Condition | None:
        """Two values of one column that are compared."""
        return next((one for one in self.conditions() if one.comparison == "=" and len(one.values) == 2), None)

    def function(self, measure: int | None) -> Function:
        named = next((function for kind, function in AGGREGATES.items() if self.has(kind)), None)
        return named or ("sum" if measure is not None else "count")
