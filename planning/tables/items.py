"""A stretch of a question, as it is read against a table."""

from __future__ import annotations

from typing import NamedTuple

from planning.tables.names import Meaning
from planning.tables.periods import Period
from tables.cells import CellNumber


class Item(NamedTuple):
    """A stretch of a question. `kind` is "column", "value", "rows", "number", "period", "clock", "fits",
    "unknown" or an operator."""

    kind: str
    start: int
    end: int
    text: str
    meanings: tuple[Meaning, ...] = ()
    number: CellNumber | None = None
    period: Period | None = None
    concept: str = ""
    clock: tuple[str, str] | None = None  # a stretch of the day; both are the same of a time
