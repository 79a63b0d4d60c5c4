"""Numerals of both languages with their values, and Chinese ones by their places: what all share who read or write
them."""

from __future__ import annotations

from typing import TypeVar

DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
PLACES = {"十": 10, "百": 100, "千": 1000}
GROUPS = {"万": 10**4, "亿": 10**8}
UNITS_EN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
).split()
TENS_EN = "twenty thirty forty fifty sixty seventy eighty ninety".split()
CARDINALS = {word: value for value, word in enumerate(UNITS_EN)} | {word: 20 + 10 * i for i, word in enumerate(TENS_EN)}
_SIGNS = {value: sign for sign, value in DIGITS.items() if sign not in "〇两"}
N = TypeVar("N", int, float)


def joined_group(total: N, section: N, group: N) -> N:
    """The total at 万 or 亿, which counts all before it (一万亿), or what stands since a larger one (一亿三千万)."""
    if total < group:
        return (total + section or 1) * group
    return total + section * group


def by_places(word: str) -> int:
    """Of 十八, 一千零五, 三千二百万五千, 一亿三千万."""
    total = section = digit = 0
    for sign in word:
        if sign in DIGITS:
            digit = DIGITS[sign]
        elif sign in PLACES:
            section, digit = section + (digit or 1) * PLACES[sign], 0
        else:
            total, section, digit = joined_group(total, section + digit, GROUPS[sign]), 0, 0
    return total + section + digit


def chinese_numeral(number: int) -> str:
    """Of a whole number below a trillion, as people write it: 12 is 十二, 60,000 is 六万."""
    said = _section(number)
    return said.removeprefix("一") if said.startswith("一十") else said


def _section(number: int) -> str:
    for sign, size in [*GROUPS.items()][::-1] + [*PLACES.items()][::-1]:
        if number >= size:
            rest = number % size
            between = "零" if 0 < rest < size // 10 else ""
            return _section(number // size) + sign + between + (_section(rest) if rest else "")
    return _SIGNS[number]
