"""The smallest pieces that a chunker moves as a whole, and how strong the boundary before each one is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ingestion.chunking.boundaries import BLOCK, HEADING, ITEM, KEEP, LEAD, LINE, LIST, PIECE, SENTENCE, Unit
from ingestion.chunking.ruler import CHARACTERS, Ruler
from ingestion.chunking.source import source_lines
from ingestion.chunking.structure import Block
from text import sentences

_stop = re.compile(r"[.!?。！？][”’」』）】》\"')\]]*(?:(?<=[。！？])|(?=\s))")
_clause = re.compile(r"[，；、：,;:](?:(?<=[，；、：])|(?=\s))|[”」』）】》]")
_line = re.compile(r"\n")
_space = re.compile(r"\s+")


def units(text: str, blocks: Sequence[Block], size: int, ruler: Ruler = CHARACTERS) -> list[Unit]:
    """The units of the blocks, none longer than `size`, with nothing but white space between them."""
    found: list[Unit] = []
    before: Block | None = None
    for block in blocks:
        first = len(found)
        found += units_within_size(text, _units_of(text, block, size, ruler), size, ruler)
        found[first] = Unit(found[first].start, found[first].end, _before(text, before, block), found[first].whole)
        before = block
    return found


def units_within_size(text: str, units: Iterable[Unit], size: int, ruler: Ruler = CHARACTERS) -> Iterator[Unit]:
    """The units; for one that is too long, pieces of it."""
    for unit in units:
        start, strength = unit.start, unit.strength
        while ruler.length(start, unit.end) > size:
            limit = max(start + 1, ruler.reach(start, size))
            end = break_position(text, min(limit - 1, ruler.reach(start, size // 2)), limit)
            piece = text[start:end].rstrip()
            if piece:
                yield Unit(start, start + len(piece), strength)
                strength = PIECE
            start = end if piece else _space.match(text, start).end()  # type: ignore[union-attr]  # begins so
        if text[start : unit.end].strip():
            yield unit if start == unit.start else unit._replace(start=start, strength=strength)


def _before(text: str, before: Block | None, block: Block) -> float:
    """How strong the boundary between two blocks is."""
    if block.kind == "heading":
        return KEEP if before is not None and before.kind == "heading" and before.rank < block.rank else _rank(block)
    if before is None or before.kind == "heading":
        return KEEP
    if block.kind == "item" and before.kind == "item":
        return ITEM - min(block.indent // 2, 2)
    if block.kind != "prose" and text[before.start : before.end].rstrip().endswith((":", "：")):
        return LEAD
    if block.indent >= 2 and before.kind == "item":
        return ITEM - 2
    return LIST if block.kind == "item" or not block.after_blank else BLOCK


def _rank(block: Block) -> float:
    return HEADING + 20 - block.rank


def _units_of(text: str, block: Block, size: int, ruler: Ruler) -> Iterator[Unit]:
    if block.kind in ("prose", "item"):
        for start, end in sentences(text[block.start : block.end]):
            start, end = start + block.start, end + block.start
            line = text.rfind("\n", block.start, start)
            alone = line >= 0 and not text[line:start].strip()
            yield Unit(start, end, LINE if alone else SENTENCE)
    elif block.kind == "heading" or ruler.length(block.start, block.end) <= size:
        yield Unit(block.start, block.end, BLOCK, block.kind != "heading")
    elif block.kind == "fence":
        yield from source_lines(text[block.start : block.end], block.start)
    else:
        yield from _rows(text, block.start, block.end)


def _rows(text: str, start: int, end: int) -> Iterator[Unit]:
    """The rows of a table; what stands under its head stays with it."""
    for number, row in enumerate(text[start:end].split("\n")):
        yield Unit(start, start + len(row), KEEP if number in (1, 2) else LINE)
        start += len(row) + 1


def break_position(text: str, earliest: int, limit: int) -> int:
    """Where to end a piece, at most at `limit`: after the last full stop, line, clause or word past `earliest`.

    A full stop comes first: what was taken for one long sentence may be many without capital letters.
    """
    for pattern in (_stop, _line, _clause, _space):
        ends = [found.end() for found in pattern.finditer(text, earliest, limit)]
        if ends and ends[-1] > earliest:
            return ends[-1]
    return limit
