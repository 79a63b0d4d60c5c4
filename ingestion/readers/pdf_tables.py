"""Tables on the pages of a PDF as rows of Markdown; one that goes over several pages is one table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from ingestion.readers.pdf_cells import Pieces, PrintedTable, cell_text, is_ruled_table, is_value, table_within
from ingestion.readers.pdf_columns import aligned_tables
from ingestion.readers.pdf_lines import LineMark, PdfLine, PdfPage
from ingestion.readers.pdf_rules import lattices
from tables.columns import typed_table
from tables.grids import Grid, GridRow

_HEADS = 3  # rows of a head that the next page may say again
_BESIDE = 12.0  # points that a table may be shifted by there
_further = re.compile(  # what stands between a table and the rest of it on the next page
    r"[(（【]?\s?续\s?表?.{0,30}|.{0,60}[(（]\s?(?:续表?|cont(?:inued|['’]d|\.)?)\s?[)）]"
    r"|[(（]?continued(?: (?:on|from) .{1,30})?[)）]?|[(（]?(?:续|接)(?:下|上)?一?页[)）]?",
    re.IGNORECASE,
)


def mark_tables(pages: Sequence[PdfPage]) -> None:
    """Lines that are tables are replaced by their rows, each cell within pipes."""
    number = 0
    open_: PrintedTable | None = None  # that the page before ends with
    ended: PdfPage | None = None  # that page
    for page in pages:
        tables = {min(table.lines): table for table in tables_on(page, open_)}
        first = next((n for n, line in enumerate(page.lines) if not _further.fullmatch(line.text)), 0)
        rest = tables[first] if open_ and first in tables and _is_rest(tables[first], open_.heads) else None
        taken = {line for table in tables.values() for line in table.lines}
        last = _end(page.lines) - 1
        lines: list[PdfLine] = []
        for nth, line in enumerate(page.lines):
            if table := tables.get(nth):
                number += table is not rest
                lines += _rows(page, table, number, table is rest)
            elif nth not in taken and not (rest and nth < first):
                lines.append(line)
        if rest and open_ and ended:
            ended.lines = ended.lines[: _end(ended.lines)]
            rest.heads = open_.heads
            if _is_broken(open_, rest):
                broken = [[*one, *other] for one, other in zip(open_.rows[-1], rest.rows[0], strict=True)]
                ended.lines[-1] = replace(ended.lines[-1], text=_written(broken))
                lines = lines[1:]
        open_ = next((table for table in tables.values() if last in table.lines), None)
        page.lines, ended = lines, page


def _rows(page: PdfPage, table: PrintedTable, number: int, is_rest: bool) -> list[PdfLine]:
    """As lines of the page; of the rest of a table without the head that is said again."""
    made = [_row(page, row, table, number) for row in table.rows]
    if not is_rest:
        table.heads = table.texts[:_HEADS]
        made[0].columns = len(table.bounds) - 1
    return made


def _is_broken(table: PrintedTable, rest: PrintedTable) -> bool:
    """Whether a row goes on from one page to the next: it has no first cell there, and no value beside another."""
    if not rest.rows or rest.rows[0][0] or any(piece.box for cell in rest.rows[0] for piece in cell):
        return False
    both = zip(table.rows[-1], rest.rows[0], strict=True)
    return not any(any(map(is_value, one)) and any(map(is_value, other)) for one, other in both)


def _end(lines: Sequence[PdfLine]) -> int:
    """Behind the last line that does not only say that a table goes on."""
    return next((n + 1 for n in range(len(lines) - 1, -1, -1) if not _further.fullmatch(lines[n].text)), 0)


def _is_rest(table: PrintedTable, heads: Sequence[Sequence[str]]) -> bool:
    """Whether it says the same head again, which is taken away, or has none; with another one it is another table."""
    texts = table.texts
    if again := _repeated(texts, heads):
        table.rows = table.rows[again:]
        return len(texts[0]) == len(heads[0])
    typed = typed_table(Grid("", [GridRow(0, 0, row) for row in texts]))
    return typed is None or all(column.kind == "text" for column in typed.columns)


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
        if table and (is_ruled_table(table) or (before and not found and _has_columns_of(before, table))):
            found.append(table)
            taken |= table.lines
    across = [rule for rule in page.rules if rule.across]
    return [*found, *aligned_tables(page.lines, taken, across, None if found else before)]


def _has_columns_of(before: PrintedTable, table: PrintedTable) -> bool:
    return len(before.bounds) == len(table.bounds) and all(
        abs(one - other) <= _BESIDE for one, other in zip(before.bounds, table.bounds, strict=True)
    )
