"""HTML tables that stand in Markdown, written as Markdown's own, so that all that reads tables reads them too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingestion.readers.html_markdown import parse, to_markdown

_begins = re.compile(r"[ \t]*(?:<(?:div|center|figure|p)\b[^<>]{0,500}>[ \t]*){0,3}<table\b", re.IGNORECASE)
_bound = re.compile(r"<(/?)table\b", re.IGNORECASE)
_fence = re.compile(r"[ \t]*(```+|~~~+)")
_LARGEST = 500_000  # characters
_UNENDED = 20  # tables that nothing ends: so many are looked for


def with_markdown_tables(text: str) -> str:
    """The text with its HTML tables as pipe tables; code and tables that only set out a page stay as they are.

    Blank lines take the place of what a table gives up, so that each line behind it keeps its number; only a table
    with more rows than lines moves what follows.
    """
    if not _bound.search(text):
        return text
    return "\n".join(_converted(text.split("\n")))


def _converted(lines: list[str]) -> Iterator[str]:
    number, unended, fence = 0, 0, ""
    while number < len(lines):
        found = _fence.match(lines[number])
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence):
            fence = ""
        begins = not fence and not found and unended < _UNENDED and bool(_begins.match(lines[number]))
        after = _after(lines, number) if begins else 0
        unended += begins and not after
        rows = _table("\n".join(lines[number:after])) if after else []
        after = after or number + 1
        if rows:
            apart = number > 0 and bool(lines[number - 1].strip())
            rows = [""] * apart + rows + [""] * (after < len(lines) and bool(lines[after].strip()))
        yield from rows or lines[number:after]
        yield from [""] * (after - number - len(rows) if rows else 0)
        number = after


def _after(lines: list[str], first: int) -> int:
    """The line behind the table that begins in line `first`; 0 when nothing ends it."""
    depth = size = 0
    for number in range(first, len(lines)):
        size += len(lines[number])
        if size > _LARGEST:
            return 0
        for bound in _bound.finditer(lines[number]):
            depth += -1 if bound[1] else 1
        if depth <= 0:
            return number + 1
    return 0


def _table(source: str) -> list[str]:
    """The lines of the pipe table and of what stands beside it; none when it is not a table of data."""
    lines = to_markdown(parse(source)).rstrip("\n").split("\n")
    rows = [line for line in lines if line.startswith("| ")]
    return lines if len(rows) > 1 else []
