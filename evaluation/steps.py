"""The numbered steps of a section, whole and in order: what answers "how do I …"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from evaluation.blocks import Unit

_MOST = 40  # units


def steps_around(units: Sequence[Unit], chosen: int) -> list[int]:
    """The places of the numbered steps in the section of one unit, with the text and code between them.

    Of several numbered lists in that section it is the one that the unit stands in, else the first one behind it,
    else the last one before. Empty where the section numbers fewer than two steps, or too many.
    """
    section = [
        i for i, unit in enumerate(units) if unit.hit == units[chosen].hit and _heading(unit) == _heading(units[chosen])
    ]
    runs: list[list[int]] = []
    for i in section:
        number = _number(units[i])
        if number and (not runs or number <= _number(units[runs[-1][-1]])):
            runs.append([i])
        elif number:
            runs[-1].append(i)
    runs = [
        run
        for run in runs
        if len(run) > 1 and all(_number(units[b]) == _number(units[a]) + 1 for a, b in pairwise(run))
    ]
    if not runs:
        return []
    run = next((run for run in runs if run[-1] >= chosen), runs[-1])
    last = run[-1]
    while last + 1 in section and units[last + 1].kind == "code":  # of the last step
        last += 1
    found = [i for i in section if run[0] <= i <= last]
    return found if len(found) <= _MOST else []


def _heading(unit: Unit) -> str:
    return unit.context.split("\n")[0]


def _number(unit: Unit) -> int:
    return int(unit.bullet.rstrip(".)")) if unit.kind == "item" and unit.bullet[:1].isdecimal() else 0
