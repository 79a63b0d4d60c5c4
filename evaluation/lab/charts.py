"""Charts of runs as SVG that stands in a page by itself: no script, no font, no file from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from evaluation.lab.comparing import SURE
from evaluation.lab.results import WENT_WRONG, WentWrong
from evaluation.lab.significance import PairedDifference
from schema import Language

_COLOURS: dict[str, str] = {
    "right": "#2e7d32", "failed": "#424242", "not_in_library": "#8d6e63", "not_found": "#c62828",
    "not_read": "#ef6c00", "wrongly_refused": "#6a1b9a", "not_said": "#f9a825", "said_wrongly": "#ad1457",
    "wrongly_answered": "#1565c0",
}  # fmt: skip
_WIDTH, _ROW, _LABEL = 640, 22, 150


class CurvePoint(NamedTuple):
    label: str
    value: float


def wrong_bar(counts: Mapping[str, int], cases: int, language: Language) -> str:
    """Where the cases of a run went wrong, as one bar."""
    right = cases - sum(counts.values())
    parts = [("right", right), *((name, counts[name]) for name in WENT_WRONG if counts.get(name))]
    drawn, x = [], 0.0
    for name, count in parts:
        width = _WIDTH * count / max(cases, 1)
        label = escape(wrong_label(name, language))
        drawn.append(
            f'<rect x="{x:.1f}" y="0" width="{width:.1f}" height="18" fill="{_COLOURS[name]}">'
            f"<title>{label}: {count}</title></rect>"
        )
        x += width
    how = f'viewBox="0 0 {_WIDTH} 18" preserveAspectRatio="none" width="100%" height="18" style="margin:2px 0"'
    return f'<svg role="img" {how}>{"".join(drawn)}</svg>'


def wrong_label(name: str, language: Language) -> str:
    known: dict[str, WentWrong] = {one: one for one in WENT_WRONG}
    return WENT_WRONG[known[name]].to(language) if name in known else {"zh": "正确", "en": "right"}[language]


def legend(names: Sequence[str], language: Language) -> str:
    marks = (
        f'<span style="white-space:nowrap;margin-right:1em"><span style="display:inline-block;width:.8em;height:.8em;'
        f'background:{_COLOURS[name]}"></span> {escape(wrong_label(name, language))}</span>'
        for name in names
    )
    return f"<p>{' '.join(marks)}</p>"


def interval_chart(differences: Mapping[str, PairedDifference]) -> str:
    """Each difference with its 95 % interval; zero is the line in the middle."""
    reach = max([0.05, *(max(abs(one.low), abs(one.high)) for one in differences.values())])
    height = _ROW * len(differences) + 4

    def place(value: float) -> float:
        return _LABEL + (_WIDTH - _LABEL - 60) * (value / reach + 1) / 2

    drawn = [f'<line x1="{place(0):.1f}" x2="{place(0):.1f}" y1="0" y2="{height}" stroke="#999"/>']
    for row, (name, one) in enumerate(differences.items()):
        y = _ROW * row + 12
        colour = "#607d8b" if one.p >= SURE else "#2e7d32" if one.mean > 0 else "#c62828"  # as the table says it
        drawn.append(
            f'<text x="0" y="{y + 4}" font-size="13" fill="currentColor">{escape(name)}</text>'
            f'<line x1="{place(one.low):.1f}" x2="{place(one.high):.1f}" y1="{y}" y2="{y}" stroke="{colour}" '
            f'stroke-width="3"/><circle cx="{place(one.mean):.1f}" cy="{y}" r="5" fill="{colour}"/>'
            f'<text x="{_WIDTH - 55}" y="{y + 4}" font-size="13" fill="currentColor">{one.mean:+.3f}</text>'
        )
    return f'<svg role="img" viewBox="0 0 {_WIDTH} {height}" width="100%">{"".join(drawn)}</svg>'


def line_chart(points: Sequence[CurvePoint], low: float = 0.0, high: float = 1.0) -> str:
    """A figure run after run, oldest first."""
    height, left, bottom = 160, 36, 130
    step = (_WIDTH - left - 20) / max(len(points) - 1, 1)

    def y(value: float) -> float:
        return bottom - (bottom - 12) * (min(max(value, low), high) - low) / (high - low)

    places = [(left + step * n, y(point.value)) for n, point in enumerate(points)]
    drawn = [
        f'<line x1="{left}" x2="{_WIDTH}" y1="{y(at):.1f}" y2="{y(at):.1f}" stroke="#ddd"/>'
        f'<text x="0" y="{y(at) + 4:.1f}" font-size="11" fill="currentColor">{at:.2f}</text>'
        for at in (low, (low + high) / 2, high)
    ]
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    drawn.append(f'<polyline points="{path}" fill="none" stroke="#1565c0" stroke-width="2"/>')
    for point, (a, b) in zip(points, places, strict=True):
        drawn.append(
            f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="#1565c0"><title>{escape(point.label)}: {point.value:.3f}'
            f"</title></circle>"
        )
    return f'<svg role="img" viewBox="0 0 {_WIDTH} {height}" width="100%">{"".join(drawn)}</svg>'
