"""Which columns of a table are the two sides of a match: the teams at home and away, and what each has scored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from schema import TableInfo

_home = re.compile(r"^(?:home|host)\b|^主[队场方]", re.IGNORECASE)
_away = re.compile(r"^(?:away|visit\w*|guests?)\b|^客[队场方]", re.IGNORECASE)


class Sides(NamedTuple):
    """The columns of both teams, and of what each of them has scored where the table tells it."""

    home: int
    away: int
    ours: int | None
    theirs: int | None


def sides_of(table: TableInfo) -> Sides | None:
    """None where a table has not one column of each, with the same names in both."""
    texts = {at: one.name for at, one in enumerate(table.columns) if one.kind == "text"}
    numbers = {at: one.name for at, one in enumerate(table.columns) if one.kind == "number"}
    home, away = _both(texts)
    if home is None or away is None:
        return None
    shared = {*table.columns[home].values} & {*table.columns[away].values}
    if 2 * len(shared) < len(table.columns[home].values) or not shared:
        return None
    ours, theirs = _both(numbers)
    return Sides(home, away, *((ours, theirs) if ours is not None and theirs is not None else (None, None)))


def _both(titles: Mapping[int, str]) -> tuple[int | None, int | None]:
    found = [[at for at, title in titles.items() if pattern.search(title)] for pattern in (_home, _away)]
    return tuple(places[0] if len(places) == 1 else None for places in found)  # type: ignore[return-value]
