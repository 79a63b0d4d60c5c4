"""The pairs of the glossary, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

from schema import GlossaryPair
from stores.postgres.adapters import Connection
from stores.postgres.rows import next_generation
from stores.problems import require_text


def glossary(connection: Connection) -> list[GlossaryPair]:
    query = "SELECT chinese, english FROM glossary ORDER BY chinese, english"
    return [GlossaryPair(*row) for row in connection.execute(query)]


def change_glossary(connection: Connection, put: Sequence[GlossaryPair], remove: Sequence[GlossaryPair]) -> int:
    changed = 0
    for pair in remove:
        query = "DELETE FROM glossary WHERE chinese = %s AND english = %s"
        changed += connection.execute(query, pair[:2]).rowcount
    for pair in put:
        require_text(pair.chinese)
        require_text(pair.english)
        query = "INSERT INTO glossary VALUES (%s, %s) ON CONFLICT DO NOTHING"
        changed += connection.execute(query, pair[:2]).rowcount
    if changed:
        next_generation(connection)
    return changed
