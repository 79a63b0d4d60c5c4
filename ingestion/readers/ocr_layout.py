"""In which order the lines on a picture are read: columns one after the other, rows of a table each by itself.

Columns and blocks are found by the widest gap that parts the boxes (XY-cut: Nagy and Seth, 1984).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

Point = tuple[float, float]
_TALL = 1.5  # heights to widths of a column that is written downward
_SKEW = 0.3  # degrees: less is not worth turning
_ROW = 0.6  # heights of a line: what lies within it stands in one row
_CELLS = 3  # that stand side by side in the rows of a table


class Area(NamedTuple):
    """Where a line stands in the order of reading: across, and down the page; the writing goes from left to right."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        return self.bottom - self.top


def is_written_downward(quads: Sequence[Sequence[Point]]) -> bool:
    return sum(_is_tall(quad) for quad in quads) > len(quads) / 2


def _is_tall(quad: Sequence[Point]) -> bool:
    xs, ys = zip(*quad, strict=True)
    return bool(max(ys) - min(ys) > _TALL * (max(xs) - min(xs)))


def areas(quads: Sequence[Sequence[Point]], width: float) -> list[Area]:
    """As they would be on a page that lies straight; columns written downward, from right to left, are its lines."""
    if is_written_downward(quads):
        quads = [[(y, width - x) for x, y in quad] for quad in quads]
    angle = _skew(quads)
    sine, cosine = math.sin(-angle), math.cos(-angle)
    turned = [[(x * cosine - y * sine, x * sine + y * cosine) for x, y in quad] for quad in quads]
    return [
        Area(
            min(x for x, _ in quad),
            min(y for _, y in quad),
            max(x for x, _ in quad),
            max(y for _, y in quad),
        )
        for quad in turned
    ]


def _skew(quads: Sequence[Sequence[Point]]) -> float:
    """Of the longer half of the lines, in radians."""
    long = sorted(quads, key=lambda quad: math.dist(quad[0], quad[1]), reverse=True)[: max(1, len(quads) // 2)]
    angles = [math.atan2(quad[1][1] - quad[0][1], quad[1][0] - quad[0][0]) for quad in long]
    found = median(angles) if angles else 0.0
    return found if math.radians(_SKEW) < abs(found) < math.radians(30) else 0.0


def reading_order(found: Sequence[Area]) -> list[int]:
    everything = list(range(len(found)))
    return _by_rows(found, everything) if _is_table(found) else _cut(found, everything)


def _is_table(found: Sequence[Area]) -> bool:
    """Whether most of it stands in rows of several cells."""
    rows = _rows(found, range(len(found)))
    return sum(len(row) for row in rows if len(row) >= _CELLS) > len(found) / 2


def _rows(found: Sequence[Area], which: Sequence[int]) -> list[list[int]]:
    rows: list[list[int]] = []
    for n in sorted(which, key=lambda n: found[n].top + found[n].bottom):
        middle = (found[n].top + found[n].bottom) / 2
        last = found[rows[-1][0]] if rows else None
        if last and abs((last.top + last.bottom) / 2 - middle) < _ROW * min(last.height, found[n].height):
            rows[-1].append(n)
        else:
            rows.append([n])
    return rows


def _by_rows(found: Sequence[Area], which: Sequence[int]) -> list[int]:
    return [n for row in _rows(found, which) for n in sorted(row, key=lambda n: found[n].left)]


def _cut(found: Sequence[Area], which: list[int]) -> list[int]:
    if len(which) < 2:
        return which
    height = median(found[n].height for n in which)
    (across, x), (down, y) = _gap(found, which, 0), _gap(found, which, 1)
    if across > height and len(which) >= 6:
        left = [n for n in which if found[n].right <= x]
        return _cut(found, left) + _cut(found, [n for n in which if found[n].right > x])
    if down > 1.5 * height:
        above = [n for n in which if found[n].bottom <= y]
        return _cut(found, above) + _cut(found, [n for n in which if found[n].bottom > y])
    return _by_rows(found, which)


def _gap(found: Sequence[Area], which: Sequence[int], axis: int) -> tuple[float, float]:
    """(width, middle) of the widest one between the boxes along an axis, 0 across and 1 down."""
    spans = sorted((found[n][axis], found[n][axis + 2]) for n in which)
    end, best = spans[0][1], (0.0, 0.0)
    for start, stop in spans[1:]:
        if start > end:
            best = max(best, (start - end, (start + end) / 2))
        end = max(end, stop)
    return best
