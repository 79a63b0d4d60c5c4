"""Times that a question names: a year, a month, a quarter, a day; without a year they are meant of every year."""

from __future__ import annotations

import re
from typing import NamedTuple

from tables.cells import MONTHS
from tables.numerals import by_places

_month = "|".join(sorted(MONTHS, key=len, reverse=True))
_quarters = {
    name: at for at, names in enumerate(("1 一 first", "2 二 second", "3 三 third", "4 四 fourth last"), 1)
    for name in names.split()
}  # fmt: skip
_zh = re.compile(
    r"(?:(?P<y>(?:1[6-9]|20)\d\d)年?(?:的)?)?(?:(?:第?(?P<q>[一二三四1-4])季度|q(?P<q2>[1-4])(?!\d))|(?P<h>[上下])半年"
    r"|(?P<m>\d{1,2})月(?:份)?(?:(?P<d>\d{1,2})[日号])?|(?P<mz>十[一二]?|[一二三四五六七八九])月(?:份)?)"
    r"|(?P<y2>(?:1[6-9]|20)\d\d)年(?:度|份)?"
)
_en = re.compile(
    rf"(?P<m>{_month})\.?(?![a-z])(?:\s(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d))?(?:,?\s(?:of\s)?(?P<y>(?:1[6-9]|20)\d\d))?"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<m2>{_month})(?![a-z])(?:,?\s(?P<y5>(?:1[6-9]|20)\d\d))?"
    rf"|(?:the\s)?(?P<q>first|second|third|fourth|last|[1-4])(?:st|nd|rd|th)?\squarter(?:\s(?:of\s)?(?P<y2>(?:1[6-9]|20)\d\d))?"
    rf"|(?:the\s)?(?P<h>first|second)\shalf(?:\sof\s(?P<y3>(?:1[6-9]|20)\d\d))?"
    rf"|q(?P<q2>[1-4])(?:\s(?P<y4>(?:1[6-9]|20)\d\d))?"
)
_iso = re.compile(r"(?P<y>(?:1[6-9]|20)\d\d)[-/](?P<m>\d{1,2})(?:[-/](?P<d>\d{1,2}))?")
_year = re.compile(
    r"(?P<y>(?:1[6-9]|20)\d\d)(?![\d.,%])(?!\s?(?!(?:and|to|or|through|till|until|inclusive)\b)[a-z$€%])"
)
_before_year = re.compile(
    r"(?:\b(?:in|since|before|after|of|from|between|and|during|until|to|year|by|for|through|than)\s|[在从到至比和])$"
)
# “in 2024 had a total over 100”: behind these a year, where a word follows with which something else begins
_in_year = re.compile(r"(?:\b(?:in|since|before|after|from|during|until|year)\s)$")
_year_then = re.compile(
    r"(?P<y>(?:1[6-9]|20)\d\d)(?=\s(?:ha[ds]|have|with|were|was|did|that|which|who|over|under|above|below)\b)"
)


class Period(NamedTuple):
    year: int | None
    first: int | None = None  # month
    last: int | None = None
    day: int | None = None
    last_day: int | None = None  # of a stretch of days without a year

    def bounds(self) -> tuple[str, str]:
        """From the first day on, before the day behind the last one. Of a period with a year."""
        first, last = self.first or 1, self.last or 12
        start = f"{self.year:04d}-{first:02d}-{self.day or 1:02d}"
        if self.day:
            return start, f"{start}~"  # "~" stands behind any time of this day
        year, month = (self.year, last + 1) if last < 12 else ((self.year or 0) + 1, 1)
        return start, f"{year:04d}-{month:02d}-01"


def period_at(text: str, at: int) -> tuple[Period, int] | None:
    """The time that begins at a place of a folded text in lower case, and where it ends."""
    begun = [found for pattern in (_iso, _zh, _en) if (found := pattern.match(text, at))]
    if begun and not (at and text[at - 1].isalnum() and text[at - 1].isascii()):
        found = max(begun, key=lambda one: one.end())  # "q3 2024" is Chinese as far as "q3"
        groups = {name: value for name, value in found.groupdict().items() if value}
        year = next((int(groups[name]) for name in ("y", "y2", "y3", "y4", "y5") if name in groups), None)
        if quarter := groups.get("q") or groups.get("q2"):
            first = 3 * _quarters[quarter] - 2
            return Period(year, first, first + 2), found.end()
        if half := groups.get("h"):
            return (Period(year, 1, 6) if half in ("上", "first") else Period(year, 7, 12)), found.end()
        month = groups.get("m") or groups.get("mz") or groups.get("m2")
        day = groups.get("d") or groups.get("d2")
        if month == "may" and not (year or day or _before_year.search(text[:at])):
            return None
        if month:
            number = MONTHS.get(month) or (int(month) if month.isdecimal() else by_places(month))
            return (Period(year, number, number, int(day or 0) or None), found.end()) if 1 <= number <= 12 else None
        return Period(year), found.end()
    if (found := _year.match(text, at)) and _before_year.search(text[max(0, at - 12) : at]):
        return Period(int(found["y"])), found.end()
    if (found := _year_then.match(text, at)) and _in_year.search(text[max(0, at - 12) : at]):
        return Period(int(found["y"])), found.end()
    return None
