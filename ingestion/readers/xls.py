"""Excel 97 to 2003 (xls). calamine reads it; how far its cells reach is looked at before, since it makes room for all
that lies between the outermost ones."""

from __future__ import annotations

import io
import struct

from ingestion.readers.base import ReaderResult, damaged, untrusted
from ingestion.readers.compound import compound_metadata, open_compound, stream_of
from ingestion.readers.rows import MOST_CELLS, fill_merged, too_long, value_text
from ingestion.readers.sniffing import protected
from ingestion.readers.spreadsheet import RowText

_BEGIN, _LOCKED = 0x809, 0x2F
_CELLS = {0x203, 0x27E, 0xBD, 0xFD, 0x204, 0x6, 0x205, 0xD6, 0x201, 0xBE, 0x3, 0x2, 0x4, 0x5, 0x206, 0x406}


@untrusted
def read_xls(name: str, data: bytes) -> ReaderResult:
    """A section for each sheet, hidden ones too; `places` are the rows, with their sheet."""
    with open_compound(data) as compound:
        _check(name, stream_of(compound, "Workbook") or stream_of(compound, "Book"))
        metadata, modified = compound_metadata(compound)
    from python_calamine import load_workbook

    book = load_workbook(io.BytesIO(data))
    written = RowText()
    for nth, sheet_info in enumerate(book.sheets_metadata):
        if "Sheet" not in str(sheet_info.typ):  # charts, macros
            continue
        sheet = book.get_sheet_by_index(nth)
        rows = [
            (number, [value_text(value) for value in row])
            for number, row in enumerate(sheet.to_python(skip_empty_area=False), start=1)
        ]
        rows = [(number, cells) for number, cells in rows if any(cells)]
        spans = sheet.merged_cell_ranges or ()
        fill_merged(rows, ((left + 1, first + 1, right + 1, last + 1) for (first, left), (last, right) in spans))
        written.sheet(sheet_info.name, rows)
    metadata["sheets"] = [one.name for one in book.sheets_metadata]
    return ReaderResult(
        written.text(), "markdown", "xls", metadata, places=written.places, grids=written.grids, timestamp=modified
    )


def _check(name: str, stream: bytes) -> None:
    """Refuse a workbook behind a password, and one whose cells lie too far from one another."""
    at, last_row, last_column, room = 0, -1, -1, 0
    while at + 4 <= len(stream):
        kind, size = struct.unpack_from("<HH", stream, at)
        if kind == _LOCKED:
            raise protected(name)
        if kind & 0xFF == _BEGIN & 0xFF:
            room, last_row, last_column = room + (last_row + 1) * (last_column + 1), -1, -1
        elif kind in _CELLS and size >= 6:
            row, column = struct.unpack_from("<HH", stream, at + 4)
            last_row, last_column = max(last_row, row), max(last_column, column)
        at += 4 + size
    if at < len(stream) - 4 or not stream:
        raise damaged(name)
    if room + (last_row + 1) * (last_column + 1) > 4 * MOST_CELLS:
        raise too_long(name)
