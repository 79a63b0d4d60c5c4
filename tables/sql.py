"""What a table and its columns are called in SQL."""

from __future__ import annotations

from pathlib import PurePath

from schema import TableInfo


def name_of_table(table: TableInfo) -> str:
    """What a table is called in SQL: its file, and its sheet or heading."""
    return " ".join(filter(None, [PurePath(table.document).name, table.title]))[:80].replace("\0", "")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""').replace("\0", "") + '"'
