"""Which of many messages tell something that others before them do not: those that take another way through the code.

A way is a pair of lines of `planning/` that ran one after the other in one call of a function, and roughly how often:
what fuzzers call an edge with its bucket (American fuzzy lop, Zalewski 2013)."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import planning
from tests.recorded.normal import Json

_CODE = str(Path(planning.__file__).parent)
_OFTEN = 3  # messages that take each way
_Way = tuple[CodeType, int, int]


def telling(said: Iterable[Json], planned: Callable[[Json], Json], taken: Counter[tuple[_Way, int]]) -> Iterator[Json]:
    """Of what is said, whatever takes a way that fewer than three have taken; `taken` counts them, and goes on from one
    kind of message to the next."""
    known: set[str] = set()
    for one in said:
        if (text := repr(one)) in known:
            continue
        known.add(text)
        planned(one)  # what is made once and kept is no way of this message
        found = _traced(lambda one=one: planned(one))
        ways = [(way, count.bit_length()) for way, count in found.items()]
        if any(taken[way] < _OFTEN for way in ways):
            taken.update(ways)
            yield one


def _traced(call: Callable[[], Json]) -> Counter[_Way]:
    found: Counter[_Way] = Counter()

    def enter(frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        if not code.co_filename.startswith(_CODE):
            return None
        before = 0

        def follow(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal before
            if event in ("line", "return"):
                line = frame.f_lineno if event == "line" else -1
                found[code, before, line] += 1
                before = line
            return follow

        return follow

    sys.settrace(enter)
    try:
        call()
    finally:
        sys.settrace(None)
    return found
