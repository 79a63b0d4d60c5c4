"""Which of those that are named is cheaper, and what their cells of yes and no say."""

from __future__ import annotations

from table_cases import sql_of, table

from tests.each_row import each_row

FLIGHTS = """Flight,From,To,Fare EUR,Bag included
NW1,Oslo,Lisbon,189,yes
NW2,Oslo,Lisbon,129,no
NW3,Bergen,Crete,238,yes
NW4,Oslo,Nice,142,yes
"""
TOURS = """线路,目的地,价格,含早餐
甲线,大理,1980,是
乙线,大理,1680,否
丙线,桂林,2080,是
"""


@each_row(
    ("question", "sql"),
    [
        ("Which flight to Lisbon is cheaper?",
         """SELECT "Flight", "Fare EUR" FROM t WHERE "To" = 'Lisbon' AND "Fare EUR" = """
         """(SELECT MIN("Fare EUR") FROM t WHERE "To" = 'Lisbon')"""),
        ("Which is more expensive, NW1 or NW3?",
         """SELECT "Flight", "Fare EUR" FROM t WHERE "Flight" IN ('NW1', 'NW3') AND "Fare EUR" = """
         """(SELECT MAX("Fare EUR") FROM t WHERE "Flight" IN ('NW1', 'NW3'))"""),
        ("Which flight to Lisbon has the higher fare?",
         """SELECT "Flight", "Fare EUR" FROM t WHERE "To" = 'Lisbon' AND "Fare EUR" = """
         """(SELECT MAX("Fare EUR") FROM t WHERE "To" = 'Lisbon')"""),
        ("Which flights to Lisbon are cheaper?", None),
        ("Which flight to Lisbon is better?", None),
        ("Is a bag included on the flight to Nice?",
         """SELECT "Flight", "To", "Bag included" FROM t WHERE "To" = 'Nice' LIMIT 1000"""),
        ("Which flights from Bergen include a bag?",
         """SELECT "Flight" FROM t WHERE "From" = 'Bergen' AND "Bag included" = 'yes' LIMIT 1000"""),
        ("Is a bag included?", None),
    ],
)  # fmt: skip
def test_flights_are_compared_and_told_whether(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("flights.csv", FLIGHTS)]) == sql


@each_row(
    ("question", "sql"),
    [
        ("去大理的哪条线路更便宜？",
         """SELECT "线路", "价格" FROM t WHERE "目的地" = '大理' AND "价格" = """
         """(SELECT MIN("价格") FROM t WHERE "目的地" = '大理')"""),
        ("甲线和丙线哪条贵？",
         """SELECT "线路", "价格" FROM t WHERE "线路" IN ('甲线', '丙线') AND "价格" = """
         """(SELECT MAX("价格") FROM t WHERE "线路" IN ('甲线', '丙线'))"""),
        ("去桂林的线路含早餐吗？",
         """SELECT "线路", "目的地", "含早餐" FROM t WHERE "目的地" = '桂林' LIMIT 1000"""),
        ("哪些线路更便宜？", None),
    ],
)  # fmt: skip
def test_tours_are_compared_and_told_whether(question: str, sql: str | None) -> None:
    assert sql_of(question, [table("线路.csv", TOURS)]) == sql
