"""How Chinese words fit the name of a stored file: piece by piece, by what its name has, or means."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from planning.document_words import (
    KIND_OF,
    SUBJECT_OF,
    VAGUE,
    NameWords,
    by_extension,
    loosely_of_kind,
    month_subject,
    simple,
)
from planning.name_meanings import means_in_latin
from planning.numerals import whole_number

_NONE: frozenset[int] = frozenset()
NOUNS = sorted((word for word in KIND_OF if not word.isascii()), key=len, reverse=True)  # for kinds of documents
DATE = re.compile(
    r"(?P<month>[0-9]{1,2}|[一二三四五六七八九十]{1,2})月份?"
    r"(?:(?P<day>[0-9]{1,2}|[一二三四五六七八九十]{1,3}(?=[日号]))[日号]?)?"
)
_COMMON = re.compile(
    "^(?:公司|集团|部门|单位|学校|医院|国家|政府|我们|一般|有关|相关|[这那该新旧一每各某本个份多几哪]|什么|所有|全部|年度?)+$"
)
_KINDS = {noun: KIND_OF[noun] for noun in NOUNS}
_KIND_WORDS = frozenset(KIND_OF)
_SIZES = sorted({len(noun) for noun in NOUNS})
_BEGUN = {noun[0]: [one for one in NOUNS if one[0] == noun[0] and len(one) > 1] for noun in NOUNS}
_SORTS = frozenset("单表书册函稿")  # of documents, at the end of a word for one
_any_file = re.compile("文件|文档|资料|材料|东西")
_latin = re.compile("[a-z]+[0-9]+|[a-z]+|[0-9]+")
_numbered = re.compile(
    "第?(?P<number>[0-9]{1,4}|[一二三四五六七八九十]{1,3})(?P<unit>季度|[周期季版届批轮章卷册号稿次])"
)  # 第八周
_UNITS = {"版": ("v", "rev", "version", "edition"), "稿": ("draft", "v", "rev"), "轮": ("round",), "周": ("week", "w")}
_version = re.compile("v?([0-9]{1,3}(?:[.][0-9]{1,3}){1,3})(?:版本?)?")
_last_year = re.compile("(?:去年|今年|前年|当年)(?=[0-9一二三四五六七八九十])")
_year = re.compile("(?P<year>(?:(?:19|20))?[0-9]{2})年度?(?![前后间内级])")
_last_latin = re.compile("(?<![a-z0-9])[a-z]+$")
_filler = re.compile(
    r"[的与和之及\-_ ]+|[那这]一?[次回场]的?|(?:有关|相关|方面)的?"
    r"|(?:签|写|发|给|买|做|订|交|出)(?:订|署|来|过)?的|文件|文档|资料"
)


class HanFit(NamedTuple):
    """How well words fit a file: characters that its name has, whether of its own, whether they say its kind, and
    whether that is its very kind."""

    literal: int
    own: bool
    kind: bool
    exact: bool = True


@lru_cache(maxsize=4_000)
def fit_in_han(words: str, noun: str, its: NameWords) -> HanFit | None:
    """How the words fit a file's name, if they do: in pieces of two characters or more, or by what these mean."""
    words = _last_year.sub("", words.strip(), count=1)
    said = noun if noun and not _any_file.fullmatch(noun) else ""
    exact = not said or said in its.han or bool(KIND_OF.get(said, _NONE) & its.kinds)
    if not (exact or (words and loosely_of_kind(said, its))):
        return None
    last = _last_latin.search(words)
    latin = last and KIND_OF.get(last[0], _NONE) & its.kinds
    kind = bool(said or latin) or any(_KINDS.get(words[-size:], _NONE) & its.kinds for size in _SIZES)
    if not words:
        return HanFit(0, False, kind) if kind else None
    if not noun and 1 < len(words) < 4 and _abbreviates(words, its):
        return HanFit(1, True, True)
    literal, own, at, after = 0, False, 0, 0  # `after`: where the last piece ends
    while at < len(words):
        if at and (filler := _filler.match(words, at)):
            after, at = filler.end() if after == at and filler[0].endswith("的") else after, filler.end()
            continue
        piece = _piece(words, at, its)
        sort = words[at:] in _SORTS and its.kinds <= by_extension  # 工资单 is salary.pdf
        if not piece and own and at == after and (sort or loosely_of_kind(words[at:], its)):  # 员工守则 is 员工手册
            kind, exact, at = True, False, len(words)
            continue
        if not piece:
            return None
        size, known = piece
        part = words[at : at + size]
        if not at and words[size : size + 1] in ("和", "与", "及", "跟") and KIND_OF.get(part, _NONE) & its.kinds:
            return None  # “规定和安全制度” are two
        literal += size * known
        special = known and part.isascii() and part not in VAGUE  # of an NDA there is one
        told = not (_COMMON.match(part) or KIND_OF.get(part, _NONE) & its.kinds)
        own = own or special or told
        at = after = at + size
    return HanFit(literal, own, kind, exact) if (own or kind) and (exact or own) else None


def _piece(words: str, at: int, its: NameWords) -> tuple[int, bool] | None:
    """(length, whether the name has it) of the longest piece from here on that the name has, or means."""
    if date := DATE.match(words, at):
        month = whole_number(date["month"])
        same = not (date["day"] and its.day) or its.day == f"{month}/{whole_number(date['day'])}"
        return (len(date[0]), False) if same and month_subject(month) & its.subjects else None
    if at and words[at:] == "会" and SUBJECT_OF["会议"] & its.subjects:  # 6月4号的会上
        return 1, False
    if (year := _year.match(words, at)) and not its.latin.isdisjoint({year["year"], f"20{year['year']}"}):
        return len(year[0]), True
    counted = _numbered.match(words, at)
    if counted and _counts(counted["unit"], whole_number(counted["number"]), its):
        return len(counted[0]), True
    if (version := _version.match(words, at)) and its.latin >= {*version[1].split(".")[1:]}:
        first = version[1].partition(".")[0]
        if not its.latin.isdisjoint({first, f"v{first}"}):  # 1.3版
            return len(version[0]), True
    if latin := _latin.match(words, at):
        word = simple(latin[0])
        if word in its.latin:
            return len(latin[0]), True
        means = KIND_OF.get(word, _NONE) & its.kinds or SUBJECT_OF.get(word, _NONE) & its.subjects
        return (len(latin[0]), False) if means else None
    special = its.latin - _KIND_WORDS
    for end in range(len(words), at, -1):
        piece = words[at:end]
        long = len(piece) > 1 or (at > 0 and end == len(words))
        if piece in its.han and (
            len(piece) > 1 or (long and (piece in KIND_OF or f"{its.han} ".find(f"{piece} ") > 0))
        ):
            return len(piece), True
        if KIND_OF.get(piece, _NONE) & its.kinds and long:
            return len(piece), False
        if SUBJECT_OF.get(piece, _NONE) & its.subjects and len(piece) > 1:
            return len(piece), False
        latin_words = its.latin if at and end == len(words) else special
        if latin_words and long and piece not in KIND_OF and means_in_latin(piece, latin_words):
            return len(piece), False
    return None


def _counts(unit: str, number: int, its: NameWords) -> bool:
    """Whether a name has a number of this unit: 第八周, and 第二版 of v2, 第三稿 of "draft 3"."""
    if unit in its.han:
        return str(number) in its.latin
    words = _UNITS.get(unit, ())
    return any(f"{word}{number}" in its.latin or (word in its.latin and str(number) in its.latin) for word in words)


def _abbreviates(words: str, its: NameWords) -> bool:
    """Whether single characters of the name make the words, the last one of its kind: 财报, 财务报告."""
    kind = any(word in its.han for word in _BEGUN.get(words[-1], ()))
    if words in its.han or not (kind or (words[-1] in KIND_OF and its.han.endswith(words[-1]))):  # 课表, 课程表
        return False
    return bool(re.search("[^ ]*?".join(map(re.escape, words)), its.han))


def fits_in_han(words: str, its: NameWords) -> bool:
    """Whether a file's name has, or means, each of these words."""
    fit = fit_in_han(words, "", its)
    return bool(fit and fit.kind and (fit.exact or its.kinds <= by_extension))
