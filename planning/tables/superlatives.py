"""The column that a superlative is about: "most expensive", “最重”, "the cheaper one", "first" of times of day."""

from __future__ import annotations

import re

from planning.tables.clocks import clock_of_superlative
from planning.tables.conditions import Conditions
from planning.tables.items import Item
from planning.tables.unclear import Unclear
from tables.measures import is_duration

SUPERLATIVES = {"max": True, "min": False, "most": True, "fewest": False, "old": False, "young": True}
_SHAPES = frozenset("length height speed".split())
_COMPARATIVES = {"higher": "max", "lower": "min", "above": "max", "under": "min"}
_OF_SIZE = frozenset("higher larger bigger lower smaller 更高 更低 高 低".split())  # of "above" and "under"
_several = re.compile(r"\b(?:are|were|have|cost|take|leave|arrive|begin|start)\b|哪些|哪几")


def take_comparatives(c: Conditions) -> None:
    """ "Which flight to Lisbon is cheaper?" asks for one of those that it names, as "which is the cheapest" does."""
    kinds = {item.kind for item in c.items}
    if "which" not in kinds or kinds & {"than", "diff", "less", "share", "ratio", *SUPERLATIVES}:
        return
    places = [
        at
        for at, item in enumerate(c.items)
        if item.kind in _COMPARATIVES and (item.concept or item.text.lower() in _OF_SIZE)
    ]
    if len(places) != 1 or _several.search(c.text) or any(item.kind == "number" for item in c.items):
        return
    [at] = places
    c.items[at] = c.items[at]._replace(kind=_COMPARATIVES[c.items[at].kind])


class SuperlativeColumn:
    """Of the items of a question: `at` is None where no superlative says what it is about."""

    def __init__(self, c: Conditions) -> None:
        self.c, self.names = c, c.names
        self.at: int | None = None
        self.reversed = False  # that the slowest has most
        for item in c.items:
            if item.kind in SUPERLATIVES and item.meanings:  # "windiest"
                self.at = item.meanings[0].column
            elif item.kind in SUPERLATIVES and item.concept:
                self.at = self._column(item)

    def _column(self, item: Item) -> int:
        possible = self._of_concept(item)
        if item.concept == "date" and (clock := clock_of_superlative(self.c, bool(possible))) is not None:
            return clock
        possible = possible or self._by_other_words(item)
        named = [
            m.column
            for one in self.c.items
            if one.kind == "column"
            for m in one.meanings
            if m.column in possible and m.weight == one.meanings[0].weight
        ]
        other = self._named_numbers() - possible.keys()
        if item.concept in _SHAPES and len(other) == 1 and not named:  # "the longest in distance"
            possible = dict.fromkeys(other, 1.0)
        if item.concept == "score" and all(is_duration(self.c.table.columns[c].unit) for c in possible):
            self.reversed = bool(possible)  # the best time is the shortest
        best = [c for c, fits in possible.items() if fits == max(possible.values())]
        chosen = list(dict.fromkeys(named)) or best
        if len(chosen) != 1:
            raise Unclear
        return chosen[0]

    def _of_concept(self, item: Item) -> dict[int, float]:
        """The columns of numbers and dates that are of its kind, with how well they fit."""
        wanted = ("age", "born", "date", "year", "hired") if item.concept == "date" else (item.concept,)
        if item.kind in ("old", "young") and any("age" in known for known in self.names.concepts):
            wanted = ("age",)  # and not how long they have been there
        possible: dict[int, float] = {}
        for c, column in enumerate(self.c.table.columns):
            if column.kind in ("number", "date"):
                fits = max((self.names.concepts[c].get(one, 0.0) for one in wanted), default=0.0)
                if item.concept == "date" and column.kind == "date":
                    fits = max(fits, 0.5)
                if fits:
                    possible[c] = fits
        return possible

    def _by_other_words(self, item: Item) -> dict[int, float]:
        """What is meant where no column is of its kind."""
        possible: dict[int, float] = {}
        said = any(one.kind in ("column", "value", "rows") for one in self.c.items)
        if said and item.concept == "price":  # “最贵的一笔”, where no column is a price
            paid = [c for c in self.names.numbers if "amount" in self.names.concepts[c]]
            possible = dict.fromkeys(paid or self.names.money or self._fees(), 1.0)
        if not possible and item.concept in ("speed", "length"):  # what is slow takes long
            possible = {c: 1.0 for c in self.names.numbers if is_duration(self.c.table.columns[c].unit)}
            if not possible and item.concept == "speed":  # “最快过期”
                possible = dict.fromkeys(self._named_dates(), 1.0)
            self.reversed = bool(possible) and item.concept == "speed"
        return possible or dict.fromkeys(self._named_numbers(), 1.0)  # “交期最长”: about the column that is named

    def _fees(self) -> list[int]:
        return [c for c in self.names.numbers if self.names.concepts[c].keys() & {"cost", "fare", "rent", "tuition"}]

    def _named_numbers(self) -> set[int]:
        best = [one.meanings[0].column for one in self.c.items if one.kind == "column"]
        return {*best} & self.names.numbers

    def _named_dates(self) -> set[int]:
        best = [one.meanings[0].column for one in self.c.items if one.kind == "column"]
        return {*best} & self.names.dates
