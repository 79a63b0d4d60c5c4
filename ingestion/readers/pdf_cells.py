"""Cells of tables on the pages of a PDF, by where their words stand: what pieces there are, and tables within rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ingestion.readers.pdf_lines import PdfLine, PdfPage
from ingestion.readers.pdf_rules import Lattice
from tables.cells import read_date, read_number
from text import HAN

LEAST_ROWS = 3  # of a table: its head and two more
_FULL = 0.6  # of the cells of a row
_FILLED, _LONGEST = 0.4, 120  # of a ruled table: the share of its cells, and their letters on average
_SPREAD = 5  # lines that fill most cells of one ruled row: these are its rows
_wide = re.compile(rf"[{HAN}\u3000-\u303f\uff00-\uffef]")
_leaders = re.compile(r"[.．·…_]{2,}")


class Piece(NamedTuple):
    """Words of a line that stand together."""

    text: str
    left: float
    right: float
    top: float  # its baseline
    line: int  # its place on the page
    box: tuple[int, ...] = ()
    doubts: tuple[str, ...] = ()


Pieces = list[Piece]  # of one cell


@dataclass(slots=True)
class PrintedTable:
    """A table on a page: rows of cells, from the top down."""

    rows: list[list[Pieces]]
    bounds: list[float]  # where columns begin and end, one more than there are columns
    lines: set[int] = field(default_factory=set)  # of the page that it takes up
    heads: list[list[str]] = field(default_factory=list)  # its first rows, on whatever page
    above: list[str] = field(default_factory=list)  # lines above these

    @property
    def texts(self) -> list[list[str]]:
        return [[cell_text(cell) for cell in row] for row in self.rows]


def pieces_of(line: PdfLine, number: int, gap: float) -> Pieces:
    """Words with less than `gap` between them as one; dots that lead from one to the next are none."""
    if not line.words:
        return [Piece(line.text, line.left, line.right, line.top, number, line.box, line.doubts)]
    if line.box:
        return _recognised(line, number, gap)
    found: Pieces = []
    for text, left, right, top in line.words:
        if _leaders.fullmatch(text):
            continue
        if found and left >= found[-1].left and left - found[-1].right < gap and abs(top - found[-1].top) < 1:
            found[-1] = found[-1]._replace(text=f"{found[-1].text} {text}", right=right)
        else:
            found.append(Piece(text, left, right, top, number))
    return found


def _recognised(line: PdfLine, number: int, gap: float) -> Pieces:
    """The pieces of a line that was read from a picture, in which a word may be a single character."""
    spans: list[tuple[int, int, float, float]] = []
    end = 0
    for text, left, right, _ in line.words:
        start = line.text.find(text, end)
        if start < 0:  # told otherwise than it was read
            return [Piece(line.text, line.left, line.right, line.top, number, line.box, line.doubts)]
        end = start + len(text)
        if spans and left - spans[-1][3] < gap:
            spans[-1] = (spans[-1][0], end, spans[-1][2], max(spans[-1][3], right))
        else:
            spans.append((start, end, left, right))
    pieces = [(line.text[start:end], left, right) for start, end, left, right in spans]
    return [
        Piece(
            text, left, right, line.top, number, line.box,
            tuple(doubt for doubt in line.doubts if doubt.rpartition(" ")[0] in text),
        )
        for text, left, right in pieces
    ]  # fmt: skip


def cell_text(cell: Sequence[Piece]) -> str:
    """Its lines as one: nothing stands between Chinese ones, and no hyphen in a word that goes on."""
    said = ""
    for nth, piece in enumerate(cell):
        same_line = nth > 0 and abs(piece.top - cell[nth - 1].top) < 1
        if said and not same_line and re.search(r"[a-z]-$", said) and piece.text[:1].islower():
            said = said[:-1] + piece.text
        elif said and not same_line and (_wide.match(said[-1]) or _wide.match(piece.text) or _is_cut(said, piece.text)):
            said += piece.text
        else:
            said = f"{said} {piece.text}".strip()
    return said


def _is_cut(said: str, text: str) -> bool:
    """2024-05- and 12 on the next line."""
    return bool(re.search(r"\d[-/.]$", said)) and text[:1].isdigit()


def is_value(piece: Piece) -> bool:
    """Whether it is a number or a date."""
    return read_number(piece.text) is not None or read_date(piece.text) is not None


def width(text: str) -> int:
    """In letters; a Chinese one counts twice."""
    return len(text) + len(_wide.findall(text))


def table_within(lattice: Lattice, page: PdfPage, taken: set[int]) -> PrintedTable | None:
    columns, rows = len(lattice.xs) - 1, len(lattice.ys) - 1
    placed: dict[tuple[int, int], Pieces] = {}
    table = PrintedTable([], lattice.xs)
    for number, line in enumerate(page.lines):
        if number in taken or not lattice.ys[-1] - line.size < line.top < lattice.ys[0] + line.size:
            continue
        pieces = pieces_of(line, number, 0.0)
        at = [
            (lattice.row_at(one.top + 0.3 * line.size), lattice.column_at((one.left + one.right) / 2)) for one in pieces
        ]
        if at and min(row for row, _ in at) >= 0 and min(column for _, column in at) >= 0:
            table.lines.add(number)
            for (row, column), piece in zip(at, pieces, strict=True):
                placed.setdefault((row, _first_of(lattice, row, column)), []).append(piece)
    for row in range(rows):
        cells: list[Pieces] = [placed.get((row, column), []) for column in range(columns)]
        table.rows += _spread(cells) if rows <= LEAST_ROWS else [cells]
    if rows > LEAST_ROWS or len(table.rows) == rows:
        _fill_merged(table, lattice)
    table.rows = [row for row in table.rows if any(row)]
    return table if table.rows else None


def _first_of(lattice: Lattice, row: int, column: int) -> int:
    """The first column of the merged cell that this one is part of."""
    while column and not lattice.is_parted(row, column):
        column -= 1
    return column


def _spread(cells: list[Pieces]) -> list[list[Pieces]]:
    """The rows of a table that is ruled around and under its head alone: most of them hold a number or a date."""
    filled = Counter[float]()
    for cell in cells:
        filled.update({round(piece.top) for piece in cell})
    full = sorted((top for top, count in filled.items() if count >= max(2, _FULL * len(cells))), reverse=True)
    rows = []
    for top, below in zip(full, [*full[1:], -1e9], strict=True):
        above = 1e9 if top == full[0] else top + 0.5
        rows.append([[piece for piece in cell if below + 0.5 < piece.top <= above] for cell in cells])
    values = sum(any(is_value(piece) for cell in row for piece in cell) for row in rows)
    return rows if len(full) >= _SPREAD and values >= _FULL * len(full) else [cells]


def _fill_merged(table: PrintedTable, lattice: Lattice) -> None:
    """A cell that is merged over rows is said in each of them."""
    for column in range(len(lattice.xs) - 1):
        first = 0
        for row in range(1, len(table.rows) + 1):
            if row < len(table.rows) and not lattice.is_ruled(row, column):
                continue
            said = [piece for at in range(first, row) for piece in table.rows[at][column]]
            for at in range(first, row if row - first > 1 else first):
                table.rows[at][column] = said
            first = row


def is_ruled_table(table: PrintedTable) -> bool:
    texts = table.texts
    filled = [cell for row in texts for cell in row if cell]
    return (
        len(texts) >= LEAST_ROWS
        and sum(any(row[column] for row in texts[1:]) for column in range(len(texts[0]))) > 1
        and len(filled) >= _FILLED * len(texts) * len(texts[0])
        and sum(map(width, filled)) <= _LONGEST * len(filled)
    )
