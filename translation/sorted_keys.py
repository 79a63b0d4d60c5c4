"""Many sorted keys in few strings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate


class SortedKeys:
    """The sorted keys of a section, those of a block in one string: a list of them would take six times as much
    memory."""

    def __init__(self, joined: str, widths: Sequence[int], size: int) -> None:
        """Of each block of so many keys how wide one of them is."""
        ends = [*accumulate(width * size for width in widths)]
        self._blocks = [joined[end - width * size : end] for end, width in zip(ends, widths, strict=True)]
        self._widths, self._size = widths, size
        self._first = [block[:width].rstrip(" ") for block, width in zip(self._blocks, widths, strict=True)]

    def at(self, number: int) -> str:
        place, at = divmod(number, self._size)
        start = at * (width := self._widths[place])
        return self._blocks[place][start : start + width].rstrip(" ")

    def number_of(self, key: str) -> int | None:
        """None for what is no key."""
        number = self.first_from(key)
        place, at = divmod(number, self._size)
        if place == len(self._blocks) or len(key) > (width := self._widths[place]):
            return None
        return number if self._blocks[place].startswith(key.ljust(width), at * width) else None

    def begins(self, beginning: str) -> bool:
        """Whether a key begins with it, or is it."""
        number = self.first_from(beginning)
        return number < self._size * len(self._blocks) and self.at(number).startswith(beginning)

    def first_from(self, key: str) -> int:
        """The number of the first key that is not before this one. Blanks come before all that keys are made of, so
        that they are compared as they stand."""
        place = bisect_right(self._first, key) - 1
        if place < 0:
            return 0
        block, width = self._blocks[place], self._widths[place]
        padded = key.ljust(width)
        low, high = 0, len(block) // width
        while low < high:
            middle = (low + high) // 2
            if block[middle * width : (middle + 1) * width] < padded:
                low = middle + 1
            else:
                high = middle
        return place * self._size + low
