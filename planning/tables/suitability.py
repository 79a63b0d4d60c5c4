"""What a row is for, where a cell tells a stretch of ages or of people: "classes for a 5-year-old", “五岁的孩子”."""

from __future__ import annotations

import re

from planning.tables.conditions import Conditions
from planning.tables.items import Item
from planning.tables.names import Meaning, TableNames
from planning.tables.spec import Condition
from tables.cells import CellNumber, han_value
from tables.numerals import CARDINALS

_word = "|".join(sorted(CARDINALS, key=len, reverse=True))
_number = rf"(?P<n>\d{{1,3}}|{_word})"
_who = r"(?:child(?:ren)?|kids?|boys?|girls?|sons?|daughters?|toddlers?|pupils?|students?)"
_ages = [
    re.compile(
        rf"(?:(?:suitable|right|good|appropriate|meant|made|open|okay|ok)\s(?:for\s)?)?(?:(?:an?|my|our|the)\s)?"
        rf"{_number}[\s-]years?[\s-]olds?(?:\s{_who})?(?![a-z])"
    ),
    re.compile(rf"(?:{_who}\s)?(?:aged?|of age)\s{_number}(?![\d.a-z])(?!\s?(?:-|to\b|and\b|or\b))"),
    re.compile(rf"{_who}\sof\s{_number}(?![\d.a-z])(?!\s?(?:-|to\b|and\b|or\b))"),
    re.compile(
        r"(?P<n>\d{1,3}|[一二两三四五六七八九十]{1,3})周?岁(?:半)?(?!以|及|或|[-—~至到])"
        r"(?:大)?的?(?:小孩子|小孩|孩子|小朋友|儿童|宝宝|宝贝|娃娃|娃|学生|女儿|儿子|男孩|女孩|老人|人)?"
    ),
]
_people = [
    re.compile(rf"{_number}\s(?:people|persons|players|guests)(?![a-z])"),
    re.compile(r"(?P<n>\d{1,3}|[一二两三四五六七八九十]{1,3})(?:个人|人|位)"),
]
_FORMS = {"岁": _ages, "人": _people}


def fitting_item(lower: str, start: int, names: TableNames) -> Item | None:
    """The age or the number of people that begins at a place of a folded question in lower case, where a table tells
    for which a row is."""
    if not names.fits or (start and lower[start - 1].isascii() and lower[start - 1].isalnum()):
        return None
    for unit, column in names.fits.items():
        found = next((match for form in _FORMS[unit] if (match := form.match(lower, start))), None)
        if found is not None and (value := _value(found["n"])) is not None:
            meant = (Meaning("column", 0.7, column),)
            return Item("fits", start, found.end(), found[0], meant, CellNumber(value, unit))
    return None


def _value(text: str) -> float | None:
    return float(text) if text.isdecimal() else CARDINALS.get(text) or han_value(text)


def take_fits(c: Conditions) -> None:
    """Whatever else names the column says no more."""
    for at, item in enumerate(c.items):
        if item.kind != "fits":
            continue
        assert item.number is not None
        column = item.meanings[0].column
        c.used |= {at} | {
            n for n, one in enumerate(c.items) if one.kind == "column" and one.meanings[0].column == column
        }
        c.found.append((at, Condition(column, "allows", (int(item.number.value),))))
