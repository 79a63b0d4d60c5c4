"""Durations as people write them in words: 3 h 55 min, 1h30m, 29 min, 1小时30分, 半小时."""

from __future__ import annotations

import re
from functools import lru_cache

from tables.cells import CellNumber, han_value, plain, read_number
from tables.measures import factor, is_duration

_words = (
    "weeks week days day d hours hour hrs hr h minutes minute mins min m seconds second secs sec s"
    " 星期 周 天 日 个小时 小时 钟头 个钟头 分钟 分 秒钟 秒"
)
_unit = "|".join(sorted(_words.split(), key=len, reverse=True))
_part = re.compile(
    rf"(?:(?P<digits>\d+(?:\.\d+)?)|(?P<han>[一二两三四五六七八九十百]{{1,4}}))?\s?(?P<half>个?半)?\s?"
    rf"(?P<unit>{_unit})(?![a-z])(?P<and_half>半)?(?:,?\sand|,|又|零)?\s?"
)
_LONGEST = 40  # characters
_SECOND_NAMES = {"秒钟": "秒", "个钟头": "钟头"}


@lru_cache(maxsize=20_000)
def minutes_of(text: str) -> int | float | None:
    """How many minutes it says; None for what is no duration, and for a single number of "m", which may be metres."""
    if len(text) > _LONGEST:
        return None
    text = plain(text)
    total, end, last, units = 0.0, 0, 0.0, []
    while end < len(text):
        found = _part.match(text, end)
        if found is None or not (found["digits"] or found["han"] or found["half"]):
            return None
        unit = _SECOND_NAMES.get(found["unit"], found["unit"])
        size = 1.0 if unit == "m" else factor(unit, "min")
        if size is None or (last and size >= last):
            return None
        value = float(found["digits"]) if found["digits"] else han_value(found["han"]) if found["han"] else 0.0
        if value is None:
            return None
        total += (value + 0.5 * bool(found["half"]) + 0.5 * bool(found["and_half"])) * size
        last, end = size, found.end()
        units.append(unit)
    if not units or units == ["m"]:
        return None
    total = round(total, 4)
    return int(total) if total.is_integer() else total


@lru_cache(maxsize=20_000)
def is_compound(text: str) -> bool:
    """Whether a duration is said in two units, or in a half: no plain number with its unit reads it."""
    return minutes_of(text) is not None and read_number(text) is None


def read_minutes(text: str) -> CellNumber | None:
    """A cell of a column of durations, in minutes."""
    number = read_number(text)
    if number is not None and not is_duration(number.unit):
        return None
    minutes = minutes_of(text)
    return CellNumber(minutes, "min" if plain(text).isascii() else "分钟") if minutes is not None else None


_leading = re.compile(rf"\d+(?:\.\d+)?\s?(?:{_unit})(?![a-z])\s?\d+\s?(?:{_unit})(?![a-z])")


def duration_at(text: str, at: int) -> tuple[CellNumber, int] | None:
    """The duration in two units that begins at a place of a plain text, and where it ends."""
    found = _leading.match(text, at)
    minutes = minutes_of(found[0]) if found else None
    return (CellNumber(minutes, "min"), found.end()) if found and minutes is not None else None


_SPELLED = {"h:min": ("h", "min", " "), "小时:分": ("小时", "分", "")}  # units of durations: as they are written


def spelled(minutes: float, unit: str) -> str | None:
    """ "3 h 55 min" of 235 in such a unit; None in any other."""
    if unit not in _SPELLED:
        return None
    hour, minute, gap = _SPELLED[unit]
    sign, whole = "-" * (minutes < 0), abs(round(minutes, 1 if abs(minutes) < 10 else 0))
    hours, rest = divmod(whole, 60)
    parts = [f"{hours:g}{gap}{hour}"] * bool(hours) + [f"{rest:g}{gap}{minute}"] * (rest > 0 or not hours)
    return sign + gap.join(parts)


def spelling_of(texts: tuple[str, ...]) -> str:
    """The unit in which a column of such durations is told."""
    return "h:min" if all(plain(text).isascii() for text in texts) else "小时:分"
