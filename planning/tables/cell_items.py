"""Stretches of a question that meet cells which are read: a time of day, an age, a number of people."""

from __future__ import annotations

from planning.tables.clocks import clock_item
from planning.tables.items import Item
from planning.tables.names import TableNames
from planning.tables.suitability import fitting_item


def written_item(lower: str, start: int, length: int, names: TableNames) -> Item | None:
    """The one that begins at a place of a folded question in lower case, if it is longer than what else begins there; a
    time may be as long as the cell that it is, but not a part of the day."""
    if names.fits and (fits := fitting_item(lower, start, names)) is not None and fits.end - start > length:
        return fits
    clock = clock_item(lower, start) if names.read_as("clock") else None
    return clock if clock is not None and clock.end - start >= length + clock.text.isalpha() else None
