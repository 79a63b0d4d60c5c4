"""What of a question is a condition: values, yes and no, blanks, and their negation."""

from __future__ import annotations

import re
from collections.abc import Iterable

from planning.tables.items import Item
from planning.tables.names import Meaning, TableNames
from planning.tables.operators import tokens
from planning.tables.spec import Comparison, Condition
from planning.tables.to_do import is_only_its_noun, is_still_to_do
from planning.tables.unclear import Unclear
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
OPPOSITE: dict[Comparison, Comparison] = {
    "=": "!=",
    ">": "<=",
    ">=": "<",
    "<": ">=",
    "<=": ">",
    "in period": "not in period",
}


_BOUND_TITLES = {
    "max": re.compile(r"\b(?:max|maximum|high|highest|peak|top)\b|最高|最大", re.IGNORECASE),
    "min": re.compile(r"\b(?:min|minimum|low|lowest)\b|最低|最小", re.IGNORECASE),
}
KINDS = ("text", "number", "date")  # of columns
_EITHER = frozenset("or 或 或者 或是".split())  # of two things one will do
_AS_GOOD = 0.75  # of the best meaning of a word
_PART_OF_CELL = 0.8  # what is called so by more than a word of it


class Conditions:
    """Takes conditions out of the items of a question; what it has taken is `used`."""

    def __init__(self, items: list[Item], table: TableInfo, names: TableNames, text: str = "") -> None:
        self.items, self.table, self.names, self.text = items, table, names, text
        self.counted: tuple[Comparison, int] | None = None  # how many rows a group has to have
        self.none_from: int | None = None  # behind which place it is said of what rows it has none
        self.used: set[int] = set()
        self.found: list[tuple[int, Condition]] = []  # with the place in the items
        self.sides: tuple[Condition, ...] = ()  # two times that are compared
        self.column_of: dict[int, int] = {}  # item -> the column that it was taken for

    # --- columns -------------------------------------------------------------------------------------------------

    def columns(self, at: int, kinds: Iterable[str] = KINDS) -> list[Meaning]:
        """Columns of these kinds that an item may mean, the best first."""
        item = self.items[at]
        return [one for one in item.meanings if item.kind == "column" and self.table.columns[one.column].kind in kinds]

    def column(self, at: int, *kinds: str) -> int | None:
        """The column that an item means; None where there is none of these kinds. Raises Unclear where two would do."""
        found = self.columns(at, kinds or KINDS)
        if not found:
            return None
        best = [one for one in found if one.weight == found[0].weight]
        if len({one.column for one in best}) > 1:
            raise Unclear
        return found[0].column

    def found_numbers(self) -> set[int]:
        """The columns of numbers that conditions are of."""
        return {one.column for _, one in self.found} & self.names.numbers

    @property
    def flagged(self) -> bool:
        return any(one.column in self.names.flags for _, one in self.found)

    def settle_bounds(self) -> None:
        """ "The highest temperature", of two columns "Max temp" and "Min temp"."""
        for kind, titled in _BOUND_TITLES.items():
            bound = next((at for at, item in enumerate(self.items) if item.kind == kind), None)
            if bound is None:
                continue
            for at, item in enumerate(self.items):
                best = [m for m in item.meanings if m.weight > _AS_GOOD * item.meanings[0].weight]
                if item.kind != "column" or len({m.column for m in best}) < 2:
                    continue
                kept = tuple(m for m in best if titled.search(self.names.titles[m.column]))
                if len({m.column for m in kept}) == 1:
                    self.items[at] = item._replace(meanings=kept)
                    if any(one.kind in (*COMPARES, "negative", "positive", "avg") for one in self.items):
                        self.items[bound] = self.items[bound]._replace(kind="rows", meanings=())
                    return

    def settle_columns(self) -> None:
        """“数学最高分”: what may mean several columns means the one of them that another stretch names."""
        clear = {item.meanings[0].column for item in self.items if item.kind == "column" and len(item.meanings) == 1}
        for at, item in enumerate(self.items):
            if item.kind == "column" and len(item.meanings) > 1:
                best = [one for one in item.meanings if one.weight == item.meanings[0].weight]
                named = [one for one in best if one.column in clear]
                if len(best) > 1 and len(named) == 1:
                    self.items[at] = item._replace(meanings=tuple(named))

    def join_columns(self) -> None:
        """“上半年的销售额”: two stretches that both may mean one column mean that one."""
        for at in range(len(self.items) - 1, 0, -1):
            one, other = self.items[at - 1], self.items[at]
            if one.kind != "column" or other.kind != "column" or self._is_flag(one) != self._is_flag(other):
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

    def _is_flag(self, item: Item) -> bool:
        return item.meanings[0].column in self.names.flags

    # --- values --------------------------------------------------------------------------------------------------

    def take_values(self) -> None:
        for at, item in enumerate(self.items):
            if item.kind == "value":
                column = self._column_of_value(at)
                meant = [one for one in item.meanings if one.column == column]
                best = max(one.weight for one in meant)
                values = tuple(one.value for one in meant if one.weight == best)  # of milk each that was bought
                self.add(at, Condition(column, "=", values if best > _PART_OF_CELL else values[:1]))

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
            told = self._named_once(columns)
            if told is not None:
                return told
            unique = [c for c in columns if self.table.columns[c].distinct == self.table.rows]
            if len(unique) != 1:
                raise Unclear
            return unique[0]
        return best[0].column

    def _named_once(self, columns: set[int]) -> int | None:
        """The one of these columns that a stretch anywhere means and nothing else: “陈思远哪几天上白班”."""
        clear = {at: item.meanings[0].column for at, item in enumerate(self.items) if len(item.meanings) == 1}
        named = [at for at, column in clear.items() if self.items[at].kind == "column" and column in columns]
        if len(named) != 1 or named[0] in self.used:
            return None
        self.used.add(named[0])
        return clear[named[0]]

    def take_flags(self) -> None:
        """A column of yes and no that is named is a condition: "late shipments", “已转正”. Of one that is named twice
        ("whose fee is unpaid", of "Fee paid") the word that is denied tells."""
        told: dict[int, list[tuple[int, bool]]] = {}
        for at, item in enumerate(self.items):
            if item.kind != "column" or at in self.used:
                continue
            flags = [
                one.column
                for one in item.meanings
                if one.column in self.names.flags and one.weight > _AS_GOOD * item.meanings[0].weight
            ]
            if flags and not (at and self.items[at - 1].kind == "each"):
                undone = is_still_to_do(self.text[: item.start])
                told.setdefault(flags[0], []).append((at, self._negated(at) or undone))
                self.used.add(at)
        for column, places in told.items():
            words: dict[bool, set[str]] = {True: set(), False: set()}
            for at, denied in places:
                words[denied] |= {*tokens(self._said(at).removeprefix("un"))}
            so, denied_too = words[False], words[True]
            only_nouns = all(is_only_its_noun(self._said(at), self.names.titles[column]) for at, _ in places)
            if so & denied_too or (only_nouns and not denied_too):
                raise Unclear  # "paid and unpaid"; "how many fees are there"
            yes, no = self.names.flags[column]
            values = no if denied_too else yes
            condition = Condition(column, "=", values) if values else Condition(column, "!=", yes or no)
            self.found.append((places[0][0], condition))

    def _said(self, at: int) -> str:
        """The stretch of the question that an item is, which may be joined from two."""
        return self.text[self.items[at].start : self.items[at].end]

    def take_blanks(self) -> None:
        """ "no salary", “没有填写电话”: a column that is denied without a value."""
        for at, item in enumerate(self.items):
            if item.kind != "column" or at in self.used:
                continue
            before = self.items[at - 1].kind if at else ""
            after = self.items[at + 1].kind if at + 1 < len(self.items) else ""
            if "blank" in (before, after) or (before == "not" and after not in (*COMPARES, "value")):
                column = self.column(at)
                assert column is not None
                self.used |= {at, at - 1 if before in ("blank", "not") else at + 1}
                filled = self.table.columns[column].kind == "number" and not self.table.columns[column].blank
                # “还没回款” of numbers that are all there means that there is none
                self.found.append((at, Condition(column, "<=", (0,)) if filled else Condition(column, "blank")))

    def refuse_alternatives(self) -> None:
        """ "In Ulm or hired before 2015": one of two conditions on different columns is not computed."""
        for at, item in enumerate(self.items):
            if item.kind == "or" and item.text.lower() in _EITHER:
                before = max((one for one in self.found if one[0] < at), key=lambda one: one[0], default=None)
                behind = min((one for one in self.found if one[0] > at), key=lambda one: one[0], default=None)
                if before and behind and before[0] >= 0 and before[1].column != behind[1].column:
                    raise Unclear

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

    def add(self, at: int, condition: Condition) -> None:
        if self._negated(at):
            condition = Condition(condition.column, OPPOSITE[condition.comparison], condition.values, condition.period)
        self.used.add(at)
        self.found.append((at, condition))
