"""Tables that nothing rules, or only rules across: rows whose cells stand one below the other.

They have a head, short cells, and columns of numbers or dates: running text in columns is no table.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from ingestion.readers.pdf_cells import LEAST_ROWS, Piece, Pieces, PrintedTable, is_value, width
from ingestion.readers.pdf_lines import PdfLine
from ingestion.readers.pdf_rules import Rule
from ingestion.readers.pdf_runs import GAP, NARROW, ONE_LINE, WRAPPED, TextLine, runs_of, text_lines, zones_of
from tables.columns import typed_table
from tables.grids import Grid, GridRow

_MANY = 4  # lines
_APART = 1.6  # of the usual distance of lines: where a table may end
_FULL = 0.5  # of the cells of a table
_ALONE = 0.25  # of the rows of a table, that have one cell
_LONGEST = 26  # letters of its cells on average
_FITTING = 0.9  # of the lines that stand in the columns of the page before
_BESIDE = 12.0  # points that a table may be wider there
_TRIMMED = ((0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (2, 0))  # lines above and below that may be none of it
_year = re.compile(r"(?:19|20)\d\d年?")


def aligned_tables(
    lines: Sequence[PdfLine], taken: set[int], across: Sequence[Rule], before: PrintedTable | None
) -> Iterator[PrintedTable]:
    """From the top down, column by column of running text."""
    for zone in zones_of(lines, taken):
        for run in runs_of(text_lines(lines, zone)):
            if before and (rest := _rest(run, before)):
                yield rest
                continue
            yield from _tables_in(run, across)


def _tables_in(run: Sequence[TextLine], across: Sequence[Rule]) -> list[PrintedTable]:
    """One, or where its lines stand farther apart than others those on both sides, if these have more columns."""
    whole = _table_among(run, across)
    gaps = [one.top - after.top for one, after in pairwise(run)]
    wide = [nth for nth, gap in enumerate(gaps, 1) if gap > _APART * median(gaps)]
    parts = [run[a:b] for a, b in pairwise([0, *wide, len(run)])]
    found = [table for part in parts if (table := _table_among(part, across))] if wide else []
    if found and (whole is None or max(len(table.bounds) for table in found) > len(whole.bounds)):
        return found
    return [whole] if whole else []


def _table_among(run: Sequence[TextLine], across: Sequence[Rule]) -> PrintedTable | None:
    for above, below in _TRIMMED:
        within = run[above : len(run) - below]
        if len(within) >= LEAST_ROWS and (table := _table_of(within, across)):
            return table
    return None


def _table_of(lines: Sequence[TextLine], across: Sequence[Rule]) -> PrintedTable | None:
    first = next((n for n, line in enumerate(lines) if _has_value(line)), len(lines))
    framed = _is_framed(lines, across)
    data = [line for line in (lines[1:] if framed and first == len(lines) else lines[first:]) if len(line.pieces) > 1]
    if len(data) < LEAST_ROWS - 1 or not first:
        return None
    size = min(line.size for line in data)
    gap = (NARROW if len(data) >= _MANY else GAP) * size
    bounds = _bounds(data, gap)
    if len(bounds) < 3:
        return None
    if len(with_head := _bounds(lines, gap)) == len(bounds):  # a head may be wider than its column
        bounds = with_head
    table = PrintedTable(_rows(lines, bounds), bounds)
    table.lines = {piece.line for line in lines for piece in line.pieces}
    return table if _counts(table.texts, framed) else None


def _has_value(line: TextLine) -> bool:
    """A year may head a column."""
    return any(is_value(piece) and not _year.fullmatch(piece.text) for piece in line.pieces)


def _bounds(lines: Sequence[TextLine], gap: float) -> list[float]:
    """Where columns begin and end: in the middle of what all lines leave blank."""
    spans = sorted((piece.left, piece.right) for line in lines for piece in line.narrow)
    bounds, end = [spans[0][0]], spans[0][1]
    for left, right in spans[1:]:
        if left - end >= gap:
            bounds.append((left + end) / 2)
        end = max(end, right)
    return [*bounds, end]


def _rows(lines: Sequence[TextLine], bounds: Sequence[float]) -> list[list[Pieces]]:
    """Lines that are nearer than rows are go on in cells of theirs; a cell may stand at the top of its row, or in the
    middle."""
    cells: list[list[Pieces]] = [[] for _ in bounds[1:]]
    size = median(line.size for line in lines)
    columns = [(at, piece) for line in lines for piece in line.narrow for at in _columns_of(piece, bounds)]
    pitch = _pitch([(at, piece) for at, piece in columns if is_value(piece)])
    wrapped = min(WRAPPED * size, 0.9 * pitch) if pitch > 1.2 * size else 0.0
    for at, piece in columns:
        if cells[at] and cells[at][-1][-1].top - piece.top <= max(wrapped, ONE_LINE * size):
            cells[at][-1].append(piece)
        else:
            cells[at].append([piece])
    tables = [_grouped(cells, share, ONE_LINE * size) for share in (0.0, 0.5, 1.0)]
    rows = min(tables, key=len)
    return rows if wrapped else _without_wrapped(rows)


def _columns_of(piece: Piece, bounds: Sequence[float]) -> range:
    """By its middle; what reaches over several columns stands over each of them."""
    inner = bounds[1:-1]
    first, last = bisect_right(inner, piece.left), bisect_right(inner, piece.right)
    if last - first > 1 or (last > first and min(inner[first] - piece.left, piece.right - inner[last - 1]) > 6):
        return range(first, last + 1)
    middle = bisect_right(inner, (piece.left + piece.right) / 2)
    return range(middle, middle + 1)


def _pitch(values: Sequence[tuple[int, Piece]]) -> float:
    """The least distance of rows, as numbers and dates tell it, which are not wrapped."""
    tops: dict[int, list[float]] = {}
    for at, piece in values:
        tops.setdefault(at, []).append(piece.top)
    most = max(tops.values(), key=len, default=[])
    return min((one - after for one, after in pairwise(most) if one - after > 1), default=0.0)


def _grouped(columns: Sequence[Sequence[Pieces]], share: float, near: float) -> list[list[Pieces]]:
    """Rows of cells at one height; `share`: where that is taken between the first line of a cell and its last."""
    cells = [(at, cell) for at, column in enumerate(columns) for cell in column]
    placed = [(cell[0].top + share * (cell[-1].top - cell[0].top), at, cell) for at, cell in cells]
    placed.sort(key=lambda one: (-one[0], one[1]))
    rows: list[list[Pieces]] = []
    top = 0.0
    for height, at, cell in placed:
        if not rows or top - height > near or rows[-1][at]:
            rows.append([[] for _ in columns])
            top = height
        rows[-1][at] = cell
    return rows


def _without_wrapped(rows: list[list[Pieces]]) -> list[list[Pieces]]:
    """Rows without a first cell and without a value go on in the one above."""
    found: list[list[Pieces]] = []
    for row in rows:
        if found and not row[0] and not any(is_value(piece) for cell in row for piece in cell):
            for at, cell in enumerate(row):
                found[-1][at] = [*found[-1][at], *cell]
        else:
            found.append(row)
    return found


def _is_framed(lines: Sequence[TextLine], across: Sequence[Rule]) -> bool:
    """Whether two rules at least go over the whole width: above it, under its head, or below it."""
    left = min(piece.left for line in lines for piece in line.pieces)
    right = max(piece.right for line in lines for piece in line.pieces)
    top, bottom = lines[0].top + 3 * lines[0].size, lines[-1].top - 2 * lines[-1].size
    wide = [one for one in across if bottom < one.top < top and one.left < left + 5 and one.right > right - 5]
    return len({round(one.top / 3) for one in wide}) > 1 and min(one.left for one in wide) > left - _BESIDE


def _counts(texts: Sequence[Sequence[str]], framed: bool) -> bool:
    """Whether it has a head and short cells, and numbers or dates; where rules frame it, several columns will do."""
    cells = [cell for row in texts for cell in row if cell]
    if sum(map(width, cells)) > _LONGEST * len(cells) or len(cells) < _FULL * len(texts) * len(texts[0]):
        return False
    if sum(sum(map(bool, row)) == 1 for row in texts) > _ALONE * len(texts):  # lines of something else stand beside it
        return False
    typed = typed_table(Grid("", [GridRow(0, 0, row) for row in texts]))
    if typed is None:
        return False
    if framed and len(texts[0]) > 2:
        return True
    counted = [one for one in typed.columns if one.kind != "text" and one.blank <= len(typed.spans) / 2]
    full = len(texts[0]) > 2 and len(cells) == len(texts) * len(texts[0])
    return bool(counted) and (framed or len(typed.spans) > 2 or full)


def _rest(run: Sequence[TextLine], before: PrintedTable) -> PrintedTable | None:
    """The lines as they stand in the columns of the table that the page before ends with, if they do."""
    lines = [line for line in run if line.pieces[0].left > before.bounds[0] - _BESIDE]
    if not lines or len(lines) < _FITTING * len(run):
        return None
    bounds, inner = before.bounds, before.bounds[1:-1]
    pieces = [piece for line in run for piece in line.narrow]
    within = [
        piece for piece in pieces
        if bounds[0] - _BESIDE < piece.left and piece.right < bounds[-1] + _BESIDE
        and not any(piece.left + 3 < x < piece.right - 3 for x in inner)
    ]  # fmt: skip
    if len(within) < _FITTING * len(pieces):
        return None
    table = PrintedTable(_rows(run, bounds), bounds)
    table.lines = {piece.line for piece in pieces}
    return table if _counts([before.heads[0], *before.texts[-LEAST_ROWS:], *table.texts], framed=True) else None
