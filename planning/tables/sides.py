"""Tables of matches, with a side at home and one away: who has won, where a team has played, how much it has scored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from planning.tables.formulas import Formula, TableWithFormulas
from planning.tables.items import Item
from planning.tables.names import Meaning
from planning.tables.spec import Condition
from planning.tables.teams import Sides, sides_of

_OUTCOMES = frozenset({"won", "lost", "drawn"})
_SIDES = frozenset({"home", "away"})
_OF_A_CROWD = frozenset({"max", "most", "min", "fewest", "gt", "ge", "lt", "le", "avg", "number"})
_SAYS_GOALS = frozenset("进 球 score scored".split())
_GROUPS = frozenset({"which", "each", "list"})
_TEAMS = frozenset("team teams side club clubs 球队 队 队伍 支 支球队".split())


class MatchItems(NamedTuple):
    """What of a question about matches is left to read, and what it has told."""

    items: list[Item]
    unknown: list[Item]
    computed: TableWithFormulas
    conditions: tuple[Condition, ...] = ()


def with_sides(items: Iterable[Item], unknown: Iterable[Item], computed: TableWithFormulas) -> MatchItems:
    """The items with teams, sides and outcomes read; as they are in any other table."""
    sides = sides_of(computed.table)
    if sides is None:
        kept = [item for item in items if item.kind != "won"]  # "who won the most votes"
        odd = [item for item in kept if item.kind in _SIDES | _OUTCOMES]
        return MatchItems([item for item in kept if item not in odd], [*unknown, *odd], computed)
    return _MatchReading(items, unknown, computed, sides).read()


class _MatchReading:
    def __init__(
        self, items: Iterable[Item], unknown: Iterable[Item], computed: TableWithFormulas, sides: Sides
    ) -> None:
        self.sides, self.computed = sides, computed
        self.items = sorted([*items, *unknown], key=lambda item: item.start)
        self.conditions: list[Condition] = []

    def read(self) -> MatchItems:
        self._name_columns()
        outcome = self._outcome()
        marker = self._marker()
        teams = [item for item in self.items if item.kind == "value" and self._is_team(item)]
        if len(teams) == 2 and marker is not None:
            other = "away" if marker == "home" else "home"
            first = self._beside_marker(teams)
            self._place(teams[first], marker)
            self._place(teams[1 - first], other)
        elif len(teams) == 1 and marker is not None:
            self._place(teams[0], marker)
        if outcome is not None and self.sides.ours is not None and self.sides.theirs is not None:
            self._take_outcome(outcome, marker, teams)
        elif len(teams) == 1 and marker is None and not self._names_goals():
            self._drop(teams[0])
            [value] = {one.value for one in teams[0].meanings}
            self.conditions.append(Condition(self.sides.home, "=", (value,), either=self.sides.away))
        self._settle(marker)
        unknown = [item for item in self.items if item.kind == "unknown"]
        return MatchItems(
            [item for item in self.items if item.kind != "unknown"], unknown, self.computed, tuple(self.conditions)
        )

    def _outcome(self) -> Item | None:
        """What is denied, as "did not win", is left unread: it may be a draw."""
        found = next((item for item in self.items if item.kind in _OUTCOMES), None)
        if found is None:
            return None
        at = self.items.index(found)
        if any(item.kind == "not" for item in self.items[max(0, at - 2) : at]):
            self.items[at] = found._replace(kind="unknown")
            return None
        self.items = [item for item in self.items if item.text != "球"]  # “输了几场球”
        return found

    def _name_columns(self) -> None:
        """What may be either side's, by words that its columns are not called."""
        goals = self._meanings("number")
        kept: list[Item] = []
        for at, item in enumerate(self.items):
            word = item.text.lower()
            if item.kind == "drawn" and at + 1 < len(self.items) and self._is_of_a_crowd(self.items[at + 1]):
                continue  # "drew more than 20,000 spectators"
            if item.kind == "unknown" and word in _SAYS_GOALS and goals:
                if word in ("进", "score", "scored"):
                    continue
                item = item._replace(kind="column", meanings=goals)
            elif item.kind in ("unknown", "column") and word in _TEAMS and not self._single(item):
                item = item._replace(kind="column", meanings=self._meanings("text"))
            kept.append(item)
        joined: list[Item] = []
        for item in kept:  # “球”, “队”
            if joined and item.text == "队" and joined[-1].text in ("球", "支"):
                joined.pop()
            joined.append(item)
        self.items = joined

    def _single(self, item: Item) -> bool:
        best = {one.column for one in item.meanings if one.weight == item.meanings[0].weight}
        return bool(best) and not best <= {self.sides.home, self.sides.away}

    def _is_of_a_crowd(self, item: Item) -> bool:
        return item.kind in _OF_A_CROWD or (item.kind == "column" and item.meanings[0].column in self._others())

    def _others(self) -> set[int]:
        return {*self.computed.names.numbers} - {self.sides.ours, self.sides.theirs}

    def _meanings(self, kind: str) -> tuple[Meaning, ...]:
        s = self.sides
        columns = (s.home, s.away) if kind == "text" else (s.ours, s.theirs)
        return tuple(Meaning("column", 0.6, c) for c in columns if c is not None)

    def _is_team(self, item: Item) -> bool:
        return {one.column for one in item.meanings} == {self.sides.home, self.sides.away}

    def _marker(self) -> str | None:
        """The side that a question names; the words that name nothing else are read by it."""
        told = [item for item in self.items if item.kind in _SIDES]
        for item in told:
            self._drop(item)
        named: list[tuple[Item, str]] = [(item, item.kind) for item in told]
        for item in self.items:
            found = [one.column for one in item.meanings[:1]] if item.kind == "column" else []
            best = {one.column for one in item.meanings if one.weight == item.meanings[0].weight} if found else set()
            if len(best) == 1 and best <= {self.sides.home, self.sides.ours}:
                named.append((item, "home"))
            elif len(best) == 1 and best <= {self.sides.away, self.sides.theirs}:
                named.append((item, "away"))
        self.markers = [item for item, _ in named]
        kinds = {side for _, side in named}
        return kinds.pop() if len(kinds) == 1 else None

    def _beside_marker(self, teams: list[Item]) -> int:
        place = self.markers[0].start
        return min((0, 1), key=lambda at: abs(teams[at].start - place))

    def _place(self, item: Item, side: str) -> None:
        column = self.sides.home if side == "home" else self.sides.away
        at = self.items.index(item)
        self.items[at] = item._replace(meanings=tuple(one for one in item.meanings if one.column == column))

    def _drop(self, item: Item) -> None:
        self.items = [one for one in self.items if one is not item]

    def _names_goals(self) -> bool:
        goals = {self.sides.ours, self.sides.theirs}
        return any(item.kind == "column" and item.meanings[0].column in goals for item in self.items)

    def _take_outcome(self, outcome: Item, marker: str | None, teams: list[Item]) -> None:
        ours, theirs = self.sides.ours, self.sides.theirs
        assert ours is not None
        groups = any(item.kind in _GROUPS for item in self.items)
        if outcome.kind == "drawn":
            self._drop(outcome)
            self.conditions.append(Condition(ours, "=", other=theirs))
            if len(teams) == 1 and marker is None:
                self._drop(teams[0])
                value = teams[0].meanings[0].value
                self.conditions.append(Condition(self.sides.home, "=", (value,), either=self.sides.away))
        elif marker is not None:
            self._drop(outcome)
            above = (marker == "home") == (outcome.kind == "won")
            self.conditions.append(Condition(ours, ">" if above else "<", other=theirs))
            if not teams and not groups:
                for item in self.markers:
                    if item.meanings and item.meanings[0].column in (self.sides.home, self.sides.away):
                        self._drop(item)
        elif len(teams) == 1 or (groups and not teams and not any(item.kind == "fewest" for item in self.items)):
            self._drop(outcome)
            column = self._winner("winner" if outcome.kind == "won" else "loser")
            for at, item in enumerate(self.items):
                if item is (teams[0] if teams else None):
                    self.items[at] = item._replace(meanings=(item.meanings[0]._replace(column=column),))
                elif item.kind == "column" and {*item.meanings} == {*self._meanings("text")}:
                    self.items[at] = item._replace(meanings=(Meaning("column", 1.0, column),))

    def _winner(self, operator: str) -> int:
        s = self.sides
        zh = not self.computed.table.columns[s.home].name.isascii()
        name = {"winner": ("胜方", "winner"), "loser": ("负方", "loser")}[operator][not zh]
        assert s.ours is not None
        assert s.theirs is not None
        formula = Formula(operator, (s.home, s.away, s.ours, s.theirs))  # type: ignore[arg-type]
        values = self.computed.table.columns[s.home].values
        self.computed, at = self.computed.with_column(formula, name, values)
        return at

    def _settle(self, marker: str | None) -> None:
        """Of what may be either side's that of the side that is named; goals of none are those of both."""
        s = self.sides
        for at, item in enumerate(self.items):
            columns = {one.column for one in item.meanings} if item.kind == "column" else set()
            for home, away in ((s.home, s.away), (s.ours, s.theirs)):
                if columns != {home, away}:
                    continue
                if marker is not None:
                    side = home if marker == "home" else away
                    kept = tuple(one for one in item.meanings if one.column == side)
                    self.items[at] = item._replace(meanings=kept)
                elif home == s.ours and not any(self._is_team(one) for one in self.items if one.kind == "value"):
                    assert s.ours is not None
                    assert s.theirs is not None
                    self.computed, both = self.computed.with_column(Formula("+", (s.ours, s.theirs)))
                    self.items[at] = item._replace(meanings=(Meaning("column", 1.0, both),))
        if marker is not None and not any(item.kind in _GROUPS for item in self.items):
            goals = any(item.kind == "column" and item.meanings[0].column in (s.ours, s.theirs) for item in self.items)
            for item in self.markers:  # "did the home team score no goals"
                if goals and item.kind == "column" and item.meanings[0].column in (s.home, s.away):
                    self._drop(item)
