"""The sheets of an Excel workbook as rows of text. Imports openpyxl: import it where it is needed."""

from __future__ import annotations

import io
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from itertools import pairwise
from typing import Any

from openpyxl import load_workbook
from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE
from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

from ingestion.readers.office import package_metadata
from ingestion.readers.rows import MOST_CELLS, MOST_ROWS, Row, too_long

_ROWS_OF_EXCEL = 1_048_576


@contextmanager
def open_workbook(name: str, data: bytes) -> Iterator[Workbook]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about parts of the workbook that hold no text
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    try:
        yield Workbook(name, book)
    finally:
        book.close()


class _Cells(WorkSheetParser):  # type: ignore[misc]  # openpyxl is untyped
    """Cells as they come. openpyxl's own rows would fill what a sheet skips: a million rows for one far away."""

    def parse_cell(self, element: Any) -> dict[str, Any]:
        cell: dict[str, Any] = super().parse_cell(element)
        if cell["value"] is None and (formula := element.findtext(FORMULA_TAG)):
            cell["value"] = "=" + formula  # a file that no spreadsheet program has computed yet
        return cell


class Workbook:
    def __init__(self, name: str, book: Any) -> None:
        self._name, self._book = name, book
        self.metadata, self.modified = package_metadata(book.properties, sheets=book.sheetnames)
        formats = [self._format(style.numFmtId) for style in book._cell_styles]
        self._percents = {number for number, written in enumerate(formats) if "%" in written}
        self._rows = self._cells = 0

    def _format(self, number: int) -> str:
        if number < BUILTIN_FORMATS_MAX_SIZE:
            return str(BUILTIN_FORMATS.get(number, ""))
        own = self._book._number_formats
        return str(own[number - BUILTIN_FORMATS_MAX_SIZE]) if number - BUILTIN_FORMATS_MAX_SIZE < len(own) else ""

    def sheets(self) -> Iterator[tuple[str, list[Row]]]:
        """(title, rows) of each sheet, hidden ones too."""
        for sheet in self._book.worksheets:
            yield sheet.title, self._read(sheet)

    def _read(self, sheet: Any) -> list[Row]:
        book = self._book
        with sheet._get_source() as source:
            cells = _Cells(
                source, sheet._shared_strings, data_only=True, epoch=book.epoch,
                date_formats=book._date_formats, timedelta_formats=book._timedelta_formats,
            )  # fmt: skip
            rows: list[tuple[int, list[str]]] = []
            for count, (number, row) in enumerate(cells.parse()):
                if count >= _ROWS_OF_EXCEL:
                    raise too_long(self._name)
                texts: list[str] = []
                for cell in row:
                    if text := self._text(cell["value"], cell["style_id"]):
                        texts += [""] * (cell["column"] - len(texts))
                        texts[cell["column"] - 1] = text
                if texts:
                    rows.append((number, texts))
                    self._count(len(texts))
        _fill(rows, cells.merged_cells.mergeCell if cells.merged_cells else ())
        return [*rows]

    def _count(self, cells: int) -> None:
        self._rows, self._cells = self._rows + 1, self._cells + cells
        if self._rows > MOST_ROWS or self._cells > MOST_CELLS:
            raise too_long(self._name)

    def _text(self, value: Any, style: int) -> str:
        if isinstance(value, bool):
            return str(value).upper()
        if isinstance(value, int | float) and style in self._percents:
            return f"{value * 100:.12g}%"
        if isinstance(value, float):
            return str(int(value)) if value.is_integer() and abs(value) < 1e21 else f"{value:.15g}"
        if isinstance(value, datetime):
            written = value.isoformat(" ", "minutes" if not value.second else "seconds")
            return written.removesuffix(" 00:00")
        if isinstance(value, date | time):
            return value.isoformat()
        return "" if value is None else str(value)


def _fill(rows: list[tuple[int, list[str]]], merged: Any) -> None:
    """Repeat the text of merged cells below and, under a first column, beside: each row speaks for itself.

    Rows without text stay out. What is merged from the first column on is a title, which is said once.
    """
    if any(number >= following for (number, _), (following, _) in pairwise(rows)):
        return  # a damaged sheet
    numbers = [number for number, _ in rows]
    room = MOST_CELLS
    for span in merged:
        column, first, end_column, last = span.bounds
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
