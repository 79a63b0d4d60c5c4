"""What is asked for by the title of a section: "What was the root cause?", “什么时候交货？” under “第三条 交货”."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from evaluation.answer_reading import Array
from evaluation.answer_types import AnswerType, asks_whether, expected_of_titles, expected_types, holds
from evaluation.blocks import SourceUnit
from evaluation.counted_nouns import raised
from evaluation.steps import heading_of
from question_words import asks_how_to, question_terms

# Times as likely, under a word of the question, under several (below a title), and under all of them: that comes first.
_PART, _SEVERAL, _WHOLE = 10.0, 100.0, 10_000.0
_CHANGES = 1e6
_KIND_NOUNS: Mapping[AnswerType, str] = {  # in a title they say what its section tells, and not what of
    "time": "dates date times time when schedule 日期 时间 日程 期限 有效期",
    "duration": "duration length period term 期限 时长 时间",
    "place": "places place locations location venue where address 地点 地址 场地 位置",
    "number": "prices price costs cost fees fee amount 费用 价格 金额 收费",
    "contact": "contacts contact phone 联系方式 联系 电话",
    "person": "who contacts contact people team 负责人 联系人",
}
_number = re.compile(  # of a section: “第三条”, “二、”, "4.1"
    r"\A\s*(?:第[〇零一二三四五六七八九十百\d]{1,6}(?:部分|[条章节款篇部项])|[（(]?[一二三四五六七八九十]{1,3}[）)、.．]"
    r"|\d{1,3}(?:\.\d{1,3}){0,4}(?:[.、)）]|(?=\s)))\s*"
)
_asks_changes = re.compile(
    r"\bwhat(?:'s| is| has| have| was| were)? (?:been )?(?:changed?|new|different)\b|\bwhat (?:are|were) the changes\b"
    r"|有(?:什么|哪些|啥)(?:变化|变动|改动|不同|区别|更新)|[改变更]了(?:什么|哪些|啥)",
    re.IGNORECASE,
)
_of_change = re.compile(r"\bchange(?:s|log)?\b|\bwhat['’]s new\b|变更|变化|变动|改动|不同|修订记录|更新", re.IGNORECASE)
_version = re.compile(r"(?<![\d.])\d++(?:\.\d++)++")


def section_asked_for(question: str, units: Sequence[SourceUnit]) -> list[int]:
    """The places of the units in the first section whose own title says what the question does, and no more. Empty
    where something in particular is asked for: a number, a time, a person, whether, how."""
    if expected_types(question) - {"reason"} or asks_whether(question) or asks_how_to(question):
        return []
    asked = {*question_terms(question)}
    titles = {heading: _terms_of(_title_of(heading)) for heading in dict.fromkeys(map(heading_of, units))}
    named = next((one for one in units if one.answers and titles[heading_of(one)] == asked), None)
    named = named or _of_changes(question, units)
    if named is None or len(titles) == 1:  # the title of all that was found tells nothing apart
        return []
    section = named.hit, heading_of(named)
    return [i for i, one in enumerate(units) if one.answers and (one.hit, heading_of(one)) == section]


def _of_changes(question: str, units: Sequence[SourceUnit]) -> SourceUnit | None:
    """What changed stands under such a title, unless one says the version itself, as in a list of releases."""
    if not _asks_changes.search(question):
        return None
    versions = _version.findall(question)
    if any(version in title for one in units for title in one.headings for version in versions):
        return None
    return next((one for one in units if one.answers and _of_change.search(_title_of(heading_of(one)))), None)


def with_titles(question: str, units: Sequence[SourceUnit], shares: Array) -> Array:
    """What holds something of the kind that is asked for is likelier in a section whose title says nothing but words of
    the question, or only names the kind; the title of a whole document, where it has others, tells nothing."""
    if (changes := _of_changes(question, units)) is not None:
        under = [one.hit == changes.hit and one.headings == changes.headings for one in units]
        return raised(shares, under, _CHANGES)
    kinds = frozenset(expected_of_titles(question) & _KIND_NOUNS.keys())
    asked = frozenset(question_terms(question)) if kinds else frozenset()
    if not asked or asks_whether(question) or asks_how_to(question):
        return shares
    headings = dict.fromkeys(map(heading_of, units))
    titles = {heading: _share_said(heading, asked, kinds) for heading in headings}
    several = {heading: len(_terms_of(_title_of(heading)) & asked) > 1 for heading in headings}
    factors = [_SEVERAL if several[heading_of(unit)] and len(unit.headings) > 1 else _PART for unit in units]
    least = 2 if any(len(unit.headings) > 1 for unit in units) else 1

    def said(unit: SourceUnit) -> float:
        titled = titles[heading_of(unit)] if unit.answers and len(unit.headings) >= least else 0.0
        return titled if titled and any(holds(kind, unit.text) for kind in kinds) else 0.0

    told = np.array([said(unit) for unit in units])
    if not (shares[told > 0] > 0).any():
        return shares
    weighted = np.where(told > 0, factors, 1.0) * shares
    whole = told == 1
    if weighted[whole].any():
        best = weighted[~whole].max(initial=0.0)
        weighted[whole] *= max(_WHOLE * best / weighted[whole].max(), 1.0)
    return np.asarray(weighted / weighted.sum())


def _share_said(heading: str, asked: frozenset[str], kinds: frozenset[AnswerType]) -> float:
    """How much of the question a title says that says nothing else; half of it where it only names the kind."""
    title = _title_of(heading)
    left = _kind_nouns(kinds).sub(" ", title.lower())
    terms = _terms_of(left)
    if not title or not terms <= asked or (not terms and left == title.lower()):
        return 0.0
    return len(terms) / len(asked) if terms else 0.5


@lru_cache(maxsize=64)
def _kind_nouns(kinds: frozenset[AnswerType]) -> re.Pattern[str]:
    nouns = [noun for kind in sorted(kinds) for noun in _KIND_NOUNS[kind].split()]
    return re.compile("|".join(rf"\b{noun}\b" if noun.isascii() else noun for noun in nouns))


def _title_of(heading: str) -> str:
    return without_number(heading.rpartition(" > ")[2])


def without_number(title: str) -> str:
    """A title without its number: “第三条 租金” says 租金."""
    return _number.sub("", title)


def _terms_of(title: str) -> set[str]:
    return {term for term in question_terms(title) if not term.isdigit()} if title.strip() else set()
