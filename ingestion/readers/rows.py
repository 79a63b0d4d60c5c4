"""Rows of a table, whatever file they come from, and how many of them are read."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from itertools import pairwise
from typing import Any

from errors import FileError
from schema import Message

MOST_ROWS, MOST_CELLS = 100_100, 2_000_000  # 100,000 rows with their titles and heads
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


def value_text(value: Any, percent: bool = False) -> str:
    """The value of a cell as it is written out; `percent`: it is shown as one."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float) and percent:
        return f"{value * 100:.12g}%"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e21 else f"{value:.15g}"
    if isinstance(value, datetime):
        written = value.isoformat(" ", "minutes" if not value.second else "seconds")
        return written.removesuffix(" 00:00")
    if isinstance(value, date | time):
        return value.isoformat()
    return "" if value is None else str(value)


def fill_merged(rows: list[tuple[int, list[str]]], merged: Iterable[tuple[int, int, int, int]]) -> None:
    """Repeat the text of merged cells below and, under a first column, beside: each row speaks for itself.

    Rows without text stay out. What is merged from the first column on is a title, which is said once. Each span is
    (column, row, last column, last row), from 1.
    """
    if any(number >= following for (number, _), (following, _) in pairwise(rows)):
        return  # a damaged sheet
    numbers = [number for number, _ in rows]
    room = MOST_CELLS
    for column, first, end_column, last in merged:
        begin, end = bisect_left(numbers, first), bisect_right(numbers, last)
        if begin >= end or numbers[begin] != first or len(rows[begin][1]) < column:
            continue
        width = end_column + 1 - column if column > 1 else 1
        room -= (end - begin) * width
        if room < 0:
            return
        text = rows[begin][1][column - 1]
        for _, texts in rows[begin:end]:
            texts += [""] * (column - 1 + width - len(texts))
            texts[column - 1 : column - 1 + width] = [own or text for own in texts[column - 1 : column - 1 + width]]
