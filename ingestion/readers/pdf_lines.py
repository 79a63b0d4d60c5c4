"""Lines on the pages of a PDF, or of a picture, as they are printed: what is made into paragraphs and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ingestion.readers.pdf_rules import Rule
from ingestion.readers.pdf_words import tidy

CELLS = " | "  # stands for a gap that is wider than between words


class PdfWord(NamedTuple):
    """A word and where it stands on its line."""

    text: str
    left: float
    right: float
    top: float  # its baseline


class LineMark(NamedTuple):
    """A cell that was read from a picture: its offset in its row, and what a line of a picture has."""

    at: int
    box: tuple[int, ...]
    doubts: tuple[str, ...]


@dataclass(slots=True)
class PdfLine:
    """A line as it is printed. Coordinates in points from the lower left of the page."""

    text: str
    left: float
    right: float  # of its last character
    top: float  # baseline of its first character
    bottom: float  # baseline of its last: a word divided at the end of a line continues it on the next
    size: float  # of the letters in its middle
    level: int = 0  # as a heading; 0: body
    box: tuple[int, ...] = ()  # of one that was read from a picture, as `Place` has it
    doubts: tuple[str, ...] = ()
    words: tuple[PdfWord, ...] = ()  # where that may tell the cells of a table
    table: int = 0  # which one it is a row of, from 1
    columns: int = 0  # of the head of a table
    marks: tuple[LineMark, ...] = ()  # of a row of cells that were read from a picture

    def __post_init__(self) -> None:
        self.text = tidy(self.text)


@dataclass(slots=True)
class PdfPage:
    """A page as it is read."""

    number: int  # counts from 1
    height: float
    lines: list[PdfLine]
    rules: Sequence[Rule] = ()
