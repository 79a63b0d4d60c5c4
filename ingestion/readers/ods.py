"""OpenDocument spreadsheets, row by row: what each cell shows, which says more than its value."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from ingestion.readers.base import ReaderResult, untrusted
from ingestion.readers.office import cell_text, check_package, local_name
from ingestion.readers.opendocument import metadata_of, repeated
from ingestion.readers.rows import MOST_CELLS, MOST_ROWS, fill_merged, too_long
from ingestion.readers.spreadsheet import RowText

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_VALUES = tuple(f"{{urn:oasis:names:tc:opendocument:xmlns:office:1.0}}{name}-value" for name in ("date", "string"))
_VALUE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}value"
_ROWS_OF_A_SHEET = 1 << 24


@untrusted
def read_ods(name: str, data: bytes) -> ReaderResult:
    """A section for each sheet, hidden ones too; `places` are the rows, with their sheet."""
    check_package(name, data, streamed=("content.xml",))
    metadata, modified = metadata_of(name, data)
    written = RowText()
    titles = []
    with zipfile.ZipFile(io.BytesIO(data)) as package, package.open("content.xml") as stream:
        for sheet in _sheets(name, stream):
            titles.append(sheet.title)
            fill_merged(sheet.rows, sheet.merged)
            written.sheet(sheet.title, sheet.rows)
    metadata["sheets"] = titles
    return ReaderResult(
        written.text(), "markdown", "ods", metadata, places=written.places, grids=written.grids, timestamp=modified
    )


class _Sheet:
    def __init__(self, title: str) -> None:
        self.title = title
        self.rows: list[tuple[int, list[str]]] = []
        self.merged: list[tuple[int, int, int, int]] = []
        self.next = 1  # number of the row to come


def _sheets(name: str, stream: Any) -> Iterator[_Sheet]:
    from lxml.etree import iterparse

    sheet: _Sheet | None = None
    rows = cells = 0
    tags = (_TABLE + "table", _TABLE + "table-row")
    for event, element in iterparse(
        stream, ("start", "end"), tag=tags, resolve_entities=False, no_network=True, huge_tree=False
    ):
        if element.tag == tags[0]:
            if event == "start" and sheet is None:
                sheet = _Sheet(cell_text(element.get(_TABLE + "name", "")))
            elif event == "end" and sheet is not None and not any(True for _ in element.iterancestors(tags[0])):
                yield sheet
                sheet = None
                element.clear()
        elif event == "end" and sheet is not None:
            number = sheet.next
            texts = _row(element, sheet)
            sheet.next += repeated(element, "rows", _ROWS_OF_A_SHEET)
            for again in range(number, sheet.next if texts else number):
                rows, cells = rows + 1, cells + len(texts)
                if rows > MOST_ROWS or cells > MOST_CELLS:
                    raise too_long(name)
                sheet.rows.append((again, list(texts)))
            element.clear()
            while (before := element.getprevious()) is not None:
                before.getparent().remove(before)


def _row(element: Any, sheet: _Sheet) -> list[str]:
    """The texts of its cells; none where it shows nothing. Notes what is merged with cells below or beside."""
    texts: list[str] = []
    column = 1
    for cell in element:
        if local_name(cell) not in ("table-cell", "covered-table-cell"):
            continue
        text = _shown(cell)
        wide = repeated(cell, "columns", MOST_CELLS + 1)
        if text:
            texts += [""] * (column - 1 - len(texts)) + [text] * wide
            across, down = (int(cell.get(f"{_TABLE}number-{what}-spanned", "1")) for what in ("columns", "rows"))
            if across > 1 or down > 1:
                sheet.merged.append((column, sheet.next, column + across - 1, sheet.next + down - 1))
        column += wide
    return texts


def _shown(cell: Any) -> str:
    """What it shows, else its value, else its formula."""
    lines = ["".join(one.itertext()) for one in cell if local_name(one) in ("p", "h")]
    if any(lines):
        return cell_text(" ".join(lines))
    formula = cell.get(_TABLE + "formula", "")
    value = next(filter(None, (cell.get(key) for key in (*_VALUES, _VALUE))), "")
    return str(value or formula.partition(":")[2])
