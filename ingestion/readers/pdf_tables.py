"""Tables on the pages of a PDF as rows of Markdown; one that goes over several pages is one table."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from ingestion.readers.pdf_cells import Pieces, PrintedTable, cell_text, is_ruled_table, is_value, table_within
from ingestion.readers.pdf_columns import aligned_tables
from ingestion.readers.pdf_lines import LineMark, PdfLine, PdfPage
from ingestion.readers.pdf_rules import lattices
from tables.columns import typed_table
from tables.grids import Grid, GridRow

_HEADS, _ABOVE = 3, 3  # rows of a head, and lines above it, that the next page may say again
_MOST_LINES, _PATIENCE = 1_000, 60.0  # of a page, and seconds of the processor for a file: hostile ones have more
_BESIDE = 12.0  # points that a table may be shifted by there
_further = re.compile(  # what stands between a table and the rest of it on the next page
    r"[(（【]?续\s?表.{0,30}|[(（【]?续[)）】]?|.{0,60}[(（]\s?(?:续表?|cont(?:inued|['’]d|\.)?)\s?[)）]"
    r"|[(（]?continued(?: (?:on|from) .{1,30})?[)）]?|[(（]?(?:续|接)(?:下|上)?一?页[)）]?",
    re.IGNORECASE,
)


def mark_tables(pages: Sequence[PdfPage]) -> None:
    """Lines that are tables are replaced by their rows, each cell within pipes."""
    began, number = time.thread_time(), 0
    open_: PrintedTable | None = None  # that the page before ends with
    ended: PdfPage | None = None  # that page
    for page in pages:
        if len(page.lines) > _MOST_LINES or time.thread_time() - began > _PATIENCE:
            open_ = None
            continue
        tables = {min(table.lines): table for table in tables_on(page, open_)}
        first = min(tables, default=0)
        above = [line.text for line in page.lines[:first]]
        joins = open_ is not None and first in tables and _joins(tables[first], open_, above)
        if open_ and not joins:
            tables = {min(table.lines): table for table in tables_on(page, None)}
        taken = {line for table in tables.values() for line in table.lines}
        last = _end(page.lines) - 1
        lines: list[PdfLine] = []
        for nth, line in enumerate(page.lines):
            if table := tables.get(nth):
                number += not (joins and nth == first)
                lines += _rows(page, table, number, open_ if joins and nth == first else None)
            elif nth not in taken and not (joins and nth < first):
                lines.append(line)
        if joins and open_ and ended:
            ended.lines = ended.lines[: _end(ended.lines)]
            if _is_broken(open_, tables[first]):
                ended.lines[-1] = replace(ended.lines[-1], text=_written(_made_whole(open_, tables[first])))
                lines = lines[1:]
        open_ = next((table for table in tables.values() if last in table.lines and table.rows), None)
        page.lines, ended = lines, page


def _rows(page: PdfPage, table: PrintedTable, number: int, before: PrintedTable | None) -> list[PdfLine]:
    """As lines of the page; of what goes on with the one before without the head that is said again."""
    if before:
        table.heads, table.above = before.heads, before.above
        table.rows = table.rows[_repeated(table.texts, before.heads) :]
        return [_row(page, row, table, number) for row in table.rows]
    table.heads = table.texts[:_HEADS]
    table.above = [line.text for line in page.lines[max(0, min(table.lines) - _ABOVE) : min(table.lines)]]
    made = [_row(page, row, table, number) for row in table.rows]
    made[0].columns = len(table.bounds) - 1
    return made


def _joins(table: PrintedTable, before: PrintedTable, above: Sequence[str]) -> bool:
    """Whether it goes on with the table that the page before ends with: nothing else stands above it but what stands
    above that one, and it says the same head again or has none."""
    if len(table.bounds) != len(before.bounds):
        return False
    if not all(_further.fullmatch(text) or text in before.above for text in above):
        return False
    if _repeated(table.texts, before.heads):
        return True
    typed = typed_table(Grid("", [GridRow(0, 0, row) for row in table.texts]))
    return typed is None or all(column.kind == "text" for column in typed.columns)


def _made_whole(table: PrintedTable, rest: PrintedTable) -> list[Pieces]:
    """The row that a page breaks."""
    return [[*one, *other] for one, other in zip(table.rows[-1], rest.rows[0], strict=True)]


def _is_broken(table: PrintedTable, rest: PrintedTable) -> bool:
    """Whether a row goes on from one page to the next: it has no first cell there, and no value beside another."""
    if not rest.rows or rest.rows[0][0] or any(piece.box for cell in rest.rows[0] for piece in cell):
        return False
    both = zip(table.rows[-1], rest.rows[0], strict=True)
    return not any(any(map(is_value, one)) and any(map(is_value, other)) for one, other in both)


def _end(lines: Sequence[PdfLine]) -> int:
    """Behind the last line that does not only say that a table goes on."""
    return next((n + 1 for n in range(len(lines) - 1, -1, -1) if not _further.fullmatch(lines[n].text)), 0)


def _repeated(texts: Sequence[Sequence[str]], head: Sequence[Sequence[str]]) -> int:
    """How many of the first rows are those of the head."""
    same = zip(texts, head, strict=False)
    return next((n for n, (one, other) in enumerate(same) if [*one] != [*other]), min(len(texts), len(head)))


def _row(page: PdfPage, row: Sequence[Pieces], table: PrintedTable, number: int) -> PdfLine:
    pieces = [piece for cell in row for piece in cell]
    lines = [page.lines[piece.line] for piece in pieces]
    return PdfLine(
        _written(row), table.bounds[0], table.bounds[-1], max(piece.top for piece in pieces),
        min(piece.top for piece in pieces), median(line.size for line in lines), table=number, marks=_marks(row),
    )  # fmt: skip


def _written(row: Sequence[Pieces]) -> str:
    return "|" + "".join(f" {_escaped(cell_text(cell))} |" if cell else " |" for cell in row)


def _marks(row: Sequence[Pieces]) -> tuple[LineMark, ...]:
    """Of pieces that were read from a picture."""
    marks: list[LineMark] = []
    for at, cell in enumerate(row):
        before = len(_written(row[:at])) + 1
        for nth, piece in enumerate(cell):
            if piece.box:
                offset = before + len(_escaped(cell_text(cell[:nth])))
                marks.append(LineMark(offset if marks else 0, piece.box, piece.doubts))
    return tuple(marks)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")


def tables_on(page: PdfPage, before: PrintedTable | None) -> list[PrintedTable]:
    """Those of a page. `before`: the one that the page before ends with, which may go on here."""
    taken: set[int] = set()
    found: list[PrintedTable] = []
    for lattice in lattices(page.rules):
        table = table_within(lattice, page, taken)
        if table is None:
            continue
        if is_ruled_table(table) or (before and not found and _has_columns_of(before, table)):
            found.append(table)
            taken |= table.lines
    across = [rule for rule in page.rules if rule.across]
    return [*found, *aligned_tables(page.lines, taken, across, None if found else before)]


def _has_columns_of(before: PrintedTable, table: PrintedTable) -> bool:
    return len(before.bounds) == len(table.bounds) and all(
        abs(one - other) <= _BESIDE for one, other in zip(before.bounds, table.bounds, strict=True)
    )
