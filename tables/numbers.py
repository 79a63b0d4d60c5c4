"""Numbers as people write them in both languages, read as values with units, so that 三十, 30 and thirty meet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from math import inf
from operator import attrgetter
from typing import NamedTuple

from tables.numerals import CARDINALS, DIGITS, GROUPS, PLACES, TENS_EN, UNITS_EN, by_places

NUMERALS = "".join([*DIGITS, *PLACES, *GROUPS])

_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth"
).split()
WORDS = {
    **CARDINALS,
    **{word: 1 + i for i, word in enumerate(_ORDINALS)},
    **{word[:-1] + "ieth": 20 + 10 * i for i, word in enumerate(TENS_EN)},
    "dozen": 12,
}
SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}

# One name for what is the same unit. Only units of measurement: a counted thing is a word like any other.
_UNIT_NAMES = {
    "%": "% percent per_cent 百分 个百分点 百分点",
    "usd": "$ us$ dollar dollars usd 美元",
    "eur": "€ euro euros eur 欧元",
    "gbp": "£ pound pounds gbp 英镑",
    "cny": "¥ yuan rmb cny 元 人民币",
    "km": "km kilometre kilometres kilometer kilometers 公里 千米",
    "m": "metre metres meter meters 米",
    "cm": "cm centimetre centimetres centimeter centimeters 厘米",
    "mm": "mm millimetre millimetres millimeter millimeters 毫米",
    "mile": "mile miles mi 英里",
    "foot": "foot feet ft 英尺",
    "kg": "kg kilogram kilograms 公斤 千克",
    "g": "gram grams 克",
    "mg": "mg milligram milligrams 毫克",
    "tonne": "ton tons tonne tonnes 吨",
    "l": "litre litres liter liters 升",
    "ml": "ml millilitre millilitres milliliter milliliters 毫升",
    "year": "year years 年 周年",
    "month": "month months 月 个月",
    "week": "week weeks 周 星期",
    "day": "day days 日 天 号",
    "hour": "hour hours 小时 钟头",
    "minute": "minute minutes min 分钟",
    "second": "seconds sec 秒 秒钟",
    "degree": "° °c ℃ degree degrees 度 摄氏度",
    "byte": "byte bytes",
    "kb": "kb",
    "mb": "mb",
    "gb": "gb",
}
UNITS = {name: unit for unit, names in _UNIT_NAMES.items() for name in names.split()}

_measure = "个名位人年月日号天次只条件家种岁元届级楼层章节款项倍周时小分秒万亿米吨里公厘毫克斤度亩台辆"
_measure += "套艘架座所场部卷页篇首张支枚块"
# Each begins with a look at one character, which spares every other place the rest.
_chinese = re.compile(
    rf"(?=[百第{NUMERALS}])(?P<share>百分之)?(?P<ordinal>第)?(?P<value>[{NUMERALS}]+(?:点[零〇一二三四五六七八九]+[万亿]?)?)"
    rf"(?P<measure>[{_measure}])?"
)
_not_numbers = re.compile("十分(?!之|钟)|百分(?!之)|万一(?!千)|千万(?=不|别|要|注|小|记)|一一")
_western = re.compile(
    r"(?=\d)(?<![A-Za-z_\d])(?<![A-Za-z][-./_])(?<!\d\.)(?P<value>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?:(?:st|nd|rd|th|s)?(?![A-Za-z_\d]|\.\d)|(?=(?:[kmcg]?m|[km]?g|m?l|[kmgt]b|am|pm)\b))"
    rf"(?P<scale>\s?(?:{'|'.join(SCALES)})s?\b|[百千]?[万亿]|[百千])?",
    re.IGNORECASE,
)
_ordinals = [word for word in _ORDINALS[:9] if word != "second"]  # ninety seconds are 90; ninety-second is 92nd
_tens = rf"(?:{'|'.join(TENS_EN)})(?:[\s-](?:{'|'.join(UNITS_EN[1:10] + _ordinals)})|-second(?!s))"
_small = rf"(?:{_tens}|{'|'.join(sorted(WORDS, key=len, reverse=True))})"
_scale = rf"(?:[\s-]+(?:{'|'.join(SCALES)}))"
_begins = "".join(sorted({word[0] for word in WORDS}))
_english = re.compile(
    rf"\b(?=[{_begins}]){_small}(?:{_scale}+(?:(?:\s+and)?\s+(?!seconds\b){_small}{_scale}*)*)?s?\b", re.IGNORECASE
)
_unit = re.compile(r"\s?-?(°\s?c|[%$€£¥°℃]|per cent|[a-z$]+|个百分点|百分点|[\u4e00-\u9fff]{1,2})", re.IGNORECASE)
_CURRENCIES = {sign: UNITS[sign] for sign in "$€£¥"}  # that stand before a number
_ABOUT = frozenset("数几")
_LONGEST_CHINESE, _LONGEST_ENGLISH = 30, 200  # characters; whatever they say, it is below 1e300


class Quantity(NamedTuple):
    """A value and its unit of measurement ("" for none that we know), and where it is written."""

    value: float
    unit: str
    start: int
    end: int

    @property
    def form(self) -> str:
        """The term under which it is compared: the same for 三十, 30 and thirty."""
        return _form(self.value)


@lru_cache(1_024)
def _form(value: float) -> str:
    return f"#{value:.12g}"


_start = attrgetter("start")


def numbers(text: str) -> Iterator[Quantity]:
    """The numbers of a folded text, in order. Figures within an identifier (k8s, v1.2.3) are no numbers."""
    end = 0
    for match in sorted(_candidates(text), key=_start):  # no two begin in one place: each kind has signs of its own
        if match.start >= end:
            end = match.end
            yield match


def _candidates(text: str) -> Iterator[Quantity]:
    for found in _western.finditer(text):
        value, scale = found.group("value", "scale")
        if (figure := float(value.replace(",", "")) * (_factor(scale) if scale else 1)) < inf:
            yield _with_unit(text, figure, found.start(), found.end())
    for found in _english.finditer(text):
        if (value := english_value(found[0])) is not None:
            yield _with_unit(text, value, found.start(), found.end())
    for found in _chinese.finditer(text):
        alone = len(found["value"]) == 1
        counted = found["measure"] or found["ordinal"] or found["share"]
        if (alone and not counted) or _not_numbers.match(text, found.start()) or _is_vague(text, found):
            continue
        if found["value"] == "一" and found["measure"] not in {*"月日号"} and not found["ordinal"]:
            continue  # 一个, 一种, 一家: an article more often than a count
        if (value := chinese_value(found["value"])) is not None:
            number = _with_unit(text, value, found.start(), found.end("value"))
            yield number._replace(unit="%") if found["share"] else number


def _is_vague(text: str, found: re.Match[str]) -> bool:
    """数十, 几百, 上千: no number that another could differ from."""
    start = found.start()
    before = text[start - 1] if start else ""
    vague = before in _ABOUT or (before == "上" and found["value"][0] != "十")
    return vague and not found["value"].strip("十百千万亿")


def _factor(scale: str) -> float:
    return SCALES.get(scale.strip().lower().removesuffix("s")) or chinese_value(scale) or 1


def _with_unit(text: str, value: float, start: int, end: int) -> Quantity:
    sign = start - 2 if start and text[start - 1].isspace() else start - 1
    if sign >= 0 and (unit := _CURRENCIES.get(text[sign])):
        return Quantity(value, unit, start, end)
    if not (after := _unit.match(text, end)):
        return Quantity(value, "", start, end)
    return Quantity(value, _unit_named(after[1]), start, end)


@lru_cache(1_024)
def _unit_named(written: str) -> str:
    name = written.lower().replace(" ", "")
    return UNITS.get(name) or UNITS.get(name[:1] if name[:1] > "\u4e00" else "", "")


def chinese_value(text: str) -> float | None:
    """The value of Chinese numerals (三百五十万, 二〇一五, 三点五亿); None for what is no number, or too long."""
    if len(text) > _LONGEST_CHINESE:
        return None
    whole, _, fraction = text.partition("点")
    if fraction:
        scale = GROUPS.get(fraction[-1], 1)
        value, digits = chinese_value(whole), "".join(str(DIGITS[sign]) for sign in fraction if sign in DIGITS)
        return None if value is None else (value + float(f"0.{digits}")) * scale
    if len(whole) > 1 and all(sign in DIGITS for sign in whole):
        if len(whole) == 2 and whole[0] not in "零〇":
            return None  # 两三, 七八: about so many
        # figure by figure, as years are read
        return float("".join(str(DIGITS[sign]) for sign in whole))
    return float(by_places(whole)) if whole else None


def english_value(text: str) -> float | None:
    """The value of number words; None for a lone "one", "first" or "second", which are mostly not counts."""
    if len(text) > _LONGEST_ENGLISH:
        return None
    words = [word for word in re.split(r"[\s-]+", text.lower()) if word != "and"]
    total = section = 0
    for word in words:
        scale = SCALES.get(word) or SCALES.get(word.removesuffix("s"))
        if scale == 100:
            section = (section or 1) * 100
        elif scale:
            total, section = total + (section or 1) * scale, 0
        else:
            section += WORDS.get(word) or WORDS.get(word.removesuffix("s"), 0)
    if len(words) == 1 and words[0] in {"one", "ones", "first", "second", "seconds"}:
        return None
    return float(total + section)
