"""Stretches of whole numbers as cells tell them: 6-12岁, 8岁以上, ages 6 to 12, under 5, 18+."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from tables.cells import plain

_MOST = 1_000_000  # of a stretch without an end
_unit = r"(?:\s?(?:周?岁|years?(?: old)?|yrs?|人|名|位|people|persons?|players?|guests?))?"
_before = r"(?:ages?\s|aged\s|适合|年龄)?\s?"
_forms = [
    (
        re.compile(rf"{_before}(?P<low>\d{{1,4}}){_unit}\s?(?:-|—|~|to|至|到|and)\s?(?P<high>\d{{1,4}}){_unit}"),
        (0, 0),
    ),
    (
        re.compile(
            rf"{_before}(?:from\s|over\s|at least\s|min\.?\s|满|≥\s?)?(?P<low>\d{{1,4}}){_unit}\s?"
            r"(?:\+|及?以上|起|and (?:up|over|above|older)|or (?:over|older|more)|plus|upwards?)"
        ),
        (0, 0),
    ),
    (re.compile(rf"{_before}(?:from\s|at least\s|min\.?\s|满|≥\s?)(?P<low>\d{{1,4}}){_unit}"), (0, 0)),
    (re.compile(rf"{_before}over\s(?P<low>\d{{1,4}}){_unit}"), (1, 0)),
    (
        re.compile(
            rf"{_before}(?P<high>\d{{1,4}}){_unit}\s?(?:及?以下|以内|and (?:under|below|younger)|or (?:under|younger))"
        ),
        (0, 0),
    ),
    (re.compile(rf"{_before}(?:up to|until|max\.?|at most|≤)\s?(?P<high>\d{{1,4}}){_unit}"), (0, 0)),
    (re.compile(rf"{_before}(?:under|below|<)\s?(?P<high>\d{{1,4}}){_unit}"), (0, -1)),
    (re.compile(rf"{_before}(?P<low>\d{{1,4}})(?P<same>){_unit}"), (0, 0)),
]
_ages = re.compile(r"岁|\byears?\b|\byrs?\b|\bages?\b|\baged\b|年龄", re.IGNORECASE)
_people = re.compile(
    r"[人名位]|\b(?:people|persons?|players?|guests?|serves|servings|group size|party size)\b", re.IGNORECASE
)
_every = re.compile(r"不限|不限年龄|年龄不限|all ages|any(?: age)?|everyone|全年龄")


@lru_cache(maxsize=20_000)
def range_of(text: str) -> tuple[int, int] | None:
    """The least and the greatest number that a cell allows; None for what is no such stretch."""
    text = plain(text)
    if len(text) > 40:
        return None
    if _every.fullmatch(text):
        return 0, _MOST
    for form, (more, less) in _forms:
        if found := form.fullmatch(text):
            groups = found.groupdict()
            low = int(groups.get("low") or 0) + more
            high = low if "same" in groups else int(groups.get("high") or _MOST) + less
            return (low, high) if low <= high else None
    return None


def holds(text: str, number: float) -> bool | None:
    """Whether a number lies in the stretch that a cell tells; None where it tells none."""
    found = range_of(text)
    return found[0] <= number <= found[1] if found else None


def counted_in(title: str, texts: Iterable[str]) -> str:
    """What stretches are of, told by a column's head or its cells: "岁", "人", or "" for what nothing says."""
    said = [title, *texts]
    if any(map(_ages.search, said)):
        return "岁"
    return "人" if any(map(_people.search, said)) else ""


def is_wide(text: str) -> bool:
    """Whether a cell tells more than one number."""
    found = range_of(text)
    return found is not None and found[0] < found[1]
