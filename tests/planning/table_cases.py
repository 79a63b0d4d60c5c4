"""Tables as a library holds them, and the SQL that a question over them becomes."""

from __future__ import annotations

from collections.abc import Sequence

from ingestion.readers import read_document
from planning.tables import plan_table_query
from schema import TableInfo


def table(name: str, content: str, number: int = 1) -> TableInfo:
    [typed] = read_document(name, content.encode(), max_bytes=10**6).tables or ()
    return TableInfo(number, name, "", 0, typed.title, typed.columns, len(typed.spans), typed.left_out)


def sql_of(question: str, held: Sequence[TableInfo]) -> str | None:
    """With `t` in place of the table's name; None where the question is not planned."""
    query = plan_table_query(question, held)
    if query is None:
        return None
    sql = query.sql
    for one in held:
        sql = sql.replace(f'"{one.document}"', "t")
    return sql
