"""The numbers and bullets of Word's lists, which are in no text: "第三条", "1.2", "（一）" are counted when shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from tables.numerals import chinese_numeral

_place = re.compile(r"%(\d)")
_HEAVENLY = "甲乙丙丁戊己庚辛壬癸"
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


class Level(NamedTuple):
    """How one level of a list is numbered."""

    start: int
    form: str  # Word's w:numFmt
    text: str  # "%1.%2", "第%1条"


def roman(number: int) -> str:
    words = ""
    for value, letters in _ROMAN:
        words, number = words + letters * (number // value), number % value
    return words


def _letter(number: int) -> str:
    return chr(97 + (number - 1) % 26) * ((number - 1) // 26 + 1)


def _circled(number: int) -> str:
    return chr(0x245F + number) if number <= 20 else f"({number})"


_FORMS: dict[str, Callable[[int], str]] = {
    "lowerLetter": _letter,
    "upperLetter": lambda number: _letter(number).upper(),
    "lowerRoman": roman,
    "upperRoman": lambda number: roman(number).upper(),
    **dict.fromkeys(
        ("chineseCounting", "chineseCountingThousand", "japaneseCounting", "taiwaneseCounting",
         "taiwaneseCountingThousand", "ideographDigital"),
        chinese_numeral,
    ),
    "ideographTraditional": lambda number: _HEAVENLY[(number - 1) % 10],
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "decimalZero": lambda number: f"{number:02}",
}  # fmt: skip


class Numbering:
    """Counts the paragraphs of each list in the order of the document. `root`: numbering.xml, or None."""

    def __init__(self, root: Any) -> None:
        self._levels: dict[str, dict[int, Level]] = {}  # by abstract list
        self._lists: dict[str, tuple[str, dict[int, int]]] = {}  # list -> (abstract list, starts of its own)
        self._counts: dict[str, list[int | None]] = {}
        self._begun: set[str] = set()
        for element in root if root is not None else ():
            tag = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
            if tag == "abstractNum":
                levels = {_int(_get(level, "ilvl")): _level(level) for level in _children(element, "lvl")}
                self._levels[_get(element, "abstractNumId")] = levels
            elif tag == "num":
                starts = {
                    _int(_get(override, "ilvl")): _int(_get(start, "val"))
                    for override in _children(element, "lvlOverride")
                    for start in _children(override, "startOverride")
                }
                abstract = next((_get(child, "val") for child in _children(element, "abstractNumId")), "")
                self._lists[_get(element, "numId")] = (abstract, starts)

    def label(self, list_id: str, depth: int) -> str:
        """What stands before the list's next paragraph: "-" for a bullet, "" where nothing is shown."""
        abstract, starts = self._lists.get(list_id, ("", {}))
        levels = self._levels.get(abstract, {})
        level = levels.get(depth)
        if level is None:
            return ""
        counts = self._counts.setdefault(abstract, [None] * 10)
        if starts and list_id not in self._begun:  # a list of its own in the same style begins anew
            counts[:] = [None] * 10
        self._begun.add(list_id)
        count = counts[depth]
        counts[depth] = starts.get(depth, level.start) if count is None else count + 1
        counts[depth + 1 :] = [None] * (9 - depth)
        if level.form == "bullet":
            return "-"
        return "" if level.form == "none" else _place.sub(lambda found: self._number(levels, counts, found), level.text)

    def _number(self, levels: dict[int, Level], counts: list[int | None], found: re.Match[str]) -> str:
        depth = int(found[1]) - 1
        level = levels.get(depth)
        if level is None or depth < 0:
            return ""
        number = counts[depth] if counts[depth] is not None else level.start
        return _FORMS.get(level.form, str)(number) if number and 0 < number < 10_000 else str(number)


def _level(element: Any) -> Level:
    value = {
        tag: next((_get(child, "val") for child in _children(element, tag)), "")
        for tag in ("start", "numFmt", "lvlText")
    }
    return Level(_int(value["start"], 1), value["numFmt"] or "decimal", value["lvlText"])


def _children(element: Any, tag: str) -> list[Any]:
    return [child for child in element if isinstance(child.tag, str) and child.tag.rpartition("}")[2] == tag]


def _get(element: Any, name: str) -> str:
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _int(value: str, default: int = 0) -> int:
    return min(int(value), 10_000) if value.isdecimal() else default
