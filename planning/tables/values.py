"""What the cells of a column may be called in a question: in short, by a part, not yet, by a name alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from planning.tables.doers import doers
from planning.tables.operators import GENDERS, PEOPLE, tokens
from planning.tables.periods import period_at
from planning.tables.senses import translations
from planning.tables.short_names import short_names
from tables.cells import UNITS
from tables.weekdays import are_weekdays, weekday_names
from text import STOP_WORDS

MOST_TRANSLATED = 60  # different values of a column that are translated, or done by somebody
_not_yet = re.compile(r"^(?:待|未|尚未|等待)(?=..)")
_NOT_YET = "待 未 尚未 没 没有 还没 还没有 还未 等待 等着".split()
_suffix = re.compile(r"(?<=..)(?:部门|[部省市店组区县科室类]|公司)$")
_SENTENCE = 5  # words of a cell that says what happened, and is not called by one of them
_MOSTLY = 0.7
_LEAST = 4  # letters of a part that says enough
_LEAST_OF_NAME = 2  # of what somebody is called: "Ana", "Bo"
_of_people = re.compile(
    r"\b(?:name|who|guest|volunteer|coach|patient|tenant|host|[a-z]{3,}(?:er|or|ee|ist|ant|ent))s?$"
    r"|[^个每]人员?$|[^人成委会]员$|者$|师$|经理$|姓名$",
    re.IGNORECASE,
)
_full_name = re.compile(r"[A-Z][\w'’-]*(?: (?:[A-Z]\.|[A-Z][\w'’-]*)){1,3}")
_han_name = re.compile("[\u4e00-\u9fff]{3}")  # of which two are what friends say
_STOPS = frozenset(tokens(word) for word in STOP_WORDS)
_units = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_quantity = re.compile(rf"(?<=\S\S)\s*[x×*]?\s?\d+(?:\.\d+)?\s?(?:{_units})$", re.IGNORECASE)


def is_personal(title: str, concepts: Mapping[str, float]) -> bool:
    """Whether a column tells of people, by its name alone."""
    return bool(concepts.keys() & PEOPLE) or _of_people.search(title) is not None


def are_full_names(values: Iterable[str]) -> bool:
    """Whether most of them are written as people are called: "Mia Holt"."""
    listed = [*values]
    named = sum(_full_name.fullmatch(value) is not None for value in listed)
    return named > _MOSTLY * len(listed)


def called_values(values: Iterable[str], column: str, personal: bool) -> Iterator[tuple[tuple[str, ...], str, float]]:
    """Phrases, with the cell that each stands for and how well."""
    listed = [*values]
    if are_weekdays(listed):
        yield from ((tokens(name), value, 0.95) for value in listed for name in weekday_names(value))
    lower = {value.lower() for value in listed}
    begins: dict[tuple[str, ...], list[str]] = {}
    ends: dict[tuple[str, ...], list[str]] = {}  # "chairs", of "Office chair"
    for value in listed:
        whole = tokens(value)
        yield whole, value, 1.0
        least = _LEAST_OF_NAME if personal and _full_name.fullmatch(value) else _LEAST
        words = value.lower().split()
        for parts, part, word in ((begins, whole[:1], words[:1]), (ends, whole[-1:], words[-1:])):
            if word and period_at(word[0], 0) is not None:  # "October" is the month, and not "October rent"
                continue
            if 1 < len(whole) < _SENTENCE and part[0].isalpha() and len(part[0]) >= least and part not in _STOPS:
                parts.setdefault(part, []).append(value)
        if (bare := _quantity.sub("", value)) != value:  # "Milk 60 l" and "Milk 50 l" are both milk
            yield tokens(bare), value, 0.85
        if personal and _han_name.fullmatch(value):
            ends.setdefault(whole[1:], []).append(value)
        if not value.isascii() and (short := _suffix.sub("", value)) != value:
            yield tokens(short), value, 0.9
            yield tokens(short + column), value, 0.95
        if not value.isascii():
            yield tokens(value + "费"), value, 0.8  # “差旅费”, where the table writes 差旅
            if (begun := _not_yet.sub("", value)) != value:  # “还没审批” of 待审批
                yield from ((tokens(word + begun), value, 0.85) for word in _NOT_YET)
            if (done := value.removeprefix("已").removeprefix("被")) != value and len(done) > 1:
                yield tokens(done), value, 0.8  # “驳回的”, “被驳回的”
                yield tokens("已经" + done), value, 0.95
                yield tokens("被" + done), value, 0.85
        if value.lower() in GENDERS and len(lower) <= 3:
            yield from ((tokens(phrase), value, 0.9) for phrase in GENDERS[value.lower()].split("|"))
        if len(listed) <= MOST_TRANSLATED:
            yield from ((one, value, 0.6) for one in translations(value) if len(one) > 1 or one[0].isascii())
    if not personal:
        yield from ((part, value, 0.7) for part, value in short_names(listed, column))
    doing = doers(listed, column) if len(listed) <= MOST_TRANSLATED else {}
    for part, called in [*begins.items(), *ends.items(), *doing.items()]:
        if len(called) == 1:
            yield part, called[0], 0.7
