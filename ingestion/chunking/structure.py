"""The structure of a text: its blocks (headings, prose, list items, tables, fences) with true offsets."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator
from typing import Literal, NamedTuple

from printed_headings import heading_words, printed_heading
from schema import Document
from text import HAN

BlockKind = Literal["heading", "prose", "item", "table", "fence"]


class Block(NamedTuple):
    """Whole lines of one kind, without the blank lines around them."""

    kind: BlockKind
    start: int  # of the first line
    end: int  # of the last line, its "\n" not included
    indent: int = 0
    after_blank: bool = True
    rank: float = 0.0  # of a heading: 0 title, 1-6 Markdown, then outline numbers; lower is higher
    title: str = ""


_LONGEST_HEADING = 300  # characters; longer lines are not even tried
_LONGEST_TITLE = 80  # columns: a Chinese character takes two
_atx = re.compile(rf" {{0,3}}(?P<marks>#{{1,6}})(?:[ \t]+(?P<title>\S.*)|(?P<tight>[{HAN}][^#]*))$")
_wiki = re.compile(
    r" {0,3}(?P<marks>={1,6})[ \t]*(?P<title>[^=\s](?:[^=]*[^=\s])?)[ \t]*(?P=marks)[ \t]*$"
)  # MediaWiki
_setext = re.compile(r" {0,3}(?:(=)=+|-{2,})[ \t]*$")
_fence = re.compile(r"[ \t]*(`{3,}|~{3,})([^\n]*)")
_item = re.compile(r"[ \t]*(?:[-*+•][ \t]|\d{1,9}[.)][ \t]|\d+、)")
_rule = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")


def blocks(document: Document) -> list[Block]:
    """The blocks of the document's body (what follows the front matter), in order."""
    return list(_Scanner(document).scan())


class _Scanner:
    """One pass over the lines."""

    def __init__(self, document: Document) -> None:
        self.markdown = document.kind == "markdown"
        first = int(document.metadata.get("body_start", 0))
        self.lines = document.text[first:].split("\n")
        self.starts = [first]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.filled = [bool(line.strip()) for line in self.lines]
        self.first_filled = self.filled.index(True) if any(self.filled) else 0
        self.fences = self._with_comments(self._fences()) if self.markdown else {}
        self.has_first_level = any(rank == 1 for rank in (self._explicit(n)[0] for n in self._outside_fences()))

    def scan(self) -> Iterator[Block]:
        number, blank = 0, True
        while number < len(self.lines):
            if not self.filled[number]:
                number, blank = number + 1, True
                continue
            block, number = self._block(number, blank)
            yield block
            blank = False

    def _block(self, first: int, blank: bool) -> tuple[Block, int]:
        """The block that begins in line `first`, and the line after it."""
        if first in self.fences:
            return self._make("fence", first, self.fences[first] + 1, blank)
        rank, title, height = self._heading(first)
        if height:
            block, after = self._make("heading", first, first + height, blank)
            return block._replace(rank=rank, title=title), after
        if self._row(first) and first + 1 < len(self.lines) and self._row(first + 1):
            after = first + 2
            while after < len(self.lines) and self._row(after):
                after += 1
            return self._make("table", first, after, blank)
        after = first + 1
        while after < len(self.lines) and self._continues(after):
            after += 1
        return self._make("item" if _item.match(self.lines[first]) else "prose", first, after, blank)

    def _make(self, kind: BlockKind, first: int, after: int, blank: bool) -> tuple[Block, int]:
        line = self.lines[first]
        indent = len(line) - len(line.lstrip(" \t"))
        return Block(kind, self.starts[first], self.starts[after] - 1, indent, blank), after

    def _continues(self, number: int) -> bool:
        """Whether the line goes on with the prose or list item above it."""
        return (
            self.filled[number]
            and number not in self.fences
            and not _item.match(self.lines[number])
            and not self._heading(number)[2]
            and not (self._row(number) and number + 1 < len(self.lines) and self._row(number + 1))
        )

    def _row(self, number: int) -> bool:
        line = self.lines[number]
        return number not in self.fences and (line.lstrip().startswith("|") or " | " in line)

    # --- fences ---

    def _fences(self) -> dict[int, int]:
        """First line -> last line of each fenced block. One that is never closed is not a fence."""
        closers: dict[int, tuple[str, int, bool]] = {}
        for number, line in enumerate(self.lines):
            found = _fence.match(line)
            if found and not (found[1][0] == "`" and "`" in found[2]):
                closers[number] = (found[1][0], len(found[1]), not found[2].strip())
        fences: dict[int, int] = {}
        inside, unclosed = -1, {"`": 10**9, "~": 10**9}  # the shortest fence known to have no end
        marks = list(closers.items())
        for position, (number, (mark, width, _)) in enumerate(marks):
            if number <= inside or width >= unclosed[mark]:
                continue
            for following in range(position + 1, len(marks)):
                later, (other, length, bare) = marks[following]
                if other == mark and length >= width and bare:
                    fences[number] = inside = later
                    break
            else:
                unclosed[mark] = width
        return fences

    def _with_comments(self, fences: dict[int, int]) -> dict[int, int]:
        """Fences and HTML comments of several lines: in neither does a # make a heading."""
        ends = [number for number, line in enumerate(self.lines) if "-->" in line]
        if not ends:
            return fences
        found: dict[int, int] = {}
        number = 0
        while number < len(self.lines):
            if number in fences:
                found[number] = number = fences[number]
            elif self.lines[number].lstrip().startswith("<!--") and "-->" not in self.lines[number]:
                place = bisect(ends, number)
                if place < len(ends):
                    found[number] = number = ends[place]
            number += 1
        return found

    def _outside_fences(self) -> Iterator[int]:
        number = 0
        while number < len(self.lines):
            if number in self.fences:
                number = self.fences[number]
            elif self.filled[number]:
                yield number
            number += 1

    # --- headings ---

    def _heading(self, number: int) -> tuple[float, str, int]:
        """(rank, title, lines) of the heading that begins in this line; 0 lines when there is none."""
        line = self.lines[number]
        if len(line) > _LONGEST_HEADING:
            return 0.0, "", 0
        rank, title, height = self._explicit(number)
        if height:
            return rank, title, height
        if found := printed_heading(self.lines, number, self.markdown):
            return *found, 1
        if self._is_title(number):
            return 0.0, heading_words(line), 1
        return 0.0, "", 0

    def _explicit(self, number: int) -> tuple[float, str, int]:
        """A heading by markup: ATX (also "##标题" without the blank), a line over === or ---, MediaWiki's == ==."""
        line = self.lines[number]
        if not self.markdown or len(line) > _LONGEST_HEADING:
            return 0.0, "", 0
        if found := _atx.match(line):
            title = heading_words((found["title"] or found["tight"]).rstrip().rstrip("#"))
            return (float(len(found["marks"])), title, 1) if title else (0.0, "", 0)
        if found := _wiki.match(line):
            return float(len(found["marks"])), heading_words(found["title"]), 1
        below = self.lines[number + 1] if number + 1 < len(self.lines) else ""
        if (found := _setext.match(below)) and (number == 0 or not self.filled[number - 1]):
            plain = not (_item.match(line) or _rule.match(line) or line.lstrip().startswith((">", "|", "```", "~~~")))
            if plain and heading_words(line) and not line.startswith(("    ", "\t")):
                return (1.0 if found[1] else 2.0), heading_words(line), 2
        return 0.0, "", 0

    def _is_title(self, number: int) -> bool:
        """A bare first line, short and alone, over a text that has no first-level heading."""
        line = self.lines[number].strip()
        if number != self.first_filled or self.has_first_level:
            return False
        if re.search(r"[。！？；，,;:：!?.]$|[<|\[\]`=]|://", line) or _item.match(line) or line.startswith((">", "#")):
            return False
        if sum(2 if mark > "\u2e80" else 1 for mark in line) > _LONGEST_TITLE or not heading_words(line):
            return False
        below = number + 1
        if below >= len(self.lines) or not any(self.filled[below:]):
            return False
        return (
            not self.filled[below]
            or bool(self._explicit(below)[2])
            or printed_heading(self.lines, below, self.markdown) is not None
        )
