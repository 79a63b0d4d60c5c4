"""The sheets of an Excel workbook as rows of text. Imports openpyxl: import it where it is needed."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from openpyxl import load_workbook
from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE
from openpyxl.worksheet._reader import FORMULA_TAG, WorkSheetParser

from ingestion.readers.office import package_metadata
from ingestion.readers.rows import MOST_CELLS, MOST_ROWS, Row, fill_merged, too_long, value_text

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
                    if text := value_text(cell["value"], cell["style_id"] in self._percents):
                        texts += [""] * (cell["column"] - len(texts))
                        texts[cell["column"] - 1] = text
                if texts:
                    rows.append((number, texts))
                    self._count(len(texts))
        merged = cells.merged_cells.mergeCell if cells.merged_cells else ()
        fill_merged(rows, (span.bounds for span in merged))
        return [*rows]

    def _count(self, cells: int) -> None:
        self._rows, self._cells = self._rows + 1, self._cells + cells
        if self._rows > MOST_ROWS or self._cells > MOST_CELLS:
            raise too_long(self._name)
