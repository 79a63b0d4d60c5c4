"""Numbers and dates as people write them into cells: 1,200.50, ¥1,200, (1,234), 3.5%, 1.2万元, 三百二十."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple

from tables.numerals import DIGITS, PLACES, joined_group

BLANKS = frozenset(
    """- -- --- — —— – ― / \\ . n/a na #n/a null none nil nan 无 暂无 空 未知 不详 待定 tbd
    unknown""".split()
) | {""}
CURRENCIES = {
    "¥": "元", "￥": "元", "rmb": "元", "cny": "元", "人民币": "元",
    "us$": "$", "$": "$", "usd": "$", "€": "€", "eur": "€",
    "£": "£", "gbp": "£", "hk$": "港元", "hkd": "港元", "₩": "₩", "jpy": "日元",
}  # fmt: skip
_SCALES = {
    "十": 10, "百": 100, "千": 1e3, "万": 1e4, "十万": 1e5, "百万": 1e6, "千万": 1e7, "亿": 1e8, "万亿": 1e12,
    "k": 1e3, "w": 1e4, "m": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9,
}  # fmt: skip
_LETTERS = {"k", "w", "m", "mn", "bn", "b"}  # that mean a scale beside a currency alone: "m" is metres as well
UNITS = tuple(
    """元 块钱 块 美元 美金 欧元 英镑 日元 港元 港币 人 名 个 件 台 套 次 张 本 辆 箱 份 家 间 位 只 条 项 户 吨
    人次 公斤 千克 克 斤 大卡 千卡 卡路里 千焦 票 瓶 袋 盒 包 层 场 页 字 点 晚
    公里 千米 米 厘米 毫米 平方公里 平方千米 平方米 平米 平 公顷 亩 升 毫升 小时 分钟 秒 天 日 周 个月 年 岁 分 度
    千瓦时
    kwh kcal cal calories kj kw mw km² km2 m² m2 kg g mg km m cm mm t l ml h hr hrs hours hour min mins minutes minute
    s sec second seconds days day weeks
    week months month years year yrs pcs units unit people persons usd eur gbp cny rmb dollars euros pounds lbs lb oz
    miles mi ft km/h mph m/s sqm sqft gb mb tb kb ms °c ℃ °f""".split()
)
_unit = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_each = (
    r"(?:\s?(?:/|per |每)\s?(?:年|月|周|天|日|晚|小时|分钟|次|人|平米|平方米"
    r"|year|yr|month|mo|week|day|night|hour|hr|h|person))?"
)
_currency = "|".join(sorted(map(re.escape, CURRENCIES), key=len, reverse=True))
_scale = "|".join(sorted(map(re.escape, _SCALES), key=len, reverse=True))
_number = re.compile(
    rf"(?P<open>\()?(?P<sign>[-+])?(?P<before>{_currency})?\s{{0,2}}(?P<inner>[-+])?"
    rf"(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d{{1,3}}(?: \d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    rf"(?P<power>e[+-]?\d{{1,2}})?\s{{0,2}}(?P<scale>(?:{_scale})(?![a-z²\d]))?\s{{0,2}}(?P<percent>%|percent|‰)?"
    rf"(?P<after>(?:{_currency}|{_unit})(?![a-z]))?(?P<each>{_each})(?P<close>\))?"
)
_han = re.compile(
    rf"(?P<sign>负)?(?P<percent>百分之)?(?P<digits>[零〇一二两三四五六七八九十百千万亿廿壹贰叁肆伍陆柒捌玖拾佰仟点]{{1,20}})"
    rf"(?P<after>元整|{_unit})?"
)
_FORMAL = str.maketrans("壹贰叁肆伍陆柒捌玖拾佰仟两〇", "一二三四五六七八九十百千二零")
MONTHS = {
    name: at for at, names in enumerate(
        """jan january|feb february|mar march|apr april|may|jun june|jul july|aug august|sep sept september|oct october
        |nov november|dec december""".split("|"), 1,
    ) for name in names.split()
}  # fmt: skip
_month = "|".join(sorted(MONTHS, key=len, reverse=True))
_weekday = (
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? "
    r"|周[一二三四五六日天],? ?|星期[一二三四五六日天],? ?)?"
)
_weekday_zh = r"(?: ?\(?(?:周|星期)[一二三四五六日天]\)?)?"
_time = r"(?:[ t]\s?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::\d{2}(?:\.\d+)?)?(?:z|[+-]\d{2}:?\d{2})?)?"
_dates = [
    re.compile(_weekday + pattern + _weekday_zh + _time)
    for pattern in (
        r"(?P<y>(?:1[6-9]|20|21)\d\d)\s?年\s?(?P<m>\d{1,2})\s?月(?:\s?(?P<d>\d{1,2})\s?[日号]?)?",
        r"(?P<y>(?:1[6-9]|20|21)\d\d)(?P<mark>[-/.])(?P<m>\d{1,2})(?:(?P=mark)(?P<d>\d{1,2}))?",
        rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[ -](?P<m>{_month})\.?,?[ -](?P<y>(?:1[6-9]|20|21)\d\d)",
        rf"(?P<m>{_month})\.?[ -](?:(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?[ -])?(?P<y>(?:1[6-9]|20|21)\d\d)",
    )
]
_days = [  # of no year
    re.compile(_weekday + pattern + _weekday_zh + _time)
    for pattern in (
        r"(?P<m>\d{1,2})\s?月\s?(?P<d>\d{1,2})\s?[日号]?",
        rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[ -](?P<m>{_month})\.?",
        rf"(?P<m>{_month})\.?[ -](?P<d>\d{{1,2}})(?:st|nd|rd|th)?",
    )
]
NO_YEAR = "XXXX"  # as ISO 8601-2 writes an unknown year: all that is read of a date stands at its place
_slashed = re.compile(r"(?P<a>\d{1,2})(?P<mark>[-/.])(?P<b>\d{1,2})(?P=mark)(?P<y>(?:1[6-9]|20|21)\d\d)" + _time)
_slashed_day = re.compile(r"(?P<a>\d{1,2})/(?P<b>\d{1,2})")
_packed = re.compile(r"(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)")
_capital_scale = re.compile(r"\d ?[KMB]$")  # 1.2M is millions; 5 m are metres
_scale_letter = re.compile("[kw](?![a-z])")
_LONGEST = 60  # characters of a cell that can be a number or a date
DateOrder = Literal["month first", "day first", ""]


class CellNumber(NamedTuple):
    value: int | float
    unit: str = ""  # "%": the value is the share


@lru_cache(maxsize=20_000)
def plain(text: str) -> str:
    """Half width, lower case, one minus, single blanks: the form in which cells are compared."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).replace("−", "-").replace("–", "-")
    return " ".join(text.lower().split())


def is_blank(text: str) -> bool:
    return len(text) <= 8 and plain(text) in BLANKS


@lru_cache(maxsize=50_000)
def read_number(text: str) -> CellNumber | None:
    """None for what is no number, or a number with something else: "12元/斤", "1,23", "5月3日"."""
    if len(text) > _LONGEST:
        return None
    scaled = _capital_scale.search(text) is not None
    text = plain(text)
    found = _number.fullmatch(text)
    if found is None:
        return _han_number(text)
    if bool(found["open"]) != bool(found["close"]):
        return None
    scale, unit = found["scale"] or "", found["after"] or ""
    before = found["before"] or ""
    if scale in _LETTERS and not before and unit not in CURRENCIES and not scaled:
        if scale != "m" or unit:
            return None
        scale, unit = "", "m"
    value = float(found["digits"].replace(",", "").replace(" ", "") + (found["power"] or ""))
    value *= _SCALES.get(scale, 1)
    if "-" in (found["sign"], found["inner"]) or found["open"]:
        value = -value
    if found["percent"]:
        return CellNumber(_tidy(value / (1000 if found["percent"] == "‰" else 100)), "%")
    each = found["each"].replace(" ", "").replace("per", "/").replace("每", "/")
    return CellNumber(_tidy(value), CURRENCIES.get(before or unit, unit) + each)


def number_at(text: str, at: int) -> tuple[CellNumber, int] | None:
    """The number that begins at a place of a plain text, and where it ends."""
    found = _number.match(text, at) or _han.match(text, at)
    if found is None:
        return None
    end = at + len(text[at : found.end()].rstrip())
    while end > at:
        if (number := read_number(text[at:end])) is not None:
            letter = _scale_letter.match(text, end)
            if letter and not number.unit:  # "100k": here it can mean nothing else
                return CellNumber(_tidy(number.value * _SCALES[letter[0]])), letter.end()
            return number, end
        end = found.end("digits") if end > found.end("digits") else at
    return None


def _han_number(text: str) -> CellNumber | None:
    found = _han.fullmatch(text)
    value = han_value(found["digits"]) if found else None
    if found is None or value is None:
        return None
    value = -value if found["sign"] else value
    if found["percent"]:
        return CellNumber(_tidy(value / 100), "%")
    return CellNumber(_tidy(value), "元" if found["after"] == "元整" else found["after"] or "")


def han_value(text: str) -> float | None:
    """三百二十, 三百二, 一万二千, 十二亿, 二〇二四, 三点五; None where the characters are no number."""
    whole, point, rest = text.translate(_FORMAL).replace("廿", "二十").partition("点")
    if point:
        head, fraction = han_value(whole), [DIGITS.get(c) for c in rest]
        if head is None or not fraction or None in fraction:
            return None
        return float(f"{head:.0f}." + "".join(map(str, fraction)))
    if whole and all(c in DIGITS for c in whole):
        return float("".join(str(DIGITS[c]) for c in whole))
    total = section = 0.0
    digit: int | None = None
    last = 1.0
    for at, c in enumerate(whole):
        if c in DIGITS:
            digit = DIGITS[c]
            last = 1.0 if digit == 0 else last
        elif c in PLACES:
            if digit is None and at and whole[at - 1] in PLACES:
                return None
            section += (1 if digit is None else digit) * PLACES[c]
            digit, last = None, float(PLACES[c])
        elif c in "万亿" and (at and whole[0] not in "万亿"):
            last = 1e4 if c == "万" else 1e8
            total, section, digit = joined_group(total, section + (digit or 0), last), 0.0, None
        else:
            return None
    if not whole:
        return None
    return total + section + (digit or 0) * (last / 10 if digit and last > 10 and whole[-2] != "零" else 1)


def _tidy(value: float) -> int | float:
    """Without what binary fractions add: 3.5 % is 0.035, and whole numbers are integers."""
    value = float(f"{value:.15g}")
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


@lru_cache(maxsize=50_000)
def read_date(text: str, order: DateOrder = "", packed: bool = False) -> str | None:
    """ISO 8601; of a month its first day. 03/04/2024 is a date only where it is known which is the month; eight digits
    are one only where they are said to be (`packed`)."""
    if len(text) > _LONGEST:
        return None
    text = plain(text)
    for pattern in _dates:
        if found := pattern.fullmatch(text):
            return _iso(found, found["y"], found["m"], found["d"])
    if found := _slashed.fullmatch(text):
        first, second = int(found["a"]), int(found["b"])
        if first > 12 or (order == "day first" and second <= 12):
            return _iso(found, found["y"], found["b"], found["a"])
        return _iso(found, found["y"], found["a"], found["b"]) if order == "month first" or second > 12 else None
    if packed and (found := _packed.fullmatch(text)):
        return _iso(found, found["y"], found["m"], found["d"])
    return None


@lru_cache(maxsize=50_000)
def read_day(text: str, order: DateOrder = "") -> str | None:
    """A date that is written without a year: "XXXX-08-03" for “8月3日” and "Sat 3 Aug"; 8/3 is one only where it is
    known which is the month."""
    if len(text) > _LONGEST:
        return None
    text = plain(text)
    if order and (found := _slashed_day.fullmatch(text)):
        first, second = (found["a"], found["b"]) if order == "month first" else (found["b"], found["a"])
        return _iso(found, NO_YEAR, first, second)
    begun = (found for pattern in _days if (found := pattern.fullmatch(text)))
    return next((_iso(found, NO_YEAR, found["m"], found["d"]) for found in begun), None)


def _iso(found: re.Match[str], year: str, month: str, day: str | None) -> str | None:
    number = MONTHS.get(month) or int(month)
    leap = year == NO_YEAR or int(year) % 4 == 0
    last = 31 if number in (1, 3, 5, 7, 8, 10, 12) else 30 if number != 2 else 29 if leap else 28
    if not 1 <= number <= 12 or not 1 <= int(day or 1) <= last:
        return None
    groups = found.groupdict()
    at = f" {int(groups['hour']):02d}:{groups['minute']}" if groups.get("hour") else ""
    return f"{year:>04}-{number:02d}-{int(day or 1):02d}{at}"


def date_order(texts: list[str]) -> DateOrder:
    """Which of 03/04/2024 is the month in a column: told by any part above 12; "" where nothing tells."""
    forms = (_slashed, _slashed_day)
    pairs = [
        (int(found["a"]), int(found["b"])) for text in texts for form in forms if (found := form.fullmatch(plain(text)))
    ]
    day_first, month_first = any(a > 12 for a, _ in pairs), any(b > 12 for _, b in pairs)
    if day_first == month_first:
        return ""
    return "day first" if day_first else "month first"
