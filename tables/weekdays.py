"""Days of the week by their names in both languages: 周六, 星期六, Saturday, Sat; and those of a weekend."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tables.cells import plain

_zh = re.compile(r"(?:周|星期|礼拜)([一二三四五六日天])")
_ENGLISH = "monday tuesday wednesday thursday friday saturday sunday".split()
_SHORT = {"tues": 1, "thur": 3, "thurs": 3} | {name[:3]: at for at, name in enumerate(_ENGLISH)}
_WEEKEND = (5, 6)


def weekday_of(text: str) -> int | None:
    """0 of a Monday; None where a cell is no single day of the week."""
    text = plain(text).rstrip(".")
    if (found := _zh.fullmatch(text)) is not None:
        return min("一二三四五六日天".index(found[1]), 6)
    bare = text.removesuffix("s") if text.removesuffix("s") in _ENGLISH else text
    return _ENGLISH.index(bare) if bare in _ENGLISH else _SHORT.get(text)


def are_weekdays(values: Iterable[str]) -> bool:
    """Whether a column has no other cells."""
    listed = [*values]
    return bool(listed) and all(weekday_of(value) is not None for value in listed)


def weekday_names(value: str) -> Iterator[str]:
    """What else a day is called, and “周末” of a Saturday and a Sunday."""
    day = weekday_of(value)
    if day is None:
        return
    signs = "一二三四五六日"[day] + "天" * (day == 6)
    yield from (week + sign for week in ("周", "星期", "礼拜") for sign in signs)
    yield _ENGLISH[day]
    if day in _WEEKEND:
        yield from ("周末", "双休日", "weekend")
