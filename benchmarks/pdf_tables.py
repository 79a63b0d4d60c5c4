"""Tables that are printed into PDFs: whether each row is read as it was printed, and questions over them are answered
as over the files they come from; and pages of running text in columns, in which no table may be found.

The table files of a folder are typeset ruled, framed by three rules, and bare, over as many pages as they need.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.page_boxes import prose
from benchmarks.report import DATA, Bar, Report, progress
from benchmarks.tables import judged, store_tables
from ingestion.readers import READERS, read_document
from library import Library
from nodes.compute import table_query
from schema import EVERYWHERE, Document
from settings import Settings
from tables import Grid, pipe_grids

_QUESTIONS = "questions.jsonl"
_LIMIT = 200_000_000  # bytes of a file
_MOST = 3_000  # rows of a table that is printed
_FONT, _SIZE = "STSong-Light", 8
GRID = [("GRID", (0, 0), (-1, -1), 0.5, "black")]
RULES = [
    ("LINEABOVE", (0, 0), (-1, 0), 1, "black"),
    ("LINEBELOW", (0, 0), (-1, 0), 0.5, "black"),
    ("LINEBELOW", (0, -1), (-1, -1), 1, "black"),
]
STYLES: dict[str, list[tuple[Any, ...]]] = {"ruled": GRID, "framed": RULES, "bare": []}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, default=DATA / "tables" / "second", help=f"a folder of table files and {_QUESTIONS}"
    )
    parser.add_argument(
        "--texts", type=Path, default=DATA / "crosslingual", help="a folder with Markdown in en/ and zh/"
    )
    parser.add_argument("--paragraphs", type=int, default=400, help="of each language that are set in columns")
    parser.add_argument("--show", action="store_true", help="print rows that were read otherwise")


def run(options: argparse.Namespace) -> Report:
    return asyncio.run(_run(options))


async def _run(options: argparse.Namespace) -> Report:
    asked = [json.loads(line) for line in (options.data / _QUESTIONS).read_text("utf-8").splitlines() if line.strip()]
    files = [path for path in sorted(options.data.iterdir()) if path.is_file() and path.name != _QUESTIONS]
    grids = {path: found for path in files if (found := _grids(path))}
    asked = [one for one in asked if one["file"] in {path.name for path in grids}]
    right = {"the files": await _right([*grids], asked, "")}
    rows: Counter[tuple[str, bool]] = Counter()
    with tempfile.TemporaryDirectory(prefix="citewise-printed-") as folder:
        for style in progress([*STYLES], "printing and asking"):
            printed = []
            for path, found in grids.items():
                target = Path(folder) / f"{path.name}.{style}.pdf"
                target.write_bytes(_typeset(found, STYLES[style]))
                printed.append(target)
                rows += _compared(target, found, style, options.show)
            right[style] = await _right(printed, asked, f".{style}.pdf")
    pages, alarms = _alarms(options.texts, options.paragraphs)
    least = min(right[style] for style in STYLES) / max(1, right["the files"])
    metrics: dict[str, Any] = {f"right over {name}": count for name, count in right.items()}
    for style in STYLES:
        metrics[f"rows, {style}"] = f"{rows[style, True]} of {rows[style, True] + rows[style, False]}"
    as_printed = sum(rows[style, True] for style in STYLES) / max(1, rows.total())
    return Report(
        {**metrics, "questions": len(asked), "pages of running text": pages},
        {
            "rows as they were printed": Bar(as_printed, 0.98),
            "questions right, of those over the files": Bar(least, 0.95),
            "tables found in running text": Bar(alarms, 0, most=True),
        },
    )


def _grids(path: Path) -> list[Grid]:
    """As the file has them; a table that is very long, or has nothing but records, is not printed."""
    read = READERS[path.suffix.removeprefix(".")](path.name, path.read_bytes())
    found = [one for one in read.grids or pipe_grids(read.text) if one.head is None]
    return [one for one in found if len(one.rows) > 2] if _length(found) < _MOST else []


def _length(grids: Sequence[Grid]) -> int:
    return sum(len(one.rows) for one in grids)


def _typeset(grids: Sequence[Grid], style: list[tuple[Any, ...]]) -> bytes:
    """Each table under its title, on pages as wide as it needs, its first row said again on each."""
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.platypus import LongTable, Paragraph, SimpleDocTemplate

    pdfmetrics.registerFont(UnicodeCIDFont(_FONT))
    heading = ParagraphStyle("heading", fontName=_FONT, fontSize=14, leading=24)
    story: list[Any] = []
    widest = 0.0
    for grid in grids:
        cells = [[*row.cells] for row in grid.rows]
        columns = max(map(len, cells))
        cells = [[*row, *[""] * (columns - len(row))] for row in cells]
        widths = [12 + max(pdfmetrics.stringWidth(row[at], _FONT, _SIZE) for row in cells) for at in range(columns)]
        widest = max(widest, sum(widths))
        table = LongTable(cells, colWidths=widths, repeatRows=1, hAlign="LEFT")
        table.setStyle([("FONT", (0, 0), (-1, -1), _FONT, _SIZE), *style])
        story += [Paragraph(grid.title or "Table", heading), table]
    file = io.BytesIO()
    SimpleDocTemplate(file, pagesize=(max(595, widest + 160), 842)).build(story)
    return file.getvalue()


def _compared(target: Path, grids: Sequence[Grid], style: str, show: bool) -> Counter[Any]:
    """Rows of the file that are read in their order, cell by cell, but for blanks."""
    document = read_document(target.name, target.read_bytes(), max_bytes=_LIMIT)
    read = Counter(row for grid in pipe_grids(document.text) for row in _plain(grid))
    found: Counter[Any] = Counter()
    lost = []
    for row in (row for grid in grids for row in _plain(grid)):
        found[style, read[row] > 0] += 1
        lost += [row] if not read[row] else []
        read[row] -= 1
    if show and lost:
        print(f"{target.name}: {len(lost)} rows, first {lost[0]}")
    return found


def _plain(grid: Grid) -> Iterator[tuple[str, ...]]:
    columns = max(len(row.cells) for row in grid.rows)
    for row in grid.rows:
        cells = tuple("".join(cell.split()) for cell in row.cells)
        if sum(map(bool, cells)) > 1:  # one alone is a title or a note
            yield cells + ("",) * (columns - len(cells))


async def _right(files: Sequence[Path], asked: Sequence[dict[str, Any]], suffix: str) -> int:
    with tempfile.TemporaryDirectory(prefix="citewise-printed-") as folder:
        settings = Settings.from_mapping({"CITEWISE_DATA_DIR": folder})
        async with await Library.open(settings, warm=False) as library:
            store_tables(library, files)
            count = 0
            for one in asked:
                query = await table_query(library, one["question"], EVERYWHERE)
                result = await library.run_table_query(query) if query else None
                count += judged({**one, "file": one["file"] + suffix}, result) == "right"
    return count


def _alarms(texts: Path, most: int) -> tuple[int, int]:
    """Pages of running text, and tables that are found in them."""
    pages = alarms = 0
    for language in ("en", "zh"):
        paragraphs = prose(texts / language)[:most]
        for columns in (1, 2, 3, 4):
            document = _columns_read(paragraphs, language == "zh", columns)
            pages += document.metadata["pages"]
            alarms += document.text.count("|---")
    return pages, alarms


def _columns_read(paragraphs: Sequence[str], chinese: bool, columns: int) -> Document:
    """Justified, as papers are."""
    from xml.sax.saxutils import escape

    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph

    style = ParagraphStyle(
        "text", fontName=_FONT if chinese else "Times-Roman", fontSize=9, leading=12, alignment=4,
        wordWrap="CJK" if chinese else None,
    )  # fmt: skip
    width = (A4[0] - 80) / columns
    frames = [Frame(40 + width * nth, 50, width, 740, id=str(nth)) for nth in range(columns)]
    file = io.BytesIO()
    document = BaseDocTemplate(file, pagesize=A4)
    document.addPageTemplates([PageTemplate(frames=frames)])
    document.build([Paragraph(escape(text), style) for text in paragraphs])
    return read_document("columns.pdf", file.getvalue(), max_bytes=_LIMIT)
