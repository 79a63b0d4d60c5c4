"""Questions that ask to count, sum, compare or list over the rows of a table, each as one query by rules."""

from __future__ import annotations

from collections.abc import Sequence

from planning.tables.arithmetic import with_arithmetic
from planning.tables.formulas import TableWithFormulas
from planning.tables.names import names_of_table
from planning.tables.reading import read_question
from planning.tables.selection import select
from planning.tables.sides import with_sides
from planning.tables.sql import query_of
from schema import TableInfo, TableQuery

LONGEST = 300  # characters of a question that is read


def plan_table_query(question: str, tables: Sequence[TableInfo]) -> TableQuery | None:
    """The one query that answers a question; None where it asks for nothing of the kind, where the rules are not
    certain of it, and where more than one table would do."""
    if len(question) > LONGEST:
        return None
    found: list[tuple[float, TableQuery]] = []
    for table in tables:
        names = names_of_table(table)
        reading = read_question(question, names)
        played = with_sides(reading.items, reading.unknown, TableWithFormulas(table, names, {}))
        items, computed = with_arithmetic(played.items, played.computed)
        reading = reading._replace(items=items, unknown=played.unknown)
        selection = select(reading, computed.table, computed.names, played.conditions)
        if selection is not None:
            found.append((reading.weight, query_of(selection, computed.table, computed.formulas)))
    found.sort(key=lambda one: -one[0])
    if not found or (len(found) > 1 and found[0][0] < found[1][0] * _CLEAR):
        return None
    return found[0][1]


_CLEAR = 1.05  # how much better a table must fit than the next one
