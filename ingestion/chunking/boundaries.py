"""What a chunker moves as a whole, and how strong the boundary before it is."""

from __future__ import annotations

from typing import NamedTuple

# Strength of the boundary before a unit. Chunkers cut at the strongest boundaries first.
HEADING = 30.0  # and above: HEADING + 20 - rank
BLOCK = 9.0  # a paragraph, table or fence
DEFINITION = 6.5  # and above, up to BLOCK + 2: a class or function, the less the deeper it is indented
LIST = 8.0
ITEM = 7.0  # less 1 for each level of nesting
LEAD = 4.0  # between "as follows:" and what follows
LINE = 3.0
SENTENCE = 2.0
KEEP = 1.5  # between a heading and its text
PIECE = 1.0  # inside a sentence that alone is too long


class Unit(NamedTuple):
    """A sentence, a heading, a whole table or fence; or a row, line or piece of one that alone is too long."""

    start: int
    end: int
    strength: float  # of the boundary before it
    whole: bool = False  # a table or fence, never cut
