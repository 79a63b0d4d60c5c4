"""Numbers as people write them: 1,200, 1k, ５００, 一千二, 百分之十, five hundred."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tables.cells import han_value
from tables.numerals import CARDINALS, DIGITS, PLACES

_SCALES = {"hundred": 100, "thousand": 1000}
_word = "|".join(sorted([*CARDINALS, *_SCALES], key=len, reverse=True))

_number = re.compile(
    r"(?P<part>[二三四五六七八九十]分之一|(?<=[叠复合有享])一半|(?<![a-z])half(?= (?:overlap|shared))"
    r"|[一二两三四五]成(?![为立功果员本绩品人长])"
    r"|(?<![a-z])(?:an?|one)[ -](?:half|third|quarter|fourth|fifth|sixth|eighth|tenth)(?![a-z])"
    r"|(?<![a-z0-9/.])1/(?:[2-9]|1[0-9]|20)(?![0-9/.]))"
    r"|(?P<about>(?!(?<=统)一)[一二三四五六七八两](?P<next>[二三四五六七八九两])[百千]|[百千]把(?=个?字)"
    r"|[二三四五六七八九两]?百来(?=个?字))"
    r"|(?P<half>半[百千]|(?<![a-z])half (?:a|one) (?:hundred|thousand)(?![a-z]))"
    r"|(?P<han_percent>百分之(?=[零〇一二两三四五六七八九十百\d]))?"
    r"(?:(?<![a-z0-9.])(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)"
    r"|\d{1,9}(?!\d)(?:\.\d{1,6})?)(?:\s?(?P<scale>(?:k|hundred|thousand)(?![a-z0-9])|[百千万]))?"
    r"|(?!(?<=统)一)(?P<han>[零〇一二两三四五六七八九十百千万]{1,12}"
    r"(?<![百千一二两三四五六七八九]一(?=[段块片])))"  # 六百六一段: 660 to a piece
    rf"|(?<![a-z0-9])(?P<words>(?:a[ ])?(?:{_word})(?:[ -](?:and[ ])?(?:{_word})){{0,8}})(?![a-z0-9]))"
    r"(?P<percent>\s?(?:%|(?:percents?|per cent|pct)(?![a-z])))?"
)


class Number(NamedTuple):
    """A number in a text; `value` of "10 %" is 10, with `percent` set."""

    start: int
    end: int
    value: float
    percent: bool


def find_numbers(folded: str) -> Iterator[Number]:
    """The numbers of a folded text (half width, lower case, simplified), in order."""
    for found in _number.finditer(folded):
        if found["part"]:
            yield Number(*found.span(), part_value(found["part"]), True)
            continue
        value = _value(found)
        if value is not None:
            yield Number(*found.span(), value, bool(found["percent"] or found["han_percent"]))


def _value(found: re.Match[str]) -> float | None:
    if found["about"]:
        return about_value(found["about"])
    if found["half"]:
        return 50.0 if found["half"].endswith(("百", "hundred")) else 500.0
    if found["digits"]:
        scale = {"k": 1000, "hundred": 100, "thousand": 1000, "百": 100, "千": 1000, "万": 10_000}.get(
            found["scale"] or "", 1
        )
        return float(found["digits"].replace(",", "")) * scale
    if found["han"]:  # 千 and 万一 are no numbers
        return han_value(found["han"]) if found["han"][0] not in "百千万" else None
    return words_value(found["words"])


_PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}


def part_value(text: str) -> float:
    """In percent: 十分之一, 一成 and "a tenth" are 10."""
    if text in ("一半", "half"):
        return 50.0
    if text.startswith("1/"):
        return 100 / int(text[2:])
    if text.endswith("成"):
        return 10.0 * DIGITS[text[0]]
    if text.endswith("分之一"):
        return 100 / (10 if text[0] == "十" else DIGITS[text[0]])
    return 100 / _PARTS[re.split("[ -]", text)[1]]


def about_value(text: str) -> float:
    """一两百 is 150, 两三百 is 250, 千把 is 1000, 五百来 is 500."""
    if text[-1] not in PLACES:
        return (DIGITS.get(text[0], 1)) * (1000.0 if "千" in text else 100.0)
    return (DIGITS[text[0]] + DIGITS[text[1]]) * PLACES[text[2]] / 2


def whole_number(text: str) -> int:
    """12 and 十二 are 12; 十 is 10."""
    if text.isdecimal():
        return int(text)
    return round(han_value(f"一{text}" if text.startswith("十") else text) or 0)


def words_value(text: str) -> float:
    """ "one thousand two hundred" and "twelve hundred" are 1200, "a thousand" is 1000."""
    total = part = 0
    for word in re.findall(r"[a-z]+", text):
        if word in CARDINALS:
            part += CARDINALS[word]
        elif word == "hundred":
            part = (part or 1) * 100
        elif word == "thousand":
            total, part = total + (part or 1) * 1000, 0
    return float(total + part)
