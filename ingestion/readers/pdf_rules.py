"""The ruled lines of a page, and the lattices that they make: columns and rows with what is merged among them."""

from __future__ import annotations

import ctypes
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

_MOST_OBJECTS, _MOST_RULES = 10_000, 2_000  # of a page: with more it is a drawing
_MOST_POINTS = 400  # of a path
_THIN, _SHORT = 3.0, 6.0  # points: how thick a rule is at most, and how long at least
_NEAR = 2.5  # points between what is one line, and between lines that meet
_MOST_CROSSINGS, _MOST_CELLS = 40_000, 4_000


class Rule(NamedTuple):
    """A line across or down a page, in points from its lower left."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def across(self) -> bool:
        return self.right - self.left > self.top - self.bottom


@dataclass(frozen=True, slots=True)
class Lattice:
    """Rules that meet: `xs` from left to right and `ys` from the top down bound its cells."""

    xs: list[float]
    ys: list[float]
    rules: list[Rule]

    def column_at(self, x: float) -> int:
        """-1 beside it."""
        at = bisect_right(self.xs, x) - 1
        return at if at < len(self.xs) - 1 else -1

    def row_at(self, y: float) -> int:
        """-1 above or below it."""
        at = bisect_right(self.ys, -y, key=lambda one: -one) - 1
        return at if at < len(self.ys) - 1 else -1

    def is_parted(self, row: int, column: int) -> bool:
        """Whether a rule stands between a cell and the one on its left."""
        x, y = self.xs[column], (self.ys[row] + self.ys[row + 1]) / 2
        return any(not one.across and abs(one.left - x) <= _NEAR and one.bottom < y < one.top for one in self.rules)

    def is_ruled(self, row: int, column: int) -> bool:
        """Whether a rule stands between a cell and the one above it."""
        x, y = (self.xs[column] + self.xs[column + 1]) / 2, self.ys[row]
        return any(one.across and abs(one.top - y) <= _NEAR and one.left < x < one.right for one in self.rules)


def rules_on(page: Any) -> list[Rule]:
    """Thin boxes and straight strokes; none of a drawing. PDFium is held by the caller."""
    from pypdfium2 import raw

    found: list[Rule] = []
    for nth in range(min(raw.FPDFPage_CountObjects(page), _MOST_OBJECTS)):
        one = raw.FPDFPage_GetObject(page, nth)
        if raw.FPDFPageObj_GetType(one) == raw.FPDF_PAGEOBJ_PATH:
            found += _rules_of(one)
            if len(found) > _MOST_RULES:
                return []
    return _joined(found)


def _rules_of(path: Any) -> Iterable[Rule]:
    from pypdfium2 import raw

    sides = [ctypes.c_float() for _ in range(4)]
    if not raw.FPDFPageObj_GetBounds(path, *sides):
        return
    left, bottom, right, top = (side.value for side in sides)
    if (thin := _thin(left, bottom, right, top)) is not None:
        yield thin
        return
    mode, stroked = ctypes.c_int(), ctypes.c_int()
    if not raw.FPDFPath_GetDrawMode(path, mode, stroked):
        return
    points = _points(path)
    yield from _strokes(points) if stroked.value else _boxes(points)


def _thin(left: float, bottom: float, right: float, top: float) -> Rule | None:
    across, down = right - left, top - bottom
    if down <= _THIN and across >= _SHORT:
        return Rule(left, (bottom + top) / 2, right, (bottom + top) / 2)
    if across <= _THIN and down >= _SHORT:
        return Rule((left + right) / 2, bottom, (left + right) / 2, top)
    return None


def _points(path: Any) -> list[list[tuple[float, float]]]:
    """Of each part of a path, as they lie on the page; what is curved has no part in it."""
    from pypdfium2 import raw

    matrix, x, y = raw.FS_MATRIX(), ctypes.c_float(), ctypes.c_float()
    raw.FPDFPageObj_GetMatrix(path, matrix)
    parts: list[list[tuple[float, float]]] = []
    for nth in range(min(raw.FPDFPath_CountSegments(path), _MOST_POINTS)):
        segment = raw.FPDFPath_GetPathSegment(path, nth)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind not in (raw.FPDF_SEGMENT_MOVETO, raw.FPDF_SEGMENT_LINETO):
            return []
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        if kind == raw.FPDF_SEGMENT_MOVETO or not parts:
            parts.append([])
        parts[-1].append(point)
        if raw.FPDFPathSegment_GetClose(segment):
            parts[-1].append(parts[-1][0])
    return parts


def _strokes(parts: Sequence[Sequence[tuple[float, float]]]) -> Iterable[Rule]:
    for points in parts:
        for (x, y), (x1, y1) in pairwise(points):
            if thin := _thin(min(x, x1), min(y, y1), max(x, x1), max(y, y1)):
                yield thin


def _boxes(parts: Sequence[Sequence[tuple[float, float]]]) -> Iterable[Rule]:
    """Filled parts that are as thin as rules: some programs draw all rules of a table as one path."""
    for points in parts:
        xs, ys = [x for x, _ in points], [y for _, y in points]
        if thin := _thin(min(xs), min(ys), max(xs), max(ys)):
            yield thin


def _joined(rules: Sequence[Rule]) -> list[Rule]:
    """Pieces that lie on one line, cell by cell, as one rule."""
    across = _runs([(one.bottom, one.left, one.right) for one in rules if one.across])
    down = _runs([(one.left, one.bottom, one.top) for one in rules if not one.across])
    return [Rule(a, y, b, y) for y, a, b in across] + [Rule(x, a, x, b) for x, a, b in down]


def _runs(pieces: Sequence[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    found: list[tuple[float, float, float]] = []
    for group in _groups(sorted(pieces)):
        at = sum(place for place, _, _ in group) / len(group)
        begun: list[tuple[float, float, float]] = []
        for _, start, end in sorted(group, key=lambda piece: piece[1]):
            if begun and start <= begun[-1][2] + _NEAR:
                begun[-1] = (at, begun[-1][1], max(begun[-1][2], end))
            else:
                begun.append((at, start, end))
        found += begun
    return found


def _groups(pieces: Sequence[tuple[float, float, float]]) -> list[list[tuple[float, float, float]]]:
    """Those at one height; a group is never thicker than lines are near."""
    groups: list[list[tuple[float, float, float]]] = []
    for piece in pieces:
        if groups and piece[0] - groups[-1][0][0] <= _NEAR:
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return groups


def lattices(rules: Sequence[Rule]) -> list[Lattice]:
    """Of rules that meet, with two columns at least; from the top down."""
    across, down = [one for one in rules if one.across], [one for one in rules if not one.across]
    if not across or not down or len(across) * len(down) > _MOST_CROSSINGS:
        return []
    parent = [*range(len(rules))]

    def root(nth: int) -> int:
        while parent[nth] != nth:
            parent[nth] = nth = parent[parent[nth]]
        return nth

    for nth, one in enumerate(across):
        for other, line in enumerate(down, len(across)):
            if _meet(one, line):
                parent[root(other)] = root(nth)
    members: dict[int, list[Rule]] = {}
    for nth, one in enumerate([*across, *down]):
        members.setdefault(root(nth), []).append(one)
    found = [_lattice(group) for group in members.values()]
    fitting = (one for one in found if len(one.xs) > 2 and len(one.ys) > 1 and len(one.xs) * len(one.ys) < _MOST_CELLS)
    return sorted(fitting, key=lambda one: -one.ys[0])


def _meet(across: Rule, down: Rule) -> bool:
    return (
        across.left - _NEAR <= down.left <= across.right + _NEAR
        and down.bottom - _NEAR <= across.top <= down.top + _NEAR
    )


def _lattice(rules: list[Rule]) -> Lattice:
    """Open sides are closed where its longest rules end."""
    xs = [one.left for one in rules if not one.across]
    ys = [one.top for one in rules if one.across]
    if xs and ys:
        ends = [one.left for one in rules if one.across], [one.right for one in rules if one.across]
        xs += [min(ends[0]), max(ends[1])]
        heights = [one.bottom for one in rules if not one.across], [one.top for one in rules if not one.across]
        ys += [min(heights[0]), max(heights[1])]
    return Lattice(_apart(xs), _apart(ys)[::-1], rules)


def _apart(places: Sequence[float]) -> list[float]:
    """Each place once."""
    found: list[float] = []
    for place in sorted(places):
        if not found or place - found[-1] > 2 * _NEAR:
            found.append(place)
    return found
