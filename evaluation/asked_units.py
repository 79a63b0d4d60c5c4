"""Sentences with a quantity of what is asked for: degrees to "how hot", square metres to 多大的房间, a day to 几号."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from evaluation.answer_reading import Array
from evaluation.answer_types import MONTHS, SPAN, WEEKDAYS, expected_types, holds
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import asks_how_often, raised
from question_words import question_terms
from text import search_tokens, simplified

_NUMBER = r"\d\s?"  # the last digit of one does
_QUANTITIES = (  # how it is asked for, and how it is written
    (r"\bhow (?:hot|cold|warm)\b|\btemperature\b|温度|多[热冷烫]|几度|多少度", rf"{_NUMBER}(?:°|℃|degrees?\b|度|摄氏)"),
    (
        r"\bhow heavy\b|\bhow much\b.{0,40}\bweighs?\b|\bweight\b|多重|重量|几斤|多少(?:公?斤|千克|克)",
        rf"{_NUMBER}(?:kg|g|mg|t|lbs?|oz|kilos?|kilograms?|grams?|pounds?|tons?|tonnes?)\b"
        rf"|{_NUMBER}(?:kg|公斤|千克|克|斤|吨|两)",
    ),
    (r"\bhow (?:loud|noisy)\b|\bnoise level\b|多吵|多响|噪[声音]|分贝", rf"{_NUMBER}(?:dB|decibels?\b|分贝)"),
    (
        r"\bhow fast\b|\bspeed\b|多快|速度|时速",
        rf"{_NUMBER}(?:km/h|mph|kph|m/s|knots?|rpm|[kmg]?bps|公里每?/?小?时|米/秒)",
    ),
    (
        r"\bhow (?:big|large)\b.{0,40}\b(?:room|flat|house|garden|area|hall|office|plot)\b|\bsquare (?:met|feet)|面积"
        r"|多大的?(?:房|面积|空间|屋|地方|办公|教室|会议)|几平|多少平",
        rf"{_NUMBER}(?:m²|m2|sqm|sq\.? ?(?:m|ft)|square (?:met|f)\w*|acres?|hectares?)"
        rf"|{_NUMBER}(?:平方?米|平方|㎡|平|亩|公顷)",
    ),
    (
        r"\bhow far\b(?! apart)|\bdistance\b|多远|距离",
        rf"{_NUMBER}(?:km|m|cm|miles?|yards?|feet|ft|(?:kilo|centi)?met(?:er|re)s?)\b"
        rf"|{_NUMBER}(?:公里|千米|厘米|米|里地?)",
    ),
    (
        r"\b(?:what|which) number (?:do|can|should|must) (?:i|we|you|one) (?:call|ring|dial|phone)\b",
        r"(?<![\d.-])(?!\d{4}-\d\d-\d\d)\+?\d[\d ()-]{5,18}\d|\b(?:call|ring|dial|phone|ext(?:ension)?)\b\D{0,20}\d{2}",
    ),
    (
        r"\b(?:which|what) versions?\b|\bversion number\b|(?:哪个|什么|哪一?|几)版本?号?|版本号?是?多少",
        r"\bv?\d+(?:\.\d+)+|\b(?:version|release) \d|\d\s?(?:LTS\b|版)|版本?\s?\d",
    ),
    (
        r"\bhow (?:much|many)\b.{0,30}\b(?:electricity|energy|power|kwh|watts?)\b|\b(?:power|energy) consumption\b"
        r"|多少度?电|几度电|[耗用发]电[量多]|功率",
        rf"{_NUMBER}(?:[kMG]?Wh?p?\b|kilowatts?|watts?|度|千瓦时?|瓦)",
    ),
    (
        r"\b(?:which|what) (?:way|direction)\b|朝哪|朝向|什么方向|哪个方向|往哪个?[边方]",
        r"\b(?:north|south|east|west)(?:[- ]?(?:north|south|east|west))?(?:ern|wards?)?\b"
        r"|\b(?:left|right|(?:up|down|for|back)wards?|(?:anti-?|counter-?)?clockwise)\b|[朝向往][东南西北上下左右前后里外内]|[坐面]北|顺时针|[东南西北]侧",
    ),
)
_quantities = [(re.compile(asks, re.I), re.compile(says, re.I)) for asks, says in _QUANTITIES]
_asks_day = re.compile(r"几[月日号]|哪一?天|\b(?:which|what) (?:day|date)\b|\bon what (?:day|date)\b", re.IGNORECASE)
_day = re.compile(
    r"(?:\d{1,2}\s?|[一二三四五六七八九十]{1,3})[日号](?!线|楼|门|店)|(?:周|星期)[一二三四五六日天]"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)\b|\b(?:{'|'.join(WEEKDAYS)})s?\b"
    rf"|\b\d{{1,2}} (?:{'|'.join(MONTHS)})\b|\b(?:{'|'.join(MONTHS)}) \d{{1,2}}\b",
)
_asks_span = re.compile(r"\bhow long (?:do|does|did|will|would|has|have|had)\b|多久", re.IGNORECASE)
_SAID, _DATED, _LASTING = 500.0, 10.0, 4.0  # times as likely


def asked_quantity(question: str) -> re.Pattern[str] | None:
    """How a quantity of the kind that is asked for is written; None where none of these is."""
    kind = _asked_kind(simplified(question))
    return kind[1] if kind else None


def _asked_kind(asked: str) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    """How a kind of quantity is asked for, and how it is written."""
    return next((kind for kind in _quantities if kind[0].search(asked)), None)


def asked_span(question: str) -> re.Pattern[str] | None:
    """How a length of time is written, where it is asked how long something lasts and not how long it is."""
    return SPAN if _asks_span.search(simplified(question)) else None


def with_asked_units(
    question: str, units: Sequence[SourceUnit], owned: Sequence[Collection[str]], shares: Array
) -> Array:
    """A sentence with a quantity of the kind that is asked for is likelier, if something ties it to the question beside
    the word for that kind, and so is any row of a table with one."""
    asked = simplified(question)
    if (kind := _asked_kind(asked)) is None:
        return shares
    asks, says = kind
    left = {*question_terms(asks.sub(" ", asked))} & {*question_terms(asked)}

    def is_tied(unit: SourceUnit, own: Collection[str]) -> bool:
        around = {*own, *search_tokens(simplified(unit.context))}
        return unit.kind == "row" or not left.isdisjoint(around) or (not left and bool(own))

    told = [
        says.search(simplified(unit.text)) is not None and is_tied(unit, own)
        for unit, own in zip(units, owned, strict=True)
    ]
    return raised(shares, told, _SAID)


def with_days(question: str, units: Sequence[SourceUnit], tied: Sequence[bool], shares: Array) -> Array:
    """So is one with a day, where it is asked on which, if something ties it to the question."""
    if not _asks_day.search(simplified(question)):
        return shares
    dated = (_day.search(simplified(unit.text)) is not None for unit in units)
    return raised(shares, [one and day for one, day in zip(tied, dated, strict=True)], _DATED)


def with_durations(question: str, units: Sequence[SourceUnit], tied: Sequence[bool], shares: Array) -> Array:
    """And one with a length of time or of a thing, where it is asked how long and not how often."""
    if "duration" not in expected_types(question) or asks_how_often(question):
        return shares
    told = (unit.kind != "code" and holds("duration", unit.text) for unit in units)
    return raised(shares, [one and lasting for one, lasting in zip(tied, told, strict=True)], _LASTING)
