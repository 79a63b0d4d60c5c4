"""Columns that a table does not have and that follow from those that it has: what a question computes from two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from planning.tables.names import TableNames
from planning.tables.spec import Function
from schema import TableColumn, TableInfo
from tables.columns import bare_name

Operator = Literal["-", "gap", "+", "*", "/", "share", "days", "winner", "loser", "minutes", "clock"]
_SIGNS = {"-": "−", "gap": "−", "+": "+", "*": "×", "/": "÷", "share": "÷", "days": "−"}


class Formula(NamedTuple):
    """How a column is computed in each row. A winner is told by both sides and by what each of them has scored; minutes
    and times of day are read from the cell of the column itself."""

    operator: Operator
    columns: tuple[int, ...]

    @property
    def reads_cell(self) -> bool:
        return self.operator in ("minutes", "clock")

    def cell(self, columns: Sequence[str]) -> str:
        """As SQL, of one row."""
        if self.reads_cell:
            return f"{self.operator}({columns[0]})"
        if self.operator in ("winner", "loser"):
            home, away, ours, theirs = columns
            first, second = (home, away) if self.operator == "winner" else (away, home)
            return f"(CASE WHEN {ours} > {theirs} THEN {first} WHEN {ours} < {theirs} THEN {second} END)"
        if self.operator == "days":
            earlier, later = columns
            return f"ABS(julianday({later}) - julianday({earlier}))"
        if self.operator == "gap":
            return f"ABS({columns[0]} - {columns[1]})"
        if self.operator in ("/", "share"):
            return f"(1.0 * {columns[0]} / NULLIF({columns[1]}, 0))"
        if self.operator == "+":
            return f"({' + '.join(f'COALESCE({one}, 0)' for one in columns)})"
        return f"({f' {self.operator} '.join(columns)})"

    def aggregate(self, function: Function, columns: Sequence[str]) -> str:
        """As SQL, of many rows: a quotient is that of both sums, and a sum leaves out no row where one is blank."""
        if self.operator in ("/", "share") and function in ("sum", "avg"):
            return f"1.0 * SUM({columns[0]}) / NULLIF(SUM({columns[1]}), 0)"
        if self.operator in ("-", "+") and function == "sum":
            return f" {self.operator} ".join(f"COALESCE(SUM({one}), 0)" for one in columns)
        value = self.cell(columns)
        if self.operator in ("-", "+", "*"):
            value = value[1:-1]  # brackets enough
        return f"COUNT(DISTINCT {value})" if function == "distinct" else f"{function.upper()}({value})"


class TableWithFormulas(NamedTuple):
    """A table with the columns that follow from its own."""

    table: TableInfo
    names: TableNames
    formulas: dict[int, Formula]

    def unit(self, formula: Formula) -> str:
        """What the result is counted in."""
        if formula.operator == "days":
            zh = not all(self.table.columns[c].name.isascii() for c in formula.columns)
            return "天" if zh else "days"
        units = [self.table.columns[c].unit for c in formula.columns]
        if formula.operator in ("+", "-", "gap"):
            return units[0]
        if formula.operator == "share":
            return "%"
        if formula.operator == "*":  # how many, and what each costs
            return units[1]
        return f"{units[0]}/{units[1]}" if units[0] and units[1] else units[0]

    def title(self, formula: Formula) -> str:
        called = [bare_name(self.table.columns[c].name) for c in formula.columns]
        if formula.operator == "days":
            called.reverse()
        title = f" {_SIGNS[formula.operator]} ".join(called)
        return f"|{title}|" if formula.operator == "gap" else title

    def with_column(
        self, formula: Formula, name: str = "", values: tuple[str, ...] = ()
    ) -> tuple[TableWithFormulas, int]:
        """With one column more, and its place."""
        known = next((at for at, one in self.formulas.items() if one == formula), None)
        if known is not None:
            return self, known
        at, title = len(self.table.columns), name or self.title(formula)
        if formula.operator in ("winner", "loser"):
            column = TableColumn(title, "text", "", values, len(values))
            names = replace(self.names, titles=[*self.names.titles, title], concepts=[*self.names.concepts, {}])
        else:
            column = TableColumn(title, "number", self.unit(formula))
            numbers = self.names.numbers | {at}
            additive = {*formula.columns} <= self.names.additive or formula.operator in ("*", "/", "share")
            names = replace(
                self.names, titles=[*self.names.titles, title], concepts=[*self.names.concepts, {}], numbers=numbers,
                additive=self.names.additive | {at} if additive else self.names.additive,
            )  # fmt: skip
        table = self.table._replace(columns=(*self.table.columns, column))
        return TableWithFormulas(table, names, {**self.formulas, at: formula}), at
