"""Names of a column of more values than are kept with a table: they are looked up where the question is not planned."""

from __future__ import annotations

from typing import Any

import pytest
from table_cases import table

from nodes.compute import table_query
from schema import EVERYWHERE, Scope, TableInfo

TEAMS = table("teams.csv", "Team,Budget\nRed,10\nBlue,20\n", 1)
PEOPLE = table("people.csv", "Person,Pay\nAnn Lee,10\nBob Ray,20\n", 2)
_OPEN = PEOPLE._replace(columns=tuple(column._replace(values=()) for column in PEOPLE.columns))


class Held:
    def __init__(self, *tables: TableInfo) -> None:
        self._tables, self.looked_up = tables, list[list[int]]()

    async def tables(self, scope: Scope) -> list[TableInfo]:
        return list(self._tables)

    async def with_values_of(self, question: str, wide: list[TableInfo]) -> list[TableInfo]:
        self.looked_up.append([one.id for one in wide])
        return [PEOPLE] if "Ann Lee" in question else list(wide)


@pytest.mark.parametrize(
    ("question", "sql", "looked_up"),
    [
        (
            "What is the pay of Ann Lee?",
            """SELECT "Person", "Pay" FROM "people.csv" WHERE "Person" = 'Ann Lee'""",
            [[2]],
        ),
        ("What is the average pay?", 'SELECT AVG("Pay") FROM "people.csv"', []),
        ("What is the budget of Blue?", """SELECT "Team", "Budget" FROM "teams.csv" WHERE "Team" = 'Blue'""", []),
        ("What is the budget of Green?", None, [[2]]),
    ],
)
async def test_names_are_looked_up_only_where_they_have_to_be(
    question: str, sql: str | None, looked_up: list[list[int]]
) -> None:
    held: Any = Held(TEAMS, _OPEN)
    query = await table_query(held, question, EVERYWHERE)
    assert (query.sql.removesuffix(" LIMIT 1000") if query else None) == sql
    assert held.looked_up == looked_up


async def test_without_such_a_column_nothing_is_looked_up() -> None:
    for tables in ([], [TEAMS]):
        held: Any = Held(*tables)
        assert await table_query(held, "What is the pay of Ann Lee?", EVERYWHERE) is None
        assert not held.looked_up


async def test_of_very_many_tables_five_are_looked_through() -> None:
    held: Any = Held(*(_OPEN._replace(id=n, document=f"{n}.csv") for n in range(9)))
    await table_query(held, "What is the pay of Cy Fox?", EVERYWHERE)
    assert held.looked_up == [[0, 1, 2, 3, 4]]
