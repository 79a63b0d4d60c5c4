"""PowerPoint: a section for each slide with its title, its texts in reading order, tables, and the speaker's notes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from errors import FileError
from ingestion.readers.base import ReaderResult, untrusted
from ingestion.readers.office import cell_text, check_package, package_metadata, table
from schema import Message, Place
from text import language_of

_MOST_SLIDES = 5_000
_ROW = 300_000  # EMU, a third of an inch: shapes that begin within it stand side by side


@untrusted
def read_pptx(name: str, data: bytes) -> ReaderResult:
    """Markdown; `places` are the slides, hidden ones too."""
    check_package(name, data)
    from pptx import Presentation

    deck = Presentation(io.BytesIO(data))
    if len(deck.slides) > _MOST_SLIDES:
        raise FileError(
            Message(
                zh=f"“{name}”有 {len(deck.slides)} 张幻灯片，上限是 {_MOST_SLIDES} 张。",
                en=f'"{name}" has {len(deck.slides)} slides; {_MOST_SLIDES} is the limit.',
            ),
            Message(zh="请拆分成几个文件后上传。", en="Split it into several files."),
        )
    metadata, modified = package_metadata(deck.core_properties, slides=len(deck.slides))
    parts: list[str] = []
    places: list[Place] = []
    length = 0
    for number, slide in enumerate(deck.slides, start=1):
        if text := "\n\n".join(_slide(number, slide)):
            places.append(Place(length, "slide", number))
            parts.append(text)
            length += len(text) + 2
    return ReaderResult("\n\n".join(parts), "markdown", "pptx", metadata, places=places, timestamp=modified)


def _slide(number: int, slide: Any) -> list[str]:
    """Its blocks; none when nothing is on it."""
    title = slide.shapes.title
    body = [text for shape in _in_order(slide.shapes) if shape.shape_id != getattr(title, "shape_id", None)
            for text in _texts(shape)]  # fmt: skip
    heading = cell_text(title.text_frame.text) if title is not None else ""
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    notes_text = "\n\n".join(_paragraphs(notes)) if notes is not None else ""
    if not (heading or body or notes_text):
        return []
    chinese = language_of(" ".join([heading, *body, notes_text])) == "zh"
    if notes_text:
        body.append(f"{'备注：' if chinese else 'Notes: '}{notes_text}")
    return [f"## {heading or (f'第 {number} 张' if chinese else f'Slide {number}')}", *body]


def _in_order(shapes: Any) -> list[Any]:
    """From top to bottom, what stands side by side from left to right; a slide keeps them in the order of drawing."""
    placed = [(_inherited(shape, "top"), _inherited(shape, "left"), shape) for shape in shapes]
    return [shape for *_, shape in sorted(placed, key=lambda item: (item[0] // _ROW, item[1]))]


def _inherited(shape: Any, name: str) -> int:
    try:
        return int(getattr(shape, name) or 0)
    except (AttributeError, KeyError, TypeError, ValueError):  # a placeholder whose layout lacks it
        return 0


def _texts(shape: Any) -> Iterator[str]:
    if hasattr(shape, "shapes"):  # a group
        for inner in _in_order(shape.shapes):
            yield from _texts(inner)
    elif getattr(shape, "has_table", False):
        if text := table([[cell.text for cell in row.cells] for row in shape.table.rows]):
            yield text
    elif getattr(shape, "has_chart", False):
        yield from _chart(shape.chart)
    elif getattr(shape, "has_text_frame", False) and not _is_furniture(shape):
        lines = list(_paragraphs(shape.text_frame))
        if len(lines) > 1:
            yield "\n".join(line if line.lstrip().startswith("- ") else f"- {line}" for line in lines)
        elif lines:
            yield lines[0].strip().removeprefix("- ")


def _is_furniture(shape: Any) -> bool:
    """Number, date and footer of a slide."""
    from pptx.enum.shapes import PP_PLACEHOLDER

    return shape.is_placeholder and shape.placeholder_format.type in (
        PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER,
    )  # fmt: skip


def _paragraphs(frame: Any) -> Iterator[str]:
    for paragraph in frame.paragraphs:
        if text := cell_text(paragraph.text):
            yield "  " * paragraph.level + "- " + text if paragraph.level else text


def _chart(chart: Any) -> Iterator[str]:
    """Its title, and its numbers as a table: a row for each category."""
    if chart.has_title and chart.chart_title.has_text_frame and (title := cell_text(chart.chart_title.text_frame.text)):
        yield title
    for plot in chart.plots:
        series = list(plot.series)
        rows = [["", *(one.name for one in series)]]
        for number, category in enumerate(plot.categories):
            values = [one.values[number] if number < len(one.values) else None for one in series]
            rows.append([str(category), *("" if value is None else f"{value:.15g}" for value in values)])
        if text := table(rows):
            yield text
