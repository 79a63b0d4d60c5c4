"""The pairs of the glossary, in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from schema import GlossaryPair
from stores.problems import require_text
from stores.sql.rows import next_generation
from stores.sql.sqlite import Change


def glossary(connection: sqlite3.Connection) -> list[GlossaryPair]:
    query = "SELECT chinese, english FROM glossary ORDER BY chinese, english"
    return [GlossaryPair(*row) for row in connection.execute(query)]


def change_glossary(
    connection: sqlite3.Connection, put: Sequence[GlossaryPair], remove: Sequence[GlossaryPair]
) -> tuple[int, Change]:
    changed = 0
    for pair in remove:
        query = "DELETE FROM glossary WHERE chinese = ? AND english = ?"
        changed += connection.execute(query, pair[:2]).rowcount
    for pair in put:
        require_text(pair.chinese)
        require_text(pair.english)
        changed += connection.execute("INSERT OR IGNORE INTO glossary VALUES (?, ?)", pair[:2]).rowcount
    return changed, Change(next_generation(connection) if changed else 0)
