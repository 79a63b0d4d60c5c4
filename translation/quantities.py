"""Numbers of a question in the other language: 60,000 is 6万 and 六万, 百分之三十 is 30, and a yuan is 元."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from schema import Alternative, Language, TermGroup
from tables.numbers import SCALES, UNITS, Quantity, numbers
from tables.numerals import CARDINALS, GROUPS, chinese_numeral
from text import CJK, search_tokens
from translation.dictionary import Dictionary
from translation.glossary import characters_of

_WEIGHT = 0.5  # of a number or unit: a rule about more than 50,000 answers a question about 60,000
_LONGEST_NAME = 24  # characters
_LONGEST = 10**12  # no larger number is written out
_YEARS = range(1900, 2100)
_cjk = re.compile(f"[{CJK}]")
_unit = re.compile(r"\s?-?(?P<unit>[a-z]+|个百分点|百分点|[\u4e00-\u9fff]{1,2})", re.IGNORECASE)
_figures = re.compile(r"[\d,.]+")
_ordinal = re.compile(r"第|.*(?:st|nd|rd|th|first|second|third)\Z", re.IGNORECASE)
_WORDS = {value: word for word, value in CARDINALS.items()}
_NAMES: dict[str, list[str]] = {}  # of each unit, in words
for _name, _one in UNITS.items():
    if _name.isalpha() and (len(_name) > 1 or not _name.isascii()):
        _NAMES.setdefault(_one, []).append(_name)


class QuantityTerm(NamedTuple):
    """What stands from one offset of a question to another: a number, its unit, or the name of a month."""

    start: int
    end: int
    group: TermGroup
    translated: bool  # False for a number, which says the same in both languages


def quantity_terms(folded: str, language: Language, dictionary: Dictionary) -> Iterator[QuantityTerm]:
    """The numbers of a folded question in this language, each with the unit that stands behind it. What counts in an
    order, as 第三, is a word like others."""
    for found in numbers(folded):
        said = folded[found.start : found.end]
        if _ordinal.match(said) or _begins_a_name(folded, found, dictionary):
            continue
        unit = _unit.match(folded, found.end)
        name, end = _unit_name(unit["unit"], unit.start("unit")) if unit else ("", 0)
        if name == "月" and (group := _month(int(found.value), dictionary)):
            yield QuantityTerm(found.start, end, group, True)
            continue
        known = UNITS.get(name, "") if UNITS.get(name) == found.unit else ""
        forms = _in_english(found) if language == "zh" else _in_chinese(found, known)
        alternatives = {one.tokens: one for one in [*_as_written(said), *forms]}
        yield QuantityTerm(found.start, found.end, TermGroup((*alternatives.values(),), _WEIGHT, said.strip()), False)
        if known and not (known == "year" and found.value in _YEARS):
            yield QuantityTerm(found.end, end, _names(name, known, language), True)


def _begins_a_name(folded: str, number: Quantity, dictionary: Dictionary) -> bool:
    """Of 五年计划 and "seven seas": an entry that goes on behind the number and its unit."""
    rest = folded[number.start : number.start + _LONGEST_NAME]
    length = number.end - number.start
    if _cjk.match(rest):
        return any(dictionary.has(rest[:size]) for size in range(length + 2, len(rest) + 1))
    terms = search_tokens(rest) if rest[0].isalpha() else []
    least = len(search_tokens(rest[:length])) + 1
    return any(dictionary.knows(" ".join(terms[:size])) for size in range(least, min(least + 2, len(terms) + 1)))


def _as_written(said: str) -> Iterator[Alternative]:
    """In figures: they are the same in both languages."""
    if _figures.fullmatch(said):
        yield Alternative((search_tokens(said)[-1],), 1.0)


def _unit_name(said: str, start: int) -> tuple[str, int]:
    """The longest unit that the words behind a number begin with, and where it ends; "" for none."""
    sizes = range(len(said), 0, -1) if _cjk.match(said) else (len(said),)
    size = next((size for size in sizes if said[:size].lower() in UNITS), 0)
    return said[:size].lower(), start + size


def _month(number: int, dictionary: Dictionary) -> TermGroup | None:
    """6月 is June, as 六月 is."""
    name = f"{chinese_numeral(number)}月" if 1 <= number <= 12 else ""
    found = dictionary.english(name)
    return TermGroup(found, term=name) if found else None


def _names(name: str, unit: str, language: Language) -> TermGroup:
    """A unit by all its names in the other language."""
    wanted = [one for one in _NAMES.get(unit, ()) if bool(_cjk.match(one)) == (language == "en")]
    found = {tokens: one for one in wanted if (tokens := (*dict.fromkeys(search_tokens(one)),))}
    return TermGroup(tuple(Alternative(tokens, 1.0, one) for tokens, one in found.items()), _WEIGHT, name)


def _in_english(number: Quantity) -> Iterator[Alternative]:
    """In figures, with "thousand" or "million", and small ones in words."""
    figures, value = f"{number.value:.12g}", number.value
    yield Alternative((figures,), 1.0)
    for scale, size in SCALES.items():
        if size > 100 and size <= value < 1000 * size and value % (size / 100) == 0:
            said = f"{value / size:g}"
            yield Alternative((said, *search_tokens(scale)), 1.0, f"{said} {scale}")
    if value in _WORDS:
        word = _WORDS[int(value)]
        yield Alternative((*search_tokens(word),), 1.0, word)
    elif 20 < value < 100 and value == int(value):
        tens, ones = _WORDS[int(value) // 10 * 10], _WORDS[int(value) % 10]
        yield Alternative((*search_tokens(f"{tens} {ones}"),), 1.0, f"{tens}-{ones}")


def _in_chinese(number: Quantity, unit: str) -> Iterator[Alternative]:
    """In figures, with 万 or 亿, and in numerals, with 百分之 for a share. The unit behind a number may be one word
    with it, as 万元 and 三年."""
    value, names = number.value, [one for one in _NAMES.get(unit, ()) if _cjk.match(one)]
    measures = [*names[:2], ""]
    yield Alternative((f"{value:.12g}",), 1.0)
    for sign, size in GROUPS.items():
        if size <= value < 10_000 * size and value % (size / 100) == 0:
            figures = f"{value / size:g}"
            for measure in measures:
                said = f"{figures}{sign}{measure}"
                yield Alternative((*dict.fromkeys(search_tokens(said)),), 1.0, said)
    if value != int(value) or value >= _LONGEST:
        return
    numeral = chinese_numeral(int(value))
    if number.unit == "%":
        yield Alternative(characters_of(f"百分之{numeral}"), 1.0, f"百分之{numeral}")
    elif len(numeral) > 1:
        yield Alternative(characters_of(numeral), 1.0, numeral)
    else:
        for measure in measures:
            for sign in ("二", "两") if numeral == "二" else (numeral,):
                yield Alternative(characters_of(sign + measure), 1.0, sign + measure)
    if value in _YEARS:
        by_figures = "".join(chinese_numeral(int(figure)) for figure in str(int(value))).replace("零", "〇")
        yield Alternative(characters_of(by_figures), 1.0, by_figures)
