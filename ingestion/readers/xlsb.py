"""Excel workbooks in the binary form (xlsb, [MS-XLSB]): records instead of XML, else as in an xlsx."""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
from collections.abc import Iterator
from typing import Any

from ingestion.readers.base import ReaderResult, damaged, untrusted
from ingestion.readers.office import check_package, parse_xml
from ingestion.readers.rows import MOST_CELLS, MOST_ROWS, fill_merged, too_long, value_text
from ingestion.readers.spreadsheet import RowText

_ROW, _SST_ITEM, _FORMAT, _XF, _SHEET, _MERGED, _CELL_XFS, _END_CELL_XFS = 0, 19, 44, 47, 156, 176, 617, 618
_ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
_FIRST_SHORT, _LAST_SHORT = 12, 18  # records of cells; short ones stand right of the cell before
_FORMULA = {8: 6, 9: 5, 10: 4, 11: 3}  # results of formulas are written as these values are
_SHORT = {12: 1, 13: 2, 14: 3, 15: 4, 16: 5, 17: 6, 18: 7}


@untrusted
def read_xlsb(name: str, data: bytes) -> ReaderResult:
    """A section for each sheet, hidden ones too; `places` are the rows, with their sheet."""
    check_package(name, data, streamed=("xl/",))
    written = RowText()
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        book = _Workbook(name, package)
        for title, path in book.sheets:
            written.sheet(title, book.rows(path))
    titles = [title for title, _ in book.sheets]
    return ReaderResult(
        written.text(), "markdown", "xlsx", {"sheets": titles}, places=written.places, grids=written.grids
    )


class _Workbook:
    def __init__(self, name: str, package: zipfile.ZipFile) -> None:
        self._name, self._package, self._names = name, package, set(package.namelist())
        relations = parse_xml(package.read("xl/_rels/workbook.bin.rels"))
        targets = {one.get("Id"): posixpath.join("xl", one.get("Target", "")).replace("xl//xl/", "xl/")
                   for one in relations}  # fmt: skip
        self.sheets: list[tuple[str, str]] = []
        self._epoch_1904 = False
        for kind, record in self._records("xl/workbook.bin"):
            if kind == _SHEET:
                relation, at = _string(record, 8)
                self.sheets.append((_string(record, at)[0], posixpath.normpath(targets[relation])))
            elif kind == 153:  # properties of the workbook
                self._epoch_1904 = bool(record[0] & 1)
        self._strings = [_string(record, 1)[0] for kind, record in self._records("xl/sharedStrings.bin")
                         if kind == _SST_ITEM]  # fmt: skip
        self._formats = list(self._styles())
        self._cells = self._rows = 0

    def _records(self, path: str) -> Iterator[tuple[int, bytes]]:
        if path not in self._names:
            return
        data = self._package.read(path)
        at = 0
        while at < len(data):
            kind, at = _number(data, at, 2)
            size, at = _number(data, at, 4)
            if at + size > len(data):
                raise damaged(self._name)
            yield kind, data[at : at + size]
            at += size

    def _styles(self) -> Iterator[str]:
        """The number format of each cell style."""
        from openpyxl.styles.numbers import BUILTIN_FORMATS

        own: dict[int, str] = {}
        of_cells = False
        for kind, record in self._records("xl/styles.bin"):
            if kind == _FORMAT:
                own[struct.unpack_from("<H", record)[0]] = _string(record, 2)[0]
            elif kind in (_CELL_XFS, _END_CELL_XFS):
                of_cells = kind == _CELL_XFS
            elif kind == _XF and of_cells:
                number = struct.unpack_from("<HH", record)[1]
                yield own.get(number, str(BUILTIN_FORMATS.get(number, "")))

    def rows(self, path: str) -> list[tuple[int, list[str]]]:
        rows: list[tuple[int, list[str]]] = []
        merged: list[tuple[int, int, int, int]] = []
        number, column = 0, -1
        for kind, record in self._records(path):
            if kind == _ROW:
                number, column = struct.unpack_from("<I", record)[0] + 1, -1
            elif kind <= _LAST_SHORT:
                short = kind >= _FIRST_SHORT
                column = column + 1 if short else struct.unpack_from("<I", record)[0]
                text = self._cell(_SHORT[kind] if short else _FORMULA.get(kind, kind), record[0 if short else 4 :])
                if text and column < 16_384:
                    self._add(rows, number, column, text)
            elif kind == _MERGED:
                first, last, left, right = (one + 1 for one in struct.unpack_from("<4I", record))
                merged.append((left, first, right, last))
        fill_merged(rows, merged)
        return rows

    def _add(self, rows: list[tuple[int, list[str]]], number: int, column: int, text: str) -> None:
        if not rows or rows[-1][0] != number:
            rows.append((number, []))
            self._rows += 1
        texts = rows[-1][1]
        self._cells += max(1, column + 1 - len(texts))
        if self._rows > MOST_ROWS or self._cells > MOST_CELLS:
            raise too_long(self._name)
        texts += [""] * (column + 1 - len(texts))
        texts[column] = text

    def _cell(self, kind: int, record: bytes) -> str:
        """`record` begins with the style."""
        style = int.from_bytes(record[:3], "little")
        written = self._formats[style] if style < len(self._formats) else ""
        if kind == 2:
            return self._amount(_rk(*struct.unpack_from("<i", record, 4)), written)
        if kind == 3:
            return _ERRORS.get(record[4], "")
        if kind == 4:
            return value_text(bool(record[4]))
        if kind == 5:
            return self._amount(struct.unpack_from("<d", record, 4)[0], written)
        if kind == 6:
            return _string(record, 4)[0]
        if kind == 7:
            nth = struct.unpack_from("<I", record, 4)[0]
            return self._strings[nth] if nth < len(self._strings) else ""
        return ""

    def _amount(self, number: float, written: str) -> str:
        from openpyxl.styles.numbers import is_date_format
        from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel

        value: Any = number
        if written and is_date_format(written):
            value = from_excel(number, CALENDAR_MAC_1904 if self._epoch_1904 else CALENDAR_WINDOWS_1900)
        return value_text(value, "%" in written)


def _number(data: bytes, at: int, longest: int) -> tuple[int, int]:
    """(value, where it ends) of a number of seven bits a byte."""
    value = 0
    for place in range(longest):
        byte = data[at]
        value |= (byte & 0x7F) << (7 * place)
        at += 1
        if not byte & 0x80:
            break
    return value, at


def _string(record: bytes, at: int) -> tuple[str, int]:
    """(text, where it ends)."""
    [length] = struct.unpack_from("<I", record, at)
    end = at + 4 + (0 if length == 0xFFFFFFFF else 2 * length)
    return record[at + 4 : end].decode("utf-16-le", "replace"), end


def _rk(packed: int) -> float:
    """A number of 30 bits: whole or the upper half of a float, perhaps in hundredths."""
    value = float(packed >> 2) if packed & 2 else struct.unpack("<d", struct.pack("<Ii", 0, packed & ~3))[0]
    return value / 100 if packed & 1 else value
