"""Tables (xlsx, xlsm, csv, tsv): each row with the names of its columns, so that any few of them can be read alone.

Formulas are never computed: what a file holds as their result is read, else the formula itself, as text.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise

from ingestion.readers.base import ReaderResult, decode_text, extension, untrusted
from ingestion.readers.office import cell_text, check_package
from ingestion.readers.rows import MOST_CELLS, MOST_ROWS, Row, too_long
from schema import Place
from tables.grids import Grid, GridRow
from text import HAN

_WIDEST = 400  # characters of a row before it goes on in a line of its own
_LONGEST_NAME = 80  # characters of a column's name where it is repeated
_LONGEST_ROW = 4 << 20  # bytes of one that is looked at before it is parsed
_LEAD = 20  # rows that are looked at for the head
_amount = re.compile(r"[-+]?+(?=[.,:/\s-]*+\d)[\d.,:/\s-]++%?|TRUE|FALSE|=.*", re.IGNORECASE | re.DOTALL)
_han = re.compile(f"[{HAN}]")
_year = re.compile(r"(?:19|20)\d\d")
_separator_line = re.compile(r"sep=([,;\t|])\n", re.IGNORECASE)  # Excel's own; it does not count as a row


@untrusted
def read_xlsx(name: str, data: bytes) -> ReaderResult:
    """A section for each sheet; `places` are the rows, with their sheet. Links and macros are left alone."""
    check_package(name, data, streamed=("xl/worksheets/", "xl/sharedStrings"))
    _check_rows(name, data)
    from ingestion.readers.sheets import open_workbook

    written = RowText()
    with open_workbook(name, data) as book:
        for title, rows in book.sheets():
            written.sheet(title, rows)
        return ReaderResult(
            written.text(), "markdown", "xlsx", book.metadata, places=written.places, grids=written.grids,
            timestamp=book.modified,
        )  # fmt: skip


def _check_rows(name: str, data: bytes) -> None:
    """Refuse more rows or cells with something in them than are read, before any is: parsing them takes a hundred times
    as long. What a sheet says of its size counts for nothing: a column that is coloured has a million rows."""
    rows = cells = 0
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        for part in package.infolist():
            if not part.filename.startswith("xl/worksheets/"):
                continue
            with package.open(part) as stream:
                begun = b""
                while piece := stream.read(1 << 20):
                    *whole, begun = (begun + piece).split(b"</row>")
                    begun = begun if len(begun) < _LONGEST_ROW else b""
                    rows += sum(b"<v>" in row or b"<is>" in row or b"<f>" in row for row in whole)
                    cells += sum(row.count(b"<v>") + row.count(b"<is>") for row in whole)
                    if rows > MOST_ROWS or cells > MOST_CELLS:
                        raise too_long(name)


@untrusted
def read_csv(name: str, data: bytes) -> ReaderResult:
    """Rows as `read_xlsx` writes them; they are counted as a spreadsheet counts them, the head being the first."""
    text, metadata = decode_text(name, data)
    separator = "\t" if extension(name) == "tsv" else ""
    if separator_match := _separator_line.match(text):
        separator, text = separator_match[1], text[separator_match.end() :]
    separator = separator or _separator(text)
    csv.field_size_limit(max(len(text), 131_072))
    rows = list(_parsed(name, text, separator, csv.QUOTE_MINIMAL))
    if any(cell.count("\n") > 100 for _, cells in rows for cell in cells):  # a quotation mark that nothing closes
        rows = list(_parsed(name, text, separator, csv.QUOTE_NONE))
    written = RowText()
    written.sheet("", rows)
    return ReaderResult(
        written.text(),
        "markdown",
        "csv",
        {**metadata, "delimiter": separator},
        places=written.places,
        grids=written.grids,
    )


def _parsed(name: str, text: str, separator: str, quoting: int) -> Iterator[Row]:
    cells = 0
    for number, row in enumerate(csv.reader(io.StringIO(text), delimiter=separator, quoting=quoting), start=1):  # type: ignore[arg-type]
        cells += len(row)
        if number > MOST_ROWS or cells > MOST_CELLS:
            raise too_long(name)
        yield number, row


def _separator(text: str) -> str:
    """The one that cuts the first lines into the same number of cells, the more the better, and fits the quotes."""
    lines = list(islice(io.StringIO(text[:100_000]), 50))
    for strict in (True, False):
        best, chosen = (0.0, 0), ""
        for separator in ",\t;|":
            widths = _widths(lines, separator, strict)
            width, count = max(widths.items(), key=lambda item: (item[0] > 1, item[1]), default=(1, 0))
            if width > 1 and (count / widths.total(), width) > best:
                best, chosen = (count / widths.total(), width), separator
        if chosen:
            return chosen
    return ","


def _widths(lines: Sequence[str], separator: str, strict: bool) -> Counter[int]:
    """How many rows have how many cells; none where a quotation mark ends in the middle of a cell."""
    widths = Counter[int]()
    try:
        for row in csv.reader(lines, delimiter=separator, strict=strict):
            widths[len(row)] += bool(row)
    except csv.Error as error:
        if "end of data" not in str(error):  # the lines that are looked at may end within quotation marks
            return Counter[int]()
    return widths


class RowText:
    """Rows as text. A table's head, or the letters of its columns, names each cell."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self.places: list[Place] = []
        self.grids: list[Grid] = []

    def text(self) -> str:
        return "".join(self._parts).rstrip("\n")

    def sheet(self, title: str, rows: Iterable[Row]) -> None:
        filled = [(number, [cell_text(cell) for cell in cells]) for number, cells in rows]
        filled = [(number, cells) for number, cells in filled if any(cells)]
        if not filled:
            return
        first = len(self.places)
        if title:
            self._add(f"## {cell_text(title)}\n\n")
        head = _head([cells for _, cells in filled])
        for number, cells in filled[: head or 0]:  # a title or a note above the table
            self._row(title, number, " ".join(filter(None, cells)) + "\n\n")
        names: list[str] = []
        if head is not None:
            number, cells = filled[head]
            self._row(title, number, " | ".join(filter(None, cells)) + "\n\n")
            if title and (below := _second_head(cells, filled[head + 1 : head + 2])):  # csv merges no cells
                head += 1
                self._row(title, below[0], " | ".join(filter(None, below[1])) + "\n\n")
                cells = [_under(cells, below[1], n) for n in range(max(len(cells), len(below[1])))]
            names = _names(cells)
        chinese = bool(_han.search("".join(names)))
        for number, cells in filled[0 if head is None else head + 1 :]:
            self._row(title, number, "\n".join(_lines(names, cells, chinese)) + "\n")
        spans = pairwise([*(place.start for place in self.places[first:]), self._length])
        rows_at = [GridRow(a, b - 1, cells) for (a, b), (_, cells) in zip(spans, filled, strict=True)]
        self.grids.append(Grid(title, rows_at))
        self._add("\n")

    def _row(self, part: str, number: int, text: str) -> None:
        self.places.append(Place(self._length, "row", number, part))
        self._add(text)

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)


def _head(rows: Sequence[Sequence[str]]) -> int | None:
    """Which row names the columns: the first full one, when it holds only words and rows follow it."""
    widths = [sum(map(bool, row)) for row in rows[:50]]
    usual = Counter(widths).most_common(1)[0][0]
    if usual < 2:
        return None
    found = next((n for n, width in enumerate(widths[:_LEAD]) if width >= max(2, 0.6 * usual)), None)
    if found is None or found + 1 >= len(rows):
        return None
    names = [cell for cell in rows[found] if cell]
    return found if not any(_amount.fullmatch(name) and not _year.fullmatch(name) for name in names) else None


def _second_head(head: Sequence[str], following: Sequence[Row]) -> Row | None:
    """The row below the head, when it parts a column of the head into several: "住宿" into "一线" and "其他"."""
    for number, cells in following:
        parted = [n for n in range(1, min(len(head), len(cells))) if head[n] and head[n] == head[n - 1]]
        words = not any(_amount.fullmatch(cell) for cell in cells if cell)
        if parted and words and all(cells[n] and cells[n] != cells[n - 1] for n in parted):
            return number, cells
    return None


def _under(head: Sequence[str], below: Sequence[str], n: int) -> str:
    name, part = (row[n] if n < len(row) else "" for row in (head, below))
    return name if part in ("", name) else f"{name} {part}".strip()


def _names(head: Sequence[str]) -> list[str]:
    """A name for each column; one that is missing or there twice has the letter of its column."""
    cut = [cell if len(cell) <= _LONGEST_NAME else cell[:_LONGEST_NAME] + "…" for cell in head]
    counts = Counter(cut)
    return [
        letters(n) if not cell else cell if counts[cell] == 1 else f"{cell} ({letters(n)})"
        for n, cell in enumerate(cut)
    ]


def _lines(names: Sequence[str], cells: Sequence[str], chinese: bool) -> Iterator[str]:
    """A row as an item of a list. A wide one goes on in items below it that begin with its first cell again."""
    colon, semicolon = ("：", "；") if chinese else (": ", "; ")
    alone = not names and sum(map(bool, cells)) == 1
    pairs = [
        cell if alone else f"{names[n] if n < len(names) else letters(n)}{colon}{cell}"
        for n, cell in enumerate(cells)
        if cell
    ]
    line, mark = pairs[0], "- "
    for pair in pairs[1:]:
        if len(line) + len(pair) > _WIDEST:
            yield mark + line
            line, mark = pairs[0][:_LONGEST_NAME], "  - "
        line += semicolon + pair
    yield mark + line


def letters(column: int) -> str:
    """The letters of a column that counts from 0: A, Z, AA."""
    name = ""
    while column >= 0:
        column, rest = divmod(column, 26)
        name, column = chr(65 + rest) + name, column - 1
    return name
