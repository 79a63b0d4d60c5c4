"""Lines of a page as a table may have them: at one height, column by column of the page, in runs of several pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ingestion.readers.pdf_cells import Pieces, pieces_of, width
from ingestion.readers.pdf_lines import CELLS, PdfLine
from tables.cells import CURRENCIES, plain

ONE_LINE = 0.35  # of the size: what stands higher or lower is another line
_FAR = 4.0  # of the size: rows that are farther apart are not of one table
_SINGLE = 3  # lines of one piece between those of several
_LONG = 30  # letters of a line of running text
_UP, _BESIDE_ALL = 10, 3.5  # sizes that a line stands above the one before: more than a cell, and a head, has lines
_COLUMN = 5  # lines of running text that are a column of it
WRAPPED = 1.45  # of the size: lines that are nearer than that may be of one cell
GAP, NARROW = 0.9, 0.55  # of the size of the letters: wider than between words; where many lines leave it blank


class TextLine(NamedTuple):
    """Pieces at one height."""

    top: float
    size: float
    pieces: Pieces
    narrow: Pieces  # as far as they may be parted


def zones_of(lines: Sequence[PdfLine], taken: set[int]) -> list[list[int]]:
    """Lines by the column of running text that they stand in or beside; all as one where there are no columns."""
    long = [line for line in lines if CELLS not in line.text and width(line.text) >= _LONG]
    begins: dict[int, list[PdfLine]] = {}
    for line in long:
        if any(other.right < line.left and abs(other.top - line.top) < line.size for other in long):
            begins.setdefault(round(line.left / 20), []).append(line)
    gutters = []
    for group in begins.values():
        if len(group) >= _COLUMN:
            x = min(line.left for line in group) - 1
            tops = [line.top for line in long if line.right < x or line in group]
            gutters.append((x, min(tops) - 20, max(tops) + 20))
    zones: dict[tuple[int, int], list[int]] = {}
    for number, (line, flow) in enumerate(zip(lines, _flows(lines), strict=True)):
        if number not in taken:
            at = sum(x <= line.left and low <= line.top <= high for x, low, high in gutters)
            zones.setdefault((at, flow), []).append(number)
    return [zones[at] for at in sorted(zones)]


def _flows(lines: Sequence[PdfLine]) -> Iterator[int]:
    """Which column of the page each line is drawn in, whatever stands there: one begins far above the line before, or
    above it and beside all that was drawn. What was read from a picture is in another order."""
    flow, right = 0, 0.0
    for before, line in pairwise([lines[0], *lines] if lines else []):
        up = 0.0 if line.box else (line.top - before.top) / max(1.0, line.size)
        if up > _UP or (up > _BESIDE_ALL and line.left > right):
            flow, right = flow + 1, 0.0
        right = max(right, line.right)
        yield flow


def text_lines(lines: Sequence[PdfLine], zone: Sequence[int]) -> list[TextLine]:
    """From the top down, whatever the order in which they are drawn."""
    pieces = [(piece, lines[n].size) for n in zone for piece in pieces_of(lines[n], n, NARROW * lines[n].size)]
    found: list[TextLine] = []
    for piece, size in sorted(pieces, key=lambda one: (-one[0].top, one[0].left)):
        if found and found[-1].top - piece.top < ONE_LINE * min(size, found[-1].size):
            found[-1].narrow.append(piece)
        else:
            found.append(TextLine(piece.top, size, [], [piece]))
    for line in found:
        line.narrow[:] = _with_currency(sorted(line.narrow, key=lambda one: one.left))
        for piece in line.narrow:
            if line.pieces and piece.left - line.pieces[-1].right < GAP * line.size:
                line.pieces[-1] = line.pieces[-1]._replace(
                    text=f"{line.pieces[-1].text} {piece.text}", right=piece.right
                )
            else:
                line.pieces.append(piece)
    return found


def _with_currency(pieces: Pieces) -> Pieces:
    """A currency stands with the number behind it, however far that is."""
    found: Pieces = []
    for piece in pieces:
        if found and plain(found[-1].text) in CURRENCIES and piece.text[:1].isdigit():
            found[-1] = found[-1]._replace(text=found[-1].text + piece.text, right=piece.right)
        else:
            found.append(piece)
    return found


def runs_of(lines: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    """From one line of several pieces to the next, with a few between that go on in a cell."""
    run: list[TextLine] = []
    single = 0
    for line in lines:
        several = len(line.pieces) > 1
        single = 0 if several else single + 1
        prose = not several and width(line.pieces[0].text) > 2 * _LONG
        if run and (prose or single > _SINGLE or run[-1].top - line.top > _FAR * max(run[-1].size, line.size)):
            yield _trimmed(run)
            run = []
        if run or several:
            run.append(line)
    yield _trimmed(run)


def _trimmed(run: list[TextLine]) -> list[TextLine]:
    """Without lines at its end that go on in no cell."""
    last = max((n for n, line in enumerate(run) if len(line.pieces) > 1), default=-1)
    left = min((line.pieces[0].left for line in run), default=0.0)
    for line in run[last + 1 :]:
        if run[last].top - line.top > WRAPPED * line.size or line.pieces[0].left < left + line.size:
            break
        last += 1
    return run[: last + 1]
