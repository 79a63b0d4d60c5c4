"""What tells files of one kind apart beside their words: numbers, letters, months, seasons, how far they have come.

Each has one form for both languages: "June", 六月 and 0614 are one month, "final" and 定稿 one stage.
"""

from __future__ import annotations

import re
from functools import lru_cache

from planning.folding import folded, normal
from planning.numerals import whole_number

_STAGES = {  # how far a document has come, or what time of the year it is of
    "final": re.compile("(?<![a-z])(?:final|approved)(?![a-z])|终稿|定稿|最终|已批准"),
    "draft": re.compile("(?<![a-z])draft|草稿|初稿|草案"),
    "changed": re.compile("(?<![a-z])(?:amended|revised|updated)(?![a-z])|(?:修订|修正|修改|更新)(?!之?前)"),
    "edited": re.compile("(?<![a-z])edited(?![a-z])|(?<![没未])(?:剪辑|编辑|剪过|改过)"),
    "raw": re.compile("(?<![a-z])(?:raw|unedited|original)(?![a-z])|原始|[没未]剪|原稿|(?:修订|修正|修改|更新)之?前"),
    "signed": re.compile("(?<![a-z])(?:signed|executed)(?![a-z])|已签|签(?:了|过|好)(?:[字名])?|签[字名]"),
    "spring": re.compile("(?<![a-z])spring(?![a-z])|春"),
    "summer": re.compile("(?<![a-z])summer(?![a-z])|夏"),
    "autumn": re.compile("(?<![a-z])(?:autumn|fall)(?![a-z])|秋"),
    "winter": re.compile("(?<![a-z])winter(?![a-z])|冬"),
}
_SEASONS = frozenset("spring summer autumn winter".split())
_OPPOSED = ({"final", "draft"}, {"edited", "raw"}, {"changed", "raw"}, {"signed", "draft"}, _SEASONS)
_MONTHS = "january february march april may june july august september october november december".split()
_latin_month = "|".join(f"{month[:3]}(?:{month[3:]})?" for month in _MONTHS)
_month = re.compile(
    rf"(?<![a-z])(?P<en>{_latin_month})(?![a-z])|(?<![0-9])(?P<zh>1[0-2]|0?[1-9]|[一二三四五六七八九十]{{1,2}})月份?"
)
_day = re.compile(  # 2024-06-14, 0614, 2024.06
    r"(?<![0-9])(?:(?:19|20)[0-9][0-9][-_.]?(0[1-9]|1[0-2])(?:[-_.]?([0-3][0-9]))?|(0[1-9]|1[0-2])([0-2][0-9]|3[01]))"
    "(?![0-9])"
)
_quarter = re.compile(
    r"(?<![a-z])q(?P<q>[1-4])(?![0-9])|(?P<ordinal>first|second|third|fourth|1st|2nd|3rd|4th) quarter(?![a-z])"
    "|(?P<zh>[一二三四1-4])季度"
)
_years = re.compile(  # a school year: 2024-25, 24-25, 2024/2025
    r"(?<![0-9])(?:20)?(?P<first>[1-3][0-9])[-/\u2013_](?:20)?(?P<next>[1-3][0-9])(?![0-9]|[-/.][0-9])"
)
_short_year = re.compile("(?<![0-9])[1-3][0-9](?=年(?!级)|[级届](?![0-9]))")  # 24年, 23级
_ordinal = re.compile(
    "第(?P<count>[一二三四五六七八九十]{1,3})|(?P<of>[一二三四五六七八九十]{1,3})(?=[号期集棚栋](?!文|件|线))"
)
_number = re.compile("[0-9]+")
_letter = re.compile(r"(?<![a-z'])[a-z](?![a-z])")  # quote A, quote B


Mark = tuple[str, str]


@lru_cache(maxsize=20_000)
def marks(text: str) -> frozenset[Mark]:
    """(kind, mark) of each that a phrase or a name has."""
    plain = folded(normal(text))
    found = {("stage", stage) for stage, words in _STAGES.items() if words.search(plain)}
    found |= {("letter", one) for one in _letter.findall(plain)}
    for years in _years.finditer(plain):
        if int(years["next"]) == int(years["first"]) + 1:
            found.add(("years", years["first"]))
            plain = plain.replace(years[0], " ")
    found |= {("number", str(whole_number(one["count"] or one["of"]))) for one in _ordinal.finditer(plain)}
    plain = _short_year.sub(lambda year: f"20{year[0]}", plain)
    for day in _day.finditer(plain):
        found |= {("month", str(int(day[1] or day[3]))), ("number", str(int(day[2] or day[4] or 0)))}
    found |= {("quarter", _quarter_of(one)) for one in _quarter.finditer(plain)}
    found |= {("month", str(_of_year(month))) for month in _month.finditer(plain)}
    return frozenset(found | {("number", one.lstrip("0") or "0") for one in _number.findall(_month.sub(" ", plain))})


def _of_year(month: re.Match[str]) -> int:
    if month["zh"]:
        return whole_number(month["zh"])
    return [one[:3] for one in _MONTHS].index(month["en"][:3]) + 1


def _quarter_of(found: re.Match[str]) -> str:
    if found["ordinal"]:
        return str("fi se th fo 1s 2n 3r 4t".split().index(found["ordinal"][:2]) % 4 + 1)
    return found["q"] or str(whole_number(found["zh"]))


def stages_in(words: str, name: str) -> list[tuple[int, int]]:
    """Where words tell a stage that a name has."""
    its = _of("stage", marks(name))[0]
    return [found.span() for stage in its if (found := _STAGES[stage].search(words))]


def contradict(words: str, name: str) -> bool:
    """Whether words say a month or number that a name has not, or another letter or stage: 四月 is not 0312."""
    said, its = marks(words), marks(name)
    if any(kind in ("month", "quarter", "number", "years") for kind, _ in said - its):
        return True
    letters, stages = _of("letter", said, its), _of("stage", said, its)
    if letters[0] and letters[1] and letters[0].isdisjoint(letters[1]):
        return True
    return any(stages[0] & two and stages[1] & two and stages[0].isdisjoint(stages[1]) for two in _OPPOSED)


def _of(kind: str, *sets: frozenset[Mark]) -> list[set[str]]:
    return [{mark for its, mark in one if its == kind} for one in sets]
