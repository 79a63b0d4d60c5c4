"""Which headings a place in a document stands under."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from ingestion.chunking.structure import Block
from schema import Document

Path = tuple[str, ...]

_LONGEST_HEADER = 300  # characters of a table's header that is repeated
_rule_row = re.compile(r"[ \t]*+\|?[ \t]*+:?-[\s:|-]*+\Z")


class Table(NamedTuple):
    """A table that names its columns."""

    rows: int  # where the rows under the header begin
    end: int
    header: str  # "Name | Price": literal, without the outer pipes


class Section(NamedTuple):
    """From one heading to the next, of whatever level."""

    start: int
    body: int  # where the heading ends
    path: Path
    filled: bool  # has text of its own


class Outline:
    """The sections of a document, in order; the first one, without a heading, may be empty."""

    def __init__(self, sections: Sequence[Section], tables: Sequence[Table] = ()) -> None:
        self.sections, self._tables = sections, tables
        self._starts = [section.start for section in sections]
        self._ends = [table.end for table in tables]

    def at(self, offset: int) -> int:
        """Index of the section that holds the offset."""
        return max(0, bisect_right(self._starts, offset) - 1)

    def path(self, start: int, end: int) -> Path:
        """The headings that the text [start, end) stands under.

        Text that begins inside a section stands under that section's path. Text that begins with a heading and holds
        several sections stands under what they share; their own headings are in the text. Text that begins among the
        rows of a table stands under its header as well.
        """
        number = bisect_right(self._ends, start)
        if number < len(self._tables) and self._tables[number].rows <= start:
            return (*self._of_sections(start, end), self._tables[number].header)
        return self._of_sections(start, end)

    def _of_sections(self, start: int, end: int) -> Path:
        first, last = self.at(start), self.at(end - 1)
        sections = self.sections[first : last + 1]
        if start >= sections[0].body and sections[0].path:
            return sections[0].path
        return self.shared(start, end) or sections[0].path

    def shared(self, start: int, end: int) -> Path:
        """The headings that all sections in [start, end) share; those without text of their own do not count."""
        first, last = self.at(start), self.at(end - 1)
        if first == last:  # most stretches are of one section
            return self.sections[first].path
        sections = self.sections[first : last + 1]
        paths = [section.path for section in sections if section.filled and section.body < end]
        return common(paths or [section.path for section in sections])


def common(paths: Iterable[Path]) -> Path:
    """The longest path that all paths begin with."""
    distinct = list(dict.fromkeys(paths))
    if len(distinct) == 1:  # most stretches are of one section
        return distinct[0]
    steps = takewhile(lambda names: all(name == names[0] for name in names), zip(*distinct, strict=False))
    return tuple(names[0] for names in steps)


def outline(document: Document, blocks: Sequence[Block]) -> Outline:
    """The outline by headings; a front matter's title stands over a text that has no title of its own."""
    title = document.metadata.get("title")
    own = any(block.kind == "heading" and block.rank <= 1 for block in blocks)
    stack: list[tuple[float, str]] = [(-1.0, " ".join(title.split()))] if isinstance(title, str) and not own else []
    stack = [(rank, name) for rank, name in stack if name]
    sections = [Section(0, 0, tuple(name for _, name in stack), False)]
    for block in blocks:
        if block.kind == "heading":
            stack = [(rank, name) for rank, name in stack if rank < block.rank] + [(block.rank, block.title)]
            sections.append(Section(block.start, block.end, tuple(name for _, name in stack), False))
        elif not sections[-1].filled:
            sections[-1] = sections[-1]._replace(filled=True)
    return Outline(sections, list(_tables(document.text, blocks)))


def _tables(text: str, blocks: Sequence[Block]) -> Iterator[Table]:
    for block in blocks:
        if block.kind == "table":
            header, rule, *rows = text[block.start : block.end].split("\n", 2)
            if rows and _rule_row.match(rule) and len(header) <= _LONGEST_HEADER:
                name = header.strip().removeprefix("|").removesuffix("|").strip()
                if name:
                    yield Table(block.end - len(rows[0]), block.end, name)
