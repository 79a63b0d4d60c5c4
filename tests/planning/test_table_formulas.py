"""Columns that follow from others: how each is computed in a row and of many, what it is called and counted in."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from table_cases import table

from planning.tables.formulas import Formula, Operator, TableWithFormulas
from planning.tables.names import names_of_table
from planning.tables.spec import Function
from schema import TableInfo
from tests.each_row import each_row

HELD = table(
    "a.csv",
    """Item,Cost (€),Fee (€),Seats,Weight (kg),Sent,Arrived,Rival
A,4,3,2,1,2024-03-01,2024-03-05,x
B,5,3,2,1,2024-03-01,2024-03-06,y
""",
)
SHOP = table(
    "店.csv",
    """商品,进价（元）,售价（元）,下单日期,发货日期
灯,4,6,2024-03-01,2024-03-05
床,5,7,2024-03-01,2024-03-06
""",
)
ROWS = [(4, 2, "2024-03-01", "2024-03-05"), (6, 8, "2024-03-09", "2024-03-02"), (None, 5, None, "2024-03-01"),
        (3, 0, "2024-03-01", "2024-03-01")]  # fmt: skip


def computed(sql: str) -> list[object]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE t (a REAL, b REAL, c TEXT, d TEXT)")
        db.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", ROWS)
        return [one for (one,) in db.execute(f"SELECT {sql} FROM t")]


@each_row(
    ("operator", "columns", "cells"),
    [
        ("-", "ab", [2, -2, None, 3]),
        ("gap", "ab", [2, 2, None, 3]),
        ("+", "ab", [6, 14, 5, 3]),  # what is blank adds nothing
        ("*", "ab", [8, 48, None, 0]),
        ("/", "ab", [2, 0.75, None, None]),  # by nought nothing
        ("share", "ab", [2, 0.75, None, None]),
        ("days", "cd", [4, 7, None, 0]),  # whichever was earlier
        ("winner", "cdab", ["2024-03-01", "2024-03-02", None, "2024-03-01"]),
        ("loser", "cdab", ["2024-03-05", "2024-03-09", None, "2024-03-01"]),
    ],
)
def test_it_is_computed_in_each_row(operator: Operator, columns: str, cells: list[object]) -> None:
    sql = Formula(operator, tuple(range(len(columns)))).cell([*columns])
    assert computed(sql) == cells


@each_row(
    ("operator", "function", "value"),
    [
        ("-", "sum", 13 - 15),  # a row where one is blank is left out of neither sum
        ("+", "sum", 13 + 15),
        ("/", "sum", 13 / 15),
        ("share", "avg", 13 / 15),
        ("/", "max", 2),
        ("*", "sum", 56),
        ("gap", "max", 3),
        ("-", "min", -2),
        ("+", "avg", 7),
        ("*", "distinct", 3),
        ("gap", "distinct", 2),
        ("-", "count", 3),
    ],
)
def test_it_is_computed_of_many_rows(operator: Operator, function: Function, value: float) -> None:
    sql = Formula(operator, (0, 1)).aggregate(function, ["a", "b"])
    assert computed(sql) == [pytest.approx(value)]


def of(held: TableInfo = HELD) -> TableWithFormulas:
    return TableWithFormulas(held, names_of_table(held), {})


@each_row(
    ("operator", "columns", "title", "unit"),
    [
        ("-", (1, 2), "Cost − Fee", "€"),
        ("gap", (1, 2), "|Cost − Fee|", "€"),
        ("+", (1, 2), "Cost + Fee", "€"),
        ("*", (3, 1), "Seats × Cost", "€"),
        ("/", (1, 4), "Cost ÷ Weight", "€/kg"),
        ("/", (1, 3), "Cost ÷ Seats", "€"),
        ("/", (3, 4), "Seats ÷ Weight", ""),
        ("share", (2, 1), "Fee ÷ Cost", "%"),
        ("days", (5, 6), "Arrived − Sent", "days"),
    ],
)
def test_it_is_called_and_counted_by_what_it_is_made_of(
    operator: Operator, columns: tuple[int, ...], title: str, unit: str
) -> None:
    formula = Formula(operator, columns)
    assert (of().title(formula), of().unit(formula)) == (title, unit)


def test_days_are_counted_in_the_language_of_the_table() -> None:
    assert of(SHOP).unit(Formula("days", (3, 4))) == "天"
    assert of(SHOP).title(Formula("-", (2, 1))) == "售价 − 进价"


def test_a_table_has_the_column_once_and_the_first_table_stays_as_it_was() -> None:
    bare, formula = of(), Formula("-", (1, 2))
    more, at = bare.with_column(formula)
    assert at == len(HELD.columns) == len(bare.table.columns)
    assert [one.name for one in more.table.columns[at:]] == ["Cost − Fee"]
    assert (more.table.columns[at].kind, more.table.columns[at].unit) == ("number", "€")
    assert more.formulas == {at: formula}
    assert len(more.names.titles) == len(more.names.concepts) == at + 1
    assert at in more.names.numbers
    again, same = more.with_column(formula, "another name")
    assert (again, same) == (more, at)
    both, second = more.with_column(Formula("days", (5, 6)), "Way")
    assert (second, both.table.columns[second].name) == (at + 1, "Way")
    assert set(both.formulas) == {at, second}


@each_row(
    ("operator", "columns", "adds_up"),
    [
        ("-", (1, 2), True),
        ("+", (1, 4), False),  # a weight of things does not: nobody has said so
        ("*", (3, 4), True),
        ("/", (1, 4), True),
        ("share", (1, 4), True),
        ("days", (5, 6), False),
    ],
)
def test_it_adds_up_where_its_columns_do(operator: Operator, columns: tuple[int, ...], adds_up: bool) -> None:
    assert of().names.additive >= {1, 2}
    more, at = of().with_column(Formula(operator, columns))
    assert (at in more.names.additive) is adds_up


def test_who_has_won_is_a_column_of_words_with_the_names_of_both_sides() -> None:
    more, at = of().with_column(Formula("winner", (0, 7, 1, 2)), "winner", ("A", "x"))
    column = more.table.columns[at]
    assert (column.name, column.kind, column.values, column.distinct) == ("winner", "text", ("A", "x"), 2)
    assert at not in more.names.numbers
    assert more.names.titles[at] == "winner"
    assert more.names.concepts[at] == {}
