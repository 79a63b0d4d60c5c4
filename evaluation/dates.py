"""Times that one language counts and the other one names: months, days of the week, hours of the day."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tables.numbers import NUMERALS, Quantity, chinese_value

_MONTHS = "january february march april may june july august september october november december".split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_month = re.compile(
    r"\b(?P<name>January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?:\.|(?= \d)))"
)
_beside = re.compile(r"\s?\d|,?\s(?:of\s)?\d{4}")  # of May and March, which are words as well
_before = re.compile(
    r"(?:\d(?:st|nd|rd|th)?|\b(?:in|of|since|until|till|by|from|to|every|last|next|early|late|mid|and|or))[\s-]\Z", re.I
)
_day_en = re.compile(r"\b(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b")
_day_zh = re.compile(
    r"(?:星期|礼拜|(?<![一二三四五六七八九十\d每上下本双])周)(?P<day>[一二三四五六日天])(?![个周年月次])"
)


_hour_zh = re.compile(rf"(?P<hour>[{NUMERALS}]{{1,3}})点(?![\d{NUMERALS}]|[数多])")


def dated_numbers(text: str) -> list[Quantity]:
    """What `numbers` does not read in a folded text, as numbers with the unit month, weekday or hour."""
    return sorted([*_months(text), *_days(text), *_hours(text)], key=lambda one: one.start)


def _months(text: str) -> Iterator[Quantity]:
    for found in _month.finditer(text):
        ambiguous = found["name"] in {"May", "March"}
        if ambiguous and not (
            _beside.match(text, found.end()) or _before.search(text[max(0, found.start() - 12) : found.start()])
        ):
            continue
        name = found["name"].lower().rstrip(".")
        value = next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name[:3]))
        yield Quantity(float(value), "month", found.start(), found.end())


def _days(text: str) -> Iterator[Quantity]:
    for found in _day_en.finditer(text):
        value = next(number for number, day in enumerate(_DAYS, 1) if day.startswith(found[1].lower()))
        yield Quantity(float(value), "weekday", *found.span())
    for found in _day_zh.finditer(text):
        yield Quantity(float("一二三四五六日".find(found["day"].replace("天", "日")) + 1), "weekday", *found.span())


def _hours(text: str) -> Iterator[Quantity]:
    for found in _hour_zh.finditer(text):
        if (value := chinese_value(found["hour"])) and value > 1:  # 一点: a little
            yield Quantity(value, "hour", *found.span("hour"))
