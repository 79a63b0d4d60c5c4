"""Rows of a table, whatever file they come from, and how many of them are read."""

from __future__ import annotations

from collections.abc import Sequence

from errors import FileError
from schema import Message

MOST_ROWS, MOST_CELLS = 100_000, 2_000_000
Row = tuple[int, Sequence[str]]  # number from 1, cells


def too_long(name: str) -> FileError:
    return FileError(
        Message(
            zh=f"“{name}”超过 {MOST_ROWS} 行或 {MOST_CELLS} 个单元格的上限。",
            en=f'"{name}" has more than {MOST_ROWS} rows or {MOST_CELLS} cells.',
        ),
        Message(
            zh="请拆分成几个文件，或只保留需要的行和列。",
            en="Split it, or keep only the rows and columns that you need.",
        ),
    )
