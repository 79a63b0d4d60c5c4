"""What stored files may be called: the words of their names, and what kinds of documents are called in both languages.

A word and its translation are one idea: "the lease" is 租赁合同, 那个表格 is a file that ends in .xlsx.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from heapq import nlargest
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from planning.folding import folded, normal

_FOLDER = Path(__file__).with_name("phrases")
_EXTENSIONS = {
    "pdf": "pdf paper article 论文 文章",
    "xlsx": "spreadsheet sheet workbook table excel xlsx xls 表格 表 电子表格",
    "xls": "spreadsheet sheet workbook table excel xls 表格 表 电子表格",
    "csv": "spreadsheet sheet table csv 表格 数据 表",
    "tsv": "spreadsheet sheet table tsv 表格",
    "docx": "word docx",
    "doc": "word doc",
    "pptx": "slide deck presentation powerpoint ppt pptx 幻灯片 课件 演示文稿",
    "epub": "epub ebook 电子书",
    "html": "html webpage page 网页 页面",
    "htm": "html webpage page 网页 页面",
    "txt": "txt",
    "eml": "email mail 邮件",
}
# Kinds that people take for each other: who asks for the guide means the handbook where there is no guide.
_FAMILIES = (
    "handbook policy guideline charter process standard spec instruction checklist terms brochure white",
    "handbook guideline reference docs readme tutorial instruction runbook spec faq overview description paper book",
    "note minute record log journal memo brief summary",
    "spreadsheet list data form catalogue ledger budget record timesheet roster score",
    "plan roster timetable roadmap itinerary schedule",
    "report summary analysis postmortem assessment review survey result finding brief incident",
    "slide brochure overview pptx",
    "letter email notice memo announcement statement",
    "paper thesis draft review proposal essay",
)
MOST_LIKELY = 100
FILLERS = frozenset(
    "of the for on a an and to in by with from at my our file document doc one is it this that are be as".split()
)
# Kinds that mean a file only where the words say so: "by the rules" and 按规定 name none.
VAGUE = frozenset(
    "policy rule regulation plan schedule list result record form reference table figure number data summary overview"
    " law act review note"
    " term condition book finding notice minute protocol standard docs document documentation score grade mark"
    " log email"
    " mail correspondence order ticket issue script speech description process procedure analysis workflow statement"
    " account solution scheme forecast story brief assessment evaluation 策略 strategy 标准 说明 描述 流程"
    " 分析 文档 文件 资料 评价"
    " 评估 邮件 预测 调查 考核指标 规定 规则 办法 方案 计划 记录 数据 表 书 法 信 章 章节"
    " 条款 安排 结果 规划 名单 列表"
    " 日程 总结 规范 政策 目录 课程".split()
)
_MONTHS = "january february march april may june july august september october november december".split()
_month = "(?:" + "|".join(f"{month[:3]}(?:{month[3:]})?" for month in _MONTHS) + ")"
_day = "[0-3]?[0-9](?:st|nd|rd|th)?"
_day_of_month = rf"(?<![a-z0-9]){_month} {_day}(?![a-z0-9])|(?<![a-z0-9]){_day}(?: of)? {_month}(?![a-z])"
_quarter = "(?:first|second|third|fourth|1st|2nd|3rd|4th) quarter(?![a-z])"
_token = re.compile(
    f"{_day_of_month}|(?<![a-z]){_quarter}|(?<![a-z])(?:e-?(?:book|mail)|write-up)s?(?![a-z])"
    "|(?<![a-z])q ?& ?a(?![a-z])|[a-z]{3,}(?=(?:19|20)[0-9]{2}(?![a-z0-9]))"
    "|(?<![0-9])(?:19|20)[0-9]{2}(?=[qh][1-4](?![a-z0-9]))|[a-z]+[0-9][a-z0-9]*|[0-9]+[a-z]+[a-z0-9]*|[a-z]+|[0-9]+"
)
_ORDINALS = "fi se th fo 1s 2n 3r 4t".split()
_quarter_of_name = re.compile("(?:(?<![a-z0-9])|(?<=20[0-9][0-9]))q[1-4](?![0-9])|[一二三四1-4]季度")
_month_of_name = re.compile(
    "(?<![0-9])(?:(?:19|20)[0-9][0-9][-_.年]?(0[1-9]|1[0-2])(?:[-_.]?([0-3][0-9]))?|(0[1-9]|1[0-2])([0-2][0-9]"
    "|3[01]))(?![0-9])"
)
_han_month = re.compile("(?<![0-9])(1[0-2]|0?[1-9])月")
_year_of_name = re.compile("(?<![0-9])(?:19|20)[0-9][0-9](?![0-9])")
_fiscal_year = re.compile("fy(?:20)?([0-9]{2})")
_may_after = re.compile("(?<![a-z])(?:the|last|this|our|from|of|for|in|since|until|both) $")
_han = re.compile("[\u3400-\u9fff]+")


def simple(word: str) -> str:
    """A Latin word in the singular; 007 is 7, fy24 is 2024, and "June 4th" or "4 June" is 6/4."""
    if fiscal := _fiscal_year.fullmatch(word):
        return f"20{fiscal[1]}"
    if " " in word and (day := re.search("[0-9]+", word)) and (month := re.search(f"(?<![a-z]){_month}", word)):
        return f"{[one[:3] for one in _MONTHS].index(month[0][:3]) + 1}/{int(day[0])}"
    if word.isdigit():
        return word.lstrip("0") or "0"
    if "&" in word:  # q&a
        return "faq"
    if "-" in word:  # an e-mail, a write-up
        return simple(word.replace("-", ""))
    if word.endswith(" quarter"):
        return f"q{_ORDINALS.index(word[:2]) % 4 + 1}"
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ics")):
        return word[:-1]
    return word


def _groups(bank: str, first: int) -> dict[str, frozenset[int]]:
    groups: dict[str, set[int]] = {}
    lines = (_FOLDER / f"{bank}.txt").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, first):
        for word in () if line.startswith("#") else line.split():
            groups.setdefault(simple(word) if word.isascii() else word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in groups.items()}


KIND_OF = _groups("kinds", 0)
SUBJECT_OF = _groups("subjects", 1000)
for _number, _words in enumerate(_EXTENSIONS.values(), 2000):
    for _word in _words.split():
        KIND_OF[_word] = KIND_OF.get(_word, frozenset()) | {_number}
_OF_EXTENSION = {ending: frozenset({number}) for number, ending in enumerate(_EXTENSIONS, 2000)}
_NONE: frozenset[int] = frozenset()
_NO_WORDS: frozenset[str] = frozenset()
_kind_han = sorted((word for word in KIND_OF if not word.isascii()), key=len, reverse=True)
_subject_han = sorted((word for word in SUBJECT_OF if not word.isascii()), key=len, reverse=True)


def _families() -> dict[int, frozenset[int]]:
    """The kinds that are near each kind, itself among them."""
    near: dict[int, set[int]] = {}
    for family in _FAMILIES:
        numbers = {number for word in family.split() for number in KIND_OF[simple(word)]}
        for number in numbers:
            near.setdefault(number, set()).update(numbers)
    return {number: frozenset(numbers) for number, numbers in near.items()}


_near = _families()
MONTHS = _NONE.union(*(SUBJECT_OF[f"{month}月"] for month in range(1, 13)))
by_extension = _NONE.union(*_OF_EXTENSION.values())


class NameWords(NamedTuple):
    """A file's name without its extension in words: Latin ones in their simple form, Han as they stand.

    `kinds`, `subjects`: what these words mean in either language; `pairs`: two Han that stand together;
    `initials`: of the Latin words, as an SOW is a statement of work; `titled`: Latin words that only the file's
    title or first heading has, or its folder, whose Han stand in `han` too; `day`: "6/4" for meeting-0604, or "".
    """

    latin: frozenset[str]
    han: str
    kinds: frozenset[int]
    subjects: frozenset[int]
    pairs: frozenset[str]
    initials: str = ""
    titled: frozenset[str] = frozenset()
    day: str = ""

    @property
    def telling(self) -> frozenset[str]:
        """The Latin words that are no year, version or number."""
        return frozenset(
            word for word in self.latin if not word.isdigit() and word not in ("final", "v", "new", "copy", "edition")
        )


def loosely_of_kind(word: str, its: NameWords) -> bool:
    """Whether a word for a kind of document may stand behind words of this file's name: where it means a kind near the
    file's own, or the name tells none."""
    kinds = KIND_OF.get(word, _NONE)
    if not kinds:
        return False
    return its.kinds <= by_extension or any(not its.kinds.isdisjoint(_near.get(kind, _NONE)) for kind in kinds)


def latin_words(text: str) -> list[tuple[int, int, str]]:
    """(start, end, simple form) of the Latin words and numbers of folded text; single letters are none."""
    found = (one for one in _token.finditer(text) if len(one[0]) > 1 or one[0].isdigit())
    return [(*one.span(), _month_may(text, one.start()) if one[0] == "may" else simple(one[0])) for one in found]


def _month_may(text: str, start: int) -> str:
    """5月 for the month: "the May figures", "from May"; elsewhere the verb."""
    return "5月" if _may_after.search(text[max(0, start - 6) : start]) else "may"


def merged_words(words: Sequence[tuple[int, int, str]], text: str, known: frozenset[str]) -> list[tuple[int, int, str]]:
    """The words, two of them as one where a name writes them together: "on-call", "change log"."""
    merged: list[tuple[int, int, str]] = []
    for start, end, word in words:
        if merged and merged[-1][2] + word in known and text[merged[-1][1] : start] in (" ", "-"):
            merged[-1] = (merged[-1][0], end, merged[-1][2] + word)
        else:
            merged.append((start, end, word))
    return merged


def han_pairs(text: str) -> frozenset[str]:
    return frozenset(a + b for a, b in pairwise(text) if a > "\u33ff" and b > "\u33ff")


def likely_files(text: str, library: Sequence[str], titles: Mapping[str, str]) -> list[tuple[str, NameWords]]:
    """The files whose names and titles share most with a text: no more than MOST_LIKELY."""
    if len(library) <= MOST_LIKELY:
        return [(name, name_words(name, titles.get(name, ""))) for name in library]
    latin = frozenset(word for *_, word in latin_words(text)) - FILLERS
    pairs = han_pairs(text)
    said = [*latin, *(word for word in (*_kind_han, *_subject_han) if word in text)]
    kinds = _NONE.union(*(KIND_OF.get(word, _NONE) for word in said))
    subjects = _NONE.union(*(SUBJECT_OF.get(word, _NONE) for word in said))
    shared = [
        (
            4 * len(its.latin & latin)
            + 2 * len(its.titled & latin)
            + 2 * len(its.pairs & pairs)
            + len(its.kinds & kinds)
            + len(its.subjects & subjects),
            name,
            its,
        )
        for name in library
        if (its := name_words(name, titles.get(name, "")))
        and not (
            its.kinds.isdisjoint(kinds)
            and (its.latin | its.titled).isdisjoint(latin)
            and its.pairs.isdisjoint(pairs)
            and its.subjects.isdisjoint(subjects)
        )
    ]
    return [(name, its) for _, name, its in nlargest(MOST_LIKELY, shared, key=lambda one: one[0])]


def _period(stem: str) -> frozenset[int]:
    """What time a name is about: Q3 is quarterly, 2025-03 is March, a year alone is annual."""
    if _quarter_of_name.search(stem):
        return SUBJECT_OF["quarterly"]
    if found := _month_of_name.search(stem):
        return month_subject(int(found[1] or found[3]))
    if found := _han_month.search(stem):
        return month_subject(int(found[1]))
    return SUBJECT_OF["annual"] if _year_of_name.search(stem) else _NONE


def month_subject(month: int) -> frozenset[int]:
    return SUBJECT_OF.get(f"{month}月", _NONE)


def _day_of(stem: str) -> str:
    found = _month_of_name.search(stem)
    day = found and (found[2] or found[4])
    return f"{int(found[1] or found[3])}/{int(day)}" if found and day else ""


@lru_cache(maxsize=50_000)
def name_words(name: str, title: str = "") -> NameWords:
    folder, _, plain = folded(normal(name)).rpartition("/")
    if "." in folder:  # an address
        folder = ""
    stem, dot, ending = plain.rpartition(".")
    if not dot or not stem:
        stem, ending = plain, ""
    latin = frozenset(word for _, _, word in latin_words(stem) if word not in FILLERS)
    latin |= {"5月"} if "may" in latin else _NO_WORDS
    initials = "".join(word[0] for _, _, word in latin_words(stem) if not word.isdigit())
    around = f"{folder} {folded(normal(title))}"
    titled = frozenset(word for _, _, word in latin_words(around) if word not in FILLERS) - latin
    han = " ".join(_han.findall(f"{stem} {around}"))
    kinds = [KIND_OF.get(word, _NONE) for word in latin | titled if word not in ("word", "excel")]
    subjects = [SUBJECT_OF.get(word, _NONE) for word in latin | titled]
    if han:
        kinds += [
            KIND_OF[word] for word in _kind_han if word in han and (len(word) > 1 or f"{han} ".find(f"{word} ") > 0)
        ]
        subjects += [SUBJECT_OF[word] for word in _subject_han if word in han]
    subjects.append(_period(stem))
    kinds.append(_OF_EXTENSION.get(ending, _NONE))
    if any(not KIND_OF["minute"].isdisjoint(one) for one in kinds):  # which are of a meeting
        subjects.append(SUBJECT_OF["meeting"])
    return NameWords(
        latin, han, _NONE.union(*kinds), _NONE.union(*subjects), han_pairs(han), initials, titled, _day_of(stem)
    )
