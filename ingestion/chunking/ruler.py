"""How long a stretch of text is: in characters, in tokens as `text.count_tokens` has them, or in words."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Protocol

import numpy as np

from schema import SizeUnit
from text import cjk_places, tokens_of, word_places


class Ruler(Protocol):
    """Lengths between two offsets of one text; a longer stretch is never shorter."""

    def length(self, start: int, end: int) -> int: ...

    def reach(self, start: int, amount: int) -> int:
        """The last offset that is no further than the amount from `start`."""
        ...

    def back(self, end: int, amount: int) -> int:
        """The first offset that is no further than the amount from `end`."""
        ...


class Characters:
    """Offsets themselves."""

    def length(self, start: int, end: int) -> int:
        return end - start

    def reach(self, start: int, amount: int) -> int:
        return start + amount

    def back(self, end: int, amount: int) -> int:
        return end - amount


CHARACTERS = Characters()


class _CountingRuler:
    """Offsets are found by halving: both units only grow with the stretch."""

    def __init__(self, text: str) -> None:
        self._text = text

    def length(self, start: int, end: int) -> int:
        raise NotImplementedError

    def reach(self, start: int, amount: int) -> int:
        low, high = start, len(self._text)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.length(start, middle) <= amount else (low, middle - 1)
        return low

    def back(self, end: int, amount: int) -> int:
        low, high = 0, end
        while low < high and amount:
            middle = (low + high) // 2
            low, high = (low, middle) if self.length(middle, end) <= amount else (middle + 1, high)
        return high


class Tokens(_CountingRuler):
    """`length` is `count_tokens` of the stretch."""

    @cached_property
    def _before(self) -> list[int]:  # CJK characters before each offset
        found = np.zeros(len(self._text) + 1, np.int64)
        found[np.fromiter(cjk_places(self._text), np.int64) + 1] = 1
        counted: list[int] = np.cumsum(found).tolist()
        return counted

    def length(self, start: int, end: int) -> int:
        cjk = self._before[end] - self._before[start]
        return tokens_of(cjk, end - start - cjk)


class Words(_CountingRuler):
    """`length` is the number of words that the stretch touches."""

    @cached_property
    def _edges(self) -> tuple[list[int], list[int]]:  # words begun before each offset, words ended at it or before
        places = np.array(list(word_places(self._text)), np.int64).reshape(-1, 2)
        begun, ended = np.zeros((2, len(self._text) + 2), np.int64)
        begun[places[:, 0] + 1] = 1
        ended[places[:, 1]] = 1
        return np.cumsum(begun).tolist(), np.cumsum(ended).tolist()

    def length(self, start: int, end: int) -> int:
        begun, ended = self._edges
        return max(0, begun[end] - ended[start]) if end > start else 0


RULERS: dict[SizeUnit, Callable[[str], Ruler]] = {
    "characters": lambda text: CHARACTERS,
    "tokens": Tokens,
    "words": Words,
}
