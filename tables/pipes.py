"""The pipe tables of a Markdown text as grids, each under the nearest heading."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tables.grids import Grid, GridRow

_line = re.compile(
    r"(?P<fence>[ \t]*(?:```|~~~))|#{1,6}[ \t]+(?P<title>[^\n]{1,200})|[ \t]{0,3}(?P<row>\|?[^\n|]*\|[^\n]*)"
)
_rule = re.compile(r"[ \t]{0,3}+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+")
_cell = re.compile(r"((?:\\.|[^\\|])*+\\?)(?:\||$)", re.DOTALL)
_markup = re.compile(r"\*\*|__|`|<br ?/?>|\[([^\]\n]{1,200})\]\([^)\n]{0,500}\)")


def pipe_grids(text: str) -> Iterator[Grid]:
    """Rows stand one below the other, the head above its rule."""
    if "|" not in text or ("--" not in text and "|-" not in text and "- |" not in text):
        return
    title, fence, offset = "", "", 0
    rows: list[GridRow] = []
    head: GridRow | None = None
    for line in text.split("\n"):
        row = GridRow(offset, offset + len(line), ())
        offset += len(line) + 1
        found = _line.match(line)
        if rows and (found is None or not found["row"]):
            yield Grid(title, rows)
            rows = []
        if found is None or fence:
            head = None
            fence = "" if fence and found and found["fence"] and line.strip().startswith(fence) else fence
        elif found["fence"]:
            fence, head = line.strip()[:3], None
        elif found["title"]:
            title, head = found["title"].strip(" #\t"), None
        elif rows:
            rows.append(row._replace(cells=_cells(line)))
        elif head is not None and _rule.fullmatch(line):
            rows = [head._replace(cells=_cells(text[head.start : head.end]))]
            head = None
        else:
            head = row
    if rows:
        yield Grid(title, rows)


def _cells(line: str) -> tuple[str, ...]:
    inside = line.strip().removeprefix("|")
    inside = inside[:-1] if inside.endswith("|") and not inside.endswith("\\|") else inside
    cells = [found[1] for found in _cell.finditer(inside)]
    return tuple(
        " ".join(_markup.sub(r"\1", cell.replace("\\|", "|")).split()) for cell in cells[: inside.count("|") + 1]
    )
